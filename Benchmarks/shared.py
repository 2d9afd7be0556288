#!/usr/bin/env python3
"""Runs scripts of ../shared/bench with the program as a contender.

    shared.py [SCRIPT…]      such as 2_ingest_usgs 3_ingest_rss 7_twitter_parse, which are the default

Prepares the inputs of the small scripts in run/, whose own time counts. The environment is passed on (RUNS, SLOW_RUNS,
PEERS_ONLY …). bench.py judges the bars of this checkout, not this script.
"""
import os
import sys

import support
from support import HERE, PROGRAM, SHARED, STATE, configuration, empty_database, loaded_database
from benchlib import data

SCRIPTS = ['2_ingest_usgs', '3_ingest_rss', '7_twitter_parse']


def main():
    support.require(data('feeds/urls'), data('usgs-10k.geojson'), os.path.join(SHARED, 'run_all.sh'))
    empty_database()
    loaded_database('loaded', data('usgs-10k.geojson'))
    with open(data('feeds/urls')) as file:
        feeds = [('f%04d' % number, 'rss', line.strip()) for number, line in enumerate(file) if line.strip()]
    fetch = ('concurrency: 64', 'per_host_concurrency: 16')
    configuration('run-rss', feeds, fetch=fetch)
    configuration('run-rss-plain', feeds, fetch=fetch, top=('full_text: false',))
    run = os.path.join(HERE, 'run')
    os.environ.update({
        'VISIVENTD': PROGRAM,
        'VISIVENTD_WORK': STATE,
        'VISIVENTD_USGS': run + '/usgs.sh {db} {input}',
        'VISIVENTD_USGS_HTTP': run + '/usgs.sh {db} {url}',
        'VISIVENTD_USGS_PARSE': PROGRAM + ' decode usgs {input} --count',
        'VISIVENTD_RSS': run + '/rss.sh {urls} {db}',
        'VISIVENTD_RSS_PARSE': PROGRAM + ' decode rss {input} --count',
        'VISIVENTD_TWEETS': PROGRAM + ' decode twitter {input} --option api=v1.1 --count',
    })
    script = os.path.join(SHARED, 'run_all.sh')
    os.execv(script, [script, *(sys.argv[1:] or SCRIPTS)])


if __name__ == '__main__':
    main()
