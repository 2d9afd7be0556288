#!/usr/bin/env bash
# Checks the service on a Debian booted by systemd. scripts/test-service.sh runs it there as root; the only network
# is the loopback interface.
#
#     booted.sh SECONDS     # how long the journal is read
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./tap.sh
export DEBIAN_FRONTEND=noninteractive
config=/etc/visiventd/visiventd.yaml
state=/var/lib/visiventd
database=$state/visiventd.sqlite
install=(apt-get install --yes -qq --no-install-recommends)
# Sources polled on demand; "silent" is configured as well and always fails.
sources=(quakes many volcanoes news)

# MARK: what the checks look at

property() { systemctl show --property "$1" --value visiventd; }
is_active() { systemctl --quiet is-active visiventd; }
has_restarted() { is_active && (($(property NRestarts) > $1)); }
ask() { sqlite3 -readonly "$database" "$1"; }
has_events_of() { [[ $(ask "SELECT count(*) FROM event_sources_v1 WHERE source = '$1'") != 0 ]]; }
due() { ask "SELECT next_due_ms FROM sources_v1 WHERE name = '$1'"; }
only_the_users() { same "files of others in $state" "" "$(find "$state" ! -user visiventd -o ! -group visiventd)"; }

# Polls through the daemon if it runs; no file then belongs to root.
poll_as_user() { runuser -u visiventd -- visiventd poll "$@" >/dev/null 2>&1; }
# Sends a signal to the main process only.
signal() { run systemctl kill --signal "$1" --kill-who main visiventd; }

# journal PRIORITIES PATTERN: prints the service's lines since `remember`, such as 5..5 (see syslog(3)). The cursor is
# at a line of logger, since --after-cursor would skip the first of the service's lines after another unit's.
remember() {
    logger mark && journalctl --sync
    cursor=$(journalctl --quiet --lines 1 --show-cursor --output cat | sed -n 's/^-- cursor: //p')
}
journal() {
    journalctl --quiet --no-pager --unit visiventd --output cat --priority "$1" ${cursor:+--cursor="$cursor"} |
        grep -E "$2"
}

# The events as in their feeds, without values that vary between runs or come from the city table.
listing="SELECT category, title, time_ms, magnitude, CASE WHEN category IN ('earthquake', 'volcano') THEN latitude END
    FROM events_v1 ORDER BY 1, 2, 3, 4, 5"
# One undisturbed poll of the same feeds with the same configuration, into a database of its own.
reference() {
    rm -rf reference && mkdir reference
    sed "s|^database:.*|database: $PWD/reference/events.sqlite|; s|^control_socket:|# |" "$config" >reference/visiventd.yaml
    run visiventd poll --config "$PWD/reference/visiventd.yaml" "${sources[@]}" &&
        sqlite3 reference/events.sqlite "$listing" >reference/events &&
        note "an undisturbed poll makes $(wc -l <reference/events) events" && (($(wc -l <reference/events) > 20000))
}
has_all_events() { sqlite3 -readonly "$database" "$listing" | cmp --silent - reference/events; }
# Nothing is lost or doubled. An interrupted source is polled here rather than later.
complete() {
    within 10 poll_as_user "${sources[@]}" && within 10 has_all_events && same integrity_check ok "$(ask 'PRAGMA integrity_check')"
}

# MARK: the checks

# Files that root creates in the service's folder belong to the service; root's input files need not be readable by it.
root_seeds_and_polls() {
    printf 'Etna,"14.999,37.748",,,\n' >volcanoes.csv && chmod 0600 volcanoes.csv &&
        run visiventd seed volcanoes "$PWD/volcanoes.csv" && run visiventd poll news && only_the_users
}
starts() {
    took 5000 systemctl enable --now visiventd && run systemctl status --no-pager --lines 0 visiventd && is_active &&
        same Type notify "$(property Type)" && [[ -n $(property StatusText) ]]
}

# With the form json the lines are bare objects, and have their priorities all the same.
has_priorities_in_json() {
    local status=0
    cp "$config" plain.yaml
    printf 'log:\n  format: json\n' >>"$config"
    remember
    systemctl restart visiventd
    { within 10 journal 5..5 '^{.*"message":"started"' && within 10 journal 6..6 '^{.*"message":"poll ended"' &&
        fails journal 0..7 '^<'; } || status=1
    cp plain.yaml "$config"
    systemctl restart visiventd
    ((status == 0))
}

has_priorities() {
    within 10 journal 5..5 '^started' && run journal 5..5 '^started' &&
        within 10 journal 6..6 '^poll ended.*source=quakes' && run journal 6..6 '^poll ended.*source=quakes' &&
        within 10 journal 5..5 '^source is failing.*source=silent' && run journal 5..5 '^source is failing'
}

