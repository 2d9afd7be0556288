#!/usr/bin/env bash
# Sums up the TAP lines of a log: reasons for skipped checks, then "N passed, N failed, N skipped". The exit status is 1
# if a check failed or none ran.
#
#     scripts/tap-report.sh LOG
set -euo pipefail

awk '
    /^ok - .* # SKIP / { why = $0; sub(/^.* # SKIP /, "", why); reasons[why]++; skipped++; next }
    /^ok - / { passed++ }
    /^not ok - / { failed++ }
    END {
        print ""
        for (why in reasons) printf "skipped %d: %s\n", reasons[why], why
        if (passed + failed + skipped == 0) { print "no check has run"; failed = 1 }
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }
' "$1"
