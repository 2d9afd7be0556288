#!/usr/bin/env bash
# Builds the daemon and runs it on the recorded feeds of Fixtures/demo, served on this machine by scripted-upstream.
# First it seeds a small city table; scripted-upstream also simulates the geocoding service for places that the table
# lacks. Only the first build connects to other machines, and so does fetching the library of the map page once.
#
# Ctrl-C ends it. With DEMO_SECONDS=N it ends after N seconds, with status 0 if events of all four kinds were seen, else
# 1. SWIFT_BUILD_FLAGS is passed to swift build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

table_after=35
seconds=${DEMO_SECONDS:-}
if [[ -n $seconds && ! $seconds =~ ^[0-9]+$ ]]; then
    echo "DEMO_SECONDS is \"$seconds\"; a whole number of seconds is wanted" >&2
    exit 64
fi

scripts/packages.sh
bin=$(scripts/release.sh visiventd scripted-upstream)
# Without the network there is no map, but a page of links.
scripts/assets.sh >/dev/null || (($? == 69))

run=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-demo.XXXXXX")
upstream='' daemon='' serve=''
clean_up() {
    trap - EXIT INT TERM
    # The daemon ends first, so that it can finish its work.
    for process in $serve $daemon $upstream; do
        kill -TERM "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$run"
}
trap clean_up EXIT
trap 'exit 0' INT TERM

say() { printf '\n== %s\n' "$*"; }

# Sleeps until a signal, and exits if one of the two programs has ended.
pause() {
    local left=$1
    while ((left > 0)); do
        sleep 1 &
        wait $!
        left=$((left - 1))
        if ! kill -0 "$daemon" 2>/dev/null || ! kill -0 "$upstream" 2>/dev/null; then
            echo "the daemon or its upstream has ended" >&2
            exit 1
        fi
    done
}

"$bin/scripted-upstream" serve --directory Fixtures/demo --shift --places Fixtures/demo-places/geocoder.tsv \
    --port-file "$run/port" &
upstream=$!
for ((i = 0; i < 150; i++)); do
    [[ -s $run/port ]] && break
    kill -0 "$upstream" 2>/dev/null || break
    sleep 0.1
done
if [[ ! -s $run/port ]]; then
    echo "scripted-upstream has not opened its port" >&2
    exit 1
fi
port=$(<"$run/port")

# The simulated services need no key, but the settings require a file with one.
(umask 077 && echo demonstration >"$run/token")
sed -e "s|@PORT@|$port|g" -e "s|@RUN@|$run|g" -e "s|@PAGE@|$PWD/.build/page|g" config/demo.yaml >"$run/demo.yaml"

say "visiventd seed cities Fixtures/demo-places/cities.txt Fixtures/demo-places/regions.txt"
"$bin/visiventd" seed cities --config "$run/demo.yaml" \
    Fixtures/demo-places/cities.txt Fixtures/demo-places/regions.txt 2>"$run/progress" || {
    cat "$run/progress" >&2
    exit 1
}

say "visiventd run (its log; Ctrl-C stops it)"
"$bin/visiventd" run --config "$run/demo.yaml" &
daemon=$!

"$bin/visiventd" serve --config "$run/demo.yaml" --listen 127.0.0.1:0 2>"$run/serve" &
serve=$!
for ((i = 0; i < 150; i++)); do
    address=$(sed -n 's/.* serving listen=\([^ ]*\).*/\1/p' "$run/serve")
    [[ -n $address ]] && break
    kill -0 "$serve" 2>/dev/null || break
    sleep 0.1
done
if [[ -z $address ]]; then
    cat "$run/serve" >&2
    echo "visiventd serve has not opened its port" >&2
    exit 1
fi
say "visiventd serve: http://$address/"

if [[ -n $seconds ]] && ((seconds < table_after)); then table_after=$seconds; fi
pause "$table_after"

say "visiventd events --limit 10"
"$bin/visiventd" events --database "$run/demo.sqlite" --format table --limit 10
say "visiventd events --category news --category message"
"$bin/visiventd" events --database "$run/demo.sqlite" --format table --category news --category message
say "visiventd geocode 'Hilo, HI' 'Horta, Azores' Springfield"
"$bin/visiventd" geocode --config "$run/demo.yaml" 'Hilo, HI' 'Horta, Azores' Springfield
say "visiventd status"
"$bin/visiventd" status --config "$run/demo.yaml"
say "the log goes on; the record is at http://$address/"

if [[ -z $seconds ]]; then
    while true; do pause 60; done
fi

pause $((seconds - table_after))
"$bin/visiventd" events --database "$run/demo.sqlite" --format ndjson --limit 1000 >"$run/events.ndjson"
say "events seen"
complete=0
for category in earthquake volcano news message; do
    count=$(grep -Ec "\"category\": ?\"$category\"" "$run/events.ndjson" || true)
    echo "$category: $count"
    if ((count == 0)); then complete=1; fi
done
exit "$complete"
