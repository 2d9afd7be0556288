#!/usr/bin/env bash
# Checks the container image; scripts/test-service.sh runs it as root. systemd-nspawn is the runtime: a container is the
# image unpacked anew, read-only, on this machine's network, with the user, the environment and the command of the
# image. Configuration and record are folders of this machine.
#
#     image.sh ARCHIVE PORT       # what scripts/image.sh has made; port of the scripted upstream on 127.0.0.1
# shellcheck disable=SC1091,SC2154,SC2317
set -euo pipefail
archive=$(realpath "$1") port=$2
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./tap.sh

work=$(mktemp -d /var/tmp/visiventd-image.XXXXXX)
database=$work/record/visiventd.sqlite
daemon='' server=''
clean_up() {
    for process in $server $daemon; do
        kill -TERM "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean_up EXIT

# Unpacks the image and reads from it how it is run.
unpack() {
    rm -rf "$work/bundle"
    umoci unpack --image "$work/image:test" "$work/bundle" >/dev/null 2>&1
    mapfile -t command < <(python3 - "$work/bundle/config.json" <<'END'
import json, sys
process = json.load(open(sys.argv[1]))['process']
print(f'--user={process["user"]["uid"]}', f'--chdir={process["cwd"]}', sep='\n')
for value in process['env']: print(f'--setenv={value}')
print('--', *process['args'], sep='\n')
END
    )
    container=(systemd-nspawn --quiet --directory "$work/bundle/rootfs" --read-only --register=no --keep-unit
        --timezone=off --resolv-conf=off --pipe --suppress-sync=yes --kill-signal=SIGTERM)
    volumes=(--bind-ro "$work/configuration:/etc/visiventd" --bind "$work/record:/var/lib/visiventd")
    # Without the image's own argument, run.
    program=("${command[@]::${#command[@]}-1}")
}

ask() { sqlite3 -readonly "$database" "$1"; }
sources_with_events() { [[ $(ask "SELECT group_concat(DISTINCT source) FROM event_sources_v1") == *,*,* ]]; }
record() { ask "SELECT * FROM event_sources_v1 ORDER BY 1, 2" && ask "SELECT max(seq) FROM changes_v1"; }
polled() { ask "SELECT last_success_ms FROM sources_v1 WHERE name = 'quakes'"; }
polled_since() { (($(polled) > $1)); }

start() {
    "${container[@]}" --machine daemon "${volumes[@]}" "${command[@]}" </dev/null >>"$work/log" 2>&1 &
    daemon=$!
}
ends() { kill -TERM "$daemon" && wait "$daemon"; }
stops() { took 5000 ends && daemon='' && grep -q ' stopped' "$work/log"; }
# Another container beside the daemon's, with the same volumes.
beside() { "${container[@]}" --machine beside "${volumes[@]}" "${program[@]}" "$@"; }

reads_image() {
    run skopeo --insecure-policy copy --quiet "docker-archive:$archive" "oci:$work/image:test" && unpack &&
        note "${command[*]}" && same "its argument" run "${command[-1]}" && [[ ${command[0]} != --user=0 ]]
}
asks_nobody_unconfigured() {
    fails "${container[@]}" "${command[@]}" && grep -q /etc/visiventd/visiventd.yaml "$said"
}
polls() {
    cp --archive "$work/bundle/rootfs/var/lib/visiventd" "$work/record"
    mkdir "$work/configuration"
    # Without database and control_socket: the image says where they are.
    sed "s/@PORT@/$port/; /^database:/d; /^control_socket:/d" visiventd.yaml >"$work/configuration/visiventd.yaml"
    start && within 30 sources_with_events && note "$(ask 'SELECT count(*) FROM events_v1') events" &&
        same "files of others" "" "$(find "$work/record" ! -user "${command[0]#--user=}")"
}
answers_commands() { run beside poll quakes && run beside status && grep -q 'the daemon is running' "$said"; }
serves_map() {
    volumes=("${volumes[0]}" "${volumes[1]}" --bind-ro "$work/record:/var/lib/visiventd")
    "${container[@]}" --machine server "${volumes[@]}" "${program[@]}" serve --listen 127.0.0.1:0 \
        </dev/null >"$work/served" 2>&1 &
    server=$!
    within 20 has_page && kill -TERM "$server" && wait "$server" && server=''
}
has_page() {
    python3 - "$(sed -n 's/.* serving listen=\([^ ]*\).*/\1/p' "$work/served")" <<'END'
import re, sys, urllib.request
def get(path):
    request = urllib.request.Request(f'http://{sys.argv[1]}/{path}', headers={'Accept': 'text/html'})
    return urllib.request.urlopen(request, timeout=10).read()
get(re.search('page/[0-9a-f]+/', get('').decode())[0] + 'vendor/maplibre-gl.js')
END
}
keeps_record() {
    local before time
    before=$(record) time=$(polled)
    unpack && start && within 30 polled_since "$time" && same "changes, and who shows what since when" \
        "$(sha256sum <<<"$before")" "$(sha256sum <<<"$(record)")"
}

check "skopeo and umoci read the image; its command runs the daemon, and not as root" reads_image
check "without a configuration it ends and asks nobody" asks_nobody_unconfigured
check "its daemon polls the scripted upstream; the record is on the volume and its user's" polls
check "commands of another container reach the daemon" answers_commands
check "another container serves the map, with the record mounted read-only" serves_map
check "it stops within 5 s" stops
check "a new container goes on with the record, and is told that nothing has changed" keeps_record
check "it stops within 5 s, too" stops
