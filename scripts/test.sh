#!/usr/bin/env bash
# Passes all tests: installs what they need (a PostgreSQL for the second
# engine and a PgBouncer in front of it, Chromium for the pages, Node for the Socket.IO client), then checks format, vets, lints and tests.
# Arguments go to "go test": scripts/test.sh -run TestSignIn ./internal/feature/identity
set -euo pipefail
cd "$(dirname "$0")/.."

# Without the path of the checkout in them, compiled packages and the linter's results are cached for every checkout.
export GOFLAGS="-trimpath ${GOFLAGS:-}"

step() { printf '\n== %s\n' "$*"; }

# need COMMAND-OR-FILE PACKAGE...: installs the Debian packages unless the command is there.
need() {
  local what=$1
  shift
  if compgen -G "$what" >/dev/null || command -v "$what" >/dev/null; then return; fi
  step "installing $*"
  local as=()
  [ "$(id -u)" = 0 ] || as=(sudo)
  if ! command -v apt-get >/dev/null; then
    echo "Please install $* (for $what) with your system's package manager, then run this again." >&2
    exit 1
  fi
  "${as[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as[@]}" apt-get install -y -qq --no-install-recommends "$@"
}
need '/usr/lib/postgresql/*/bin/initdb' postgresql
need /usr/sbin/pgbouncer pgbouncer
need chromium-headless-shell chromium-headless-shell fonts-dejavu-core
need node nodejs npm
need curl curl
need npm npm

# The official Socket.IO client, which the tests talk to the server with.
client=internal/platform/socketio/testdata/client
[ -d $client/node_modules ] || (step "installing socket.io-client" && cd $client && npm ci --no-audit --no-fund --silent)

# The validator of the OpenAPI document.
validator=internal/app/testdata/validator
[ -d $validator/node_modules ] || (step "installing the OpenAPI validator" && cd $validator && npm ci --no-audit --no-fund --silent)

# The web app: types, and the built files, which must be those of the sources.
[ -d web/node_modules ] || (step "installing the web app's packages" && cd web && npm ci --no-audit --no-fund --silent)
step "web app"
built=$(mktemp -d)
scripts/web.sh "$built/dist"
if ! diff -rq web/dist "$built/dist"; then
  echo "web/dist is not what web/src builds to: run make web and commit it." >&2
  exit 1
fi
rm -r "$built"

step "lint"
go tool -modfile=tools/go.mod golangci-lint run # format, vet, staticcheck, errcheck, line length: .golangci.yml

step "known vulnerabilities"
# Which modules have any is known at once; only then does it take a while to find out whether their code is called.
vulnerable() { status=0; report=$(go tool -modfile=tools/go.mod govulncheck "$@" 2>&1) || status=$?; }
vulnerable -scan module -C cmd/homeroom
[ "$status" != 3 ] || vulnerable ./...
case $status in
  0) echo "none" ;;
  3) printf '%s\n' "$report" >&2; exit 1 ;; # it found some
  *) echo "left out: the vulnerability database can't be reached from here" ;;
esac

step "test"
# Databases that live for one test need no disk.
if [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 4000000 ] 2>/dev/null; then export TMPDIR=/dev/shm; fi
# Test programs are many and short: linking them without debug information and
# collecting garbage less often saves a fifth of the time.
export GOGC=400
# Many tests wait for something: four at a time keep two cores busy. The linter has vetted.
suite() { go run ./internal/platform/db/dbtest/cluster -- go test -timeout 30m -parallel 4 -vet=off -ldflags='-s -w' "$@"; }
if [ $# -gt 0 ]; then
  suite -race "$@"
  exit
fi
# What keeps something in memory is tested under the race detector. The other features
# have all their state in the database, and would take four times as long under it.
# SQLite and argon2 look after themselves: watching them would double the time again.
raced=$(go list ./internal/platform/... ./internal/feature/{access,audit,identity,live,tracking}/... | grep -vE '/platform/(apidocs|browsertest|csv|money|pdf|text)(/|$)')
unwatched='-race=false -d=checkptr=0'
# The longest come first.
# shellcheck disable=SC2046,SC2086 # one argument per package
suite ./web ./internal/app $(go list ./... | grep -vxF "$raced")
# shellcheck disable=SC2086
suite -race -gcflags="modernc.org/...=$unwatched" -gcflags="golang.org/x/crypto/...=$unwatched" $raced
