#!/usr/bin/env python3
"""Measures `visiventd serve` beside tipg, pygeoapi and Datasette on the same events.

    read.py [CASE…]         boxes, long, unchanged, idle, streams, polls; all by default

A million events of a year are scattered over the Earth, a fiftieth of them a burst in one hour and one cell of a
degree. All servers answer with the same columns, keep no answers, and their answers are compared before they are timed;
wrk is the client.

  boxes      newest 100 in boxes of 2° to 20° around events and spans of 1 to 30 days, GeoJSON, 1 000 of them; then
             around events of the burst
  long       10 000 features in one answer, and as columns
  unchanged  answers 304
  idle       memory of `serve` after its start, and after the boxes
  streams    ten waves of 1 000 clients of /stream, at ten changes a second: from the commit to the receipt; memory
  polls      the daemon's polls while eight clients ask `serve` for boxes, beside those without

ROWS (1000000) is the number of events, RUNS (3) of the rounds, DURATION (10) of the seconds of one run of wrk at least,
DRAWS (1000) of the boxes; WAVES (10), CLIENTS (1000) and WAVE (10 seconds) are those of streams; PEERS names the peers
(PEERS= for none). Installs wrk, curl, PostgreSQL with PostGIS (as root) and the peers; a peer that cannot be had is
skipped. Exits with 1 if a bar is missed, with 69 if a requirement is missing.
"""
import contextlib
import itertools
import math
import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

import boxes
import growth
import peers
import prune
import streams
import support
from benchlib import own_figures
from memory import memory
from peers import Server, Unavailable
from prune import percentile
from support import HERE, PROGRAM, copy, database, settle, state

NUMBER = {name: int(os.environ.get(name) or usual) for name, usual in (
    ('ROWS', 1_000_000), ('RUNS', 3), ('DURATION', 10), ('DRAWS', 1_000), ('WAVES', 10), ('CLIENTS', 1_000),
    ('WAVE', 10))}
NAMES = os.environ.get('PEERS', ' '.join(peers.PEERS)).split()
YEAR, DAY = 365 * 86_400_000, 86_400_000
# Changes a second, and seconds of rest before memory is read.
PACE, REST = 10, 3
EIGHT = 8
# Rows of the table at the end: what, measured, unit, bar, whether the bar is the least, best peer.
ROWS = []


class Visiventd(Server):
    name = 'visiventd'

    def __init__(self, file):
        super().__init__()
        self.file = file

    def begin(self):
        # Niceness and arenas as in systemd/visiventd-serve.service.
        return ['nice', '-n', '10', PROGRAM, 'serve', '--database', self.file, '--listen', '127.0.0.1:%d' % self.port], {
            'MALLOC_ARENA_MAX': '2'}

    def path(self, box, limit=100):
        return peers.ogc(box, limit, 'events')

    def memory(self):
        return memory(self.process.pid)


def bar(what, measured, unit, limit=None, peer='', is_least=False):
    """Notes a figure; `limit` is the most it may be, or the least."""
    ROWS.append((what, measured, unit, limit, is_least, peer))


def verdict():
    """Prints all figures; 1 if a bar is missed."""
    table, is_missed = [], False
    for what, measured, unit, limit, is_least, peer in ROWS:
        is_met = limit is None or (measured >= limit if is_least else measured <= limit)
        is_missed |= not is_met
        words = '' if limit is None else '%s %g' % ('at least' if is_least else 'at most', limit)
        table.append([what, '%.4g %s' % (measured, unit), words, '' if limit is None else 'met' if is_met else 'MISSED',
                      peer])
    print('\n### `visiventd serve`, %d events\n' % NUMBER['ROWS'])
    support.benchlib.show(['', 'measured', 'bar', '', 'best peer'], table)
    return 1 if is_missed else 0


# MARK: - The events

