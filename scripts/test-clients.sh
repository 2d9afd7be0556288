#!/usr/bin/env bash
# Checks that real clients read the program's output: GDAL (ogr2ogr), QGIS without a screen, pandas, geopandas and a
# GeoJSON validator, on every format of `visiventd events` and on the database, also while a daemon writes it. Then it
# points GDAL, QGIS, ObsPy, OWSLib, Home Assistant's libraries, feedparser, schemathesis and plain requests at `visiventd
# serve`, and at one below a prefix behind nginx where nginx is installed. Times, counts and shapes must equal those
# from SQLite itself. Each check prints a line "ok" or "not ok"; the last line reads "N passed, N failed, N skipped".
#
#     scripts/test-clients.sh            # all
#     scripts/test-clients.sh served     # the service alone
#
# It needs Debian's packages (scripts/packages.sh clients; root installs them, 200 MB from apt's sources), and the
# network once for PyPI's (scripts/clients/requirements.txt, kept in .build-clients). Missing clients are skipped with a
# line. VISIVENTD is the program, by default the release build of this checkout. SWIFT_BUILD_FLAGS is passed to swift
# build.
# shellcheck disable=SC1091
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/timed.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-clients.XXXXXX")
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3
venv=.build-clients/venv
requirements=scripts/clients/requirements.txt

skip() { echo "ok - $1 # SKIP $2"; }

# run NAME INTERPRETER SCRIPT ARGUMENT...: runs the checks of a script for at most 75 seconds.
run() {
    local name=$1
    shift
    QT_QPA_PLATFORM=offscreen HOME=$work XDG_RUNTIME_DIR=$work PYTHONDONTWRITEBYTECODE=1 \
        timeout --signal=INT --kill-after=20 75 "$@" 2>"$work/errors" || {
        tail -n 5 "$work/errors" | sed 's/^/# /'
        echo "not ok - the checks of $name have ended early"
    }
}

# Installs PyPI's packages into a folder that is rebuilt when the list changes.
has_python_packages() {
    if cmp --silent "$requirements" "$venv/requirements.txt"; then return; fi
    rm -rf "$venv"
    "$python" -m venv "$venv" && timeout 180 "$venv/bin/pip" install --quiet --disable-pip-version-check \
        --only-binary :all: --require-hashes --requirement "$requirements" && cp "$requirements" "$venv"
}

# Makes a database of fixtures with all sorts of shapes and more events than a table shows, and its output in each
# format.
make_outputs() {
    local fixtures=$PWD/Fixtures kind
    cat >"$work/visiventd.yaml" <<END
database: v.sqlite
sources:
  - {name: quakes, kind: usgs, url: "file://$fixtures/demo/quakes.geojson", max_age: 36500d}
  - {name: volcanoes, kind: cap, url: "file://$fixtures/demo/volcanoes.cap.xml", trusted_for: [gvp], max_age: 36500d}
  - {name: news, kind: rss, url: "file://$fixtures/demo/news/world.xml", trusted_for: [reuters], max_age: 36500d}
  - {name: island-watch, kind: rss, url: "file://$fixtures/demo/georss.atom", max_age: 36500d}
  - {name: areas, kind: cap, url: "file://$fixtures/cap/areas.xml", max_age: 36500d}
  - {name: shapes, kind: kml, url: "file://$fixtures/kml/shapes.kml", max_age: 36500d}
  - {name: across, kind: kml, url: "file://$fixtures/kml/across-180.kml", max_age: 36500d}
END
    if ! "$program" poll --all --config "$work/visiventd.yaml" >"$work/polls" 2>&1; then
        sed 's/^/# /' "$work/polls"
        echo "not ok - the fixtures are stored"
        return 1
    fi
    for kind in csv ndjson geojson geojsonseq; do
        said "events --format $kind" "$program" events --config "$work/visiventd.yaml" --format "$kind" >"$work/all.$kind"
    done
    # GDAL 3.6 of Debian 12 now and then reads past the end of a file with separators (RFC 8142), and loses the last
    # event; without them it does not.
    tr --delete '\036' <"$work/all.geojsonseq" >"$work/all.lines" && mv "$work/all.lines" "$work/all.geojsonseq"
    said "events --format gpkg" "$program" events --config "$work/visiventd.yaml" --format gpkg --output "$work/all.gpkg"
}

