#!/usr/bin/env bash
# Shows what the installed program tells targets: it polls a feed that changes, and real receivers judge what arrives
# (Told/told.py). The last line reads "N passed, N failed, N skipped".
#
#     scripts/told.sh                         # all, in seven minutes
#     scripts/told.sh correction outage       # these cases; told.py lists them
#     scripts/told.sh brief                   # for .ci/run: those that look at no speed
#     ROUNDS=1000 scripts/told.sh kills       # kill -9 a thousand times amid 5000 events
#     STORM=20000 scripts/told.sh storm       # as many events in a minute
#     IDLE=600 scripts/told.sh idle           # how it rests with ten watches
#
# It needs the network once for PyPI's packages (Told/requirements.txt, kept in .build-told). Without them mail and
# signatures are skipped with a line. VISIVENTD is the program, by default the release build of this checkout.
# SWIFT_BUILD_FLAGS is passed to swift build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${VISIVENTD:-}
if [[ -z $program ]]; then
    scripts/packages.sh
    program=$(scripts/release.sh visiventd)/visiventd
fi
venv=.build-told/venv
requirements=Told/requirements.txt

# Installs PyPI's packages into a folder that is rebuilt when the list changes.
has_python_packages() {
    if cmp --silent "$requirements" "$venv/requirements.txt"; then return; fi
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" && timeout 180 "$venv/bin/pip" install --quiet --disable-pip-version-check \
        --only-binary :all: --require-hashes --requirement "$requirements" && cp "$requirements" "$venv"
}

python=$venv/bin/python
if ! has_python_packages >&2; then
    echo "PyPI's packages cannot be installed" >&2
    python=python3
fi
export PYTHONDONTWRITEBYTECODE=1
# As in systemd/visiventd.service.
export MALLOC_ARENA_MAX=2
exec "$python" Told/told.py --program "$program" --rounds "${ROUNDS:-20}" --storm "${STORM:-2000}" \
    --idle "${IDLE:-0}" "$@"
