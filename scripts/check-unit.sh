#!/usr/bin/env bash
# Runs systemd-analyze on the units: `verify` must be silent, the exposure level of `security` at most 1.5, of the HTTP
# service 1.2.
#
#     scripts/check-unit.sh [DIRECTORY]     # folder of the units: systemd/ (default), or /lib/systemd/system
#
# Nothing is started or needs to be installed: copies of the units with a stub for the program are analysed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

directory=${1:-systemd}
if ! command -v systemd-analyze >/dev/null; then
    echo "check-unit: systemd-analyze is missing (apt-get install systemd)" >&2
    exit 1
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-units.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
printf '#!/bin/sh\n' >"$scratch/visiventd"
chmod 0755 "$scratch/visiventd"
for unit in visiventd.service visiventd-{serve,seed@,health,backup}.service visiventd-{health,backup}.timer; do
    sed "s|/usr\(/local\)\?/bin/visiventd|$scratch/visiventd|g" "$directory/$unit" >"$scratch/$unit"
done
# The examples must be valid as well, except RestartSteps=, which needs a newer systemd.
mkdir "$scratch/visiventd.service.d"
if [[ -d $directory/visiventd.service.d ]]; then
    for example in "$directory"/visiventd.service.d/{credentials,network}.conf.example; do
        name=$(basename "$example" .example)
        sed 's|^#\(LoadCredential=\|IPAddressAllow=\)|\1|' "$example" >"$scratch/visiventd.service.d/$name"
    done
fi

status=0
for unit in visiventd.service visiventd-{serve,seed@cities,health,backup}.service; do
    most=15 # tenths
    if [[ $unit == visiventd-serve.service ]]; then most=12; fi
    # A template is analysed as one of its instances.
    [[ -e $scratch/$unit ]] || cp "$scratch/visiventd-seed@.service" "$scratch/$unit"
    files=("$scratch/$unit")
    timer=$scratch/${unit%.service}.timer
    if [[ -e $timer ]]; then files+=("$timer"); fi
    words=$(systemd-analyze verify --man=no "${files[@]}" 2>&1) || status=1
    if [[ -n $words ]]; then
        echo "check-unit: systemd-analyze verify $unit says:" >&2
        echo "$words" >&2
        status=1
    fi
    level=$(systemd-analyze security --offline=yes --no-pager "$scratch/$unit" |
        sed -n 's/^→ Overall exposure level for .*: \([0-9.]*\) .*/\1/p')
    echo "check-unit: $unit: verify $([[ -z $words ]] && echo is silent || echo complains), exposure ${level:-unknown}"
    if ! [[ $level =~ ^[0-9]+\.[0-9]$ ]] || ((10#${level/./} > most)); then
        echo "check-unit: the exposure level of $unit may be 0.1 × $most at most" >&2
        status=1
    fi
done
exit "$status"
