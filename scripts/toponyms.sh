#!/usr/bin/env bash
# Measures how well places are found: seeds city tables in a temporary folder from GeoNames' cities15000, and from cities500
# if it is there, with admin1, admin2 and countryInfo, then runs toponym-report on the corpora TR-News and LGL. These files belong to others and are
# read from ../shared/data; without them the script exits with 69. docs/places.md has the figures. Arguments are passed
# to toponym-report (--half dev --errors 50), SWIFT_BUILD_FLAGS to swift build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

data=../shared/data
corpora=("$data/toponyms/TR-News.xml" "$data/toponyms/LGL-dev.xml")
tables=(
    "$data/cities/geonames_cities15000.txt" "$data/cities/geonames_admin1CodesASCII.txt"
    "$data/cities/geonames_admin2Codes.txt" "$data/cities/geonames_countryInfo.txt"
)
missing=()
for file in "${tables[@]}" "${corpora[@]}"; do
    if [[ ! -r $file ]]; then missing+=("$file"); fi
done
if ((${#missing[@]} > 0)); then
    echo "Places cannot be measured without these files:" >&2
    printf '    %s\n' "${missing[@]}" >&2
    exit 69
fi

scripts/packages.sh
bin=$(scripts/release.sh visiventd toponym-report)

run=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-toponyms.XXXXXX")
trap 'rm -rf "$run"' EXIT
"$bin/visiventd" seed cities --table "$run/cities.sqlite" "${tables[@]}" 2>"$run/progress" || {
    cat "$run/progress" >&2
    exit 1
}
echo
captures=("$data"/usgs/*.geojson)
reports=(
    "cap=$data/gvp/2014-07-02_WeeklyVolcanoCAP.xml" "rss=$data/gvp/2026-09-17_WeeklyVolcanoRSS_2items.xml"
    "kml=$data/kml/2015-11-04_WeeklyVolcanoGE-Reports_first2.kml"
)
echo "cities15000"
"$bin/toponym-report" --table "$run/cities.sqlite" "${captures[@]/#/--distances=usgs=}" \
    --volcanoes "$data/gvp/2019-10-23_GVP_Volcano_List_Holocene.csv" --volcanoes "$data/gvp/2014-07_volcano_list.csv" \
    "${reports[@]/#/--reports=}" \
    "${corpora[@]/#/--corpus=}" "$@"

more="$data/cities/geonames_cities500.txt.gz"
if [[ -r $more ]]; then
    "$bin/visiventd" seed cities --table "$run/more.sqlite" "$more" "${tables[@]:1}" 2>"$run/progress" || {
        cat "$run/progress" >&2
        exit 1
    }
    echo "cities500"
    "$bin/toponym-report" --table "$run/more.sqlite" "${corpora[@]/#/--corpus=}" "$@"
fi
