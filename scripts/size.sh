#!/usr/bin/env bash
# Shows what the parts of the binary weigh, and which modules its code is of, in kB. docs/performance.md has the figures.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0
go build -trimpath -o "$work/homeroom" ./cmd/homeroom
go tool nm -size "$work/homeroom" >"$work/symbols" # address, size, type, name

# part NAME FROM TO: the distance of two symbols.
at() { echo $((0x$(awk -v name="$1" '$4 == name { print $1 }' "$work/symbols"))); }
part() { printf '%8d  %s\n' $((($(at "$3") - $(at "$2")) / 1000)) "$1"; }
part "code" runtime.text runtime.etext
part "tables of functions and lines, about 0.7 of the code" runtime.pclntab runtime.epclntab
part "strings and embedded files" 'go:string.*' go:funcdesc
part "types" runtime.types 'go:string.*'

echo
awk '$3 !~ /[tT]/ { next }
  $4 ~ /^homeroom\// { size["homeroom"] += $2; next }
  $4 ~ /^[a-z0-9-]+(\.[a-z0-9-]+)+\// { split($4, p, "/"); name = p[1] "/" p[2]; sub(/\.[^\/]*$/, "", name); size[name] += $2; next }
  { size["the standard library"] += $2 }
  END { for (name in size) if (size[name] > 100000) printf "%8d  %s\n", size[name] / 1000, name }' "$work/symbols" | sort -rn
