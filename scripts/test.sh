#!/usr/bin/env bash
# Builds and runs all tests. The closing lines count the skipped ones by reason; the last line reads
# "N passed, N failed, N skipped". SWIFT_BUILD_FLAGS is handed to swift build and swift test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/packages.sh
read -ra flags <<<"${SWIFT_BUILD_FLAGS:-}"
swift build --build-tests "${flags[@]}"

log=$(mktemp "${TMPDIR:-/tmp}/visiventd-test.XXXXXX")
trap 'rm -f "$log"' EXIT
set +e
swift test --skip-build --disable-xctest "${flags[@]}" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
set -e

# Swift Testing's lines: a symbol, then for instance
#     Test name() started.          Test name() passed after 0.001 seconds.
#     Test name() skipped: "why"    Test name(x:) with 3 test cases failed after 0.001 seconds with 1 issue.
# "Test run …" and "Test case …" are no tests; a test that started and never ended has crashed.
awk -v status="$status" '
    { sub(/^[^A-Za-z"]*/, "") }
    !/^Test / || /^Test run / || /^Test case / { next }
    / started\.$/ { started++; next }
    / passed after [0-9.]+ seconds/ { passed++; next }
    / failed after [0-9.]+ seconds/ { failed++; next }
    / skipped: "/ { skipped++; why = $0; sub(/^.* skipped: "/, "", why); sub(/"$/, "", why); reasons[why]++; next }
    / skipped\.$/ { skipped++; reasons["no reason given"]++ }
    END {
        passed += 0; failed += 0; skipped += 0
        print ""
        for (why in reasons) printf "skipped %d: %s\n", reasons[why], why
        lost = started - passed - failed
        if (lost > 0) { printf "not finished: %d, counted as failed\n", lost; failed += lost }
        if (passed + failed == 0) { print "no test has run"; if (status == 0) status = 1 }
        if (failed > 0 && status == 0) status = 1
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit status
    }
' "$log"
