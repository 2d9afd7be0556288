#!/usr/bin/env bash
# Feeds the decoders and the configuration reader with mutated documents (libFuzzer) and checks the outcome.
#
#     scripts/fuzz.sh [SECONDS] [TARGET…]
#
# Each target runs for SECONDS (600), two at a time; by default all targets run. They start with the documents of
# Fixtures/ and the corpus of earlier runs in .build-fuzz/corpus. A finding makes the exit status 1 and is copied to
# .build-fuzz/findings, with the command that repeats it: cut it down and put it into Fixtures/fuzz/findings/TARGET, and
# FuzzFixtureTests will check it.
#
# VISIVENTD_FUZZ_SEED makes runs from a fresh corpus repeatable; VISIVENTD_FUZZ_JOBS is the number of concurrent
# targets. SWIFT_BUILD_FLAGS is passed to swift build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

each=${1:-600}
shift || true
if [[ ! $each =~ ^[1-9][0-9]*$ ]]; then
    echo "\"$each\" is no number of seconds" >&2
    exit 64
fi
jobs=${VISIVENTD_FUZZ_JOBS:-2}
build=.build-fuzz

scripts/packages.sh
read -ra flags <<<"${SWIFT_BUILD_FLAGS:-}"
# A release build keeps its checks for overflow and bounds. AddressSanitizer checks the memory use of the C shims. The
# variable leaves out our own main.
export VISIVENTD_FUZZ=1
arguments=(-c release --sanitize address --sanitize fuzzer --scratch-path "$build" --product fuzz "${flags[@]}")
# swiftc heeds its last -sanitize alone, and SwiftPM passes the two in any order.
arguments+=(-Xswiftc -sanitize=address,fuzzer)
swift build "${arguments[@]}"
program=$(swift build "${arguments[@]}" --show-bin-path)/fuzz
# Memory that Swift keeps for the whole process is no leak; quarantined memory counts as resident, so it is limited.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=64:allocator_may_return_null=1

run=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-fuzz.XXXXXX")
# Targets that write files use memory where possible.
scratch=$run
if [[ -d /dev/shm && -w /dev/shm ]]; then scratch=$(mktemp -d /dev/shm/visiventd-fuzz.XXXXXX); fi
trap 'rm -rf "$run" "$scratch"' EXIT

# One line per target: its name and the patterns of its seeds.
VISIVENTD_FUZZ_TARGET='' "$program" >"$run/targets"
mapfile -t targets < <(if (($# > 0)); then printf '%s\n' "$@"; else cut -f 1 "$run/targets"; fi)
for target in "${targets[@]}"; do
    if ! cut -f 1 "$run/targets" | grep -Fxq -- "$target"; then
        echo "there is no target $target; there are $(cut -f 1 "$run/targets" | paste -sd ' ')" >&2
        exit 64
    fi
done

# Copies a target's documents into a folder; files of the same name from different folders do not collide.
collect_seeds() {
    local target=$1 folder=$2 pattern file
    mkdir -p "$folder"
    while IFS= read -r pattern; do
        for file in Fixtures/$pattern; do
            [[ -f $file ]] || continue
            cp "$file" "$folder/$(tr '/' '_' <<<"${file#Fixtures/}")"
        done
    done < <(grep -P "^\Q$target\E\t" "$run/targets" | cut -f 2- | tr '\t' '\n')
}

# libFuzzer writes new inputs into the first folder and only reads the others. A trap in Swift is SIGILL or SIGTRAP.
fuzz() {
    local target=$1 corpus=$build/corpus/$1 seeds=$run/$1.seeds options=() longest=65536
    mkdir -p "$corpus" "$run/$target.found" "$scratch/$target"
    collect_seeds "$target" "$seeds"
    for dictionary in "Fixtures/fuzz/$target.dict" "Fixtures/fuzz/${target%%-*}.dict"; do
        if [[ -f $dictionary ]]; then
            options+=("-dict=$dictionary")
            break
        fi
    done
    # Input that is read by lines or words gives more findings in many short inputs.
    case $target in dates | headers | connections | places | encodings | query-strings | event-ids | stream-queries | hosts) longest=4096 ;; configuration) longest=8192 ;; esac
    VISIVENTD_FUZZ_TARGET=$target TMPDIR=$scratch/$target SWIFT_BACKTRACE=enable=no "$program" \
        "$corpus" "$seeds" "${options[@]}" -max_total_time="$each" -max_len="$longest" -timeout=10 \
        -rss_limit_mb=2048 ${VISIVENTD_FUZZ_SEED:+-seed=$VISIVENTD_FUZZ_SEED} -handle_ill=1 -handle_trap=1 -handle_abrt=1 -print_final_stats=1 \
        -artifact_prefix="$run/$target.found/" >"$run/$target.log" 2>&1 || echo "$?" >"$run/$target.status"
    rm -rf "${scratch:?}/$target"
}

running=0
for target in "${targets[@]}"; do
    if ((running == jobs)); then
        wait -n || true
        running=$((running - 1))
    fi
    echo "fuzzing $target for $each s"
    fuzz "$target" &
    running=$((running + 1))
done
wait

# The log's last line with counters reads "#123 DONE cov: 45 ft: 67 corp: 8/9b … exec/s: 10 rss: 11Mb".
printf '\n%-16s %10s %8s %9s %9s\n' target runs runs/s coverage findings
findings=0
for target in "${targets[@]}"; do
    log=$run/$target.log
    runs=$(awk '/^stat::number_of_executed_units:/ { n = $2 } END { print n + 0 }' "$log")
    speed=$(awk '/^stat::average_exec_per_sec:/ { n = $2 } END { print n + 0 }' "$log")
    coverage=$(awk '{ for (i = 1; i < NF; i++) if ($i == "cov:") n = $(i + 1) } END { print n + 0 }' "$log")
    found=$(find "$run/$target.found" -type f | wc -l)
    # A failure without an input means a crash outside of the target, or a failed start.
    if [[ -s $run/$target.status ]] && ((found == 0)); then found=1; fi
    findings=$((findings + found))
    printf '%-16s %10s %8s %9s %9s\n' "$target" "$runs" "$speed" "$coverage" "$found"
done

for target in "${targets[@]}"; do
    [[ -s $run/$target.status ]] || continue
    printf '\n== %s\n' "$target"
    grep -E '^(finding:|Fatal error|SUMMARY|ALARM|==[0-9]+== ?ERROR|.*Fatal error:)' "$run/$target.log" | head -n 8 \
        || tail -n 8 "$run/$target.log"
    mkdir -p "$build/findings"
    cp "$run/$target.log" "$build/findings/$target.log"
    for input in "$run/$target.found"/*; do
        [[ -f $input ]] || continue
        kept=$build/findings/$target-$(basename "$input")
        cp "$input" "$kept"
        echo "kept as $kept; again: VISIVENTD_FUZZ_TARGET=$target $program $kept"
    done
    echo "its log: $build/findings/$target.log"
done
if ((findings > 0)); then exit 1; fi