def events():
    """Path of the database with all events."""
    count = NUMBER['ROWS']
    share = count // 50
    base = growth.filled(count - share, YEAR // count)
    target = base.replace('.sqlite', '-burst.sqlite')
    if not os.path.exists(target):
        used = database('read')
        copy(base, used)
        support.poll(support.configuration('read', [('quakes', 'usgs', 'file://' + boxes.burst(share))]), 'quakes')
        settle(used)
        os.rename(used, target)
    with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % target, uri=True)) as connection:
        found, = connection.execute('SELECT count(*) FROM event').fetchone()
    if found != count:
        raise RuntimeError('%s has %d events instead of %d' % (target, found, count))
    return target


def draws(file, is_of_burst):
    """Boxes with spans, each around a random event of the burst or of the others."""
    draw, found = random.Random(1), []
    count = NUMBER['ROWS']
    first, last = (count - count // 50 + 1, count) if is_of_burst else (1, count - count // 50)
    with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % file, uri=True)) as connection:
        while len(found) < NUMBER['DRAWS']:
            longitude, latitude, at = connection.execute(
                'SELECT longitude, latitude, time_ms FROM event WHERE id = ?', (draw.randint(first, last),)).fetchone()
            size, span = draw.uniform(2, 20), draw.uniform(1, 30) * DAY
            west = min(max(longitude - draw.random() * size, -180), 180 - size)
            south = min(max(latitude - draw.random() * size, -90), 90 - size)
            since = int(at - draw.random() * span)
            sides = [round(side, 4) for side in (west, west + size, south, south + size)]
            found.append((*sides, since, since + int(span)))
    return found


# MARK: - Measuring

@contextlib.contextmanager
def contenders(file):
    """Ours and the peers that can be had, all running."""
    with contextlib.ExitStack() as stack:
        servers, table = [stack.enter_context(Visiventd(file))], None
        for name in NAMES:
            peer = peers.PEERS[name]
            try:
                if peer.is_on_postgis and table is None:
                    table = stack.enter_context(peers.PostGIS(file))
                servers.append(stack.enter_context(peer(file, table)))
            except Unavailable as reason:
                print('%s is skipped: %s' % (name, reason), flush=True)
        yield servers


def wrk(server, paths, connections, seconds, header=None):
    """Figures of wrk: requests, seconds, bytes, p50 and p99 in milliseconds."""
    file = state('paths-' + server.name)
    with open(file, 'w') as output:
        output.writelines(path + '\n' for path in paths)
    command = ['wrk', '-t1', '-c%d' % connections, '-d%ds' % math.ceil(seconds), '--timeout', '60s',
               '-s', os.path.join(HERE, 'wrk.lua')]
    command += ['-H', header] if header else []
    done = subprocess.run([*command, 'http://127.0.0.1:%d' % server.port], env={**os.environ, 'PATHS': file},
                          capture_output=True, text=True)
    figures = {name: float(value) for name, value in own_figures(done.stdout).items()}
    if not figures.get('requests') or figures['errors']:
        raise RuntimeError('wrk, %s: %s' % (server.name, (done.stderr + done.stdout)[-500:]))
    return figures


def compared(servers, paths):
    """Asks each server for its paths once and returns the mean seconds of a request by name; the same events must be
    found in the same order."""
    means, expected = {}, None
    for server in servers:
        begun, found = time.monotonic(), []
        for path in paths(server):
            status, answer, _ = server.get(path)
            if status != 200:
                raise RuntimeError('%s: %d for %s: %s' % (server.name, status, path, answer[:300]))
            found.append(server.ids(answer))
        means[server.name] = (time.monotonic() - begun) / len(found)
        expected = expected or found
        others = sum(one != other for one, other in zip(expected, found))
        if others:
            raise RuntimeError('%s finds other events for %d of %d requests' % (server.name, others, len(found)))
    print('%d requests, %.1f events each on average' % (len(expected), statistics.mean(map(len, expected))), flush=True)
    return means


def best(rows, name, choose):
    """The best peer's figure and its name; None without peers."""
    return choose(((figures[name], peer) for peer, figures in rows.items() if peer != Visiventd.name), default=None)


