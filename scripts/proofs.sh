#!/usr/bin/env bash
# The proofs in their short forms: 20 simulated months, 30 s of each fuzz target, a soak of a minute, truncation of 100 000
# rows of a million where ../shared/bench is there (.build-prune keeps the filled database), and ProofTests (real
# processes and bounds) on the optimised program. The closing lines are those of scripts/test.sh; the last line reads
# "N passed, N failed, N skipped". What comes before ProofTests makes the exit status 1 without it when it fails.
#
#     scripts/proofs.sh [FILTER]      # FILTER: run only these of ProofTests, and nothing else
#
# VISIVENTD_KILL_ROUNDS is how often the daemon is killed (10), SWIFT_BUILD_FLAGS is handed to swift build and test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

filter=${1:-}
scripts/packages.sh
read -ra flags <<<"${SWIFT_BUILD_FLAGS:-}"
bin=$(scripts/release.sh visiventd)
if [[ -z $filter ]]; then
    SEEDS=20 scripts/simulate.sh
    # The same mutations each time: chance belongs into make fuzz, not between a change and its landing.
    VISIVENTD_FUZZ_SEED=1 scripts/fuzz.sh 30
    VISIVENTD=$bin/visiventd MINUTES=1 scripts/soak.sh
    status=0
    # Reads have room for what else the machine does.
    VISIVENTD=$bin/visiventd ALONE=10 READ_BAR=5 BENCH_TMP=${BENCH_TMP:-$PWD/.build-prune} \
        Benchmarks/prune.py 1000000 100000 || status=$?
    # EX_UNAVAILABLE: it has said what is missing.
    case $status in
        0) ;;
        69) echo "truncation at size was skipped" ;;
        *) exit 1 ;;
    esac
fi
swift build --build-tests "${flags[@]}"

# Large feeds take the debug build too long; the promises are those of the program that is installed.
export VISIVENTD_PROGRAM=$bin/visiventd
report=$(mktemp "${TMPDIR:-/tmp}/visiventd-proofs.XXXXXX")
trap 'rm -f "$report"' EXIT
status=0
swift test --skip-build --disable-xctest --filter "${filter:-ProofTests}" --xunit-output "$report" "${flags[@]}" ||
    status=$?
scripts/test-report.sh "$report" "$status"
