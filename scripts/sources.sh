#!/usr/bin/env bash
# Prints the code name of this machine's Debian, then apt's own sources of it, one per line, for mmdebstrap. If apt has
# none, even after apt-get update, it ends with 1.
# shellcheck disable=SC1091,SC2016
set -euo pipefail

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
list() {
    apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -nE "s#^Debian $codename(-updates|-security)? #deb [signed-by=$keyring] #p" | sort -u
}
sources=$(list)
if [[ -z $sources ]]; then
    apt-get update >&2
    sources=$(list)
fi
[[ -n $sources ]] || exit 1
printf '%s\n' "$codename" "$sources"
