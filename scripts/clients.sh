#!/usr/bin/env bash
# Generates the clients in clients/ from the OpenAPI document, or tests them against a demo service.
#   scripts/clients.sh [CLIENT...]        generates; CLIENT is typescript, python or kotlin, default: all
#   scripts/clients.sh test [CLIENT...]   generates, then signs in, lists, marks, uploads and watches a bus with each
# A client whose toolchain is missing (Node, Python 3.11, Maven) is left out, unless it was named.
set -euo pipefail
cd "$(dirname "$0")/.."

test=
if [ "${1:-}" = test ]; then test=yes; shift; fi
named=$#
[ $# -gt 0 ] || set -- typescript python kotlin

typescript() {
  [ -d node_modules ] || npm ci --no-audit --no-fund --silent
  npm run --silent build
}
test_typescript() { npm test --silent; }

python() { python3 generate.py; }
test_python() {
  [ -d .venv ] || { python3 -m venv .venv && .venv/bin/pip install --quiet "python-socketio[client]>=5.11"; }
  .venv/bin/python -m unittest discover -s test
}

kotlin() { [ -n "$test" ] || mvn -q -B compile; } # the test compiles, too
test_kotlin() { mvn -q -B test; }

tool() { case $1 in typescript) echo npm ;; python) echo python3 ;; kotlin) echo mvn ;; *) echo "no client $1" >&2; exit 1 ;; esac; }

for client in "$@"; do
  if ! command -v "$(tool "$client")" >/dev/null; then
    echo "$client: left out, $(tool "$client") is missing" >&2
    [ "$named" = 0 ] || exit 1
    continue
  fi
  echo "== $client"
  (cd "clients/$client" && "$client")
  [ -z "$test" ] || scripts/with-demo.sh bash -c "cd clients/$client && $(declare -f "test_$client"); test_$client"
done
