#!/usr/bin/env python3
"""Measures the daemon's polls beside work that takes long.

    beside.py [CASE…]       validators, changes, pictures; all by default

  validators  truncation prunes a million validators: half of them of one source, the others of a hundred
  changes     four clients of `serve` ask for pages of /changes that take about a second
  pictures    pictures have just been configured: a million events are read for links, a tenth has one, of which 3 000 differ

A poll brings 20 new earthquakes from a file. It is requested on the control socket 50 ms after the last poll. It writes
twice, so its time is an upper bound for the wait of a write. Polls go on alone for ALONE seconds (20) first.

VALIDATORS (1000000) is the number of validators, ROWS (1000000) that of events beside pictures. EVENTS (1000) is the
number of events in the log of changes, VERSIONS (20) that of the versions of each, and BUSY (30) the seconds of polls
beside the pages. Exits with 1 if the 99th percentile of a poll exceeds 0.1 s, or if a count is wrong.
"""
import contextlib
import http.client
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import growth
import prune
import support
from prune import percentile
from support import PROGRAM, copy, database, empty_database, free_port, remove, state

NUMBER = {name: int(os.environ.get(name) or usual) for name, usual in (
    ('ALONE', 20), ('VALIDATORS', 1_000_000), ('EVENTS', 1_000), ('VERSIONS', 20), ('BUSY', 30), ('ROWS', 1_000_000))}
DAY = 86_400_000
CLIENTS = 4
# Validators of a source that stay (Truncation.fewestValidators).
KEPT = 100


class Daemon:
    """The daemon on a database, with a source `live` that is polled on demand."""

    def __init__(self, name, first_truncation, top=()):
        self.door, self.feed, self.number = state(name + '.socket'), state(name + '.geojson'), 0
        prune.write_feed(self.feed, [])
        path = prune.write_configuration(
            name, [('live', self.feed, '36525d', True)],
            top=('control_socket: ' + self.door, 'truncation:', '  first: %ds' % first_truncation, '  interval: 30d',
                 *top))
        self.log = path + '.log'
        with open(self.log, 'wb') as output:
            self.process = subprocess.Popen([PROGRAM, 'run', '--config', path], stdout=output, stderr=output)
        self.started = time.monotonic()

    def __enter__(self):
        while not os.path.exists(self.door):
            if self.process.poll() is not None or time.monotonic() - self.started > 120:
                self.process.kill()
                raise RuntimeError('the daemon does not start; see ' + self.log)
            time.sleep(0.01)
        # The daemon's own first poll may be under way.
        prune.poll(self.door, 'live')
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def poll(self):
        """Polls new earthquakes; returns when it began and the seconds."""
        features = [growth.feature('live%08d' % (self.number + k), 0, self.number + k, 5.0) for k in range(prune.NEW)]
        prune.write_feed(self.feed, features)
        self.number += prune.NEW
        begun = time.monotonic()
        return begun, prune.poll(self.door, 'live')

    def polls(self, goes_on):
        """Polls while `goes_on` says so; returns (start, seconds) of each."""
        polls = []
        while goes_on():
            polls.append(self.poll())
            time.sleep(prune.PAUSE)
        return polls


def report(what, alone, beside):
    """Prints the times of polls and notes the bar."""
    rows = [[name, len(times)] + ['%.1f' % (value * 1e3) for value in (
        percentile(times, 0.5), percentile(times, 0.99), max(times, default=0))]
            for name, times in (('alone', alone), ('beside', beside))]
    print('\n### polls beside %s\n' % what)
    support.benchlib.show(['', 'number', 'median, ms', 'p99, ms', 'longest, ms'], rows)
    support.bar('p99 of a poll beside %s (of %d), of 0.1 s' % (what, len(beside)), percentile(beside, 0.99) / 0.1, 1)


# MARK: - Validators

def fill_validators(path, count):
    """Adds validators that are two months old. Returns how many truncation must leave."""
    connection = sqlite3.connect(path)
    connection.execute('PRAGMA journal_mode = OFF')
    connection.executemany(
        'INSERT INTO source (id, name, kind, provider, is_enabled, max_age_ms) VALUES (?, ?, ?, ?, 0, 3600000)',
        [(1000 + number, 'old%03d' % number, 'cap', 'old%03d' % number) for number in range(101)])
    connection.execute(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1) INSERT INTO validator "
        "(source_id, url, etag, fingerprint, stored_ms) SELECT 1000 + iif(i % 2, 0, 1 + i / 2 % 100), "
        "'https://alerts.example/documents/' || (i * 7919 % 1000003) || '/' || i || '.xml', '\"' || i || '\"', 'f', "
        '? + i * 7919 % 1000003 FROM n', (count, int(time.time() * 1000) - 60 * DAY))
    connection.commit()
    connection.execute('PRAGMA journal_mode = WAL')
    connection.close()
    os.sync()
    return 101 * KEPT


