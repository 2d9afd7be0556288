#!/usr/bin/env bash
# Checks the map page of `visiventd serve` in a real browser: scripts/page/test_*.py in headless Chromium, driven by
# Playwright. Each check prints a line "ok" or "not ok"; the last line reads "N passed, N failed, N skipped". In the short
# form a check that fails is run once more at the end of its file, and counts as it ends then; those that passed so are
# named before the last line. With PAGE_STRICT=1 none is run again.
#
#     scripts/test-page.sh                # all
#     scripts/test-page.sh core map       # test_core.py and test_map.py
#     scripts/test-page.sh brief [core]   # for .ci/run: the tests that are not marked brief=False
#     scripts/test-page.sh modules        # the modules without a document, in Node (scripts/page/modules), without a browser
#     scripts/test-page.sh bench          # measures instead: bench.py (make page-bench)
#     scripts/test-page.sh screenshot     # makes the picture of the README: screenshot.py (make screenshot)
#
# It needs Debian's chromium (scripts/packages.sh page; root installs it, 100 MB from apt's sources), and the network once
# for PyPI's packages (scripts/page/requirements.txt, kept in .build-page) and for the library of the map
# (scripts/assets.sh). Without them all is skipped with a line. VISIVENTD is the program, by default the release build of
# this checkout; PAGE_VENDOR is the folder with the library. SWIFT_BUILD_FLAGS is passed to swift build.
# shellcheck disable=SC1091
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/timed.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-page.XXXXXX")
trap 'rm -rf "$work"' EXIT
venv=.build-page/venv
requirements=scripts/page/requirements.txt
# All files together get this many seconds: three times what they take on two idle cores.
limit=1800

skip_all() {
    tail -n 3 "$work/packages" | sed 's/^/# /'
    echo "ok - the page in a browser # SKIP $1" | tee "$work/log"
    scripts/tap-report.sh "$work/log"
    exit
}

# Installs PyPI's packages into a folder that is rebuilt when the list changes.
has_python_packages() {
    if cmp --silent "$requirements" "$venv/requirements.txt"; then return; fi
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" && timeout 180 "$venv/bin/pip" install --quiet --disable-pip-version-check \
        --only-binary :all: --require-hashes --requirement "$requirements" && cp "$requirements" "$venv"
}

has_debian_packages() { scripts/packages.sh page && [[ -x ${CHROMIUM:-/usr/bin/chromium} ]]; }

# python SECONDS FILE ARGUMENT...: runs a file; the browser keeps its files in a folder that goes at the end.
python() {
    local seconds=$1
    shift
    HOME=$work PYTHONDONTWRITEBYTECODE=1 timeout --signal=INT --kill-after=10 "$seconds" "$venv/bin/python" "$@"
}

# run_file SECONDS NAME: runs a file. One that ends early fails.
run_file() {
    local status=0
    python "$1" "scripts/page/test_$2.py" >"$work/lines" 2>"$work/errors" || status=$?
    cat "$work/lines"
    if ((status == 0)) && grep -q '^ok - ' "$work/lines"; then return; fi
    if ((status != 1)) || ! grep -q '^not ok - ' "$work/lines"; then
        tail -n 5 "$work/errors" | sed 's/^/# /'
        echo "not ok - test_$2.py ended early, with status $status"
    fi
}

# Each file gets what is left of the time.
run() {
    local name began=$SECONDS left
    for name in "${names[@]}"; do
        left=$((limit - SECONDS + began))
        timed "$name" run_file "$((left > 5 ? left : 5))" "$name"
    done
}

# Runs the tests of the modules that need no document. Node before 20.19 takes their files for scripts.
run_modules() {
    if ! node --input-type=module -e "await import('$PWD/page/app/words.js')" >/dev/null 2>&1; then
        echo "ok - the page's modules # SKIP there is no node from 20.19 on"
        return
    fi
    timeout 120 node --test --test-reporter=tap scripts/page/modules >"$work/modules" 2>&1 || true
    sed -nE 's/^ *((not )?ok) [0-9]+ - /\1 - modules: /p' "$work/modules"
    if ! grep -q '^# fail 0$' "$work/modules"; then
        grep -E '^ *(error|expected|actual|location):' "$work/modules" | sed 's/^ */# /'
        echo "not ok - modules: all of them"
    fi
}

if [[ ${1-} == modules ]]; then
    run_modules | tee "$work/log"
    scripts/tap-report.sh "$work/log"
    exit
fi

if [[ ${1-} == brief ]]; then
    export PAGE_BRIEF=1
    shift
fi
names=("$@")
if (($# == 0)); then
    names=(scripts/page/test_*.py)
    names=("${names[@]#scripts/page/test_}")
    names=("${names[@]%.py}")
fi
has_debian_packages >"$work/packages" 2>&1 || skip_all "Debian's packages are missing and cannot be installed"
has_python_packages >"$work/packages" 2>&1 || skip_all "PyPI's packages are missing and cannot be installed"
scripts/assets.sh >"$work/packages" 2>&1 || {
    (($? != 69)) || skip_all "the library of the map is missing and cannot be fetched"
    cat "$work/packages" >&2
    exit 1
}
PAGE_VENDOR=$(realpath "${PAGE_VENDOR:-.build-assets}")
VISIVENTD=$(realpath "${VISIVENTD:-$(scripts/release.sh visiventd)/visiventd}")
export PAGE_VENDOR VISIVENTD

case ${names[0]} in
    bench | screenshot)
        python 1800 "scripts/page/${names[0]}.py" "${names[@]:1}"
        exit
        ;;
esac
{
    (($# > 0)) || run_modules
    run
} | tee "$work/log"
flaky=$(sed -n 's/^# flaky: passed at the second try: /#   /p' "$work/log")
if [[ -n $flaky ]]; then printf '\n# %d flaky, passed at the second try:\n%s\n' "$(wc -l <<<"$flaky")" "$flaky"; fi
scripts/tap-report.sh "$work/log"
