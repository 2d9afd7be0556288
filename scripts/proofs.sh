#!/usr/bin/env bash
# The proofs in their short forms: 20 simulated months, 20 s of each fuzz target, a soak of one minute, truncation of
# 100 000 rows of a million if ../shared/bench exists (.build-prune keeps the filled database), and ProofTests (real
# processes and bounds) on the optimised program. The closing lines are those of scripts/test.sh; the last line reads "N
# passed, N failed, N skipped". If a step before ProofTests fails, the script stops with status 1.
#
#     scripts/proofs.sh [FILTER]      # FILTER: run only the matching ProofTests
#     scripts/proofs.sh brief         # for .ci/run: five months and ProofTests
#
# VISIVENTD_KILL_ROUNDS is the number of kills of the daemon (10). SWIFT_BUILD_FLAGS is passed to swift build and test.
# shellcheck disable=SC1091
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/timed.sh

filter=${1:-}
scripts/packages.sh
read -ra flags <<<"${SWIFT_BUILD_FLAGS:-}"
bin=$(scripts/release.sh visiventd)
if [[ $filter == brief ]]; then
    filter=''
    # Four months and one with clients of the API.
    SEEDS=5 timed months scripts/simulate.sh
elif [[ -z $filter ]]; then
    SEEDS=20 timed months scripts/simulate.sh
    # The mutations are the same each time: random ones belong to make fuzz, not to the check of a change.
    VISIVENTD_FUZZ_SEED=1 timed fuzzing scripts/fuzz.sh 20
    VISIVENTD=$bin/visiventd MINUTES=1 timed soak scripts/soak.sh
    status=0
    # The bar for reads allows for other work of the machine.
    VISIVENTD=$bin/visiventd ALONE=10 READ_BAR=5 BENCH_TMP=${BENCH_TMP:-$PWD/.build-prune} \
        timed truncation Benchmarks/prune.py 1000000 100000 || status=$?
    # 69 is EX_UNAVAILABLE: prune.py has printed what is missing.
    case $status in
        0) ;;
        69) echo "truncation at size was skipped" ;;
        *) exit 1 ;;
    esac
fi
swift build --build-tests "${flags[@]}"

# The debug build takes too long for large feeds; the promises concern the installed program.
export VISIVENTD_PROGRAM=$bin/visiventd
report=$(mktemp "${TMPDIR:-/tmp}/visiventd-proofs.XXXXXX")
trap 'rm -f "$report"' EXIT
status=0
timed "${filter:-ProofTests}" swift test --skip-build --disable-xctest --filter "${filter:-ProofTests}" \
    --xunit-output "$report" "${flags[@]}" || status=$?
scripts/test-report.sh "$report" "$status"
