#!/usr/bin/env bash
# Checks the package on a minimal Debian without systemd; scripts/test-service.sh runs it there.
#
#     minimal.sh PORT       # port of the scripted upstream on 127.0.0.1
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./tap.sh
export DEBIAN_FRONTEND=noninteractive
port=$1

needs_nothing_else() {
    fails command -v swift && run ldd /usr/bin/visiventd && ! grep -qE 'not found|swift' "$said"
}

# Enabling the service is left to the operator.
is_disabled() { same "visiventd.service" disabled "$(systemctl is-enabled visiventd.service 2>&1)"; }

database_folder_is_the_users() {
    same "owner and mode of /var/lib/visiventd" "visiventd:visiventd 750" "$(stat -c '%U:%G %a' /var/lib/visiventd)"
}

manuals_are_complete() {
    local command missing=0
    zcat /usr/share/man/man8/visiventd.8.gz >manual
    for command in $(visiventd --help | sed -nE '/^SUBCOMMANDS/,$s/^  ([a-z]+) {2,}.*/\1/p'); do
        grep -qE "^\.It Cm $command( |$)" manual || {
            note "visiventd(8) does not have $command"
            missing=1
        }
    done
    # In a pipe zcat would fail where grep ends before it.
    zcat /usr/share/man/man5/visiventd.yaml.5.gz >manual
    grep -q '^\.It .*refresh.*interval' manual &&
        run bash -n /usr/share/bash-completion/completions/visiventd && ((missing == 0))
}

makes_configuration() {
    local file=/etc/visiventd/visiventd.yaml shipped=/usr/share/visiventd/visiventd.yaml
    same conffiles "" "$(dpkg-query --show --showformat '${Conffiles}' visiventd)" &&
        same "owner and mode" "root:root 644" "$(stat -c '%U:%G %a' "$file")" && echo '# mine' >>"$file" &&
        run /var/lib/dpkg/info/visiventd.postinst configure 0.2.0 && same "its last line" "# mine" "$(tail -n 1 "$file")" &&
        rm "$file" && run /var/lib/dpkg/info/visiventd.postinst configure 0.2.0 && run cmp "$shipped" "$file"
}

polls() {
    sed "s/@PORT@/$port/" visiventd.yaml >/etc/visiventd/visiventd.yaml
    run visiventd check --quiet &&
        run runuser -u visiventd -- visiventd poll quakes volcanoes news &&
        run runuser -u visiventd -- visiventd events --category volcano --limit 3 && [[ -s $said ]]
}

purges() {
    run apt-get purge --yes -qq visiventd &&
        same "left of it" "" "$(find / -xdev \( -path /proc -o -path "$PWD" -o -path /var/cache -o -path /var/log \
            -o -path /var/lib/dpkg \) -prune -o -name '*visiventd*' -print)"
}

check "the package installs on a minimal Debian where no systemd runs" \
    run apt-get install --yes -qq --no-install-recommends ./visiventd.deb
check "the program needs neither the toolchain nor Swift's libraries" needs_nothing_else
check "installing does not enable the service" is_disabled
check "the database's folder is there and its user's" database_folder_is_the_users
check "the shipped configuration passes visiventd check" run visiventd check --hours 1
check "every command is in visiventd(8), the configuration's manual is there, bash reads the completions" \
    manuals_are_complete
check "a poll of the scripted upstream brings events" polls
check "the configuration is made once, and is no conffile" makes_configuration
check "purging leaves nothing" purges
