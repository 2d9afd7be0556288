"""USGS GeoJSON: parsing alone, first load, the same again with nothing new."""
import os
import sqlite3
import subprocess

from support import SHARED, PROGRAM, bar, benchlib, configuration, copy, database, empty_database, loaded_database, \
    ratio, reference, require, state
from benchlib import Case, PY, compare, data, fresh_events, peer, ref

OURS = 'visiventd'
OWN = 'C++ simdjson, own schema'
PLAIN = 'C++ simdjson, plain schema'
ORJSON = 'python orjson'
COUNT = {'10k': 10_000, '100k': 100_000}


def feed(size):
    path = data('usgs-%s.geojson' % size)
    require(path, ref('usgs_simdjson'), PY, os.path.join(SHARED, 'peers'))
    return path


def parse(runs):
    """Decodes 100 000 features from a file, without storing."""
    path = feed('100k')
    peers = '%s -c "import orjson;orjson.loads(open(\'%s\',\'rb\').read())"' % (PY, path)
    cases = compare(
        'USGS, 100k features, parsing alone', [
            Case(OURS, '%s decode usgs %s --count' % (PROGRAM, path)),
            Case('C++ simdjson', '%s -p %s x' % (ref('usgs_simdjson'), path)),
            Case(ORJSON, peers),
        ], runs=runs, reference='C++ simdjson', rate=('MB/s', os.path.getsize(path) / 1e6))
    bar('USGS, parsing alone, of C++ simdjson', ratio(cases, OURS, 'C++ simdjson'), 2.5)


def first(runs):
    """Stores 100 000 features in an empty database, each contender with its own schema."""
    ingest('100k', 'first load', runs, isAgain=False)


def again(runs):
    """Stores a newer snapshot without news in a database that already has its events."""
    ingest('10k', 'again, nothing new', runs, isAgain=True)
    ingest('100k', 'again, nothing new', runs, isAgain=True)


def ingest(size, what, runs, isAgain):
    path = feed(size)
    own = configuration('usgs', [('quakes', 'usgs', 'file://' + path)])
    ours, theirs, plain = database('usgs'), state('reference.sqlite'), state('plain.db')
    base = loaded_database('loaded', path) if isAgain else empty_database()
    loaded = state('plain-loaded.db')
    if isAgain:
        fresh_events(loaded)
        subprocess.run([ref('usgs_simdjson'), path, loaded], check=True, stdout=subprocess.DEVNULL)

    def setup_plain():
        if isAgain:
            copy(loaded, plain)
        else:
            fresh_events(plain)

    def counted(path):
        def after(row):
            found = benchlib.count(path)
            if found != str(COUNT[size]):
                row['bad'] = 'rows: ' + found
            return {'rows': found, 'DB MB': '%.1f' % (benchlib.size(path) / 1e6)}
        return after

    cases = [
        Case(OURS, '%s poll --config %s quakes' % (PROGRAM, own), lambda: copy(base, ours), counted(ours)),
        Case(OWN, '%s %s %s' % (reference('usgs_own_schema'), path, theirs), lambda: copy(base, theirs),
             counted(theirs)),
        Case(PLAIN, '%s %s %s' % (ref('usgs_simdjson'), path, plain), setup_plain, counted(plain)),
        Case(ORJSON + ' + sqlite3, plain schema', '%s orjson %s %s' % (peer('usgs_sqlite.py'), path, plain),
             setup_plain, counted(plain), runs=3),
    ]
    if not isAgain:
        for option, name in (('--no-text', 'without full text'), ('--no-position', 'without R*Tree')):
            cases.append(Case('%s, %s' % (OWN, name), '%s %s %s %s' % (
                reference('usgs_own_schema'), option, path, theirs), lambda: copy(base, theirs), counted(theirs),
                runs=3))
    title = 'USGS, %s features, %s' % (size, what)
    cases = compare(title, cases, runs=runs, reference=OWN, cols=('DB MB', 'rows'), rate=('events/s', COUNT[size]))
    if not isAgain:
        copy(base, theirs)
        subprocess.run([reference('usgs_own_schema'), path, theirs], check=True, stdout=subprocess.DEVNULL)
        print('\nrows that differ between %s and %s: %d' % (OURS, OWN, differences(ours, theirs)))
    bar('%s, of C++ on our schema' % title, ratio(cases, OURS, OWN), 2, gates=size == '100k')
    bar('%s, of C++ on the plain schema' % title, ratio(cases, OURS, PLAIN))


def differences(one, other):
    """Number of rows that are not in both databases; times of sight are ignored."""
    connection = sqlite3.connect(one)
    connection.execute('ATTACH ? AS other', (other,))
    sights = {'first_seen_ms', 'last_changed_ms', 'at_ms'}
    total = 0
    for table in ('events_v1', 'link', 'upstream_id', 'change', 'event_position', 'geocode_queue'):
        names = [row[1] for row in connection.execute('PRAGMA table_info(%s)' % table)]
        columns = ', '.join(name for name in names if name not in sights)
        for left, right in (('main', 'other'), ('other', 'main')):
            total += connection.execute('SELECT count(*) FROM (SELECT %s FROM %s.%s EXCEPT SELECT %s FROM %s.%s)' % (
                columns, left, table, columns, right, table)).fetchone()[0]
    connection.close()
    return total
