#!/usr/bin/env bash
# Has systemd-analyze look at the units: `verify` must be silent, and the exposure level of `security` at most 1.5.
#
#     scripts/check-unit.sh [DIRECTORY]     # where the units are: systemd/ (default), or /lib/systemd/system
#
# Nothing is started, nothing need be installed: units are looked at as copies whose program is a stub.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

directory=${1:-systemd}
most=15 # tenths
if ! command -v systemd-analyze >/dev/null; then
    echo "check-unit: systemd-analyze is missing (apt-get install systemd)" >&2
    exit 1
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/visiventd-units.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
printf '#!/bin/sh\n' >"$scratch/visiventd"
chmod 0755 "$scratch/visiventd"
for unit in visiventd.service visiventd-seed@.service; do
    sed "s|/usr\(/local\)\?/bin/visiventd|$scratch/visiventd|g" "$directory/$unit" >"$scratch/$unit"
done
# The examples must be right, too. RestartSteps= is for a newer systemd, so that one is left out.
mkdir "$scratch/visiventd.service.d"
if [[ -d $directory/visiventd.service.d ]]; then
    for example in "$directory"/visiventd.service.d/{credentials,network}.conf.example; do
        name=$(basename "$example" .example)
        sed 's|^#\(LoadCredential=\|IPAddressAllow=\)|\1|' "$example" >"$scratch/visiventd.service.d/$name"
    done
fi

status=0
for unit in visiventd.service visiventd-seed@cities.service; do
    # A template is looked at as one of its instances.
    [[ -e $scratch/$unit ]] || cp "$scratch/visiventd-seed@.service" "$scratch/$unit"
    words=$(systemd-analyze verify --man=no "$scratch/$unit" 2>&1) || status=1
    if [[ -n $words ]]; then
        echo "check-unit: systemd-analyze verify $unit says:" >&2
        echo "$words" >&2
        status=1
    fi
    level=$(systemd-analyze security --offline=yes --no-pager "$scratch/$unit" |
        sed -n 's/^→ Overall exposure level for .*: \([0-9.]*\) .*/\1/p')
    echo "check-unit: $unit: verify $([[ -z $words ]] && echo is silent || echo complains), exposure ${level:-unknown}"
    if ! [[ $level =~ ^[0-9]+\.[0-9]$ ]] || ((10#${level/./} > most)); then
        echo "check-unit: the exposure level of $unit may be 1.5 at most" >&2
        status=1
    fi
done
exit "$status"
