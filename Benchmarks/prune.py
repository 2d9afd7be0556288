#!/usr/bin/env python3
"""Measures truncation of a large database by the running daemon, with a reader and a writer at work.

    prune.py [ROWS [EXPIRED]]       by default 1 000 000 rows, of which a tenth has expired

The database is filled as by growth.py; a source with a short max_age then gets a tenth of the events, scattered, with
more of the old ones. The daemon truncates it after a time in which only reader and writer run. The writer is the daemon
itself: it polls a file with 20 new earthquakes, requested on the control socket 50 ms after the last poll. A poll
writes twice, so its time is an upper bound for a write. The reader is another process: it queries the newest 50 events,
those in a small box, and those with a word, 2 ms apart.

Then a database with a tenth of the rows goes through ten rounds. In each, a tenth of the rows arrives and as many
expire, which shows whether the file keeps its size (ROUNDS=0 skips this). The log of changes is filled beforehand: it
keeps a million changes, so in a small file it would grow during all rounds. The size without it is reported as well.

ALONE is the time of reader and writer alone in seconds (40). READ_BAR is how many times longer a read may take during
truncation (2); other work on the machine spoils this ratio. Exits with 1 if a count is wrong or a ratio exceeds its
bar: removed events, largest WAL, reads during truncation, growth of the file. Times of polls are only reported.
"""
import json
import math
import multiprocessing
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import growth
import support
from support import PROGRAM, copy, database, remove, settle, state

ALONE = int(os.environ.get('ALONE', 40))
PAUSE = 0.05
NEW = 20
WAL_BAR = 128e6
GROWTH_BAR = 1.15
READ_BAR = float(os.environ.get('READ_BAR', 2))
# Least time of a read in seconds; shorter times depend on the machine.
SHORTEST_READ = 0.003
# Number of changes that the store keeps (EventStore.keptChanges).
CHANGES = 1_000_000
PATIENCE = 3600


def percentile(times, share):
    """The quantile of the times; 0 without any."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, math.ceil(len(ordered) * share) - 1)] if ordered else 0.0


def write_configuration(name, sources, top=()):
    """Writes NAME.yaml; sources are (name, url, max_age, is enabled)."""
    lines = ['database: ' + database(name), *top, 'fetch:', '  per_host_gap: 0s', '  maximum_body: 512MiB',
             '  maximum_transfer: 512MiB', 'sources:']
    for source, file, max_age, is_enabled in sources:
        lines += ['  - name: ' + source, '    kind: usgs', '    url: file://' + file, '    max_age: ' + max_age,
                  '    offset: 0s', '    refresh_interval: 30d', '    enabled: ' + ('true' if is_enabled else 'false')]
    path = state(name + '.yaml')
    with open(path, 'w') as file:
        file.write('\n'.join(lines) + '\n')
    return path


def write_feed(path, features):
    """Replaces a document atomically."""
    with open(path + '.new', 'w') as file:
        json.dump({'type': 'FeatureCollection', 'features': features}, file)
    os.replace(path + '.new', path)


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(' '.join(arguments) + ': ' + (done.stderr or done.stdout)[-500:])
    return done.stdout


# MARK: - One truncation, reader and writer beside it

def prepare(rows, expired):
    """A copy of the filled database in which a source `short` has about `expired` of the events.

    Returns the number of events, and that of `short`'s.
    """
    used = database('prune')
    copy(growth.filled(rows), used)
    connection = sqlite3.connect(used)
    for line in ('PRAGMA journal_mode = OFF', 'PRAGMA synchronous = OFF', 'PRAGMA cache_size = -1000000'):
        connection.execute(line)
    connection.execute("INSERT INTO source (id, name, kind, provider, is_enabled, max_age_ms) "
                       "VALUES (2, 'short', 'usgs', 'usgs', 0, 3600000)")
    connection.execute('UPDATE link SET source_id = 2 WHERE ((event_id * 2654435761) & 4294967295) / 4294967296.0 '
                       '< 2.0 * ? / ? * (1 - event_id * 1.0 / ?)', (expired, rows, rows))
    connection.execute('UPDATE event SET source_id = 2 WHERE id IN (SELECT event_id FROM link WHERE source_id = 2)')
    connection.commit()
    found = connection.execute('SELECT count(*) FROM link WHERE source_id = 2').fetchone()[0]
    total = connection.execute('SELECT count(*) FROM event').fetchone()[0]
    connection.execute('PRAGMA journal_mode = WAL')
    connection.close()
    # Otherwise the first checkpoint would wait until the whole copy is on the disk.
    os.sync()
    return total, found


def read(path, has_ended, sender):
    """Queries until `has_ended`, then sends (start, seconds) of each query."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = sqlite3.connect('file:%s?mode=ro' % path, uri=True, isolation_level=None, timeout=60)
    draw, times, number = random.Random(1), [], 0
    while not has_ended.is_set():
        kind = number % 3
        number += 1
        if kind == 0:
            query = ('SELECT * FROM events_v1 WHERE withdrawn_reason IS NULL ORDER BY time_ms DESC LIMIT 50', ())
        elif kind == 1:
            west, south = draw.uniform(-179, 177), draw.uniform(-79, 77)
            query = ('SELECT e.title, e.latitude, e.longitude FROM (SELECT id FROM event_position WHERE '
                     'max_longitude >= ? AND min_longitude <= ? AND max_latitude >= ? AND min_latitude <= ?) p '
                     'CROSS JOIN event e ON e.id = p.id ORDER BY e.time_ms DESC LIMIT 50',
                     (west, west + 2, south, south + 2))
        else:
            query = ('SELECT e.title FROM event_text CROSS JOIN event e ON e.id = event_text.rowid '
                     'WHERE event_text MATCH ? ORDER BY e.time_ms DESC LIMIT 50', ('town%d' % draw.randrange(15_000),))
        begun = time.monotonic()
        connection.execute(*query).fetchall()
        times.append((begun, time.monotonic() - begun))
        time.sleep(0.002)
    sender.send(times)


