#!/usr/bin/env bash
# Sums up a run of swift test: scripts/test-report.sh REPORT STATUS. REPORT is the file of --xunit-output, STATUS the
# exit status of swift test. The closing lines count the skipped tests by reason; the last line reads "N passed, N
# failed, N skipped". Exits with STATUS, or 1 if a test failed or none ran.
set -euo pipefail

report=$1
status=$2
if [[ ! -s $report ]]; then
    echo "the tests have ended without a report: one of them has crashed"
    exit "$((status == 0 ? 1 : status))"
fi

# The report is JUnit XML with one element a line: <testsuite … tests= failures= skipped=> and
# <skipped>reason</skipped>.
awk -v status="$status" '
    function attribute(name,    text) {
        if (!match($0, " " name "=\"[0-9]+\"")) return 0
        text = substr($0, RSTART, RLENGTH)
        gsub(/[^0-9]/, "", text)
        return text + 0
    }
    /<testsuite / { total += attribute("tests"); failed += attribute("failures") + attribute("errors") }
    /<skipped>/ { why = $0; sub(/^.*<skipped>/, "", why); sub(/<\/skipped>.*$/, "", why); reasons[why]++; skipped++ }
    /<skipped *\/>/ { reasons["no reason given"]++; skipped++ }
    /<testcase/ { listed++ }
    END {
        print ""
        for (why in reasons) printf "skipped %d: %s\n", reasons[why], why
        passed = listed - failed - skipped
        if (passed + failed <= 0) { print "no test has run"; if (status == 0) status = 1 }
        if (failed > 0 && status == 0) status = 1
        if (failed == 0 && status != 0) { print "the test run has failed as a whole"; failed = 1 }
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit status
    }
' "$report"
