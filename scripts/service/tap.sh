# Sourced by the scripts of make test-service: checks that print a transcript and TAP lines.

# File with the output of the latest command.
said=$(mktemp)

# run COMMAND...: prints a command with its output and status, and returns its status.
run() {
    local status=0
    printf '# $ %s\n' "${*//$'\n'/; }"
    "$@" </dev/null >"$said" 2>&1 || status=$?
    grep -av '^(Reading database' "$said" | tr -cd '[:print:]\n' | cut -c 1-200 | shortened | sed 's/^/#   /'
    if ((status != 0)); then echo "#   exit status $status"; fi
    return "$status"
}

# Prints at most twenty lines: the first and the last ones.
shortened() { awk '{ lines[NR] = $0 } END { for (i = 1; i <= NR; i++) if (NR <= 20 || i <= 8 || i > NR - 11) print lines[i]; else if (i == 9) print "[" NR - 19 " lines]" }'; }

# note TEXT...: prints a line of the transcript.
note() { printf '# %s\n' "$*"; }

# check TEXT COMMAND...: passes if the command succeeds.
check() {
    local text=$1
    shift
    if "$@"; then echo "ok - $text"; else echo "not ok - $text"; fi
}

# skip TEXT REASON
skip() { echo "ok - $1 # SKIP $2"; }

# fails COMMAND...: runs a command that must fail.
fails() { ! run "$@"; }

# same WHAT EXPECTED FOUND
same() {
    note "$1: ${3:-nothing}"
    if [[ $3 == "$2" ]]; then return 0; fi
    note "expected: ${2:-nothing}"
    return 1
}

# What multiplies the limits of time.
patience=${VISIVENTD_PATIENCE:-1}

# within SECONDS COMMAND...: repeats a command every 250 ms until it succeeds.
within() {
    local seconds=$(($1 * patience)) begin
    shift
    begin=$(milliseconds)
    until "$@" >/dev/null 2>&1; do
        if (($(milliseconds) - begin > seconds * 1000)); then
            note "not within $seconds s: $*"
            return 1
        fi
        sleep 0.25
    done
    note "after $(($(milliseconds) - begin)) ms: $*"
}

# took LIMIT COMMAND...: runs a command that must succeed within LIMIT milliseconds.
took() {
    local limit=$(($1 * patience)) begin time
    shift
    begin=$(milliseconds)
    run "$@" || return
    time=$(($(milliseconds) - begin))
    note "took $time ms"
    ((time <= limit))
}

milliseconds() { date +%s%3N; }
