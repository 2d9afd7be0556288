#!/usr/bin/env bash
# Runs the whole daemon through SEEDS simulated months (default 20), FIRST_SEED (default 1) the first of them.
# SWIFT_BUILD_FLAGS is handed to swift build; arguments go to the program: --seed 7 --trace.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=$(scripts/release.sh simulate)/simulate
exec "$program" --seeds "${SEEDS:-20}" --first-seed "${FIRST_SEED:-1}" --jobs "${JOBS:-2}" "$@"
