#!/usr/bin/env python3
"""Measures the program, C references and peers in turn on the same inputs, and judges the ratios.

    bench.py [CASE…]        all cases, or those named; RUNS=5 rounds of each

Every contender is a whole process. Ratios are taken within a round, so drift of the machine mostly cancels. Exits with
1 if a bar is missed, with 69 if a requirement is missing. docs/dev/performance.md has the figures.
"""
import os
import sys

import boxes
import rss
import support
import tweets
import usgs

CASES = {
    'usgs-parse': usgs.parse,
    'usgs-first': usgs.first,
    'usgs-again': usgs.again,
    'rss-parse': rss.parse,
    'rss-poll': rss.poll,
    'tweets': tweets.parse,
    'boxes': boxes.boxes,
}


def main():
    names = sys.argv[1:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print('no case %s; there are %s' % (', '.join(unknown), ', '.join(CASES)), file=sys.stderr)
        return 64
    runs = int(os.environ.get('RUNS', 5))
    support.require()
    for name in names:
        CASES[name](runs)
    return support.verdict()


if __name__ == '__main__':
    sys.exit(main())
