#!/usr/bin/env bash
# Runs a command against a demo service of its own, in a temporary directory: scripts/with-demo.sh COMMAND...
# The command gets the service's address as HOMEROOM_URL. DEMO_BINARY names a built binary; settings of the service
# (HOMEROOM_DATABASE_URL, HOMEROOM_RATE_READ) are taken from the environment.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
  rm -rf "$dir"
}
trap stop EXIT

binary=${DEMO_BINARY:-}
if [ -z "$binary" ]; then
  binary=$dir/homeroom
  (cd "$root" && CGO_ENABLED=0 go build -o "$binary" ./cmd/homeroom)
fi
"$binary" serve --demo --addr 127.0.0.1:0 --data "$dir/data" --log-format json >"$dir/out" 2>"$dir/log" &
server=$!
until url=$(grep -o '"url":"[^"]*' "$dir/log" 2>/dev/null | head -1 | cut -d '"' -f 4) && [ -n "$url" ]; do
  if ! kill -0 "$server" 2>/dev/null; then cat "$dir/log" >&2; exit 1; fi
  sleep 0.2
done
status=0
HOMEROOM_URL=$url "$@" || status=$?
[ "$status" = 0 ] || tail -20 "$dir/log" >&2
exit "$status"
