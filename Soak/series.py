"""Measures of a process and its files over time, and whether they stay flat."""
import os
import re
import sqlite3
import time


def cpu_seconds(pid):
    """CPU time of a process, ended threads included, by the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)


def switches(pid):
    """Voluntary context switches by thread: each is an end of waiting."""
    found = {}
    for thread in os.listdir('/proc/%d/task' % pid):
        try:
            with open('/proc/%d/task/%s/status' % (pid, thread)) as file:
                found[thread] = int(re.search(r'^voluntary_ctxt_switches:\s+(\d+)', file.read(), re.M)[1])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def memory(pid):
    """Resident and anonymous memory in bytes."""
    kinds = {}
    with open('/proc/%d/smaps_rollup' % pid) as file:
        for line in file:
            found = re.match(r'(Rss|Anonymous):\s+(\d+) kB', line)
            if found:
                kinds[found[1]] = int(found[2]) * 1024
    return kinds


def size(path):
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def kept_for_long(database):
    """Bytes of what is kept for a month whatever becomes of the events: numbered changes, evidence, validators."""
    connection = sqlite3.connect('file:%s?mode=ro' % database, uri=True)
    try:
        return connection.execute("SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND (name LIKE '%change%' OR name "
                                  "LIKE '%tombstone%' OR name LIKE '%withdrawal%' OR name LIKE '%validator%')").fetchone()[0] or 0
    except sqlite3.Error:
        return 0
    finally:
        connection.close()


class Series:
    """A row every some seconds."""

    # Name, unit, bytes of a unit, and the least value that counts: below it a change means nothing.
    COLUMNS = (('RSS', 'MB', 1e6, 0), ('anonymous', 'MB', 1e6, 0), ('descriptors', '', 1, 0), ('threads', '', 1, 0),
               ('database', 'MB', 1e6, 0), ('less log', 'MB', 1e6, 2e6), ('WAL', 'MB', 1e6, 8.4e6), ('events', '', 1, 0),
               ('requests', '', 1, 0), ('CPU', 's', 1, 0))
    # What must stay flat in the mean.
    FLAT = ('RSS', 'descriptors', 'less log', 'WAL')

    def __init__(self, pid, database, count_events, count_requests):
        self.pid, self.database = pid, database
        self.count_events, self.count_requests = count_events, count_requests
        self.rows, self.start = [], time.monotonic()

    def sample(self):
        kinds = memory(self.pid)
        file, log = size(self.database), kept_for_long(self.database)
        row = (kinds['Rss'], kinds['Anonymous'], len(os.listdir('/proc/%d/fd' % self.pid)),
               len(os.listdir('/proc/%d/task' % self.pid)), file, file - log, size(self.database + '-wal'),
               self.count_events(), self.count_requests(), cpu_seconds(self.pid))
        self.rows.append((time.monotonic() - self.start, row))
        return row

    def line(self, number):
        at, row = self.rows[number]
        cells = [self.cell(value, column) for value, column in zip(row, self.COLUMNS)]
        return '%7.0f ' % at + ' '.join(cells)

    def header(self):
        return '%7s ' % 's' + ' '.join('%11s' % (name + (' ' + unit if unit else '')) for name, unit, _, _ in
                                       self.COLUMNS)

    @staticmethod
    def cell(value, column):
        _, unit, scale, _ = column
        return '%11.2f' % (value / scale) if unit else '%11d' % value

    def judge(self):
        """For each column that must be flat: its name, the middle third, the last third, their ratio."""
        third = len(self.rows) // 3
        middle, last = self.rows[third:2 * third], self.rows[2 * third:]
        found = []
        for number, (name, unit, scale, least) in enumerate(self.COLUMNS):
            if name not in self.FLAT or not middle or not last:
                continue
            before, after = (max(least, sum(row[number] for _, row in rows) / len(rows)) for rows in (middle, last))
            found.append((name, before / scale, after / scale, after / before if before else 1))
        return found
