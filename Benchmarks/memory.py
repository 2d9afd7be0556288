#!/usr/bin/env python3
"""Measures the memory of the running daemon: idle, with a large feed, and with 1 000 sources.

    memory.py [idle] [feed] [sources]

The daemon polls generated feeds from a loopback server, so nothing leaves this machine. Resident memory (RSS) and its
peak are figures of the kernel; anonymous memory excludes mapped files. Megabytes are millions of bytes. Exits with 1 if
a figure exceeds its bar.
"""
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import rss
import support
from support import PROGRAM, ROOT, SHARED, configuration, database, free_port, remove, served, state
from benchlib import PY, data

PATIENCE = 120
ROWS = []


def generate(script, output, *options):
    """Makes an input with a generator of ../shared/bench, unless it exists."""
    os.makedirs(os.path.dirname(output), exist_ok=True)
    if not os.path.exists(output):
        subprocess.run([PY, os.path.join(SHARED, 'gen', script), *options, '-o', output + '.new'], check=True)
        os.replace(output + '.new', output)


def memory(pid):
    """Megabytes of a process by kind, and its number of threads."""
    kinds = {}
    for file in ('status', 'smaps_rollup'):
        with open('/proc/%d/%s' % (pid, file)) as lines:
            for line in lines:
                found = re.match(r'(VmHWM|Rss|Anonymous|Private_Dirty|Threads):\s+(\d+)( kB)?', line)
                if found:
                    kinds[found[1]] = int(found[2]) * 1024 / 1e6 if found[3] else int(found[2])
    return kinds


class Running:
    """A daemon with a fresh database; leaving the block stops it."""

    def __init__(self, path, file):
        self.path, self.file = path, file

    def __enter__(self):
        remove(self.file)
        log = open(self.path + '.log', 'wb')
        # The same number of arenas as in systemd/visiventd.service.
        self.process = subprocess.Popen([PROGRAM, 'run', '--config', self.path], stdout=log, stderr=log,
                                        env={**os.environ, 'MALLOC_ARENA_MAX': '2'})
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def wait_for_first_polls(self):
        """Waits until every enabled source had a successful poll."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError('the daemon has ended; see %s.log' % self.path)
            time.sleep(0.5)
            try:
                connection = sqlite3.connect('file:%s?mode=ro' % self.file, uri=True)
                waiting = connection.execute(
                    'SELECT count(*) FROM sources_v1 WHERE is_enabled AND last_success_ms IS NULL').fetchone()[0]
                total = connection.execute('SELECT count(*) FROM sources_v1').fetchone()[0]
                connection.close()
            except sqlite3.Error:
                continue
            if total > 0 and waiting == 0:
                return
        raise RuntimeError('not all sources have been polled in %d s; see %s.log' % (PATIENCE, self.path))

    def memory(self):
        return memory(self.process.pid)


def note(what, kinds, **bars):
    """Prints the figures; `bars` are limits by kind, in megabytes."""
    for kind, limit in bars.items():
        ROWS.append([what, kind, kinds[kind], limit])
    others = ', '.join('%s %.1f' % (kind, value) for kind, value in sorted(kinds.items()))
    print('%s: %s' % (what, others), flush=True)


def idle(port, root):
    """Measures the shipped configuration with local URLs, no offsets and no expiry."""
    summary = 'earthquakes/feed/v1.0/summary/all_day.geojson'
    generate('gen_usgs.py', os.path.join(root, summary), '-n', '350')
    generate('gen_cap.py', os.path.join(root, 'news/WeeklyVolcanoCAP.xml'), '-n', '25')
    feeds = ('news/world/rss.xml', 'news/science_and_environment/rss.xml', 'world/rss', 'xml/rss_24h.xml')
    for number, path in enumerate(feeds):
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(data('feeds/f%04d.xml' % number), target)
    with open(os.path.join(ROOT, 'config', 'visiventd.yaml')) as file:
        text = file.read()
    text = re.sub(r'^( +url: )https?://[^/]+', r'\g<1>http://127.0.0.1:%d' % port, text, flags=re.M)
    text = re.sub(r'^( +offset:) .*', r'\1 0s', text, flags=re.M)
    # The generated events are old.
    text = re.sub(r'^( +max_age:) .*', r'\1 36525d', text, flags=re.M)
    path = state('idle.yaml')
    with open(path, 'w') as file:
        file.write('database: %s\n' % database('idle') + text)
    with Running(path, database('idle')) as daemon:
        daemon.wait_for_first_polls()
        time.sleep(5)
        note('idle, default configuration', daemon.memory(), Rss=55, Anonymous=15)


def feed(port, root):
    """Measures a feed of 13 MB, like USGS's largest in a busy month: all new, then a newer snapshot of the same."""
    name = 'all_month.geojson'
    target = os.path.join(root, name)
    if os.path.exists(target):
        os.unlink(target)
    generate('gen_usgs.py', target, '-n', '18250')
    path = configuration('feed', [('quakes', 'usgs', 'http://127.0.0.1:%d/%s' % (port, name))])
    with Running(path, database('feed')) as daemon:
        daemon.wait_for_first_polls()
        note('%.1f MB of USGS, all new' % (os.path.getsize(target) / 1e6), daemon.memory(), VmHWM=130)
        with open(target) as file:
            text = file.read().replace('"generated":1700000000000', '"generated":1700000060000', 1)
        with open(target + '.new', 'w') as file:
            file.write(text)
        os.replace(target + '.new', target)
        time.sleep(1.5)  # the server looks for changes once a second
        print(support.poll(path, 'quakes').strip())
        note('%.1f MB of USGS, nothing new' % (os.path.getsize(target) / 1e6), daemon.memory(), VmHWM=130)


def sources(port, root):
    """Measures 1 000 feeds of 50 items, all polled once."""
    if not os.path.islink(os.path.join(root, 'feeds')):
        os.symlink(data('feeds'), os.path.join(root, 'feeds'))
    feeds = rss.sources(port)
    path = configuration('sources', feeds, fetch=('per_host_concurrency: 16',))
    with Running(path, database('sources')) as daemon:
        daemon.wait_for_first_polls()
        time.sleep(5)
        note('1,000 sources, after their first polls', daemon.memory(), VmHWM=125)


CASES = {'idle': idle, 'feed': feed, 'sources': sources}


def main():
    names = sys.argv[1:] or list(CASES)
    if any(name not in CASES for name in names):
        print('cases are ' + ', '.join(CASES), file=sys.stderr)
        return 64
    support.require(PY, data('feeds'), os.path.join(SHARED, 'gen'))
    os.environ['no_proxy'] = '*'
    root, port = state('memory-www'), free_port()
    os.makedirs(root, exist_ok=True)
    with served(root, port):
        for name in names:
            CASES[name](port, root)
    print()
    table = [[what, kind, '%.1f' % value, str(limit), 'met' if value < limit else 'BEYOND']
             for what, kind, value, limit in ROWS]
    support.benchlib.show(['memory in MB', 'kind', 'measured', 'bar', ''], table)
    return 1 if any(value >= limit for _, _, value, limit in ROWS) else 0


if __name__ == '__main__':
    sys.exit(main())
