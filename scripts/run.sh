#!/usr/bin/env bash
# Builds the daemon and runs it on the live feeds of config/visiventd.yaml, with its database in run/, and the HTTP
# service beside it, which shows the map at port 8423, or the next one that is free. The log names feeds that cannot be
# reached. Ctrl-C ends both. SWIFT_BUILD_FLAGS is passed to swift build.
# shellcheck disable=SC1091,SC2154
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/beside.sh

scripts/packages.sh build map
bin=$(scripts/release.sh visiventd)
# Without the network there is no map, but a page of links.
scripts/assets.sh >/dev/null || (($? == 69))

mkdir -p run
# The service gets the same configuration, with the database and the page of this folder.
sed -E 's|^(# )?database: .*|database: visiventd.sqlite|; s|^# (serve:)$|\1|; s|^  # page: .*|  page: ../.build/page|' \
    config/visiventd.yaml >run/serve.yaml

trap end_programs EXIT
trap 'exit 0' INT TERM
begin "$bin/visiventd" run --config config/visiventd.yaml --database run/visiventd.sqlite
serve run/serve.yaml 8423
printf '\n== %s (Ctrl-C stops it)\n' "$address"
while true; do pause 1; done
