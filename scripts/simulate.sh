#!/usr/bin/env bash
# Runs the whole daemon through SEEDS simulated months (default 20), starting with FIRST_SEED (default 1).
# SWIFT_BUILD_FLAGS is passed to swift build, arguments to the program: --seed 7 --trace.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=$(scripts/release.sh simulate)/simulate
exec "$program" --seeds "${SEEDS:-20}" --first-seed "${FIRST_SEED:-1}" --jobs "${JOBS:-2}" "$@"
