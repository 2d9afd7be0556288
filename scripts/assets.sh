#!/usr/bin/env bash
# Assembles the folder that `visiventd serve` serves as the map page, and prints its path: the files of page/, of which
# the modules of app/ are joined in app/main.js, MapLibre GL JS in vendor/, and beside each text file NAME that file
# compressed, NAME.gz.
#
#     scripts/assets.sh            # .build/page
#
# The library is taken from a wheel of PyPI, once: it is kept in .build-assets. Without pip or the network the script
# says so and exits with 69; the daemon builds and runs without the page. Another library than the known one is refused
# (65), and so are modules that cannot be joined (70). A folder that is up to date is left as it is, another one is
# replaced as a whole.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wheel='maplibre==0.3.6 --hash=sha256:eeafab617d4a1b71c0c174c71405f67c4b4e494fe1b27968d4d2359bc160e277'
sums='e380deae560bc5d182be4124a1b9cdd5086304b0cb82c92a5af23d018aa81015  maplibre-gl.js
792ac997dcf6ae6f643eb4e2dee4630c85e7056526bd8fb85ffe83c67d6c41b4  maplibre-gl.css'
vendor=.build-assets
out=.build/page

is_whole() { (cd "$1" 2>/dev/null && sha256sum --check --status --strict - <<<"$sums" 2>/dev/null); }

missing() {
    echo "The map page is left out: $1" >&2
    exit 69
}

refused() {
    echo "MapLibre GL JS is refused: its sha256 is not the known one" >&2
    exit 65
}

fetch() {
    local work pip=(python3 -m pip)
    work=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-assets.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    if ! "${pip[@]}" --version >/dev/null 2>&1; then
        python3 -m venv "$work/venv" >/dev/null 2>&1 ||
            missing "pip is not there to fetch MapLibre GL JS (apt-get install python3-venv)"
        pip=("$work/venv/bin/pip")
    fi
    echo "$wheel" >"$work/requirements.txt"
    timeout 180 "${pip[@]}" download --quiet --disable-pip-version-check --no-input --no-deps --require-hashes \
        --only-binary :all: --dest "$work" --requirement "$work/requirements.txt" >"$work/errors" 2>&1 || {
        if grep --quiet 'DO NOT MATCH THE HASHES' "$work/errors"; then refused; fi
        missing "MapLibre GL JS cannot be fetched from PyPI ($(tail -n 1 "$work/errors" | cut -c 1-200))"
    }
    python3 - "$work" <<'END'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(folder.glob('*.whl'))) as wheel:
    for name in 'maplibre-gl.js', 'maplibre-gl.css':
        (folder / name).write_bytes(wheel.read('maplibre/srcjs/' + name))
END
    is_whole "$work" || refused
    mkdir -p "$vendor"
    cp "$work"/maplibre-gl.{js,css} "$vendor"
    rm -rf "$work"
    trap - EXIT
}

# Joins the modules of a folder, so that a browser waits for one file: it has six connections to a host, and on a slow
# line each module would cost it seconds. A module becomes a function, in the order of the imports; lines of comment are
# left out. Modules have the form of page/app: `import { a, b } from './c.js';`, and `export` before a declaration. Any
# other form stays as it is, which a script cannot have within a function.
join_modules() {
    local name
    echo 'const modules = {};'
    for name in "$1"/*.js; do
        sed -nE "s|^.*from './([a-z]+\.js)';\$|\1 ${name##*/}|p" "$name"
    done | tsort | while read -r name; do
        printf "\n// %s\nmodules['%s'] = (() => {\n" "$name" "$name"
        sed -E -e "s|^import \{|const {|; s|\} from './([a-z]+\.js)';\$|} = modules['\1'];|" \
            -e 's/^export ((async )?(function\*?|const|class) \w)/\1/' "$1/$name" |
            awk '/^ *\/\// { next } /^ *\/\*\*/ { isComment = 1 } !isComment { print } /\*\/$/ { isComment = 0 }'
        printf 'return { %s };\n})();\n' \
            "$(sed -nE 's/^export (async )?(function\*?|const|class) (\w+).*/\3/p' "$1/$name" | paste -sd ,)"
    done
}

state=$({
    cat scripts/assets.sh
    find page -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
} | sha256sum)
if [[ -e $out/index.html && $(cat "$out.state" 2>/dev/null) == "$state" ]]; then
    echo "$out"
    exit
fi
is_whole "$vendor" || fetch

rm -rf "$out.new" "$out.old"
mkdir -p "${out%/*}"
cp -R page "$out.new"
mkdir "$out.new/vendor"
cp "$vendor"/maplibre-gl.{js,css} "$out.new/vendor"
join_modules page/app >"$out.new/main.js"
if grep -nE '^(import|export) ' "$out.new/main.js" >&2; then
    echo 'The modules of page/app cannot be joined: this form of import or export is not known' >&2
    exit 70
fi
rm "$out.new"/app/*.js
mv "$out.new/main.js" "$out.new/app"
find "$out.new" -type f \( -name '*.js' -o -name '*.css' -o -name '*.json' -o -name '*.geojson' -o -name '*.svg' \
    -o -name '*.md' \) -exec gzip -9 -n -k {} +
chmod -R u=rwX,go=rX "$out.new"
if [[ -e $out ]]; then mv "$out" "$out.old"; fi
mv "$out.new" "$out"
rm -rf "$out.old"
echo "$state" >"$out.state"
echo "$out"
