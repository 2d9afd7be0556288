#!/usr/bin/env python3
"""Measures how the daemon rests: with the sources of config/visiventd.yaml at a loopback server, intervals as shipped.

    idle.py --program PATH [--seconds 600]

Its first polls come at once and are waited for; what follows is measured: CPU time (of ended threads, too), wake-ups
(voluntary context switches) and anonymous memory. Ends with 1 when a figure is beyond its bar; the last line
reads "N passed, N failed, N skipped".
"""
import argparse
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import documents
import series
import verdict
import wire
from world import Pace, World

HERE = os.path.dirname(os.path.abspath(__file__))
# Dispatch looks at its threads once a second, which is 60 wake-ups a minute; polls and a truncation are a dozen in the mean.
# Another timer of a second would be beyond the bar.
CPU_BAR, WAKES_BAR, ANONYMOUS_BAR, RESIDENT_BAR = 15, 100, 15e6, 55e6


class DefaultFeeds:
    """What the shipped configuration asks for: a USGS feed made anew each minute, all others always the same."""

    def __init__(self):
        now = time.time()
        world = World('idle', 'idle', 'i', Pace(1800, 1), now - 400)
        world.advance(now)
        self.items, self.sites = world.items, {}
        self.quakes = self.items * (350 // max(1, len(self.items)) + 1)
        self.loop = None

    def start(self, hosts):
        self.sites = {host: wire.Site(host, self.handle) for host in hosts}
        self.loop = wire.Loop(list(self.sites.values()))
        self.loop.start()

    async def handle(self, site, request, writer):
        if request.path.endswith('.geojson'):
            minute = int(time.time() / 60) * 60
            body, etag = documents.quakes(self.quakes[:350], minute), '"%d"' % minute
        elif 'CAP' in request.path:
            body, etag = documents.alert(self.items[0]), '"alert"'
        else:
            body, etag = documents.rss(self.items[:40], 'news'), '"news"'
        fields = [('ETag', etag), ('Content-Type', 'application/xml')]
        if request.headers.get('if-none-match') == etag:
            return await wire.answer(writer, 304, fields=fields)
        return await wire.answer(writer, 200, body, fields)


def configuration(database, socket, feeds):
    """The shipped configuration, each of its hosts an address of this machine, its first polls at once."""
    with open(os.path.join(HERE, '..', 'config', 'visiventd.yaml')) as file:
        text = file.read()
    found = re.findall(r'^ +url: (https?://[^/\s]+)', text, flags=re.M)
    feeds.start(dict.fromkeys(found))
    for host, site in feeds.sites.items():
        text = re.sub(r'^( +url: )%s(?=/)' % re.escape(host), r'\g<1>' + site.url, text, flags=re.M)
    text = re.sub(r'^( +offset:) .*', r'\1 0s', text, flags=re.M)
    return 'database: %s\ncontrol_socket: %s\n' % (database, socket) + text


def wait_for_first_polls(database, since):
    """Until each enabled source has succeeded after a time."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.5)
        try:
            connection = sqlite3.connect('file:%s?mode=ro' % database, uri=True)
            rows = connection.execute('SELECT last_success_ms FROM sources_v1 WHERE is_enabled').fetchall()
            connection.close()
        except sqlite3.Error:
            continue
        if rows and all(row[0] and row[0] >= since * 1000 for row in rows):
            return
    raise RuntimeError('not all sources have been polled in 60 s')


class Rest:
    """The figures of one process over one time."""

    def __init__(self, pid):
        self.pid, self.cpu, self.start = pid, series.cpu_seconds(pid), time.monotonic()
        self.last, self.wakes = series.switches(pid), 0

    def look(self):
        """Threads that end take their counts with them, so these are read every few seconds."""
        now = series.switches(self.pid)
        self.wakes += sum(count - self.last.get(thread, 0) for thread, count in now.items())
        self.last = now

    def end(self):
        self.look()
        minutes = (time.monotonic() - self.start) / 60
        kinds = series.memory(self.pid)
        self.cpu_ms = (series.cpu_seconds(self.pid) - self.cpu) * 1000 / minutes
        self.wakes /= minutes
        self.anonymous, self.resident = kinds['Anonymous'], kinds['Rss']

    def words(self):
        return '%.2f ms of CPU and %.0f wake-ups a minute, %.2f MB anonymous, %.1f MB resident' % (
            self.cpu_ms, self.wakes, self.anonymous / 1e6, self.resident / 1e6)


def measure(pid, seconds):
    """The figures of a process over a time."""
    time.sleep(min(15, seconds / 4))
    rest = Rest(pid)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(min(2, max(0, end - time.monotonic())))
        rest.look()
    rest.end()
    return rest


class Fresh:
    """A daemon that has just begun with the shipped configuration; leaving the block stops it."""

    def __init__(self, program, run):
        self.program, self.run, self.feeds = program, run, DefaultFeeds()

    def __enter__(self):
        database, path = os.path.join(self.run, 'idle.sqlite'), os.path.join(self.run, 'idle.yaml')
        with open(path, 'w') as file:
            file.write(configuration(database, os.path.join(self.run, 'idle.sock'), self.feeds))
        log = open(os.path.join(self.run, 'idle.log'), 'wb')
        self.process = subprocess.Popen([self.program, 'run', '--config', path], stdout=log, stderr=log)
        wait_for_first_polls(database, 0)
        return self.process.pid

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.feeds.loop.stop()


def bars(rest):
    return [('idle: CPU time', rest.words(), '' if rest.cpu_ms < CPU_BAR else 'beyond %d ms a minute' % CPU_BAR),
            ('idle: wake-ups', '%.0f a minute' % rest.wakes,
             '' if rest.wakes < WAKES_BAR else 'beyond %d a minute' % WAKES_BAR),
            ('idle: anonymous memory', '%.2f MB' % (rest.anonymous / 1e6),
             '' if rest.anonymous <= ANONYMOUS_BAR else 'beyond %.0f MB' % (ANONYMOUS_BAR / 1e6))]


def after(pid, run, program, seconds):
    """How a soaked process rests when a reload has given it the shipped configuration."""
    feeds, began, path = DefaultFeeds(), time.time(), os.path.join(run, 'soak.yaml')
    text = configuration(os.path.join(run, 'soak.sqlite'), os.path.join(run, 'control.sock'), feeds)
    # As it was at the start; a change would need another one.
    text = 'log: {format: json}\n' + text
    with open(path + '.new', 'w') as file:
        file.write(text)
    os.replace(path + '.new', path)
    subprocess.run([program, 'reload', '--config', path], check=True, capture_output=True)
    wait_for_first_polls(os.path.join(run, 'soak.sqlite'), began)
    soaked = measure(pid, seconds)
    feeds.loop.stop()
    return bars(soaked)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--seconds', type=float, default=600)
    arguments = parser.parse_args()
    os.environ['no_proxy'] = '*'
    run = tempfile.mkdtemp(prefix='visiventd-idle.')
    try:
        with Fresh(arguments.program, run) as pid:
            rest = measure(pid, arguments.seconds)
    finally:
        shutil.rmtree(run)
    resident = ('idle: resident memory', '%.1f MB' % (rest.resident / 1e6),
                '' if rest.resident <= RESIDENT_BAR else 'beyond %.0f MB' % (RESIDENT_BAR / 1e6))
    for name, figure, fault in bars(rest) + [resident]:
        verdict.check(name, [fault] if fault else [], figure)
    print(verdict.closing_line())
    return 1 if 'FAILED' in verdict.RESULTS else 0


if __name__ == '__main__':
    sys.exit(main())
