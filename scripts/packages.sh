#!/usr/bin/env bash
# Installs the Debian packages that are missing and says which; without root, or with --print, it prints the command
# instead and ends with 1.
#
#     scripts/packages.sh [--print] [GROUP...]    # build (default), map, deb, image, service, clients, page: for make
#                                                 # build, page, deb, image, test-service, test-clients and test-page
# shellcheck disable=SC1091,SC2034
set -euo pipefail

# Headers and start files are those of the release's own gcc. If the toolchain finds a newer gcc without them, C++
# fails.
gcc=14
if [[ $(. /etc/os-release 2>/dev/null && echo "${ID:-}${VERSION_ID:-}") == debian12 ]]; then gcc=12; fi

build=(
    # libraries
    libsqlite3-dev libcurl4-openssl-dev libarchive-dev libxml2-dev libsimdjson-dev libpsl-dev
    zlib1g-dev
    # for the Swift toolchain and its package manager
    libc6-dev "libgcc-$gcc-dev" "libstdc++-$gcc-dev" binutils pkg-config git libncurses6 libedit2
    # for the daemon at run time
    ca-certificates tzdata
    # for operators, one of the tests and the soak
    sqlite3 python3
)
# what takes the library of the map from PyPI, unless pip is there
map=(python3-venv)
# packaging tools; dpkg-buildpackage always requires build-essential
deb=(build-essential debhelper dpkg-dev)
# for making a Debian in a folder, and a container image of it
image=(mmdebstrap debian-archive-keyring dpkg-dev umoci skopeo)
# for making and booting another Debian, and for looking at what runs in it
service=(mmdebstrap systemd-container debian-archive-keyring procps sqlite3 python3)
# clients of the program's output and of its service, xmllint, venv for those from PyPI, and a proxy between
clients=(gdal-bin python3-gdal python3-qgis python3-venv libxml2-utils nginx-light)
# the browser for the tests of the page, venv for what drives it, and a proxy before it
page=(chromium python3-venv nginx-light)

installs=true
if [[ ${1:-} == --print ]]; then
    installs=false
    shift
fi
if ((EUID != 0)); then installs=false; fi
if (($# == 0)); then set -- build; fi
needed=()
for group in "$@"; do
    case $group in
        map) python3 -m pip --version >/dev/null 2>&1 || needed+=("${map[@]}") ;;
        build | deb | image | service | clients | page)
            declare -n packages=$group
            needed+=("${packages[@]}")
            ;;
        *)
            echo "\"$group\" is no group of packages: build, map, deb, image, service, clients, page" >&2
            exit 64
            ;;
    esac
done

if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian system; please make sure that you have what these packages hold: ${needed[*]}" >&2
elif ((${#needed[@]} > 0)); then
    installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${needed[@]}" 2>/dev/null || true)
    missing=()
    for package in "${needed[@]}"; do
        case $'\n'"$installed"$'\n' in
            *$'\n'"installed $package"$'\n'*) ;;
            *) missing+=("$package") ;;
        esac
    done
    if ((${#missing[@]} > 0)); then
        if ! "$installs"; then
            echo "Some Debian packages are missing. Please install them and try again:" >&2
            echo "    sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" >&2
            exit 1
        fi
        echo "Debian packages are missing and will be installed: ${missing[*]}" >&2
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
    fi
fi

if [[ " $* " == *" build "* ]] && ! command -v swift >/dev/null; then
    echo "There is no swift in the PATH: please install Swift 6.2 or later, see https://www.swift.org/install/linux/" >&2
    exit 1
fi
