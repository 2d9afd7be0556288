# Sourced by demo.sh and run.sh: programs that run beside this script, and what they answer on 127.0.0.1. `bin` is the
# programs' folder.
# shellcheck shell=bash disable=SC2034,SC2154

programs=()

# begin PROGRAM...: starts a program.
begin() {
    "$@" &
    programs+=($!)
}

# Stops the programs, the last one first.
end_programs() {
    trap - EXIT INT TERM
    local i
    for ((i = ${#programs[@]} - 1; i >= 0; i--)); do
        kill -TERM "${programs[i]}" 2>/dev/null || true
        wait "${programs[i]}" 2>/dev/null || true
    done
}

# pause SECONDS: waits until a signal comes. If a program has ended, so does this script.
pause() {
    local program status=0
    sleep "$1" &
    wait $!
    for program in "${programs[@]}"; do
        if kill -0 "$program" 2>/dev/null; then continue; fi
        wait "$program" || status=$?
        echo "One of the programs has ended with status $status, see above" >&2
        exit $((status > 0 ? status : 1))
    done
}

# within SECONDS COMMAND...: repeats a command until it succeeds; fails when the time is over.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        pause 0.2
    done
}

# free_port FIRST: prints the first port, of a hundred, at which nobody listens. The kernel gives ports above 32767 to
# connections, so one of those could be taken between the look and the start of the server.
free_port() {
    python3 - "$1" <<'END'
import socket, sys
first = int(sys.argv[1])
for port in range(first, first + 100):
    try:
        socket.create_server(('127.0.0.1', port)).close()
        sys.exit(print(port))
    except OSError:
        pass
sys.exit(f'All ports from {first} to {first + 99} are taken')
END
}

# get PORT PATH: prints the answer that a browser gets; fails unless its status is 200.
get() (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit
    printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAccept: text/html, */*;q=0.1\r\nConnection: close\r\n\r\n' \
        "$2" "$1" >&3
    read -r -t 30 _ status _ <&3 && [[ $status == 200 ]] && timeout 30 cat <&3
) 2>/dev/null

answers() { get "$@" >/dev/null; }

has_map() {
    [[ $(get "$1" /) =~ page/[0-9a-f]+/ ]] && answers "$1" "/${BASH_REMATCH[0]}vendor/maplibre-gl.js"
}

has_record() { "$bin/visiventd" status --config "$1" >/dev/null 2>&1; }

# serve CONFIGURATION PORT: starts the HTTP service at PORT or the next free one, as soon as the daemon has made the
# database, and waits until it answers; sets `address`, what its page is and where.
serve() {
    local port
    within 120 has_record "$1" || {
        echo "visiventd run has made no database" >&2
        exit 1
    }
    port=$(free_port "$2")
    begin "$bin/visiventd" serve --config "$1" --listen "127.0.0.1:$port"
    within 120 answers "$port" / || {
        echo "visiventd serve does not answer" >&2
        exit 1
    }
    address="the record, without a map, since its library is missing (see above): http://127.0.0.1:$port/"
    if has_map "$port"; then address="the map: http://127.0.0.1:$port/"; fi
}
