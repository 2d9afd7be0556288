"""Shared by the benchmarks: paths, configurations, databases and bars.

The inputs, the peers and most C references are in ../shared/bench beside the checkout; its setup.sh and
gen/gen_all.sh make them. SHARED_BENCH names another folder, BENCH_TMP another folder for output (as there). VISIVENTD
is the measured program, by default the release build of this checkout.
"""
import contextlib
import os
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SHARED = os.path.abspath(os.environ.get('SHARED_BENCH') or os.path.join(ROOT, '..', 'shared', 'bench'))
EXIT_UNAVAILABLE = 69


def unavailable(missing):
    """Prints missing requirements and exits with 69."""
    print('The benchmarks cannot run without these:', file=sys.stderr)
    for item in missing:
        print('    ' + item, file=sys.stderr)
    sys.exit(EXIT_UNAVAILABLE)


if not os.path.exists(os.path.join(SHARED, 'lib', 'benchlib.py')):
    unavailable([SHARED + '/lib/benchlib.py'])
sys.path.insert(0, os.path.join(SHARED, 'lib'))
import benchlib  # noqa: E402  (it stands beside the checkout)

STATE = benchlib.work('own')
FEED_SERVER = os.path.join(SHARED, 'lib', 'feedserver.sh')
os.makedirs(STATE, exist_ok=True)


def state(name):
    """A path in the output folder of this checkout's benchmarks."""
    return os.path.join(STATE, name)


def program():
    """Path of the measured program: VISIVENTD, else the release build of this checkout."""
    given = os.environ.get('VISIVENTD')
    if given:
        return os.path.abspath(given)
    flags = os.environ.get('SWIFT_BUILD_FLAGS', '').split()
    command = ['swift', 'build', '-c', 'release', *flags, '--show-bin-path']
    folder = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return os.path.join(folder, 'visiventd')


PROGRAM = program()


# Tools and their Debian packages.
TOOLS = {'sqlite3': 'sqlite3', 'time': 'time', 'g++': 'g++', 'nginx': 'nginx-light'}


def require(*paths, tools=tuple(TOOLS)):
    """Exits with 69 unless the program, the tools and these files exist."""
    missing = [path for path in (PROGRAM, *paths) if not os.path.exists(path)]
    missing += ['%s (Debian package %s)' % (tool, TOOLS[tool]) for tool in tools if not shutil.which(tool)]
    if missing:
        unavailable(missing + ['(%s/setup.sh and %s/gen/gen_all.sh make inputs and references)' % (SHARED, SHARED)])


# MARK: - Configurations and databases

def configuration(name, sources, fetch=(), top=()):
    """Writes NAME.yaml with the database NAME.sqlite and returns its path.

    Sources are tuples (name, kind, url). max_age is 100 years, since the generated events are old.
    """
    lines = ['database: %s' % database(name)]
    lines += top
    lines += ['fetch:', '  per_host_gap: 0s', '  maximum_body: 512MiB', '  maximum_transfer: 512MiB',
              '  total_timeout: 10m'] + ['  ' + line for line in fetch]
    lines.append('sources:')
    for source, kind, url in sources:
        lines += ['  - name: ' + source, '    kind: ' + kind, '    url: ' + url]
        lines += ['    max_age: 36525d', '    offset: 0s']
    path = state(name + '.yaml')
    with open(path, 'w') as file:
        file.write('\n'.join(lines) + '\n')
    return path


def database(name):
    """Path of the database of a configuration."""
    return state(name + '.sqlite')


def remove(path):
    for suffix in ('', '-wal', '-shm', '.lock'):
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)


def copy(source, target):
    """Replaces a database by a closed one and syncs it; otherwise the first sync would wait for the copy."""
    remove(target)
    shutil.copyfile(source, target)
    with open(target, 'rb') as file:
        os.fsync(file)


def settle(path):
    """Checkpoints the WAL, so that the database is in its file alone."""
    connection = sqlite3.connect(path)
    connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()


def poll(configuration_path, *sources):
    """Polls once, untimed, and returns the output."""
    done = subprocess.run([PROGRAM, 'poll', '--config', configuration_path, *sources], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError('poll: ' + (done.stderr or done.stdout)[-500:])
    return done.stdout


def empty_database():
    """Path of a database with the current schema and a source `quakes`, but no event."""
    target = database('empty')
    remove(target)
    feed = state('empty.geojson')
    with open(feed, 'w') as file:
        file.write('{"type":"FeatureCollection","features":[]}')
    poll(configuration('empty', [('quakes', 'usgs', 'file://' + feed)]), 'quakes')
    settle(target)
    return target


def loaded_database(name, feed):
    """Path of a database with the events of a USGS feed, dated a minute back and without validators: polled again, the
    same file is a newer snapshot without news, which has to be read and compared."""
    target = database(name)
    remove(target)
    poll(configuration(name, [('quakes', 'usgs', 'file://' + feed)]), 'quakes')
    connection = sqlite3.connect(target)
    connection.execute('DELETE FROM validator')
    connection.execute('UPDATE coverage SET generated_ms = generated_ms - 60000')
    connection.commit()
    connection.close()
    settle(target)
    return target


def reference(name):
    """Path of a program of Benchmarks/reference, rebuilt if it is older than its sources."""
    folder = os.path.join(HERE, 'reference')
    sources = [os.path.join(folder, file) for file in os.listdir(folder)]
    target = state(name)
    if not os.path.exists(target) or os.path.getmtime(target) < max(map(os.path.getmtime, sources)):
        subprocess.run(['g++', '-std=c++20', '-O3', '-march=native', os.path.join(folder, name + '.cpp'), '-o', target,
                        '-lsimdjson', '-lsqlite3'], check=True)
    return target


# MARK: - The loopback server

@contextlib.contextmanager
def served(root, port):
    """Serves a folder on 127.0.0.1 (nginx, with ETag and Last-Modified) while the block runs."""
    environment = dict(os.environ, BENCH_TMP=STATE)
    subprocess.run([FEED_SERVER, 'start', root, str(port)], check=True, env=environment)
    try:
        yield
    finally:
        subprocess.run([FEED_SERVER, 'stop'], env=environment)


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


# MARK: - Bars

BARS = []


def ratio(cases, ours, theirs, of='wall'):
    """The median of the ratios within each round; None if either case failed."""
    rows = {case.name: {row['round']: row for row in case.rows} for case in cases if case}
    both = [(rows[ours][k], rows[theirs][k]) for k in rows.get(ours, {}) if k in rows.get(theirs, {})]
    if not both or any('bad' in row for pair in both for row in pair):
        return None
    return statistics.median(own[of] / max(1e-9, other[of]) for own, other in both)


def bar(what, measured, limit=None, gates=True):
    """Records a bar: `measured` may be at most `limit`. Without a limit, or unless it gates, it is only reported."""
    BARS.append((what, measured, limit, gates and limit is not None))


def verdict():
    """Prints all bars and returns the exit status: 1 if a gating one is missed."""
    table, is_missed = [], False
    for what, measured, limit, gates in BARS:
        met = measured is not None and (limit is None or measured <= limit)
        is_missed |= gates and not met
        word = '' if limit is None else 'met' if met else 'MISSED' if gates else 'beyond, reported only'
        table.append([what, 'failed' if measured is None else '%.2f' % measured,
                      '' if limit is None else '%.2f' % limit, word])
    print('\n### bars\n')
    benchlib.show(['bar', 'ratio', 'at most', ''], table)
    return 1 if is_missed else 0
