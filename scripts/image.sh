#!/usr/bin/env bash
# Makes a container image of this machine's Debian with the Debian package, and prints its path. docker load and podman
# load read it.
#
#     scripts/image.sh [DEB]          # .build-deb/visiventd_VERSION_ARCHITECTURE.image.tar, beside the package
#
# DEB is the package, by default the one that scripts/deb.sh builds. The image holds it and what it depends on, from
# apt's own sources of this machine, but neither apt nor systemd, and no configuration: nothing is polled before
# somebody has chosen the sources. If the tools or the packages cannot be had, the script ends with 69.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The number of the service's user and group is the same in every image, since it owns the files of volumes.
user=8423
state=/var/lib/visiventd

scripts/packages.sh image >&2 || exit 69
deb=${1:-$(scripts/deb.sh)}
version=$(dpkg-deb --field "$deb" Version)
# Tags have no other characters.
tag=${version//[^A-Za-z0-9_.-]/-}
out=${deb%.deb}.image.tar

work=$(mktemp -d /var/tmp/visiventd-image.XXXXXX)
trap 'rm -rf "$work"' EXIT
# mmdebstrap without root has other users than this one.
chmod 0755 "$work"

mkdir "$work/apt"
cp "$deb" "$work/apt"
(cd "$work/apt" && dpkg-scanpackages --multiversion . 2>/dev/null >Packages)
sources=$(scripts/sources.sh) || {
    echo "Apt has no sources of this Debian to make an image from" >&2
    exit 69
}
{ read -r codename && list=$(cat); } <<<"$sources"

# The standalone programs take the place of systemd. /usr/share/doc keeps licences, and the configuration to begin with.
hide='path-exclude=/usr/share'
show='path-include=/usr/share/doc'
mmdebstrap --quiet --variant=essential --aptopt='Acquire::Languages "none"' \
    --include=visiventd,systemd-standalone-sysusers,systemd-standalone-tmpfiles \
    --dpkgopt="$hide/doc/*" --dpkgopt="$show/*/copyright" --dpkgopt="$show/visiventd/examples/*" \
    --dpkgopt="$hide/man/*" --dpkgopt="$hide/locale/*" \
    --essential-hook="echo visiventd:x:$user:$user:visiventd:$state:/usr/sbin/nologin >>\"\$1/etc/passwd\"" \
    --essential-hook="echo visiventd:x:$user: >>\"\$1/etc/group\"" \
    --customize-hook="rm -f \"\$1/etc/visiventd/visiventd.yaml\"" \
    "$codename" "$work/root.tar" "deb [trusted=yes] copy:$work/apt ./" - <<<"$list" >&2 || exit 69

# The environment is what the units set: STATE_DIRECTORY gives the paths of database and city table, MALLOC_ARENA_MAX
# saves memory.
umoci init --layout "$work/oci" >&2
umoci new --image "$work/oci:$tag" >&2
umoci raw add-layer --image "$work/oci:$tag" "$work/root.tar" >&2
umoci config --image "$work/oci:$tag" --config.user "$user:$user" --config.workingdir "$state" \
    --config.env "STATE_DIRECTORY=$state" --config.env MALLOC_ARENA_MAX=2 --config.env PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    --config.entrypoint /usr/bin/visiventd --config.cmd run --config.stopsignal SIGTERM \
    --config.volume "$state" --config.exposedports 8423/tcp \
    --config.label "org.opencontainers.image.version=$version" >&2
rm -f "$out"
skopeo --insecure-policy copy --quiet --additional-tag localhost/visiventd:latest "oci:$work/oci:$tag" \
    "docker-archive:$out:localhost/visiventd:$tag" >&2
echo "$out"
