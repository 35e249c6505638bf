#!/usr/bin/env bash
# Fuzzes a demo with Schemathesis by the OpenAPI document: all checks, as each of the five roles and as nobody (sign-in).
#   scripts/fuzz.sh [ROLE...]     ROLE is nobody, parent, teacher, driver, school-admin or super-admin; default: all
# HOMEROOM_DATABASE_URL runs it on PostgreSQL (an empty database). EXAMPLES is the number of random cases per operation (8), REPORTS a
# directory for reports. docs/fuzzing.md says which reports are no faults.
set -euo pipefail
if [ -z "${HOMEROOM_URL:-}" ]; then
  export HOMEROOM_RATE_AUTH=0 HOMEROOM_RATE_READ=0 HOMEROOM_RATE_WRITE=0 HOMEROOM_RATE_POSITION=0 HOMEROOM_RATE_OTP=0
  exec "$(dirname "$0")/with-demo.sh" "$0" "$@"
fi
cd "$(dirname "$0")"
venv=${FUZZ_VENV:-$(mktemp -d)}
[ -x "$venv/bin/schemathesis" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'schemathesis>=4.32,<5'; }
reports=${REPORTS:-$(mktemp -d)}
[ $# -gt 0 ] || set -- nobody parent teacher driver school-admin super-admin

# run ROLE NAME OPTION...
run() {
  ROLE=$1 SCHEMATHESIS_HOOKS=fuzz PYTHONPATH=. "$venv/bin/schemathesis" run ../internal/app/testdata/openapi.json --url "$HOMEROOM_URL" \
    --phases examples,coverage,fuzzing --max-examples "${EXAMPLES:-8}" --generation-deterministic --no-shrink --continue-on-failure \
    --report ndjson --report-ndjson-path "$reports/$1-$2.ndjson" --no-color "${only[@]}" "${@:3}" >"$reports/$1-$2.log" 2>&1 || true
  python3 fuzz_report.py "$reports/$1-$2.ndjson"
}

ends='/user-auth/|/logout|/sessions|/auth/' # would end the session of a role: called by nobody
for role in "$@"; do
  only=(--include-path-regex "^/($role|bus-tracking|file)/" --exclude-path-regex "$ends")
  [ "$role" != nobody ] || only=(--include-path-regex "$ends")
  echo "== $role"
  run "$role" answers --checks all --exclude-checks negative_data_rejection
  JUDGED=skip run "$role" refusals --checks negative_data_rejection --mode negative
done
echo "reports: $reports"
