#!/usr/bin/env bash
# Kills the daemon at random moments of its polls, again and again on one database, and checks the database each time;
# kills clients and services of a stream, which must tell each change once.
#
#     scripts/kill.sh [ROUNDS]        # 100
#
# SWIFT_BUILD_FLAGS is passed to swift build and swift test.
set -euo pipefail

rounds=${1:-100}
if [[ ! $rounds =~ ^[1-9][0-9]*$ ]]; then
    echo "\"$rounds\" is no number of rounds" >&2
    exit 64
fi
VISIVENTD_KILL_ROUNDS=$rounds exec "$(dirname "${BASH_SOURCE[0]}")/proofs.sh" "ProofTests.(KillRoundTests|ServeRecordTests/resuming)"
