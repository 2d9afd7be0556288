#!/usr/bin/env python3
"""Measures how time and memory grow with the sources of a poll round and with the rows of the database.

    growth.py [ROWS…]       by default 10000 1000000 10000000; RUNS=3 of each

A round polls 10, 100 and 1 000 feeds of 50 items from a loopback server, first all new, then all unchanged (304). An
upsert stores changed and new earthquakes in databases of different size: 20 + 20 and 1 000 + 1 000 with changes among
the newest events, as in feeds, and 1 000 + 1 000 with changes scattered over the table. A poll without events is the
baseline. Large databases are filled once and kept (10 000 000 rows: 9 GB; GROWTH_CACHE names the folder). Updates the
table in docs/dev/performance.md and the picture docs/dev/growth.svg.
"""
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

import chart
import rss
import support
from support import PROGRAM, ROOT, configuration, copy, database, empty_database, free_port, served, settle, state
from benchlib import data, once

CACHE = os.environ.get('GROWTH_CACHE') or state('filled')
RUNS = int(os.environ.get('RUNS', 3))
SOURCES = (10, 100, 1_000)
FIRST = 'all new'
ROWS = (10_000, 1_000_000, 10_000_000)
# Time of the newest row, in milliseconds.
FILLED_AT = 1_700_000_000_000
# Number of changed events in an upsert, which is also that of new ones, and whether the changed ones are scattered.
UPSERTS = {'newest, 20 + 20': (20, False), 'newest, 1 000 + 1 000': (1_000, False),
           'scattered, 1 000 + 1 000': (1_000, True), 'no event': (0, False)}
POLL, NONE = 'newest, 20 + 20', 'no event'


def timed(path):
    """Wall seconds and peak MB of one poll."""
    row = once('%s poll --all --config %s' % (PROGRAM, path))
    if row['rc'] != '0':
        with open(support.benchlib.work('.err'), errors='replace') as file:
            raise RuntimeError(file.read()[-500:])
    return row['wall'], row['rss'] * 1024 * 1024 / 1e6


def medians(rows):
    return tuple(statistics.median(column) for column in zip(*rows))


def show(what, measured):
    """Prints medians with their names."""
    print('%s: %s' % (what, '; '.join('%s %.3f s, %.0f MB' % (name, *row) for name, row in measured.items())),
          flush=True)


# MARK: - Sources

def rounds():
    """Medians (seconds, peak MB) by number of sources and kind of round."""
    port = free_port()
    feeds = rss.sources(port)
    empty, found = empty_database(), {}
    with served(rss.site(), port):
        for count in SOURCES:
            path = configuration('growth', feeds[:count], fetch=rss.FETCH)
            first, unchanged = [], []
            for _ in range(RUNS):
                copy(empty, database('growth'))
                first.append(timed(path))
                unchanged.append(timed(path))
            found[count] = {FIRST: medians(first), 'all unchanged': medians(unchanged)}
            show('%d sources' % count, found[count])
    return found


# MARK: - Rows

def schema_version(path):
    connection = sqlite3.connect(path)
    (version,) = connection.execute('PRAGMA user_version').fetchone()
    connection.close()
    return version