# The messages that docs/logs.md describes, one per line.
messages() { sed -n 's/^### //p' logs.md | sed -E 's/ · [a-z]+( or [a-z]+)?(, )?/\n/g' | grep .; }

# silent SECONDS: the journal at notice and above must contain only lines that docs/logs.md describes.
silent() {
    local strange
    remember
    systemctl restart visiventd
    for _ in 1 2 3; do
        sleep $(($1 / 3))
        # outsider may not raise any priority; reader's connections need threads.
        runuser -u outsider -- visiventd decode kml /dev/null
        runuser -u reader -- visiventd poll quakes
    done >/dev/null 2>&1
    journalctl --quiet --no-pager --output cat --priority notice --cursor "$cursor" \
        _SYSTEMD_UNIT=visiventd.service + _COMM=visiventd >noticed || true
    strange=$(sed -E 's/ [a-z_]+=.*//' noticed | grep -vxFf <(messages) || true)
    same "lines that are not the program's own" "" "$strange" && note "$(wc -l <noticed) lines in $1 s" &&
        grep -q '^started' noticed
}

takes_good_file() {
    local process time
    process=$(property MainPID) time=$(due volcanoes)
    sources+=(island-watch)
    remember
    cat >>"$config" <<END
  - name: island-watch
    kind: rss
    url: http://127.0.0.1:$port/georss.atom
    refresh_interval: 1h
    offset: 0s
    max_age: 36500d
END
    took 1500 systemctl reload visiventd && within 10 has_events_of island-watch &&
        same "main process" "$process" "$(property MainPID)" && same "volcanoes are due" "$time" "$(due volcanoes)" &&
        within 10 journal 5..5 '^configuration was reloaded.*island-watch' &&
        within 10 journal 6..6 '^poll ended.*source=island-watch' &&
        within 10 journal 5..5 '^source was added.*source=island-watch'
}

refuses_bad_file() {
    local process
    process=$(property MainPID)
    cp "$config" good.yaml
    remember
    sed -i 's/refresh_interval: 10s/refresh_interval: soon/' "$config"
    fails systemctl reload visiventd && within 5 journal 3..3 soon && run journal 3..3 soon &&
        is_active && same "main process" "$process" "$(property MainPID)" && note "$(property StatusText)" &&
        [[ $(property StatusText) == 'configuration refused: '*soon* ]] && run visiventd status --database "$database" && grep -q soon "$said" && run visiventd poll --config "$PWD/good.yaml" quakes
}

takes_mended_file() {
    cp good.yaml "$config"
    run systemctl reload visiventd && run visiventd status && ! grep -q soon "$said" &&
        [[ $(property StatusText) != *refused* ]]
}

refuses_to_start() {
    local status=0
    systemctl stop visiventd
    remember
    sed -i 's/kind: cap/kind: cup/' "$config"
    { fails systemctl start visiventd && same Result exit-code "$(property Result)" && sleep 3 &&
        same NRestarts 0 "$(property NRestarts)" && run journal 0..4 cup &&
        same "lines with the fault" 1 "$(journal 0..7 cup | wc -l)"; } || status=1
    cp good.yaml "$config"
    systemctl reset-failed visiventd
    run systemctl start visiventd && ((status == 0))
}

survives_kill() {
    local process count
    systemctl stop visiventd && rm -f "$database" "$database"-* && systemctl start visiventd || return
    process=$(property MainPID) count=$(property NRestarts)
    # This is in the middle of the first polls.
    sleep 0.3
    signal KILL && note "events at its death: $(ask 'SELECT count(*) FROM events_v1')" && within 15 has_restarted "$count" &&
        note "main process $process, now $(property MainPID)" && complete
}

survives_hang() {
    local process count
    process=$(property MainPID) count=$(property NRestarts)
    remember
    signal STOP && within 30 has_restarted "$count" &&
        note "main process $process, now $(property MainPID)" && run journal 0..6 '[Ww]atchdog' && complete
}

stops_under_load() {
    local jobs=() status=0
    for _ in 1 2 3; do
        while is_active; do
            runuser -u reader -- visiventd events --limit 0 --format ndjson
            runuser -u reader -- visiventd poll "${sources[@]}"
        done >/dev/null 2>&1 &
        jobs+=($!)
    done
    # The large feed is read again, so that the stop falls into its poll.
    visiventd reset --events many >/dev/null && { poll_as_user many & } && jobs+=($!)
    sleep 0.5
    took 5000 systemctl stop visiventd && same Result success "$(property Result)" &&
        same "exit status" 0 "$(property ExecMainStatus)" || status=1
    wait "${jobs[@]}" || true
    systemctl start visiventd && complete && ((status == 0))
}