def poll(path, source):
    """Polls through the control socket and returns the seconds."""
    begun = time.monotonic()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(json.dumps(
            {'command': 'poll', 'sources': [source], 'includingEvents': False}).encode() + b'\n')
        for line in connection.makefile():
            reply = json.loads(line)
            if not reply['isSuccess']:
                raise RuntimeError(reply['message'])
            if reply['isLast']:
                return time.monotonic() - begun
    raise RuntimeError('the daemon broke off')


class WALWatch(threading.Thread):
    """Records the largest size of the WAL."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.largest, self.has_ended = path + '-wal', 0, threading.Event()

    def run(self):
        while not self.has_ended.wait(0.01):
            if os.path.exists(self.path):
                self.largest = max(self.largest, os.stat(self.path).st_size)


def truncation_line(log):
    """The fields of the log line about the ended truncation; None before it ends."""
    with open(log, errors='replace') as file:
        found = re.search(r'truncation (ended|failed|skipped)(.*)', file.read())
    if found and found[1] != 'ended':
        raise RuntimeError(found[0])
    return dict(re.findall(r'(\w+)=(\S+)', found[2])) if found else None


def truncate(rows, expired):
    """Measures one truncation and returns its figures by name."""
    total, count = prepare(rows, expired)
    used, door, feed, nothing = database('prune'), state('prune.socket'), state('live.geojson'), state('empty.geojson')
    write_feed(nothing, [])
    write_feed(feed, [])
    path = write_configuration(
        'prune', [('quakes', nothing, '36525d', False), ('short', nothing, '1h', False), ('live', feed, '36525d', True)],
        top=('control_socket: ' + door, 'truncation:', '  first: %ds' % ALONE, '  interval: 30d'))
    log = path + '.log'
    before = os.stat(used).st_size
    with open(log, 'wb') as output:
        daemon = subprocess.Popen([PROGRAM, 'run', '--config', path], stdout=output, stderr=output)
    started = time.monotonic()
    receiver, sender = multiprocessing.Pipe(False)
    has_ended, watch, polls, line = multiprocessing.Event(), WALWatch(used), [], None
    try:
        while not os.path.exists(door):
            if daemon.poll() is not None or time.monotonic() - started > 60:
                raise RuntimeError('the daemon does not start; see ' + log)
            time.sleep(0.01)
        # The daemon's own first poll may be under way; a poll that joins it would not see the first feed.
        poll(door, 'live')
        reader = multiprocessing.Process(target=read, args=(used, has_ended, sender), daemon=True)
        reader.start()
        watch.start()
        number = 0
        while line is None:
            if time.monotonic() - started > PATIENCE:
                raise RuntimeError('truncation takes more than an hour')
            write_feed(feed, [growth.feature('live%08d' % (number + k), 0, number + k, 5.0) for k in range(NEW)])
            number += NEW
            begun = time.monotonic()
            polls.append((begun, poll(door, 'live')))
            time.sleep(PAUSE)
            line = truncation_line(log)
        ended = time.monotonic()
        has_ended.set()
        reads = receiver.recv()
        reader.join()
    finally:
        has_ended.set()
        watch.has_ended.set()
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(60)
    settle(used)
    connection = sqlite3.connect(used)
    left = connection.execute('SELECT count(*) FROM event').fetchone()[0]
    connection.close()
    if int(line['events']) != count or left != total - count + number:
        raise RuntimeError('%s of %d expired events are gone, %d of %d are left' % (
            line['events'], count, left, total - count + number))

    def within(times, begin, end):
        return [seconds for at, seconds in times if begin <= at < end]
    # The start-up is left out, and so are the seconds around the start of truncation, which is not known exactly.
    alone, busy = (started + 2, started + ALONE - 1), (started + ALONE + 1, ended)
    return {
        'count': count, 'seconds': ended - started - ALONE, 'longest': line.get('longest', '?'), 'wal': watch.largest,
        'before': before, 'after': os.stat(used).st_size, 'polls alone': within(polls, *alone),
        'polls': within(polls, *busy), 'reads alone': within(reads, *alone), 'reads': within(reads, *busy)}


def report(figures):
    """Prints the figures and notes the bars."""
    print('%(count)d events gone in %(seconds).0f s; longest transaction %(longest)s' % figures, flush=True)
    print('file %.0f MB before, %.0f MB after; WAL at most %.0f MB' % tuple(
        figures[name] / 1e6 for name in ('before', 'after', 'wal')))
    rows = [[name, len(figures[name])] + ['%.1f' % (value * 1e3) for value in (
        percentile(figures[name], 0.5), percentile(figures[name], 0.99), max(figures[name], default=0))]
            for name in ('polls alone', 'polls', 'reads alone', 'reads')]
    support.benchlib.show(['', 'number', 'median, ms', 'p99, ms', 'longest, ms'], rows)
    p99 = {name: percentile(figures[name], 0.99) for name in ('polls', 'reads', 'reads alone')}
    support.bar('truncation: largest WAL, of 128 MB', figures['wal'] / WAL_BAR, 1)
    support.bar('truncation: p99 of a poll, of 0.1 s', p99['polls'] / 0.1, 1, gates=False)
    support.bar('truncation: longest poll, of 0.3 s', max(figures['polls'], default=0) / 0.3, 1, gates=False)
    support.bar('truncation: p99 of a read, of that without', p99['reads'] / max(SHORTEST_READ, p99['reads alone']),
                READ_BAR)


# MARK: - Rounds of inflow and truncation

def fill_changes(path):
    """Fills the log of changes to its limit."""
    connection = sqlite3.connect(path)
    connection.execute('PRAGMA journal_mode = OFF')
    connection.execute('DELETE FROM change')
    connection.execute("WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ?) INSERT INTO "
                       "change (seq, public_id, kind, at_ms) SELECT i, printf('%016x', i), 'truncated', ? FROM number",
                       (CHANGES, int(time.time() * 1000)))
    connection.commit()
    connection.execute('PRAGMA journal_mode = WAL')
    connection.close()


def sizes_of(path):
    """Bytes of the file, and without the log of changes."""
    connection = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
    log, = connection.execute("SELECT pgsize FROM dbstat WHERE name = 'change' AND aggregate = TRUE").fetchone()
    connection.close()
    size = os.stat(path).st_size
    return size, size - log


def rounds(rows, count):
    """Sizes of the file, whole and without the log of changes, before the rounds and after each. In a round a tenth of
    the rows arrives and as many expire."""
    used, feed, share = database('prune-rounds'), state('rounds.geojson'), rows // 10
    copy(growth.filled(rows), used)
    fill_changes(used)
    sizes = [sizes_of(used)]
    for number in range(count):
        features = []
        for k in range(share):
            n = number * share + k
            features.append(growth.feature('round%d-%d' % (number, k), -(n + 1), n, 4.0))
        write_feed(feed, features)
        horizon = growth.FILLED_AT - (rows - (number + 1) * share) * 1000
        max_age = int(time.time() - horizon / 1000)
        path = write_configuration('prune-rounds', [('quakes', feed, '%ds' % (max_age + 600), True)])
        run('poll', '--config', path, 'quakes')
        max_age = int(time.time() - horizon / 1000)
        write_configuration('prune-rounds', [('quakes', feed, '%ds' % max_age, True)])
        run('truncate', '--force', '--config', path)
        settle(used)
        sizes.append(sizes_of(used))
        print('round %d: %.1f MB, %.1f MB without the log of changes' % (number + 1, *(n / 1e6 for n in sizes[-1])),
              flush=True)
    connection = sqlite3.connect(used)
    left = connection.execute('SELECT count(*) FROM event').fetchone()[0]
    state_of_file = connection.execute('PRAGMA quick_check').fetchone()[0]
    connection.close()
    remove(used)
    # Seconds pass between computing the horizon and the truncation, and there is one event a second.
    if abs(left - rows) > 60 or state_of_file != 'ok':
        raise RuntimeError('%d rows of %d are left, the file is %s' % (left, rows, state_of_file))
    return sizes


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    expired = int(sys.argv[2]) if len(sys.argv) > 2 else rows // 10
    support.require(tools=('sqlite3',))
    report(truncate(rows, expired))
    remove(database('prune'))
    count = int(os.environ.get('ROUNDS', 10))
    if count:
        sizes = rounds(rows // 10, count)
        whole, rest = (after / before for before, after in zip(sizes[0], sizes[-1]))
        support.bar('file after %d rounds of inflow and truncation, of that before' % count, whole, GROWTH_BAR)
        support.bar('the same without the log of changes', rest, GROWTH_BAR, gates=False)
    return support.verdict()


if __name__ == '__main__':
    sys.exit(main())
