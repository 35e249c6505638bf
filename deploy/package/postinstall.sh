#!/bin/sh
# Creates the user and the data directory. The service is neither enabled nor started: docs/install.md.
set -e
getent passwd homeroom >/dev/null ||
  useradd --system --user-group --home-dir /var/lib/homeroom --no-create-home --shell /usr/sbin/nologin homeroom
install -d -o homeroom -g homeroom -m 0700 /var/lib/homeroom
chgrp homeroom /etc/homeroom/homeroom.env
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart homeroom # after an upgrade
fi