seeds_as_user() {
    run runuser -u visiventd -- visiventd seed cities "$PWD/places/cities.txt" "$PWD/places/regions.txt" &&
        run runuser -u reader -- visiventd geocode --offline 'Hilo, HI' && grep -q 'Hilo, Hawaii' "$said" && only_the_users
}
seeds_by_unit() {
    rm -f "$state/cities.sqlite"
    echo "INPUTS=$PWD/places/cities.txt $PWD/places/regions.txt" >/etc/visiventd/seed-cities.conf
    run systemctl start visiventd-seed@cities && run ls -l "$state/cities.sqlite" && only_the_users
}

names_missing_inputs() {
    fails systemctl start visiventd-seed@regions && fails systemctl status --no-pager --full visiventd-seed@regions &&
        grep -q /etc/visiventd/seed-regions.conf "$said"
}

# The status is 0 or 1 (one source fails on purpose) while the service runs, 2 when it is stopped.
tells_health() {
    local status=0
    run runuser -u reader -- visiventd health || status=$?
    ((status < 2)) && systemctl stop visiventd || return
    status=0
    run runuser -u reader -- visiventd health || status=$?
    systemctl start visiventd && ((status == 2))
}

# A member of the group reads with three programs, which must give the same number.
reads() {
    local query="SELECT count(*) AS n FROM events_v1" number
    run runuser -u reader -- sqlite3 -readonly "$database" "$query" && number=$(<"$said") && ((number > 0)) &&
        run runuser -u reader -- python3 -c "import sqlite3
print(sqlite3.connect('file:$database?mode=ro', uri=True).execute('$query').fetchone()[0])" &&
        same Python "$number" "$(<"$said")" &&
        run runuser -u reader -- ogrinfo -ro -q -sql "$query" "$database" && grep -q "= $number\$" "$said" &&
        run runuser -u reader -- visiventd events --limit 2
}
reads_stopped() { systemctl stop visiventd && run ls -l "$state" && reads; }
reads_killed() {
    local job status=0
    systemctl start visiventd && visiventd reset --events many >/dev/null || return
    poll_as_user many &
    job=$!
    sleep 0.5
    # The kill falls into a write. Stopping the unit cancels its restart.
    signal KILL
    systemctl stop visiventd
    wait "$job" || true
    run ls -l "$state" && reads && run runuser -u reader -- sqlite3 -readonly "$database" 'PRAGMA integrity_check' &&
        grep -qx ok "$said" || status=1
    systemctl start visiventd && complete && ((status == 0))
}
outsiders_read_nothing() {
    fails runuser -u outsider -- sqlite3 -readonly "$database" "SELECT count(*) FROM events_v1" &&
        fails runuser -u outsider -- ls "$state" && fails runuser -u outsider -- visiventd poll quakes
}

# MARK: the HTTP service

