#!/usr/bin/env bash
# Runs the installed program for MINUTES (30) against a scripted upstream with random faults, with readers and commands
# beside it, and judges stored events, requests and resources. With --idle it measures the resting daemon for IDLE
# seconds (600) instead. The last line reads "N passed, N failed, N skipped".
#
#     MINUTES=1 scripts/soak.sh [ARGUMENT...]     # arguments go to Soak/soak.py: --seed 7 --keep
#     IDLE=120 scripts/soak.sh --idle
#
# With IDLE set, a soak is followed by that many seconds of measured rest. VISIVENTD is the program, by default the
# release build of this checkout. SWIFT_BUILD_FLAGS is passed to swift build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${VISIVENTD:-}
if [[ -z $program ]]; then
    scripts/packages.sh
    program=$(scripts/release.sh visiventd)/visiventd
fi
export PYTHONDONTWRITEBYTECODE=1
# As in systemd/visiventd.service.
export MALLOC_ARENA_MAX=2
if [[ ${1:-} == --idle ]]; then
    shift
    exec python3 Soak/idle.py --program "$program" --seconds "${IDLE:-600}" "$@"
fi
exec python3 Soak/soak.py --program "$program" --minutes "${MINUTES:-30}" --idle "${IDLE:-0}" "$@"
