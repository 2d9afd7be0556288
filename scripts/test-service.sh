#!/usr/bin/env bash
# Checks the package and the service on throwaway machines with this machine's release of Debian: a minimal one without
# systemd, and one that systemd boots in a container (systemd-nspawn); then the container image and the demo. It prints
# a transcript of the commands in them; each check prints a line "ok" or "not ok", and the last line reads "N passed, N
# failed, N skipped".
#
#     scripts/test-service.sh
#     scripts/test-service.sh brief                 # for .ci/run: without the image, the journal for 20 seconds
#     JOURNAL_SECONDS=600 scripts/test-service.sh   # reads the journal for ten minutes instead of two
#
# It needs root, and the network once: mmdebstrap makes the machines from apt's own sources, and .build-service keeps
# them for a week. The image is made anew, from the same sources. What cannot be made or booted counts as skipped.
# VISIVENTD_PATIENCE=2 doubles the limits of time, for a machine with other work.
# SWIFT_BUILD_FLAGS is passed to swift build; with VISIVENTD_PROGRAMS=FOLDER visiventd and scripted-upstream are taken
# from that folder, and may not need the toolchain.
# shellcheck disable=SC1091
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/timed.sh

cache=$PWD/.build-service
form=${1:-whole}
case $form in
    whole) journal_seconds=${JOURNAL_SECONDS:-120} ;;
    brief) journal_seconds=${JOURNAL_SECONDS:-20} ;;
    *)
        echo "\"$form\" is no form: brief" >&2
        exit 64
        ;;
esac
# Packages that read the database, and time zones.
readers=(sqlite3 python3-minimal libpython3-stdlib gdal-bin)

skip() {
    printf 'ok - a real systemd # SKIP %s\n\nskipped 1: %s\n0 passed, 0 failed, 1 skipped\n' "$1" "$1"
    exit 0
}
((EUID == 0)) || skip "it needs root"
command -v apt-get >/dev/null || skip "this is no Debian system"
scripts/packages.sh service >&2 || skip "mmdebstrap and systemd-nspawn cannot be installed"

# contained ROOT OPTION... -- COMMAND...: runs a command in a machine that is not booted, on this machine's network.
contained() {
    local root=$1 options=()
    shift
    while [[ $1 != -- ]]; do options+=("$1") && shift; done
    shift
    systemd-nspawn --quiet --directory "$root" --register=no --keep-unit --timezone=off --pipe --suppress-sync=yes \
        "${options[@]}" "$@" </dev/null
}

