#!/bin/sh
# rss.sh URLS DATABASE: polls the feeds of a list once, for the scripts of ../shared/bench.
#
# A DATABASE with the schema of those scripts is replaced by an empty one of ours, which they then keep and restore.
# VISIVENTD_RSS_CONFIG selects a configuration made by shared.py: rss, or rss-plain without full text.
set -eu
work=$VISIVENTD_WORK
if [ "$(stat -c %s "$2")" -lt 100000 ]; then cp "$work/empty.sqlite" "$2"; fi
exec "$VISIVENTD" poll --all --config "$work/run-${VISIVENTD_RSS_CONFIG:-rss}.yaml" --database "$2"
