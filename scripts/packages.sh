#!/usr/bin/env bash
# Installs the missing Debian packages for building; without root it prints the command instead.
#
#     scripts/packages.sh [GROUP...]      # build (default), deb, service, clients, page: for make deb, test-service,
#                                         # test-clients and test-page
set -euo pipefail

build=(
    # libraries
    libsqlite3-dev libcurl4-openssl-dev libarchive-dev libxml2-dev libsimdjson-dev libpsl-dev
    zlib1g-dev
    # for the Swift toolchain and its package manager
    libc6-dev libgcc-12-dev libstdc++-12-dev binutils pkg-config git libncurses6 libedit2
    # for the daemon at run time
    ca-certificates tzdata
    # for operators, one of the tests and the soak
    sqlite3 python3
)
# packaging tools; dpkg-buildpackage always requires build-essential
deb=(build-essential debhelper dpkg-dev)
# for making and booting another Debian
service=(mmdebstrap systemd-container debian-archive-keyring)
# clients of the program's output and of its service, xmllint, and venv for those from PyPI
clients=(gdal-bin python3-gdal python3-qgis python3-venv libxml2-utils)
# the browser for the tests of the page, and venv for what drives it
page=(chromium python3-venv)

if (($# == 0)); then set -- build; fi
needed=()
for group in "$@"; do
    case $group in
        build | deb | service | clients | page)
            declare -n packages=$group
            needed+=("${packages[@]}")
            ;;
        *)
            echo "\"$group\" is no group of packages: build, deb, service, clients, page" >&2
            exit 64
            ;;
    esac
done

if command -v dpkg-query >/dev/null; then
    installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${needed[@]}" 2>/dev/null || true)
    missing=()
    for package in "${needed[@]}"; do
        case $'\n'"$installed"$'\n' in
            *$'\n'"installed $package"$'\n'*) ;;
            *) missing+=("$package") ;;
        esac
    done
    if ((${#missing[@]} > 0)); then
        if ((EUID != 0)); then
            echo "Some Debian packages are missing. Please install them and try again:" >&2
            echo "    sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" >&2
            exit 1
        fi
        echo "installing ${missing[*]}" >&2
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
    fi
else
    echo "This is no Debian system; please make sure that you have what these packages hold: ${needed[*]}" >&2
fi

if [[ " $* " == *" build "* ]] && ! command -v swift >/dev/null; then
    echo "There is no swift in the PATH: please install Swift 6.2 or later, see https://www.swift.org/install/linux/" >&2
    exit 1
fi
