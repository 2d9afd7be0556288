#!/usr/bin/env bash
# Prints what distinguishes a build of these sources from others of the same version, and grows from commit to commit:
# "+git" with the time of the commit (UTC) and its short name.
#
#     scripts/version.sh                # +git20260301101500.6be3a06; with changes that are not committed ….modified
#
# In a checkout git tells it, in a tarball of git archive the line below, which git fills in (.gitattributes). Of
# sources with neither nothing is printed, and the version is its three numbers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The time of the commit, in seconds since 1970, and its short name.
commit='$Format:%ct %h$' modified=
if [[ $commit == *Format* ]]; then
    [[ -e .git ]] && command -v git >/dev/null || exit 0
    # The checkout may belong to another user than the build, so nothing is written there either.
    git=(git --no-optional-locks -c "safe.directory=$(pwd -P)" -c log.showSignature=false)
    commit=$("${git[@]}" show --no-patch --format='%ct %h' HEAD) || exit 0
    [[ -z $("${git[@]}" status --porcelain --untracked-files=no) ]] || modified=.modified
fi
echo "+git$(date --utc --date "@${commit% *}" +%Y%m%d%H%M%S).${commit#* }$modified"