def words(found, unit):
    return '' if found is None else '%s %.4g %s' % (found[1], found[0], unit)


# MARK: - Cases

def measure_boxes(file):
    with contenders(file) as servers:
        for title, is_of_burst in (('boxes', False), ('boxes around the burst', True)):
            asked = draws(file, is_of_burst)
            means = compared(servers, lambda server: [server.path(box) for box in asked])
            runs = {server.name: {1: [], EIGHT: []} for server in servers}
            for number in range(NUMBER['RUNS']):
                turn = number % len(servers)
                for server in servers[turn:] + servers[:turn]:
                    paths = [server.path(box) for box in asked]
                    for connections in runs[server.name]:
                        # Each box at least once.
                        seconds = max(NUMBER['DURATION'], 1.1 * len(paths) * means[server.name])
                        runs[server.name][connections].append(wrk(server, paths, connections, seconds))
            rows = {}
            for name, figures in runs.items():
                rows[name] = {'%s at %d' % (kind, connections): statistics.median(row[kind] for row in measured)
                              for connections, measured in figures.items() for kind in ('p50', 'p99')}
                rows[name]['rate'] = statistics.median(row['requests'] / row['seconds'] for row in figures[EIGHT])
            print('\n### %s, newest 100 as GeoJSON\n' % title)
            support.benchlib.show(
                ['', '1: p50, ms', 'p99, ms', '8: p50, ms', 'p99, ms', 'requests/s'],
                [[name, *('%.2f' % value for value in figures.values())] for name, figures in rows.items()])
            ours = rows[Visiventd.name]
            bars = (None,) * 4 if is_of_burst else (2, 15, 50, 5)
            for kind, limit in zip(('p50 at 1', 'p99 at 1', 'p99 at 8'), bars):
                bar('%s: %s' % (title, kind), ours[kind], 'ms', limit, words(best(rows, kind, min), 'ms'))
            bar('%s: requests a second at 8' % title, ours['rate'], '/s')
            most = best(rows, 'rate', max)
            if most:
                bar('%s: of the best peer\'s requests a second' % title, ours['rate'] / most[0], '×', bars[3],
                    words(most, '/s'), is_least=True)


