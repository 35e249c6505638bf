#!/usr/bin/env bash
# Builds a release into dist/: binaries, .deb and .rpm packages, a bill of materials (CycloneDX) of each binary, and SHA256SUMS.
# Two builds of one commit with one version of Go are equal, byte for byte: "scripts/release.sh --check" builds again in a clone elsewhere,
# without the build cache, and compares. TARGETS="linux/amd64 linux/arm64" builds only those.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 TARGETS="${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}"

if [ "${1:-}" = --check ]; then
  clone=$(mktemp -d)/homeroom
  trap 'rm -rf "$(dirname "$clone")"' EXIT
  git clone --quiet . "$clone"
  REBUILD=-a "$clone/scripts/release.sh"
  diff -r dist "$clone/dist"
  echo "Both builds are equal."
  exit
fi

if [ ! -d .git ]; then
  echo "Build in a clone: go stamps no version elsewhere, such as in a worktree." >&2
  exit 1
fi
# The Helm chart is tested here: compiling Helm's packages would take two minutes of each bare machine that runs scripts/test.sh.
(cd deploy/helm && go test -count=1 ./...)
STAGE=$(mktemp -d)
trap 'rm -rf "$STAGE"' EXIT
rm -rf dist
mkdir dist

# go build stamps the version: the tag of the commit, or one made of its date and hash.
build() { go build ${REBUILD:-} -trimpath -buildvcs=true -ldflags='-s -w' -o "$1" ./cmd/homeroom; }
for target in $TARGETS; do
  export GOOS=${target%/*} GOARCH=${target#*/}
  binary=dist/homeroom-$GOOS-$GOARCH
  [ "$GOOS" != windows ] || binary=$binary.exe
  echo "$binary"
  build "$binary"
done
unset GOOS GOARCH

for binary in dist/*; do
  go run ./scripts/sbom "$binary" >"$binary.cdx.json"
done

# The packages have a manual page and a file of all settings, made by and from the program.
REBUILD='' build "$STAGE/homeroom"
"$STAGE/homeroom" man | gzip -n -9 >"$STAGE/homeroom.1.gz"
{
  echo '# Settings of homeroom.service. Remove the # before a setting to change it, then: systemctl restart homeroom'
  printf '# A value with spaces needs double quotes.\n\n'
  sed '1,/^$/d; s/^HOMEROOM_/#&/; s|^#HOMEROOM_DATA=.*|HOMEROOM_DATA=/var/lib/homeroom|' .env.example
} >"$STAGE/homeroom.env"
VERSION=$("$STAGE/homeroom" version | sed -E 's/^homeroom v?([^,]*),.*/\1/')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export STAGE VERSION SOURCE_DATE_EPOCH
for target in $TARGETS; do
  [ "${target%/*}" = linux ] || continue
  for format in deb rpm; do
    ARCH=${target#*/} BINARY=dist/homeroom-linux-${target#*/} \
      go tool -modfile=tools/release/go.mod nfpm package -f deploy/package/nfpm.yaml -p $format -t dist/
  done
done

(cd dist && sha256sum -- * >SHA256SUMS)
ls -l dist
