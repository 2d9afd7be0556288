#!/usr/bin/env bash
# Checks the package and the service on throwaway Debian 12 machines: a minimal one without systemd, and one that
# systemd boots in a container (systemd-nspawn). It prints a transcript of the commands in them; each check prints a
# line "ok" or "not ok", and the last line reads "N passed, N failed, N skipped".
#
#     scripts/test-service.sh
#     JOURNAL_SECONDS=600 scripts/test-service.sh   # reads the journal for ten minutes instead of two
#
# It needs root, and the network once: mmdebstrap makes the machines from apt's own sources, and .build-service keeps
# them for a week. If they cannot be made or booted, the checks count as skipped. SWIFT_BUILD_FLAGS is passed to swift
# build; with VISIVENTD_PROGRAMS=FOLDER visiventd and scripted-upstream are taken from that folder, and may not need the
# toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cache=$PWD/.build-service
journal_seconds=${JOURNAL_SECONDS:-120}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Packages that read the database, and time zones.
readers=(sqlite3 python3-minimal libpython3-stdlib gdal-bin)

skip() {
    printf 'ok - a real systemd # SKIP %s\n\nskipped 1: %s\n0 passed, 0 failed, 1 skipped\n' "$1" "$1"
    exit 0
}
((EUID == 0)) || skip "it needs root"
command -v apt-get >/dev/null || skip "this is no Debian system"
scripts/packages.sh service >&2 || skip "mmdebstrap and systemd-nspawn cannot be installed"

# Apt's sources of Debian 12 on this machine, one per line.
sources() {
    apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -nE "s#^Debian bookworm(-updates|-security)? #deb [signed-by=$keyring] #p" | sort -u
}

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
    local new=$cache/new list
    list=$(sources)
    if [[ -z $list ]]; then
        apt-get update >&2
        list=$(sources)
    fi
    [[ -n $list ]] || return
    rm -rf "$new"
    mkdir -p "$new"
    mmdebstrap --quiet --variant=apt --include=systemd,systemd-sysv --aptopt='Acquire::Languages "none"' \
        --skip=cleanup/apt/lists bookworm "$new/machine" - <<<"$list" || return
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
    rm -rf "$work/$1"
    mkdir -p "$work/$1"
    tar --directory "$work/$1" --extract --preserve-permissions --file "$cache/$1.tar"
    test=$work/$1/srv/test
    mkdir -p "$test"
    cp scripts/service/* scripts/check-unit.sh docs/logs.md "$test"
    cp "$deb" "$test/visiventd.deb"
    cp -r Fixtures/demo-places "$test/places"
    cp -r Fixtures/demo "$test/upstream"
    # Without later versions nothing changes upstream.
    rm -f "$test"/upstream/*@*
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

deb=$(scripts/deb.sh)
bin=$(scripts/release.sh visiventd scripted-upstream)
if [[ -n $(find "$cache" -name '*.tar' -mtime +7 2>/dev/null) || ! -e $cache/readers.tar ]]; then
    say "making the machines by mmdebstrap"
    make_machines >"$log" 2>&1 || {
        sed 's/^/# /' "$log"
        [[ -e $cache/readers.tar ]] || skip "the machines cannot be made, see above"
    }
fi

minimal() {
    say "a minimal Debian 12, not booted"
    unpack minimal
    "$bin/scripted-upstream" serve --directory "$test/upstream" --port-file "$work/port" 2>/dev/null &
    upstream=$!
    for ((i = 0; i < 150; i++)); do
        [[ -s $work/port ]] && break
        sleep 0.1
    done
    if ! contained "$work/minimal" -- true; then
        echo "ok - the package on a minimal Debian 12 # SKIP systemd-nspawn does not work here, see above"
        return
    fi
    contained "$work/minimal" -- /srv/test/minimal.sh "$(<"$work/port")" || echo "not ok - minimal.sh has ended early"
    rm -rf "$work/minimal"
}

# inside COMMAND...: runs a command in the booted machine.
inside() { nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup --root --wd "$@" </dev/null; }

booted() {
    say "a Debian 12 that systemd boots"
    unpack readers
    cp "$bin/scripted-upstream" "$test"
    # The same package with a higher version.
    dpkg-deb --raw-extract "$deb" "$work/upgrade"
    sed -i 's/^Version: .*/&+upgrade/' "$work/upgrade/DEBIAN/control"
    dpkg-deb --build --root-owner-group -Znone "$work/upgrade" "$test/upgrade.deb" >/dev/null
    rm -rf "$work/upgrade"
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
        echo "ok - a Debian 12 that systemd boots # SKIP systemd does not boot in a container here, see above"
        return
    fi
    inside timeout $((420 + journal_seconds)) /srv/test/booted.sh "$journal_seconds" || echo "not ok - booted.sh has ended early"
}

# Runs both parts on one side of a pipe; that is a shell of its own, which cleans up after itself.
all() {
    trap clean_up EXIT
    minimal
    booted
    trap - EXIT
    for process in $machine $upstream; do kill -TERM "$process" && wait "$process" || true; done 2>/dev/null
}
# systemd-nspawn's message about its own folder in /run is noise.
all 2>&1 | grep --line-buffered --invert-match '^Attempted to remove disk file system' | tee "$log" || true
scripts/tap-report.sh "$log"