# said NAME COMMAND...: runs a command that must succeed without messages; its line is printed with the checks.
said() {
    local name=$1
    shift
    if "$@" 2>"$work/errors" && [[ ! -s $work/errors ]]; then
        echo "ok - $name" >>"$work/said"
    else
        { head -n 2 "$work/errors" | sed 's/^/# /' && echo "not ok - $name"; } >>"$work/said"
    fi
}

# Whether Debian's packages are there; without them xmllint may be missing, too.
has_debian_packages() {
    scripts/packages.sh clients >"$work/packages" 2>&1 && "$python" -c 'import osgeo, qgis.core' 2>/dev/null
}

# missing FROM CLIENT: says that clients are left out, with the installer's last words.
missing() {
    tail -n 3 "$work/packages" | sed 's/^/# /'
    skip "$2" "$1's packages are missing and cannot be installed"
}

outputs() {
    make_outputs || return 0
    cat "$work/said"
    if has_debian_packages; then
        run GDAL "$python" scripts/clients/with_gdal.py "$work" "$program"
        run QGIS "$python" scripts/clients/with_qgis.py "$work"
    else
        missing Debian "GDAL and QGIS"
    fi
    if has_python_packages >"$work/packages" 2>&1; then
        run pandas "$venv/bin/python" scripts/clients/with_pandas.py "$work"
        run geojson-validator "$venv/bin/python" scripts/clients/with_validator.py "$work" "$program" "$PWD/../shared/data"
    else
        missing PyPI "pandas, geopandas, geojson-validator"
    fi
}

# served NAME INTERPRETER: runs scripts/clients/served_NAME.py; each script starts a service of its own.
served() { run "served_$1" "$2" "scripts/clients/served_$1.py" "$work/served" "$program"; }

# behind FATE NAME INTERPRETER: the same behind nginx, which passes the prefix on or takes it away (proxy.py).
behind() {
    if [[ -x $(PATH=$PATH:/usr/sbin command -v nginx) ]]; then
        run "served_$2 behind nginx" env BEHIND="$1" "$3" "scripts/clients/served_$2.py" "$work/served" "$program"
    else
        skip "served_$2 behind nginx" "nginx is not installed"
    fi
}

service() {
    local name
    if ! "$python" scripts/clients/served_world.py "$work/served" "$program" "$PWD/Fixtures" 2>"$work/errors"; then
        sed 's/^/# /' "$work/errors"
        echo "not ok - the world of the service is stored"
        return 0
    fi
    for name in over_http as_then behind_nginx; do served "$name" "$python"; done
    if has_debian_packages; then
        for name in to_gdal to_qgis; do served "$name" "$python"; done
        behind passed to_gdal "$python"
        behind taken to_qgis "$python"
    else
        missing Debian "GDAL, QGIS and xmllint on the service"
    fi
    if has_python_packages >"$work/packages" 2>&1; then
        for name in conformance to_obspy to_owslib to_home_assistant to_feed_readers to_schemathesis; do
            served "$name" "$venv/bin/python"
        done
        behind passed to_obspy "$venv/bin/python"
    else
        missing PyPI "ObsPy, OWSLib, Home Assistant, feedparser, schemathesis, conformance"
    fi
}

all() {
    if [[ $part == all ]]; then timed outputs outputs; fi
    timed service service
}

part=${1:-all}
if [[ $part != all && $part != served ]]; then
    echo "\"$part\" is no part: served" >&2
    exit 64
fi
program=${VISIVENTD:-$(scripts/release.sh visiventd)/visiventd}
program=$(realpath "$program")
all | tee "$work/log"
scripts/tap-report.sh "$work/log"
