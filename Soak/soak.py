#!/usr/bin/env python3
"""Runs the real daemon for a while against a scripted upstream with random faults, with outside readers and commands
beside it, and judges what it has kept, asked and used.

    soak.py --program PATH [--minutes 30] [--seed 1] [--idle SECONDS] [--keep]

The seed makes what the upstream tells and which request meets which fault the same again; the daemon's own times are
those of the machine. --idle measures how the same process rests afterwards. Nothing but 127.0.0.1 is connected to. The
last line reads "N passed, N failed, N skipped"; the exit status is 1 when a check has failed.
"""
import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import idle
import settings
import verdict
from commands import Commands
from faults import Faults
from journal import Journal
from ledger import Ledger
from politeness import Politeness
from readers import Readers
from series import Series
from standstill import Standstill
from upstream import LinesFile, Upstream
from world import Pace, World

# Births a second by world; what comes at most.
BIRTHS = {'quakes': 0.5, 'news': 0.5, 'atom': 0.6, 'extra': 0.2, 'alerts': 0.15, 'stream': 0.7, 'lines': 0.25}
HERE = os.path.dirname(os.path.abspath(__file__))


class Soak:
    def __init__(self, program, seconds, seed, run):
        self.program, self.seconds, self.run = program, seconds, run
        self.database, self.log = os.path.join(run, 'soak.sqlite'), os.path.join(run, 'log.json')
        start = time.time()
        paces = {name: Pace(seconds, births) for name, births in BIRTHS.items()}
        self.max_age = paces['news'].max_age
        prefixes = dict({name: name[0] for name in BIRTHS}, alerts='w')
        self.worlds = {name: World(seed, name, prefixes[name], pace, start) for name, pace in paces.items()}
        # A truncation may wait for a reader; then the next one does it.
        self.ledger = Ledger(overdue=4 * settings.TRUNCATION)
        self.politeness, self.faults = Politeness(settings.GAP), Faults(seed)
        self.upstream = Upstream(self.worlds, self.faults, self.ledger, self.politeness, self.max_age,
                                 settings.TOUCHED)
        # Not beside the configuration, whose folder the daemon watches.
        os.mkdir(os.path.join(run, 'lines'))
        self.lines = LinesFile(os.path.join(run, 'lines', 'lines.json'), self.worlds['lines'], self.faults,
                               self.ledger)
        self.seed = seed
        self.standstill = Standstill()

    def start(self):
        self.standstill.start()
        self.upstream.loop.start()
        self.upstream.loop.loop.call_soon_threadsafe(
            lambda: self.upstream.loop.loop.create_task(self.lines.run()))
        texts = [settings.configuration(self.run, self.upstream.sites, self.max_age, edited) for edited in (0, 1)]
        with open(os.path.join(self.run, 'token'), 'w') as file:
            file.write('of-nobody\n')
        path = os.path.join(self.run, 'soak.yaml')
        with open(path, 'w') as file:
            file.write(texts[0])
        places = os.path.join(HERE, '..', 'Fixtures', 'demo-places')
        subprocess.run([self.program, 'seed', 'cities', '--config', path, os.path.join(places, 'cities.txt'),
                        os.path.join(places, 'regions.txt')], check=True, capture_output=True)
        log = open(self.log, 'wb')
        self.process = subprocess.Popen([self.program, 'run', '--config', path], stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not os.path.exists(os.path.join(self.run, 'control.sock')):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError('the daemon has not started; its log is %s' % self.log)
            time.sleep(0.1)
        self.readers = Readers(self.database, self.ledger, self.seed)
        self.commands = Commands(self.program, self.run, texts, self.seed)
        self.series = Series(self.process.pid, self.database, lambda: self.readers.rows,
                             lambda: self.politeness.requests)

    def soak(self):
        """The time itself: a row of the series every some seconds."""
        self.readers.start()
        self.commands.start()
        print(self.series.header(), flush=True)
        # Some sixty rows, of which every other is printed.
        step, start = max(1, self.seconds / 60), time.monotonic()
        while time.monotonic() - start < self.seconds:
            time.sleep(step)
            if self.process.poll() is not None:
                return
            self.series.sample()
            if len(self.series.rows) % 2 == 0:
                print(self.series.line(-1), flush=True)

    def settle(self):
        """No more faults, no more news: all sources are asked once again, and the last snapshot must have it all."""
        self.commands.stop()
        self.faults.is_quiet = True
        time.sleep(3)
        for world in self.worlds.values():
            world.is_frozen = True
        for source in ('extra', 'quakes', 'strong', 'news', 'atom', 'alerts'):
            if source == 'extra' and self.commands.is_edited:
                continue
            # A document that has met a passing fault is asked for again in the poll after.
            for _ in range(2 if source == 'alerts' else 1):
                self.commands.excused(source, lambda: self.commands.call(
                    'poll', '--config', os.path.join(self.run, 'soak.yaml'), source, expected=(0,)))
        self.now_listed = {name: world.listed(time.time()) for name, world in self.worlds.items()}
        self.ended_at = time.time()
        self.readers.snapshot()
        connection = sqlite3.connect('file:%s?mode=ro' % self.database, uri=True)
        self.titles = {row[0]: row[1] for row in connection.execute('SELECT title, 1 FROM events_v1')}
        connection.close()
        self.readers.stop()
        self.ledger.close()

    def stop(self):
        """Seconds until it has ended, and with what."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.standstill.stop()
        return time.monotonic() - start, status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--minutes', type=float, default=30)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--idle', type=float, default=0)
    parser.add_argument('--keep', action='store_true', help='keep database, log and configuration')
    arguments = parser.parse_args()
    seconds = arguments.minutes * 60
    if seconds < 30:
        parser.exit(64, 'a soak needs at least half a minute\n')
    os.environ['no_proxy'] = '*'
    run = tempfile.mkdtemp(prefix='visiventd-soak.')
    print('soak: %g minutes, seed %s, in %s' % (arguments.minutes, arguments.seed, run), flush=True)
    soak = Soak(arguments.program, seconds, arguments.seed, run)
    rest, stopped = None, None
    try:
        soak.start()
        soak.soak()
        if soak.process.poll() is None:
            soak.settle()
            if arguments.idle:
                rest = idle.after(soak.process.pid, run, soak.program, arguments.idle)
            stopped = soak.stop()
        soak.upstream.loop.stop()
    except BaseException:
        if hasattr(soak, 'process') and soak.process.poll() is None:
            soak.process.kill()
        raise
    failed = verdict.report(soak, Journal(soak.log), stopped, rest)
    if failed or arguments.keep:
        print('kept: ' + run)
    else:
        shutil.rmtree(run)
    # Counted last, so that it is the last line.
    print(verdict.closing_line(), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