# Makes two machines: a minimal Debian, and the same with readers of the database. Both have the packages that visiventd
# depends on in their caches, so that it installs without a network.
make_machines() {
    local new=$cache/new sources codename list
    sources=$(scripts/sources.sh) || return
    { read -r codename && list=$(cat); } <<<"$sources"
    rm -rf "$new"
    mkdir -p "$new"
    mmdebstrap --quiet --variant=apt --include=systemd,systemd-sysv --aptopt='Acquire::Languages "none"' \
        --skip=cleanup/apt/lists "$codename" "$new/machine" - <<<"$list" || return
    install -D -m 0644 "$deb" "$new/machine/srv/test/visiventd.deb"
    contained "$new/machine" -- apt-get install --yes -qq --no-install-recommends --download-only /srv/test/visiventd.deb ||
        return
    tar --directory "$new/machine" --create --file "$new/minimal.tar" . || return
    contained "$new/machine" --setenv DEBIAN_FRONTEND=noninteractive -- \
        apt-get install --yes -qq --no-install-recommends \
        --option APT::Keep-Downloaded-Packages=false "${readers[@]}" || return
    tar --directory "$new/machine" --create --file "$new/readers.tar" . || return
    rm -rf "$new/machine"
    mv "$new"/*.tar "$cache"
    rm -rf "$new"
}

# unpack NAME: unpacks a machine, with the files under test in /srv/test.
unpack() {
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1"
    tar --directory "$work/$1" --extract --preserve-permissions --file "$cache/$1.tar"
    test=$work/$1/srv/test
    mkdir -p "$test"
    cp scripts/service/* scripts/check-unit.sh docs/logs.md "$test"
    cp "$deb" "$test/visiventd.deb"
    cp -r Fixtures/demo-places "$test/places"
    cp -r "$work/upstream" "$test"
}

say() { printf '# %s\n' "$*"; }

work=$(mktemp -d /var/tmp/visiventd-service.XXXXXX)
log=$work/log
machine='' upstream=''
clean_up() {
    trap - EXIT INT TERM
    for process in $machine $upstream; do
        kill -TERM "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

cp -r Fixtures/demo "$work/upstream"
# Without later versions nothing changes upstream.
rm -f "$work"/upstream/*@*
deb=$(timed deb scripts/deb.sh)
bin=$(scripts/release.sh visiventd scripted-upstream)
if [[ -n $(find "$cache" -name '*.tar' -mtime +7 2>/dev/null) || ! -e $cache/readers.tar ]]; then
    say "making the machines by mmdebstrap"
    make_machines >"$log" 2>&1 || {
        sed 's/^/# /' "$log"
        [[ -e $cache/readers.tar ]] || skip "the machines cannot be made, see above"
    }
fi

# Starts the upstream of the parts that are not booted.
begin_upstream() {
    "$bin/scripted-upstream" serve --directory "$work/upstream" --port-file "$work/port" 2>/dev/null &
    upstream=$!
    for ((i = 0; i < 600; i++)); do
        [[ -s $work/port ]] && break
        sleep 0.1
    done
}

minimal() {
    say "a minimal Debian, not booted"
    unpack minimal
    if ! contained "$work/minimal" -- true; then
        echo "ok - the package on a minimal Debian # SKIP systemd-nspawn does not work here, see above"
        return
    fi
    contained "$work/minimal" -- /srv/test/minimal.sh "$(<"$work/port")" || echo "not ok - minimal.sh has ended early"
    rm -rf "$work/minimal"
}

# inside COMMAND...: runs a command in the booted machine.
inside() { nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup --root --wd "$@" </dev/null; }

booted() {
    say "a Debian that systemd boots"
    unpack readers
    cp "$bin/scripted-upstream" "$test"
    # The same package with a higher version.
    dpkg-deb --raw-extract "$deb" "$work/upgrade"
    sed -i 's/^Version: .*/&+upgrade/' "$work/upgrade/DEBIAN/control"
    dpkg-deb --build --root-owner-group -Znone "$work/upgrade" "$test/upgrade.deb" >/dev/null
    # What 0.1.0 was to dpkg: the configuration a conffile, no scripts of its own but that of purging, no schema.
    local earlier=$work/upgrade
    sed -i 's/^Version: .*/Version: 0.1.0/' "$earlier/DEBIAN/control"
    install -D -m 0644 "$earlier/usr/share/visiventd/visiventd.yaml" "$earlier/etc/visiventd/visiventd.yaml"
    sed '/full_text/d; /^# pictures:/,/^$/d' "$earlier/etc/visiventd/visiventd.yaml" \
        >"$earlier/usr/share/doc/visiventd/examples/visiventd.yaml"
    echo /etc/visiventd/visiventd.yaml >"$earlier/DEBIAN/conffiles"
    rm -f "$earlier"/usr/share/visiventd/{visiventd.yaml,schema} "$earlier"/DEBIAN/{preinst,prerm,md5sums}
    printf '#!/bin/sh\n' >"$earlier/DEBIAN/prerm"
    chmod 0755 "$earlier/DEBIAN/prerm"
    # Only what debhelper has added to it.
    sed -i '/^if \[ "$1" = configure \]; then$/,/^fi$/d' "$earlier/DEBIAN/postinst"
    dpkg-deb --build --root-owner-group -Znone "$earlier" "$test/earlier.deb" >/dev/null
    # The same package as the first, of a program that knows one schema less.
    rm -rf "$earlier"
    dpkg-deb --raw-extract "$deb" "$earlier"
    sed -i 's/^Version: .*/Version: 0.2.0/' "$earlier/DEBIAN/control"
    schema=$(<"$earlier/usr/share/visiventd/schema")
    sed -i "s/^    known=.*/    known=$((schema - 1))/" "$earlier/DEBIAN/preinst"
    echo $((schema - 1)) >"$earlier/usr/share/visiventd/schema"
    dpkg-deb --build --root-owner-group -Znone "$earlier" "$test/older-schema.deb" >/dev/null
    rm -rf "$earlier"
    # The package's dependencies must be in the cache, even if they have changed since the machines were made.
    contained "$work/readers" -- apt-get install --yes -qq --no-install-recommends --download-only /srv/test/visiventd.deb \
        >/dev/null

    systemd-nspawn --quiet --directory "$work/readers" --register=no --keep-unit --private-network --timezone=off \
        --suppress-sync=yes --console=read-only --boot </dev/null >"$work/console" 2>&1 &
    machine=$!
    leader=''
    for ((i = 0; i < 240; i++)); do
        leader=$(pgrep --parent "$machine" | head -n 1) || true
        [[ -n $leader ]] && inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded' && break
        if ! kill -0 "$machine" 2>/dev/null; then break; fi
        leader=''
        sleep 0.25
    done
    if [[ -z $leader ]]; then
        sed 's/^/# /' "$work/console"
        echo "ok - a Debian that systemd boots # SKIP systemd does not boot in a container here, see above"
        return
    fi
    inside timeout $((540 * ${VISIVENTD_PATIENCE:-1} + journal_seconds)) /srv/test/booted.sh "$journal_seconds" ||
        echo "not ok - booted.sh has ended early"
}