def seconds_of(server, path):
    """Seconds of one answer, read whole by curl."""
    done = subprocess.run(['curl', '-sf', '-o', '/dev/null', '-w', '%{time_total}', server.url(path)],
                          capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure_long(file):
    """One answer of 10 000 features; half as many of the rows, if there are less than 20 000."""
    count = min(10_000, NUMBER['ROWS'] // 2)
    # tipg takes the end of an interval as excluded.
    span = (None,) * 4 + (growth.FILLED_AT - YEAR, growth.FILLED_AT + 1)
    with contenders(file) as servers:
        paths = {server.name: server.path(span, count) for server in servers}
        compared(servers, lambda server: [paths[server.name]])
        times, columns = {server.name: [] for server in servers}, []
        for number in range(max(5, NUMBER['RUNS'])):
            turn = number % len(servers)
            for server in servers[turn:] + servers[:turn]:
                times[server.name].append(seconds_of(server, paths[server.name]))
            columns.append(seconds_of(servers[0], paths[Visiventd.name] + '&f=columns'))
        size = len(servers[0].get(paths[Visiventd.name])[1])
    rows = {name: {'time': statistics.median(measured) * 1e3} for name, measured in times.items()}
    bar('%d features in one answer (%.1f MB)' % (count, size / 1e6), rows[Visiventd.name]['time'], 'ms', 200,
        words(best(rows, 'time', min), 'ms'))
    bar('%d events as columns' % count, statistics.median(columns) * 1e3, 'ms')


def measure_unchanged(file):
    with Visiventd(file) as server:
        path, rates = server.path(draws(file, False)[0]), []
        seconds = min(NUMBER['DURATION'], 20)
        for _ in range(NUMBER['RUNS']):
            # The validator is another each minute.
            if time.time() % 60 > 60 - seconds - 3:
                time.sleep(60 - time.time() % 60)
            tag = server.get(path)[2]['ETag']
            figures = wrk(server, [path], EIGHT, seconds, 'If-None-Match: ' + tag)
            if server.get(path, {'If-None-Match': tag})[0] != 304 or figures['bytes'] / figures['requests'] > 2_000:
                raise RuntimeError('not all answers are 304')
            rates.append(figures['requests'] / figures['seconds'])
    bar('answers 304 a second at 8', statistics.median(rates), '/s', 10_000, is_least=True)


def measure_idle(file):
    with Visiventd(file) as server:
        time.sleep(REST)
        fresh = server.memory()
        wrk(server, [server.path(box) for box in draws(file, False)], EIGHT, NUMBER['DURATION'])
        time.sleep(REST)
        later = server.memory()
    bar('idle: resident', fresh['Rss'], 'MB', 55)
    bar('idle: anonymous', fresh['Anonymous'], 'MB', 12)
    bar('after the boxes at 8: resident', later['Rss'], 'MB')
    bar('after the boxes at 8: anonymous', later['Anonymous'], 'MB')


# MARK: - With the daemon at work

class Daemon:
    """The daemon on a copy of the events, polling a file when told; leaving the block stops it."""

    def __init__(self, file):
        self.file, self.door, self.feed = database('read-live'), state('read.socket'), state('read-live.geojson')
        copy(file, self.file)
        prune.write_feed(self.feed, [])
        self.path = prune.write_configuration(
            'read-live', [('quakes', self.feed, '36525d', False), ('live', self.feed, '36525d', True)],
            top=('control_socket: ' + self.door, 'truncation:', '  first: 24h'))
        self.number = 0

    def __enter__(self):
        with open(self.path + '.log', 'wb') as log:
            self.process = subprocess.Popen([PROGRAM, 'run', '--config', self.path], stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.door):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError('the daemon does not start; see %s.log' % self.path)
            time.sleep(0.01)
        self.poll(0)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def poll(self, new):
        """Has it poll a document with so many new events; seconds of the poll."""
        prune.write_feed(self.feed, [growth.feature('live%08d' % number, 0, number, 5.0)
                                     for number in range(self.number, self.number + new)])
        self.number += new
        return prune.poll(self.door, 'live')

    def changes(self, after):
        """Times of the changes after one, in milliseconds by number."""
        with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % self.file, uri=True)) as connection:
            return dict(connection.execute('SELECT seq, at_ms FROM changes_v1 WHERE seq > ?', (after,)))

    def last(self):
        with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % self.file, uri=True)) as connection:
            return connection.execute('SELECT max(seq) FROM changes_v1').fetchone()[0]


def wave(daemon, server):
    """Milliseconds from each commit to each receipt, and memory with the clients and after them."""
    ours, theirs = multiprocessing.Pipe()
    clients = multiprocessing.Process(
        target=streams.receive, args=(server.port, NUMBER['CLIENTS'], theirs), daemon=True)
    clients.start()
    try:
        if not ours.poll(60):
            raise RuntimeError('not all streams were open in a minute')
        word = ours.recv()
        if word != 'open':
            raise RuntimeError('streams: ' + ', '.join(word[0]))
        before, begun = daemon.last(), time.monotonic()
        for number in range(PACE * NUMBER['WAVE']):
            time.sleep(max(0, begun + number / PACE - time.monotonic()))
            daemon.poll(1)
        paced = PACE * NUMBER['WAVE'] / (time.monotonic() - begun)
        changes = daemon.changes(before)
        ours.send(max(changes))
        faults, received = ours.recv()
        busy = server.memory()
        if faults:
            raise RuntimeError('streams: ' + ', '.join(faults))
        ours.send('close')
        clients.join()
    finally:
        clients.kill()
    wrong = sum(list(numbers) != list(changes) for numbers, _ in received)
    if wrong:
        raise RuntimeError('%d of %d clients have not each change once and in order' % (wrong, len(received)))
    times = [at * 1e3 - changes[number] for numbers, ats in received for number, at in zip(numbers, ats)]
    time.sleep(REST)
    return times, busy['Anonymous'], server.memory()['Anonymous'], paced


