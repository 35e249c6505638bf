#!/bin/sh
# Stops the service before it is removed, but not before an upgrade. Data, settings and user stay.
set -e
case $1 in
  remove | 0) [ ! -d /run/systemd/system ] || systemctl disable --now homeroom ;;
esac