image() {
    local archive status=0
    say "the container image"
    archive=$(scripts/image.sh "$deb" 2>"$work/image") || status=$?
    if ((status != 0)); then
        sed 's/^/# /' "$work/image"
        if ((status == 69)); then
            echo "ok - the container image # SKIP tools or packages for it cannot be had, see above"
        else
            echo "not ok - the container image is made"
        fi
        return
    fi
    say "$(du --apparent-size --human-readable "$archive")"
    scripts/service/image.sh "$archive" "$(<"$work/port")" || echo "not ok - image.sh has ended early"
}

# The demo on this machine, where another server has the port that the map would get.
demo() {
    local holder name="the demo has events of all four kinds and ends with the map's address, though its port is taken"
    say "the demo"
    if [[ ! -e .build/page/index.html ]] || ! command -v swift >/dev/null; then
        echo "ok - $name # SKIP the library of the map or the toolchain is missing"
        return
    fi
    python3 -m http.server --bind 127.0.0.1 18423 >/dev/null 2>&1 &
    holder=$!
    for ((i = 0; i < 100; i++)); do
        (exec 3<>/dev/tcp/127.0.0.1/18423) 2>/dev/null && break
        sleep 0.1
    done
    if DEMO_SECONDS=$((30 * ${VISIVENTD_PATIENCE:-1})) VISIVENTD_PROGRAMS=$bin scripts/demo.sh >"$work/demo" 2>&1 &&
        grep '^== the log goes on; the map: http' "$work/demo" | sed 's/^/# /'; then
        echo "ok - $name"
    else
        tail -n 20 "$work/demo" | sed 's/^/# /'
        echo "not ok - $name"
    fi
    kill "$holder" 2>/dev/null || true
    wait "$holder" 2>/dev/null || true
}

# Runs all parts on one side of a pipe; that is a shell of its own, which cleans up after itself.
all() {
    trap clean_up EXIT
    begin_upstream
    timed minimal minimal
    timed booted booted
    if [[ $form == whole ]]; then timed image image; fi
    timed demo demo
    trap - EXIT
    for process in $machine $upstream; do
        kill -TERM "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
}
# systemd-nspawn's message about its own folder in /run is noise.
all 2>&1 | grep --line-buffered --invert-match '^Attempted to remove disk file system' | tee "$log" || true
scripts/tap-report.sh "$log"