def measure_streams(file):
    table, waves = [], []
    with Daemon(file) as daemon, Visiventd(daemon.file) as server:
        for number in range(NUMBER['WAVES']):
            waves.append(wave(daemon, server))
            times, busy, after, paced = waves[-1]
            table.append([number + 1, '%.1f' % paced] + ['%.1f' % value for value in (
                percentile(times, 0.5), percentile(times, 0.99), max(times), busy, after)])
            print('wave %d: p99 %.1f ms, anonymous %.1f MB, %.1f MB after it' % (
                number + 1, percentile(times, 0.99), busy, after), flush=True)
    print('\n### %d clients of /stream\n' % NUMBER['CLIENTS'])
    support.benchlib.show(
        ['wave', 'changes/s', 'p50, ms', 'p99, ms', 'longest, ms', 'anonymous, MB', 'after it, MB'], table)
    times = list(itertools.chain.from_iterable(row[0] for row in waves))
    bar('streams: from the commit to the receipt, p99', percentile(times, 0.99), 'ms', 250)
    bar('streams: anonymous, most', max(row[1] for row in waves), 'MB', 40)
    if len(waves) > 2:
        bar('streams: anonymous in the last wave, of the second', waves[-1][1] / waves[1][1], '×', 1.1)
        bar('the same after the waves', waves[-1][2] / waves[1][2], '×', 1.1)


def measure_polls(file):
    """Polls of 20 new events, 50 ms apart, alone and beside eight clients in turn."""
    asked, polls = draws(file, False), {False: [], True: []}
    seconds = 2 * NUMBER['DURATION']
    with Daemon(file) as daemon, Visiventd(daemon.file) as server:
        paths = [server.path(box) for box in asked]
        compared([server], lambda server: paths)
        for number in range(2 * NUMBER['RUNS']):
            is_loaded = number % 2 == 1
            load = multiprocessing.Process(target=wrk, args=(server, paths, EIGHT, seconds + 2)) if is_loaded else None
            if load:
                load.start()
                time.sleep(1)
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                polls[is_loaded].append(daemon.poll(prune.NEW))
                time.sleep(prune.PAUSE)
            if load:
                load.join()
                if load.exitcode:
                    raise RuntimeError('wrk has failed beside the polls')
    p99 = {is_loaded: percentile(times, 0.99) for is_loaded, times in polls.items()}
    bar('polls: p99 without clients (of %d)' % len(polls[False]), p99[False] * 1e3, 'ms')
    bar('polls: p99 beside eight clients (of %d)' % len(polls[True]), p99[True] * 1e3, 'ms')
    bar('polls: p99 beside eight clients, of that without', p99[True] / p99[False], '×', 1.2)


CASES = {'boxes': measure_boxes, 'long': measure_long, 'unchanged': measure_unchanged, 'idle': measure_idle,
         'streams': measure_streams, 'polls': measure_polls}


def main():
    names = sys.argv[1:] or list(CASES)
    unknown = [name for name in names if name not in CASES] + [name for name in NAMES if name not in peers.PEERS]
    if unknown:
        print('no %s; cases are %s, peers %s' % (', '.join(unknown), ', '.join(CASES), ', '.join(peers.PEERS)),
              file=sys.stderr)
        return 64
    support.require(tools=('sqlite3',))
    try:
        peers.packages('wrk', 'curl', 'python3-venv')
    except Unavailable as reason:
        support.unavailable([str(reason)])
    # Servers and clients have a descriptor for each stream.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.environ['no_proxy'] = '*'
    file = events()
    for name in names:
        print('\n## %s' % name, flush=True)
        CASES[name](file)
    return verdict()


if __name__ == '__main__':
    sys.exit(main())
