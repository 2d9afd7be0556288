#!/usr/bin/env bash
# Builds the daemon and runs it on the recorded feeds of Fixtures/demo, served on this machine by scripted-upstream.
# First it seeds a small city table; scripted-upstream also simulates the geocoding service for places that the table
# lacks. When the events are there, it shows them, and the map's address. Only the first build connects to other
# machines, and so does fetching the library of the map page once.
#
# Ctrl-C ends it. With DEMO_SECONDS=N it ends after N seconds, with status 0 if events of all four kinds were seen, else
# 1. SWIFT_BUILD_FLAGS is passed to swift build.
# shellcheck disable=SC1091,SC2154,SC2317
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/beside.sh

seconds=${DEMO_SECONDS:-}
if [[ -n $seconds && ! $seconds =~ ^[0-9]{1,6}$ ]]; then
    echo "DEMO_SECONDS is \"$seconds\"; a whole number of seconds is wanted" >&2
    exit 64
fi

scripts/packages.sh build map
bin=$(scripts/release.sh visiventd scripted-upstream)
# Without the network there is no map, but a page of links.
scripts/assets.sh >/dev/null || (($? == 69))

run=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-demo.XXXXXX")
clean_up() {
    end_programs
    rm -rf "$run"
}
trap clean_up EXIT
trap 'exit 0' INT TERM

say() { printf '\n== %s\n' "$*"; }

ask() { sqlite3 -readonly "$run/demo.sqlite" "$1" 2>/dev/null; }

# Whether each source has been read, events of all four kinds are there, and no event waits for its place.
has_all() {
    [[ $(ask "SELECT (SELECT count(DISTINCT category) FROM events_v1) >= 4
        AND NOT EXISTS (SELECT 1 FROM sources_v1 WHERE is_enabled AND last_success_ms IS NULL)
        AND NOT EXISTS (SELECT 1 FROM unlocated_v1 WHERE state <> 'unresolved')") == 1 ]]
}

port=$(free_port 18500)
begin "$bin/scripted-upstream" serve --directory Fixtures/demo --shift --places Fixtures/demo-places/geocoder.tsv \
    --port "$port"
within 120 answers "$port" /quakes.geojson || {
    echo "scripted-upstream does not answer" >&2
    exit 1
}

# The simulated services need no key, but the settings require a file with one.
(umask 077 && echo demonstration >"$run/token")
sed -e "s|@PORT@|$port|g" -e "s|@RUN@|$run|g" -e "s|@PAGE@|$PWD/.build/page|g" config/demo.yaml >"$run/demo.yaml"

say "visiventd seed cities Fixtures/demo-places/cities.txt Fixtures/demo-places/regions.txt"
"$bin/visiventd" seed cities --config "$run/demo.yaml" \
    Fixtures/demo-places/cities.txt Fixtures/demo-places/regions.txt 2>"$run/progress" || {
    cat "$run/progress" >&2
    exit 1
}

say "visiventd run, visiventd serve (their logs; Ctrl-C stops them)"
began=$SECONDS
begin "$bin/visiventd" run --config "$run/demo.yaml"
serve "$run/demo.yaml" 18423
say "$address"

within "${seconds:-120}" has_all || echo "Some sources have brought nothing yet" >&2

say "visiventd events --limit 10"
"$bin/visiventd" events --database "$run/demo.sqlite" --format table --limit 10
say "visiventd events --category news --category message"
"$bin/visiventd" events --database "$run/demo.sqlite" --format table --category news --category message
say "visiventd geocode 'Hilo, HI' 'Horta, Azores' Springfield"
"$bin/visiventd" geocode --config "$run/demo.yaml" 'Hilo, HI' 'Horta, Azores' Springfield
say "visiventd status"
"$bin/visiventd" status --config "$run/demo.yaml"
say "the log goes on; $address (Ctrl-C stops it)"

while [[ -z $seconds ]] || ((SECONDS - began < seconds)); do pause 1; done
say "events seen"
complete=0
for category in earthquake volcano news message; do
    count=$(ask "SELECT count(*) FROM events_v1 WHERE category = '$category'")
    echo "$category: $count"
    if ((count == 0)); then complete=1; fi
done
exit "$complete"
