#!/usr/bin/env bash
# Builds the daemon and runs it on the live feeds of config/visiventd.yaml, with its database in run/.
# Its log names feeds that cannot be reached. SWIFT_BUILD_FLAGS is passed to swift build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/packages.sh
bin=$(scripts/release.sh visiventd)
mkdir -p run
exec "$bin/visiventd" run --config config/visiventd.yaml --database run/visiventd.sqlite
