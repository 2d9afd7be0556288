#!/usr/bin/env bash
# Installs the Debian packages that are missing, looks for code that a value from outside could trap, then builds and
# runs all tests except the proofs (make proofs).
# The closing lines count the skipped tests by reason; the last line reads "N passed, N failed, N skipped".
# SWIFT_BUILD_FLAGS is passed to swift build and swift test.
# shellcheck disable=SC1091
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/timed.sh

scripts/packages.sh
scripts/check-traps.sh
read -ra flags <<<"${SWIFT_BUILD_FLAGS:-}"
timed build swift build --build-tests "${flags[@]}"
# Tests of real processes need the programs.
swift build "${flags[@]}"

report=$(mktemp "${TMPDIR:-/tmp}/visiventd-test.XXXXXX")
trap 'rm -f "$report"' EXIT
status=0
# Eight tests at a time: if all began at once, each would wait minutes between two steps.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 \
    timed tests swift test --skip-build --disable-xctest --skip ProofTests --xunit-output "$report" "${flags[@]}" ||
    status=$?
scripts/test-report.sh "$report" "$status"