def filled(count, step=1_000):
    """Path of a database with `count` events, `step` milliseconds apart, from the cache or newly filled."""
    os.makedirs(CACHE, exist_ok=True)
    # The first poll would migrate an older schema, and copy the database for that.
    pace = '' if step == 1_000 else '-step-%d' % step
    target = os.path.join(CACHE, 'rows-%d%s-schema-%d.sqlite' % (count, pace, schema_version(empty_database())))
    if os.path.exists(target):
        return target
    free = shutil.disk_usage(CACHE).free
    if free < count * 2_000:
        support.unavailable(['%d GB of free space in %s' % (count * 2_000 // 10**9, CACHE)])
    started, new = time.monotonic(), target + '.new'
    copy(empty_database(), new)
    indexes = subprocess.run(['sqlite3', '-json', new, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND "
                              "sql IS NOT NULL AND tbl_name IN ('event', 'upstream_id', 'link')"],
                             capture_output=True, text=True, check=True).stdout
    indexes = json.loads(indexes)
    with open(os.path.join(support.HERE, 'fill.sql')) as file:
        fill = file.read()
    for name, value in ((':count', count), (':now', FILLED_AT), (':step', step)):
        fill = fill.replace(name, str(value))
    script = ['PRAGMA journal_mode = OFF;', 'PRAGMA synchronous = OFF;', 'PRAGMA secure_delete = OFF;',
              'PRAGMA cache_size = -2000000;']
    script += ['DROP INDEX %s;' % index['name'] for index in indexes]
    script.append(fill)
    script += [index['sql'] + ';' for index in indexes]
    script.append('PRAGMA journal_mode = WAL;')
    subprocess.run(['sqlite3', '-bail', new], input='\n'.join(script), text=True, check=True, stdout=subprocess.DEVNULL)
    os.rename(new, target)
    print('filled %s in %.0f s' % (target, time.monotonic() - started), flush=True)
    return target


def feature(name, age, number, magnitude):
    """A USGS feature `age` seconds before FILLED_AT, at another place than the filled event of that name."""
    place = '%d km S of Town%d, Country%d' % (number % 170, number % 14_000, number % 180)
    properties = {
        'mag': magnitude, 'place': place, 'time': FILLED_AT - age * 1000, 'updated': 1_710_000_000_000, 'tz': None,
        'url': 'https://earthquake.usgs.gov/earthquakes/eventpage/' + name,
        'detail': 'https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/%s.geojson' % name, 'felt': None,
        'cdi': None, 'mmi': None, 'alert': None, 'status': 'reviewed', 'tsunami': 0, 'sig': 99, 'net': 'us',
        'code': name, 'ids': ',%s,' % name, 'sources': ',us,', 'types': ',origin,phase-data,', 'nst': 40, 'dmin': 0.1,
        'rms': 0.5, 'gap': 70, 'magType': 'mb', 'type': 'earthquake', 'title': 'M %.1f - %s' % (magnitude, place)}
    where = [(number * 7919) % 3_600_000 / 10_000 - 180, (number * 104_729) % 1_600_000 / 10_000 - 80, 10.5]
    geometry = {'type': 'Point', 'coordinates': where}
    return {'type': 'Feature', 'properties': properties, 'geometry': geometry, 'id': name}


def feed(count, each, is_scattered, stamp):
    """Path of a document with `each` changed events and as many new ones."""
    step = count // each if is_scattered else 3
    ages = [stamp % step + number * step for number in range(each)]
    features = [feature('fill%08d' % (count - age), age, age + stamp, 1 + stamp % 70 / 10) for age in ages]
    features += [feature('new%x-%d' % (stamp, number), 0, number + stamp, 3) for number in range(each)]
    path = state('upsert.geojson')
    with open(path, 'w') as file:
        json.dump({'type': 'FeatureCollection', 'features': features}, file)
    return path


def upserts(counts):
    """Medians (seconds, peak MB) of polls by number of rows and kind of upsert."""
    found = {}
    for count in counts:
        target = filled(count)
        # A large database is used in place: some thousand more events do not matter.
        used, is_small = database('upsert'), count < 500_000
        support.remove(used)
        if not is_small:
            os.symlink(target, used)
        rows = {name: [] for name in UPSERTS}
        # The first round fills the caches and is not counted.
        for number in range(1 + RUNS):
            if is_small:
                copy(target, used)
            for name, (each, is_scattered) in UPSERTS.items():
                stamp = int(time.time() * 1000)
                path = feed(count, each, is_scattered, stamp)
                # Otherwise the poll would checkpoint the WAL of the one before.
                settle(used)
                row = timed(configuration('upsert', [('quakes', 'usgs', 'file://' + path)]))
                if number:
                    rows[name].append(row)
        settle(used)
        support.remove(used)
        found[count] = {name: medians(measured) for name, measured in rows.items()}
        show('%d rows' % count, found[count])
    return found


# MARK: - Report

def an_event(polls):
    """Seconds per event of a usual poll, without the fixed cost of a poll."""
    return (polls[POLL][0] - polls[NONE][0]) / (2 * UPSERTS[POLL][0])


def report(by_sources, by_rows):
    """Updates table and picture in docs/dev/."""
    lines = ['| sources | first poll, s | peak, MB | all unchanged, s | peak, MB |', '|---:|---:|---:|---:|---:|']
    lines += ['| {:,} | {:.2f} | {:.0f} | {:.2f} | {:.0f} |'.format(n, *sum(rows.values(), ())).replace(',', ' ')
              for n, rows in by_sources.items()]
    columns = ''.join(' %s, s |' % name for name in UPSERTS)
    lines += ['', '| rows before |%s %s, less %s, ms an event | peak, MB |' % (columns, POLL, NONE),
              '|---:|' + '---:|' * (len(UPSERTS) + 2)]
    for n, polls in by_rows.items():
        row = ['{:,}'.format(n).replace(',', ' ')] + ['%.3f' % wall for wall, _ in polls.values()]
        row += ['%.2f' % (an_event(polls) * 1e3), '%.0f' % max(peak for _, peak in polls.values())]
        lines.append('| %s |' % ' | '.join(row))
    table = '\n'.join(lines)
    print('\n' + table)
    path = os.path.join(ROOT, 'docs', 'dev', 'performance.md')
    with open(path) as file:
        text = file.read()
    mark = r'(<!-- growth -->\n).*?(\n<!-- end of growth -->)'
    with open(path, 'w') as file:
        file.write(re.sub(mark, lambda found: found[1] + table + found[2], text, flags=re.S))
    with open(os.path.join(ROOT, 'docs', 'dev', 'growth.svg'), 'w') as file:
        file.write(chart.growth(by_sources, by_rows))


def main():
    counts = sorted(int(word) for word in sys.argv[1:]) or ROWS
    if min(counts) < 10_000:
        sys.exit('growth.py: at least 10000 rows; found %d' % min(counts))
    support.require(data('feeds'))
    os.environ['no_proxy'] = '*'
    by_sources, by_rows = rounds(), upserts(counts)
    report(by_sources, by_rows)
    least, most = min(SOURCES), max(SOURCES)
    support.bar('poll round: time a source with %d, of that with %d' % (most, least),
                by_sources[most][FIRST][0] / most / (by_sources[least][FIRST][0] / least), 1)
    for few, many in [(min(counts), max(counts)), *zip(counts, counts[1:])]:
        ends, bound = (few, many) == (min(counts), max(counts)), chart.logarithmic(few, many)
        for name in UPSERTS:
            support.bar('%s: time with %d rows, of that with %d' % (name, many, few),
                        by_rows[many][name][0] / by_rows[few][name][0], bound, gates=ends and name in (POLL, NONE))
        support.bar('%s, less %s: with %d rows, of that with %d' % (POLL, NONE, many, few),
                    an_event(by_rows[many]) / an_event(by_rows[few]), bound, gates=False)
    return support.verdict()


if __name__ == '__main__':
    sys.exit(main())
