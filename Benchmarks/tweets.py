"""Tweets: 200 000 lines of API v1.1, and whether memory grows with them."""
import os

from support import PROGRAM, SHARED, bar, ratio, require, state
from benchlib import Case, PY, compare, data, own_figures, peer, ref

OURS = 'visiventd'
QUARTER = 'visiventd, a quarter of the lines'


def parse(runs):
    """Decodes all lines from a file, without storing."""
    path = data('tweets-v1.ndjson')
    require(path, ref('tweets_simdjson'), PY, os.path.join(SHARED, 'peers'))
    quarter = state('tweets-quarter.ndjson')
    size = os.path.getsize(path)
    if not os.path.exists(quarter):
        with open(path, 'rb') as whole, open(quarter, 'wb') as part:
            while part.tell() < size // 4:
                part.write(whole.readline())
    decode = '%s decode twitter %s --option api=v1.1 --count'
    own = lambda row: own_figures(row['out'])
    cases = [
        Case(OURS, decode % (PROGRAM, path), None, own),
        Case('python orjson', '%s orjson %s' % (peer('tweets.py'), path), None, own),
        Case('python msgspec, typed', '%s msgspec %s' % (peer('tweets.py'), path), None, own, runs=3),
        Case('C++ simdjson, whole file', '%s %s' % (ref('tweets_simdjson'), path), None, own, runs=3),
    ]
    if os.path.exists(ref('tweets_yyjson')):
        cases.append(Case('C yyjson, by line', '%s %s' % (ref('tweets_yyjson'), path), None, own, runs=3))
    cases = compare('tweets, 200k lines of v1.1, parsing alone', cases, runs=runs, reference='python orjson',
                    cols=('events', 'tweets'), rate=('MB/s', size / 1e6))
    bar('tweets, 200k lines, of python orjson', ratio(cases, OURS, 'python orjson'), 1)
    cases = compare('tweets, does memory grow with the lines', [
        Case(QUARTER, decode % (PROGRAM, quarter), None, own), Case(OURS, decode % (PROGRAM, path), None, own),
    ], runs=min(runs, 3), reference=QUARTER, cols=('events',))
    bar('tweets, peak memory, of a quarter of the lines', ratio(cases, OURS, QUARTER, of='rss'), 1.25)