def measure_validators():
    used = database('beside-validators')
    copy(empty_database(), used)
    kept = fill_validators(used, NUMBER['VALIDATORS'])
    watch = prune.WALWatch(used)
    watch.start()
    with Daemon('beside-validators', NUMBER['ALONE']) as daemon:
        polls = daemon.polls(lambda: prune.truncation_line(daemon.log) is None)
        ended, line = time.monotonic(), prune.truncation_line(daemon.log)
    watch.has_ended.set()
    connection = sqlite3.connect(used)
    left, = connection.execute('SELECT count(*) FROM validator WHERE source_id BETWEEN 1000 AND 1100').fetchone()
    connection.close()
    remove(used)
    if left != kept:
        raise RuntimeError('%d validators are left, not %d' % (left, kept))
    start = daemon.started + NUMBER['ALONE']
    print('%d validators gone in %.0f s; longest transaction %s; WAL at most %.0f MB' % (
        NUMBER['VALIDATORS'] - left, ended - start, line.get('longest', '?'), watch.largest / 1e6))
    # The start of truncation is not known exactly.
    report('%d validators that are pruned' % NUMBER['VALIDATORS'],
           [seconds for at, seconds in polls if daemon.started + 2 <= at < start - 1],
           [seconds for at, seconds in polls if at >= start])


# MARK: - Changes

def fill_changes(daemon):
    """Stores the versions of the events, one poll for each version."""
    for version in range(NUMBER['VERSIONS']):
        features = [growth.feature('old%08d' % k, 3600, k, 3 + version / 10) for k in range(NUMBER['EVENTS'])]
        prune.write_feed(daemon.feed, features)
        prune.poll(daemon.door, 'live')


@contextlib.contextmanager
def serving(path):
    """The port of `serve` on a database."""
    port = free_port()
    process = subprocess.Popen([PROGRAM, 'serve', '--database', path, '--listen', '127.0.0.1:%d' % port],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                ask(port, '/conformance')
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def ask(port, path):
    """The seconds of an answer, and its status."""
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    begun = time.monotonic()
    connection.request('GET', path)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return time.monotonic() - begun, answer.status


def measure_changes():
    used = database('beside-changes')
    copy(empty_database(), used)
    with Daemon('beside-changes', 86_400) as daemon, serving(used) as port:
        fill_changes(daemon)
        end = time.monotonic() + NUMBER['ALONE']
        alone = daemon.polls(lambda: time.monotonic() < end)
        has_ended, pages, refused, others = threading.Event(), [], [], []

        def read_pages():
            # No event matches, so each page looks at all of its changes: most versions of an event are read for each.
            while not has_ended.is_set():
                seconds, status = ask(port, '/changes?after=%d&limit=1000&min_magnitude=9.9' % NUMBER['EVENTS'])
                (pages if status == 200 else refused).append(seconds)

        def read_other():
            while not has_ended.is_set():
                others.append(ask(port, '/collections/events/items?limit=1')[0])
                time.sleep(0.1)
        threads = [threading.Thread(target=read, daemon=True) for read in [read_pages] * CLIENTS + [read_other]]
        for thread in threads:
            thread.start()
        end = time.monotonic() + NUMBER['BUSY']
        beside = daemon.polls(lambda: time.monotonic() < end)
        has_ended.set()
        for thread in threads:
            thread.join()
    remove(used)
    if not pages:
        raise RuntimeError('no page of changes was answered, %d were refused' % len(refused))
    print('%d pages of changes in %.2f s (median), %d refused; another request took at most %.0f ms' % (
        len(pages), percentile(pages, 0.5), len(refused), max(others) * 1e3))
    report('%d clients of /changes' % CLIENTS, [seconds for _, seconds in alone], [seconds for _, seconds in beside])


# MARK: - Pictures

def measure_pictures():
    used = database('beside-pictures')
    copy(growth.filled(NUMBER['ROWS']), used)
    connection = sqlite3.connect(used)
    connection.execute("UPDATE event SET author_picture = 'https://pictures.invalid/' || (id % 30000) || '.jpg' "
                       'WHERE id % 10 = 0')
    connection.commit()
    connection.close()
    os.sync()
    pictures = used + '-pictures'

    def is_read():
        """Whether the first look has begun and ended."""
        with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % pictures, uri=True)) as found:
            names = {name for name, in found.execute("SELECT name FROM meta WHERE name IN ('cursor', 'read')")}
        return names == {'cursor'}
    with Daemon('beside-pictures', 86_400, top=('pictures:', '  hosts: [pictures.invalid]')) as daemon:
        beside = daemon.polls(lambda: not is_read())
        took = time.monotonic() - daemon.started
        end = time.monotonic() + NUMBER['ALONE']
        alone = daemon.polls(lambda: time.monotonic() < end)
    with contextlib.closing(sqlite3.connect(pictures)) as found:
        kept, = found.execute('SELECT count(*) FROM picture').fetchone()
    for path in (used, pictures):
        remove(path)
    if not kept:
        raise RuntimeError('no link of a picture was kept')
    print('%d events read for links in %.0f s, %d links are kept' % (NUMBER['ROWS'], took, kept))
    report('a first look for pictures at %d events' % NUMBER['ROWS'],
           [seconds for _, seconds in alone], [seconds for _, seconds in beside])


CASES = {'validators': measure_validators, 'changes': measure_changes, 'pictures': measure_pictures}


def main():
    support.require(tools=())
    for name in sys.argv[1:] or CASES:
        CASES[name]()
    return support.verdict()


if __name__ == '__main__':
    sys.exit(main())
