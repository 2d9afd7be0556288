"""visiventd's own commands, run now and then beside the daemon: each must end as its manual says."""
import os
import random
import sqlite3
import subprocess
import threading
import time

import settings


class Commands:
    """Runs them one after the other in a thread. `excuses` are the times in which polls may come unasked: (source or
    None for all, from, to); `refusals` those in which the log may refuse a configuration."""

    def __init__(self, program, run, texts, seed):
        self.program, self.run_folder, self.texts = program, run, texts
        self.path = os.path.join(run, 'soak.yaml')
        self.chance = random.Random('%s/commands' % seed)
        self.is_over = threading.Event()
        self.faults, self.counts, self.excuses, self.refusals = [], {}, [], []
        self.is_edited = False
        self.thread = threading.Thread(target=self.work, daemon=True)

    def start(self):
        self.thread.start()

    def stop(self):
        self.is_over.set()
        self.thread.join()

    def work(self):
        all = [self.events, self.status, self.health, self.backup, self.poll, self.poll, self.reload_good,
               self.reload_bad, self.edit_good, self.edit_bad, self.check]
        while True:
            self.chance.shuffle(all)
            for command in all:
                if self.is_over.wait(self.chance.uniform(0.5, 4)):
                    return
                command()

    def call(self, *words, expected=(0,)):
        """Runs a command; what it says on standard output."""
        try:
            done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return self.faults.append('%s has not come back for 60 s' % ' '.join(words))
        self.counts[words[0]] = self.counts.get(words[0], 0) + 1
        if done.returncode not in expected:
            self.faults.append('%s ended with %d: %s' % (' '.join(words), done.returncode, (
                done.stderr or done.stdout).strip()[-300:]))
        return done.stdout

    def events(self):
        self.call('events', '--config', self.path, '--since', '1h', '--limit', '50', '--text', 'lava')

    def status(self):
        self.call('status', '--config', self.path)
        self.call('status', '--config', self.path, '--json')

    def health(self):
        self.call('health', '--config', self.path)
        self.call('health', '--config', self.path, '--prometheus')

    def check(self):
        self.call('check', '--config', self.path)

    def backup(self):
        copy = os.path.join(self.run_folder, 'backup.sqlite')
        self.call('backup', '--config', self.path, '--force', copy)
        connection = sqlite3.connect('file:%s?mode=ro&immutable=1' % copy, uri=True)
        try:
            connection.execute('SELECT count(*) FROM events_v1').fetchone()
            found = connection.execute('PRAGMA integrity_check').fetchone()[0]
            if found != 'ok':
                self.faults.append('backup: ' + found)
        except sqlite3.Error as error:
            self.faults.append('backup: %s' % error)
        finally:
            connection.close()

    def poll(self):
        name = self.chance.choice(('quakes', 'news', 'alerts', 'lines'))
        # 75: the poll has met a fault.
        self.excused(name, lambda: self.call('poll', '--config', self.path, name, expected=(0, 75)))

    # MARK: Edits

    def reload_good(self):
        self.edit_good()
        self.excused(settings.TOUCHED, lambda: self.call('reload', '--config', self.path))

    def reload_bad(self):
        self.with_faults(lambda: self.call(
            'reload', '--socket', os.path.join(self.run_folder, 'control.sock'), expected=(78,)))

    def edit_good(self):
        """The daemon notices the edit by itself."""
        self.is_edited = not self.is_edited
        self.excused(settings.TOUCHED, lambda: (self.write(self.texts[self.is_edited]), self.is_over.wait(1.5)))

    def edit_bad(self):
        self.with_faults(lambda: self.is_over.wait(1.5))

    def with_faults(self, action):
        start = time.time()
        self.write(settings.broken(self.texts[self.is_edited]))
        action()
        self.write(self.texts[self.is_edited])
        # The last edit is noticed in a moment; an editor's steps are waited for.
        self.is_over.wait(1)
        self.refusals.append((start, time.time() + 1))

    def write(self, text):
        """As editors do: a new file in the place of the old one, or the old one over again."""
        path = self.path if self.chance.random() < 0.3 else self.path + '.new'
        with open(path, 'w') as file:
            file.write(text)
        if path != self.path:
            os.replace(path, self.path)

    def excused(self, names, action):
        start = time.time()
        action()
        for name in (names,) if isinstance(names, str) else names:
            self.excuses.append((name, start, time.time()))
