#!/usr/bin/env bash
# Builds PRODUCTs, optimised, and prints their folder; the output of the build goes to standard error.
#
#     bin=$(scripts/release.sh visiventd simulate)
#
# The Swift libraries are linked statically: the program needs less memory, and no Swift where it is installed. Its
# version says which commit it is made of (scripts/version.sh).
# SWIFT_BUILD_FLAGS is passed to swift build; with VISIVENTD_PROGRAMS=FOLDER the programs are taken from that folder
# instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -n ${VISIVENTD_PROGRAMS:-} ]]; then
    for product in "$@"; do
        if [[ ! -x $VISIVENTD_PROGRAMS/$product ]]; then
            echo "VISIVENTD_PROGRAMS is $VISIVENTD_PROGRAMS, and there is no program $product in it" >&2
            exit 1
        fi
    done
    printf '%s\n' "$VISIVENTD_PROGRAMS"
    exit
fi

read -ra flags <<<"${SWIFT_BUILD_FLAGS:-}"
# All of its own addresses are resolved and read-only before the program begins, and no library is looked for beside it.
build=(swift build -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now "${flags[@]}")
VISIVENTD_BUILD=$(scripts/version.sh)
export VISIVENTD_BUILD
for product in "$@"; do "${build[@]}" --product "$product" >&2; done
"${build[@]}" --show-bin-path
