#!/usr/bin/env bash
# Builds the Debian package with Debian's own tools and prints its path.
#
#     scripts/deb.sh                  # .build-deb/visiventd_VERSION_ARCHITECTURE.deb
#
# The program is built in the checkout, incrementally. The packaged files are copied to .build-deb, since
# dpkg-buildpackage writes beside its folder. lintian checks the result if it is installed. SWIFT_BUILD_FLAGS is passed
# to swift build; with VISIVENTD_PROGRAMS=FOLDER the program is taken from that folder instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v dpkg >/dev/null; then
    echo "This is no Debian system, so there are no tools to make a package with" >&2
    exit 1
fi
if [[ -n ${VISIVENTD_PROGRAMS:-} ]]; then
    # Neither a toolchain nor libraries are needed.
    scripts/packages.sh deb >&2
    check=(--no-check-builddeps)
else
    scripts/packages.sh build deb >&2
    check=()
fi

VISIVENTD_PROGRAMS=$(realpath "$(scripts/release.sh visiventd)")
export VISIVENTD_PROGRAMS
# The program's version is the package's. It has the build after the version of the sources (scripts/version.sh).
version=$("$VISIVENTD_PROGRAMS/visiventd" --version)
entry=$(dpkg-parsechangelog --show-field Version)
if [[ $entry != "${version%%+*}" ]]; then
    echo "The program is version $version, debian/changelog begins with $entry: please add an entry for ${version%%+*}" >&2
    exit 1
fi
out=$PWD/.build-deb
rm -rf "$out"
stage=$out/visiventd-$version
mkdir -p "$stage"
cp -a Makefile scripts debian systemd config man docs README.md CHANGELOG.md LICENSE "$stage"
sed -i "1s/([^)]*)/($version)/" "$stage/debian/changelog"
# What the program reads, for the refusal of a downgrade.
schema=$(sed -nE 's/.*static let newest = ([0-9]+)$/\1/p' Sources/Store/Migrations.swift)
echo "$schema" >"$stage/debian/schema"
sed -i "s/@SCHEMA@/$schema/" "$stage"/debian/visiventd.{preinst,prerm}
# Without the network the package is made without the map page.
scripts/assets.sh >&2 || (($? == 69))
if [[ -e .build/page ]]; then
    mkdir "$stage/.build"
    cp -a .build/page "$stage/.build"
fi
(cd "$stage" && dpkg-buildpackage --build=binary --no-sign "${check[@]}") >&2
rm -rf "$stage"

deb=$out/visiventd_${version}_$(dpkg --print-architecture).deb
dpkg-deb --info "$deb" >&2
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$out"/*.changes >&2
fi
echo "$deb"
