#!/usr/bin/env bash
# Builds the web app into web/dist (or the directory given): types from the OpenAPI document, type check, bundle.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-web/dist}
for package in clients/typescript web; do
  [ -d $package/node_modules ] || (cd $package && npm ci --no-audit --no-fund --silent)
done
(cd web && npm run --silent check)
rm -rf "$out"
go tool -modfile=tools/go.mod esbuild web/src/main.tsx --outdir="$out" --bundle --splitting --format=esm --target=es2023 --minify \
  --inject:web/src/ground.ts --entry-names='[name]-[hash]' --chunk-names='[name]-[hash]' --jsx=automatic --jsx-import-source=preact --log-level=warning --legal-comments=none
go tool -modfile=tools/go.mod esbuild web/src/worker/worker.ts --outfile="$out/worker.js" --bundle --format=esm --target=es2023 --minify --log-level=warning