serves() { systemctl --quiet is-active visiventd-serve; }
# fetch STATUS [HOST]: asks the HTTP service and compares the status.
fetch() {
    python3 - "$1" "${2:-localhost}" <<'END'
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", 8423, timeout=10)
connection.request("GET", "/", headers={"Host": sys.argv[2]})
answer = connection.getresponse()
print(answer.status, answer.read(200))
sys.exit(str(answer.status) != sys.argv[1])
END
}
starts_serving() {
    took 5000 systemctl start visiventd-serve && serves && run fetch 200 && run fetch 421 evil.example &&
        same "daemon's SocketBindDeny" any "$(property SocketBindDeny)"
}
# It sees neither the control socket nor keys, and cannot write the database.
serves_read_only() {
    local process
    process=$(systemctl show --property MainPID --value visiventd-serve)
    echo secret >/etc/visiventd/key && chown root:visiventd /etc/visiventd/key && chmod 0640 /etc/visiventd/key
    same "its /etc/visiventd" 'conf.d visiventd.yaml' \
        "$(nsenter --target "$process" --mount ls /etc/visiventd | paste -sd ' ')" &&
        fails nsenter --target "$process" --mount ls /run/visiventd/control.sock &&
        fails nsenter --target "$process" --mount touch "$state/x" &&
        fails runuser -u visiventd-serve -G visiventd -- sqlite3 "$database" 'DELETE FROM event' || return
    rm /etc/visiventd/key
}
serves_after_kill() {
    local process
    process=$(systemctl show --property MainPID --value visiventd-serve)
    remember
    systemctl kill --signal KILL visiventd-serve && within 15 fetch 200 && is_active &&
        [[ $(systemctl show --property MainPID --value visiventd-serve) != "$process" ]] &&
        fails journal 0..4 .
}
serves_without_daemon() {
    local status=0
    systemctl stop visiventd && run fetch 200 || status=1
    systemctl start visiventd && run fetch 200 && ((status == 0))
}
# Where starting it again cannot help, it is not started again, and the journal has the reason in its own words.
serve_property() { systemctl show --property "$1" --value visiventd-serve; }
serve_journal() {
    journalctl --quiet --no-pager --unit visiventd-serve --output cat --cursor "$cursor" | grep -E "$1"
}
ends_for_good() {
    sleep 5
    same ActiveState failed "$(serve_property ActiveState)" && same "exit status" 78 "$(serve_property ExecMainStatus)" &&
        same NRestarts 0 "$(serve_property NRestarts)" && run serve_journal "$1"
}
ends_without_configuration() {
    local status=0
    mv "$config" away.yaml
    remember
    { fails systemctl start visiventd-serve && ends_for_good 'visiventd.yaml: cannot be read: No such file'; } || status=1
    mv away.yaml "$config"
    systemctl reset-failed visiventd-serve
    ((status == 0))
}
ends_at_taken_port() {
    local status=0 other
    python3 -m http.server --bind 127.0.0.1 8423 >/dev/null 2>&1 &
    other=$!
    within 10 python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8423))' || status=1
    remember
    { fails systemctl start visiventd-serve && ends_for_good '127.0.0.1:8423 cannot be listened at: '; } || status=1
    kill "$other"
    wait "$other" || true
    systemctl reset-failed visiventd-serve
    took 5000 systemctl start visiventd-serve && systemctl stop visiventd-serve && ((status == 0))
}

# MARK: timers

makes_metrics() {
    local file=/var/lib/prometheus/node-exporter/visiventd.prom
    # As the package prometheus-node-exporter makes it.
    mkdir -p /var/lib/prometheus/node-exporter
    run systemctl enable --now visiventd-health.timer && run systemctl start visiventd-health &&
        run ls -l /var/lib/prometheus/node-exporter && run grep -c '^visiventd_' "$file" &&
        same "owner and mode" "root:root 644" "$(stat -c '%U:%G %a' "$file")" && run grep -x 'visiventd_up 1' "$file" &&
        run grep '^visiventd_last_backup_timestamp_seconds' "$file" &&
        run grep '^visiventd_process_resident_memory_bytes' "$file" && run systemctl disable --now visiventd-health.timer
}
backs_up() {
    local copy
    copy=/var/backups/visiventd/visiventd-$(date +%u).sqlite
    run systemctl start visiventd-backup && run systemctl start visiventd-backup && run ls -l /var/backups/visiventd &&
        same "owner and mode" "visiventd:visiventd 640" "$(stat -c '%U:%G %a' "$copy")" &&
        run sqlite3 -readonly "$copy" 'PRAGMA integrity_check' && grep -qx ok "$said" &&
        run systemctl enable --now visiventd-backup.timer &&
        run systemctl list-timers --no-pager visiventd-backup.timer && run systemctl disable --now visiventd-backup.timer
}

stops_serving() { took 5000 systemctl stop visiventd-serve && fails fetch 200; }

upgrades() {
    local process edited
    process=$(property MainPID) edited=$(sha256sum <"$config")
    run "${install[@]}" ./upgrade.deb && within 10 is_active &&
        same version "$(dpkg-deb --field upgrade.deb Version)" "$(dpkg-query --show --showformat '${Version}' visiventd)" &&
        note "main process $process, now $(property MainPID)" && [[ $(property MainPID) != "$process" ]] &&
        same configuration "$edited" "$(sha256sum <"$config")" && complete
}
refuses_downgrade() {
    local version
    version=$(dpkg-query --show --showformat '${Version}' visiventd)
    fails "${install[@]}" --allow-downgrades ./older-schema.deb && grep -q 'refused, and visiventd .* stays' "$said" &&
        same version "$version" "$(dpkg-query --show --showformat '${Version}' visiventd)" && within 10 is_active && complete
}
# From 0.1.0, whose conffile everybody has edited, without a question and without a change.
upgrades_from_conffile() {
    local edited
    edited=$(sha256sum <"$config")
    cp "$config" kept.yaml && run apt-get purge --yes -qq visiventd &&
        run "${install[@]}" ./earlier.deb && cp kept.yaml "$config" && systemctl enable --now visiventd &&
        run "${install[@]}" ./visiventd.deb && grep -q 'New keys since 0.1.0: .*full_text' "$said" &&
        same state "install ok installed" "$(dpkg-query --show --showformat '${Status}' visiventd)" &&
        same configuration "$edited" "$(sha256sum <"$config")" && within 10 is_active &&
        same "files beside it" 'conf.d visiventd.yaml' "$(ls /etc/visiventd | paste -sd ' ')" && complete
}
removes() {
    run apt-get remove --yes -qq visiventd && ! is_active && run ls -l "$config" "$database" &&
        run "${install[@]}" ./upgrade.deb && within 10 is_active && complete
}
purges() {
    run apt-get purge --yes -qq visiventd && ! is_active &&
        same "left of it" "" "$(find /etc /opt /run /usr /var -path /var/lib/dpkg -prune -o -path /var/cache -prune \
            -o -path /var/backups -prune -o -path /var/log -prune -o -path /run/systemd -prune -o -name '*visiventd*' -print)" &&
        run getent passwd visiventd
}

