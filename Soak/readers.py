"""Outside readers: they read the views all the time, as anybody may, and must never be refused."""
import random
import sqlite3
import subprocess
import threading
import time


class Readers:
    """Three readers in threads: snapshots for the ledger, the sqlite3 shell, and one that holds its transaction."""

    def __init__(self, database, ledger, seed):
        self.database, self.ledger, self.chance = database, ledger, random.Random('%s/readers' % seed)
        self.is_over = threading.Event()
        self.faults, self.counts, self.rows = [], {'snapshots': 0, 'shell': 0, 'held': 0}, 0
        self.threads = [threading.Thread(target=self.guard, args=(reader, pause), daemon=True) for reader, pause in (
            (self.snapshot, 1), (self.shell, 0.7), (self.hold, 15))]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def guard(self, reader, pause):
        while not self.is_over.wait(pause):
            try:
                reader()
            except (sqlite3.Error, subprocess.SubprocessError, AssertionError) as error:
                self.faults.append('%s: %s' % (reader.__name__, error))

    def connect(self):
        return sqlite3.connect('file:%s?mode=ro' % self.database, uri=True, timeout=1)

    def snapshot(self):
        connection = self.connect()
        try:
            began = time.time()
            rows = connection.execute('SELECT public_id, provider, upstream_id, title FROM events_v1').fetchall()
            self.ledger.judge(rows, began, time.time())
            self.rows = len(rows)
            self.counts['snapshots'] += 1
        finally:
            connection.close()

    def shell(self):
        query = ('SELECT count(*), max(time_ms) FROM events_v1 WHERE withdrawn_reason IS NULL; SELECT count(*) FROM '
                 'changes_v1; SELECT name, failures FROM sources_v1;')
        # Without patience SQLite may refuse a reader that begins while another connection is being closed.
        done = subprocess.run(['sqlite3', '-readonly', '-bail', '-cmd', '.timeout 1000', self.database, query], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr.strip()
        self.counts['shell'] += 1

    def hold(self):
        """What is read twice in one transaction is the same."""
        connection = self.connect()
        connection.isolation_level = None
        try:
            connection.execute('BEGIN')
            query = 'SELECT count(*), max(last_changed_ms), sum(revision) FROM events_v1'
            first = connection.execute(query).fetchone()
            self.is_over.wait(self.chance.uniform(3, 6))
            assert connection.execute(query).fetchone() == first, 'a transaction has seen a change'
            connection.execute('COMMIT')
            self.counts['held'] += 1
        finally:
            connection.close()
