#!/usr/bin/env bash
# Fits the weights of the features of places anew and writes Sources/Gazetteer/Scoring/PlaceWeights.swift. It seeds city
# tables from GeoNames' cities15000 and cities500, dumps the features of all candidates of the corpora with toponym-report,
# and runs fit-places.py on their rules halves. The files are read from ../shared/data (VISIVENTD_DATA names another
# folder); without them the script exits with 69. Its Python packages (fit-places.txt) are installed in .build/fit-places.
#
# The homes that feeds learn follow from the weights: repeat it after a change of features until the file stays.
#
# To add a corpus: add it here and to scripts/toponyms.sh, give it a weight in fit-places.py (CORPUS_WEIGHTS), run this,
# then make toponyms for the figures of docs/places.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

data=${VISIVENTD_DATA:-../shared/data}
corpora=("$data/toponyms/TR-News.xml" "$data/toponyms/LGL-dev.xml")
cities=("$data/cities/geonames_cities15000.txt" "$data/cities/geonames_cities500.txt.gz")
areas=(
    "$data/cities/geonames_admin1CodesASCII.txt" "$data/cities/geonames_admin2Codes.txt"
    "$data/cities/geonames_countryInfo.txt"
)
for file in "${corpora[@]}" "${cities[@]}" "${areas[@]}"; do
    if [[ ! -r $file ]]; then
        echo "Weights cannot be fitted without $file" >&2
        exit 69
    fi
done

bin=$(scripts/release.sh visiventd toponym-report)
python=.build/fit-places/bin/python
if [[ ! -x $python ]]; then
    python3 -m venv .build/fit-places
    "$python" -m pip install --quiet --requirement scripts/fit-places.txt
fi

run=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-fit.XXXXXX")
trap 'rm -rf "$run"' EXIT
dumps=()
for index in "${!cities[@]}"; do
    table="$run/cities$index.sqlite"
    "$bin/visiventd" seed cities --table "$table" "${cities[index]}" "${areas[@]}" 2>"$run/progress" || {
        cat "$run/progress" >&2
        exit 1
    }
    "$bin/toponym-report" --table "$table" --features "$run/features$index.tsv" "${corpora[@]/#/--corpus=}"
    dumps+=("$run/features$index.tsv")
done
# One thread: sums of other orders differ in their last digits.
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" scripts/fit-places.py \
    Sources/Gazetteer/Scoring/PlaceWeights.swift "${dumps[@]}"