# MARK: a machine to check it on

useradd --create-home outsider
cursor=

check "the package installs where systemd runs" run "${install[@]}" ./visiventd.deb
check "installing it starts nothing" fails systemctl is-active visiventd
python3 many.py >upstream/many.geojson
./scripted-upstream serve --directory upstream --port-file port 2>upstream.log &
upstream=$!
trap 'kill "$upstream"' EXIT
within 20 test -s port || { sed 's/^/# /' upstream.log && exit 1; }
port=$(<port)
sed "s/@PORT@/$port/" visiventd.yaml >"$config"
useradd --create-home --groups visiventd reader
# Pauses are shorter than in the unit; all else is the same.
mkdir -p /run/systemd/system/visiventd.service.d
printf '[Service]\nRestartSec=1s\nWatchdogSec=6s\n' >/run/systemd/system/visiventd.service.d/test.conf
systemctl daemon-reload

check "systemd-analyze finds nothing wrong with the units, and an exposure of at most 1.5, of the HTTP service 1.2" \
    run ./check-unit.sh /lib/systemd/system
check "the scripted upstream can be polled" reference
check "root seeds and polls before the first start, and the files are the service's" root_seeds_and_polls
check "systemctl start: ready and active within 5 s, with a status line" starts
check "journal lines have their priorities" has_priorities
check "the first polls are complete" complete
check "journal lines in JSON have their priorities" has_priorities_in_json
check "for $1 s the journal has nothing at notice and above but the program's own lines" silent "$1"
check "systemctl reload takes a good file up; other sources keep their due times" takes_good_file
check "the scripted upstream can be polled, with the source that is new" reference
check "systemctl reload fails with the errors of a bad file; the old configuration stays in force" refuses_bad_file
check "systemctl reload takes the mended file up" takes_mended_file
check "a bad file stops a start for good, with its errors in the journal" refuses_to_start
check "kill -9 in the middle of polls: restarted and complete" survives_kill
check "a hung scheduler: restarted by the watchdog and complete" survives_hang
check "systemctl stop under load within 5 s" stops_under_load
check "seeding as the service's user" seeds_as_user
check "seeding by visiventd-seed@cities" seeds_by_unit
check "without its file of inputs visiventd-seed@ names that" names_missing_inputs
check "visiventd health tells a running service from a stopped one" tells_health
check "a member of the group reads while the service runs" reads
check "a member of the group reads when it is stopped" reads_stopped
check "a member of the group reads after kill -9" reads_killed
check "others read nothing" outsiders_read_nothing
check "installing has not started the HTTP service" fails serves
check "visiventd-serve answers on loopback, and no foreign Host" starts_serving
check "visiventd-serve sees no control socket and no key, and writes nothing" serves_read_only
check "kill -9 of visiventd-serve: restarted, and the daemon does not notice" serves_after_kill
check "visiventd-serve answers while the daemon is stopped" serves_without_daemon
check "visiventd-serve stops" stops_serving
check "without a configuration visiventd-serve ends for good, with the reason" ends_without_configuration
check "at a port that is taken visiventd-serve ends for good, with the reason" ends_at_taken_port
check "visiventd-backup.timer makes copies" backs_up
check "visiventd-health.timer writes the metrics for the node exporter" makes_metrics
check "no file of the service has come to belong to somebody else" only_the_users
check "an upgrade keeps configuration and database, and restarts the service" upgrades
check "a downgrade to a program that reads an older schema is refused in words" refuses_downgrade
check "removing the package keeps configuration and database" removes
check "an upgrade from 0.1.0 keeps the edited configuration without a question" upgrades_from_conffile
check "purging leaves nothing but the user and the backups" purges
