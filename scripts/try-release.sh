#!/usr/bin/env bash
# Tries a .deb on a clean Debian and times each step: installs it, starts it as its unit would (without systemd), sets up the first
# school, makes a backup, kills the service, restores the backup into another directory, signs in there and compares.
#   scripts/try-release.sh dist/homeroom_*_amd64.deb
# Needs root, curl and debootstrap. BASE=DIRECTORY copies that Debian instead of downloading one; PORT is 3099 unless set.
set -euo pipefail
deb=$1 address=127.0.0.1:${PORT:-3099} root=$(mktemp -d) pid=
chmod 755 "$root"
trap '[ -z "$pid" ] || kill -9 "$pid"; rm -rf --one-file-system "$root"' EXIT

began=0
step() { began=${EPOCHREALTIME/./} && printf '%-48s' "$*"; }
done_() { printf '%7d ms\n' $(((${EPOCHREALTIME/./} - began) / 1000)); }
fail() { printf '\n%s\n' "$*" >&2 && tail -20 "$root/log" >&2 && exit 1; }

# of NAME: a setting of the installed unit.
of() { sed -n "s/^$1=-\{0,1\}//p" "$root/usr/lib/systemd/system/homeroom.service"; }
# as_unit COMMAND...: becomes the command, with the user and the environment of the unit.
as_unit() {
  exec chroot --userspec="$(of User):$(of User)" "$root" /usr/bin/env -i PATH=/usr/bin:/bin "$(of Environment)" \
    /bin/sh -c 'set -a; . "$0"; exec "$@"' "$(of EnvironmentFile)" "$@"
}
start() {
  # shellcheck disable=SC2046 # the words of the command
  as_unit $(of ExecStart) >"$root/log" 2>&1 &
  pid=$!
  until curl -sf -o /dev/null "$address/readyz"; do
    kill -0 "$pid" || fail "The service ended."
    sleep 0.05
  done
}
# call PATH [curl arguments]: the body of a successful answer.
call() { curl -sS --fail-with-body "$address/$1" -H "Authorization: Bearer ${token:-}" -H 'Content-Type: application/json' "${@:2}"; }
sign_in() {
  token=$(call auth/login -d '{"email":"office@hill.example","password":"seven-green-bottles"}' | sed 's/.*"accessToken":"\([^"]*\)".*/\1/')
}
add() { call school-admin/student/create -d "{\"data\":{\"firstName\":\"$1\"}}" >/dev/null; }
all() { call school-admin/student/list && call school-admin/dashboard/stats; }

step "a clean Debian"
if [ -n "${BASE:-}" ]; then cp -a "$BASE/." "$root"; else debootstrap --variant=minbase stable "$root" >"$root.log" || fail "see $root.log"; fi
done_
cp "$deb" "$root/homeroom.deb"
step "install the package"
chroot "$root" dpkg -i /homeroom.deb >"$root/log" 2>&1 || fail "dpkg failed."
done_
sed -i "s/^#HOMEROOM_ADDR=.*/HOMEROOM_ADDR=$address/" "$root/etc/homeroom/homeroom.env"
chroot "$root" install -d -o "$(of User)" -m 0700 /srv/backup /srv/restored

step "first start: $(of ExecStart)"
start
done_
step "first school, with the set-up link"
secret=$(grep -o '/app/setup#[^ ]*' "$root/log" | cut -d'#' -f2)
call auth/setup -d "{\"token\":\"$secret\",\"name\":\"Grace\",\"email\":\"grace@hill.example\",\"password\":\"nine-blue-lanterns\",
  \"schoolName\":\"Hill School\",\"officeName\":\"Office\",\"officeEmail\":\"office@hill.example\",\"officePassword\":\"seven-green-bottles\",
  \"academicYear\":{\"name\":\"2026\",\"startDate\":\"2026-01-01\",\"endDate\":\"2026-12-31\"}}" >/dev/null
sign_in
add Ada
done_
before=$(all)
step "backup of the running service"
(as_unit homeroom backup /srv/backup/b.tar.gz) >"$root/log.backup" 2>&1 || fail "$(cat "$root/log.backup")"
done_
add Later

step "kill -9, and the data directory is lost"
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
rm -rf "$root/var/lib/homeroom"
done_
step "restore into another directory"
sed -i "s|^HOMEROOM_DATA=.*|HOMEROOM_DATA=/srv/restored|" "$root/etc/homeroom/homeroom.env"
(as_unit homeroom restore /srv/backup/b.tar.gz) >"$root/log.restore" 2>&1 || fail "$(cat "$root/log.restore")"
done_
step "start"
start
done_
[ "$(all)" = "$before" ] || fail "The token of before the backup does not show what was in it."
step "sign in again"
sign_in
done_
after=$(all)
[ "$after" = "$before" ] || fail "Before and after differ: $before $after"
[[ $before == *Ada* && $after != *Later* ]] || fail "The students are not those of the backup: $after"
step "stop by SIGTERM"
kill "$pid"
wait "$pid" || fail "The service ended with $?."
pid=
done_
chroot "$root" dpkg --purge homeroom >/dev/null
[ -f "$root/srv/restored/homeroom.db" ] && [ ! -e "$root/usr/bin/homeroom" ] || fail "Removing the package removed data, or left the program."
echo "Everything that the backup had is there."
