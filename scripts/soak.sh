#!/usr/bin/env bash
# Runs the installed program against a scripted upstream with random faults for MINUTES (30), with readers and commands
# beside it, and judges what it has kept, asked and used; or, as soak.sh --idle, measures how it rests for IDLE seconds
# (600). The last line reads "N passed, N failed, N skipped".
#
#     MINUTES=1 scripts/soak.sh [ARGUMENT...]     # arguments go to Soak/soak.py: --seed 7 --keep
#     IDLE=120 scripts/soak.sh --idle
#
# With IDLE set, a soak is followed by a rest of so many seconds that is measured.
# VISIVENTD is the program; without it the release build of this checkout is made. SWIFT_BUILD_FLAGS is handed to swift
# build.
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
