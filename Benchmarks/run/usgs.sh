#!/bin/sh
# usgs.sh DATABASE FEED: polls a USGS feed (a file or an http URL) once, for the scripts of ../shared/bench.
#
# DATABASE has the schema of those scripts. Ours replaces it, so that they count its rows: an empty one, or one with the
# same events if theirs has any. shared.py sets the variables and makes both.
set -eu
work=$VISIVENTD_WORK
case $2 in
http://*) url=$2 ;;
*) url=file://$2 ;;
esac
if [ "$(stat -c %s "$1")" -lt 1000000 ]; then from=empty; else from=loaded; fi
cp "$work/$from.sqlite" "$1"
printf '%s\n' "database: $1" 'fetch:' '  per_host_gap: 0s' '  maximum_body: 512MiB' '  maximum_transfer: 512MiB' \
    'sources:' '  - name: quakes' '    kind: usgs' "    url: $url" '    max_age: 36525d' >"$work/run-usgs.yaml"
exec "$VISIVENTD" poll --config "$work/run-usgs.yaml" quakes
