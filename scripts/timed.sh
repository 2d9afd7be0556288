# Sourced by the scripts of tests: tells how long their steps take. .ci/run gathers the lines.
# shellcheck shell=bash

# timed NAME COMMAND...: runs a command, and prints "# SECONDS s: NAME" on standard error. With errexit a command that
# fails ends the script, as it would without this.
timed() {
    local name=$1 began=$SECONDS status
    shift
    "$@"
    status=$?
    printf '# %d s: %s\n' "$((SECONDS - began))" "$name" >&2
    return "$status"
}
