"""The peers of read.py: what they need, the same events in PostGIS, and how each is asked.

tipg and pygeoapi serve a PostGIS table, Datasette the daemon's own file by a query written by hand. Each is set up as
its documentation advises for use, and gets what makes it fast: the indexes that its queries can use, two workers on
PostGIS, uvloop. Debian packages come from apt and the peers from PyPI, into folders of their own. What cannot be had is
`Unavailable`.
"""
import glob
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

from support import free_port, state

PATIENCE = 60
# The first of each is the peer; uvloop and httptools make uvicorn faster.
TIPG = ['tipg==1.6.1', 'uvicorn==0.54.0', 'uvloop', 'httptools']
PYGEOAPI = ['pygeoapi==0.21.0', 'psycopg2-binary==2.9.13', 'GeoAlchemy2==0.20.0', 'gunicorn==27.0.1']
DATASETTE = ['datasette==0.65.5', 'uvloop', 'httptools']
POSTGRESQL = ['postgresql', 'postgresql-postgis']

# The properties that a synthetic event's feature has, but for its id, as columns of PostgreSQL and of our views.
STAMP = "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %s / 1000.0, 'unixepoch')"
COLUMNS = [(name, kind, expression or name) for name, kind, expression in (
    ('public_id', 'text PRIMARY KEY', None), ('revision', 'bigint', None),
    ('first_seen', 'timestamptz', STAMP % 'first_seen_ms'), ('last_changed', 'timestamptz', STAMP % 'last_changed_ms'),
    ('time_source', 'text', None), ('change_seq', 'bigint', None),
    ('sources', 'json', '(SELECT json_group_array(s.source) FROM event_sources_v1 s WHERE s.public_id = e.public_id)'),
    ('provider', 'text', None), ('upstream_id', 'text', None), ('"time"', 'timestamptz', STAMP % 'time_ms'),
    ('updated', 'timestamptz', STAMP % 'updated_ms'), ('category', 'text', None), ('title', 'text', None),
    ('link', 'text', None), ('weight', 'float8', None), ('magnitude', 'float8', None), ('depth_km', 'float8', None),
    ('status', 'text', None), ('place_text', 'text', None), ('location_method', 'text', None),
    ('location_precision', 'text', None), ('location_confidence', 'float8', None), ('details', 'json', 'details_json'))]


class Unavailable(Exception):
    """Why something cannot be had here."""


def packages(*names):
    """Installs Debian packages that are missing; daemons among them are not started."""
    def is_missing(name):
        query = subprocess.run(['dpkg-query', '-W', '-f', '${Status}', name], capture_output=True, text=True)
        return 'ok installed' not in query.stdout
    if not shutil.which('dpkg-query'):
        raise Unavailable('this is no Debian system')
    missing = [name for name in names if is_missing(name)]
    if not missing:
        return
    if os.geteuid() != 0:
        raise Unavailable('sudo apt-get install ' + ' '.join(missing))
    print('installing ' + ' '.join(missing), file=sys.stderr, flush=True)
    policy, is_ours = '/usr/sbin/policy-rc.d', False
    if not os.path.exists(policy):
        with open(policy, 'w') as file:
            file.write('#!/bin/sh\nexit 101\n')
        os.chmod(policy, 0o755)
        is_ours = True
    try:
        subprocess.run(['apt-get', 'update', '-qq'])
        done = subprocess.run(['apt-get', 'install', '-y', '-q', '--no-install-recommends', *missing],
                              env={**os.environ, 'DEBIAN_FRONTEND': 'noninteractive'}, capture_output=True, text=True)
    finally:
        if is_ours:
            os.unlink(policy)
    if done.returncode != 0:
        raise Unavailable('apt-get cannot install %s: %s' % (' '.join(missing), last_line(done.stderr)))


def venv(name, requirements):
    """Folder of the programs of a virtual environment with these packages of PyPI."""
    folder, wanted = state('venv-' + name), '\n'.join(requirements)
    stamp = os.path.join(folder, 'requirements')
    if not os.path.exists(stamp) or open(stamp).read() != wanted:
        print('installing ' + ' '.join(requirements), file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        for command in (['python3', '-m', 'venv', folder], [folder + '/bin/pip', 'install', '-q', *requirements]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise Unavailable('%s: %s' % (' '.join(command[:3]), last_line(done.stderr or done.stdout)))
        with open(stamp, 'w') as file:
            file.write(wanted)
    return os.path.join(folder, 'bin')


def last_line(text):
    return (text.strip().splitlines() or ['no reason given'])[-1]


# MARK: - Contenders

class Server:
    """A server on a port of this machine; leaving the block stops it."""

    # Name in the tables, and whether it serves the table of `PostGIS`.
    name, is_on_postgis = '', False

    def __init__(self):
        self.port = free_port()

    def begin(self):
        """Command and environment of the process."""
        raise NotImplementedError

    def path(self, box, limit=100):
        """Path and query for the newest events of a box and a span; west, east, south and north are None for all."""
        raise NotImplementedError

    def ids(self, answer):
        """Public ids of an answer in their order."""
        return [feature['id'] for feature in json.loads(answer)['features']]

    def __enter__(self):
        command, environment = self.begin()
        self.log = state('read-%s.log' % self.name)
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **environment},
                                            start_new_session=True)
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(20)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def wait(self):
        """Waits for the first answer."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                if self.get('/')[0] < 500:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        with open(self.log, errors='replace') as log:
            raise Unavailable('it does not answer: %s (%s)' % (last_line(log.read()), self.log))

    def url(self, path):
        return 'http://127.0.0.1:%d%s' % (self.port, path)

    def get(self, path, headers={}):
        """Status, body and headers of one request on a connection of its own."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PATIENCE)
        try:
            connection.request('GET', path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()


def ogc(box, limit, collection):
    """A request of OGC API Features."""
    west, east, south, north, since, until = box
    query = [] if west is None else [('bbox', '%r,%r,%r,%r' % (west, south, east, north))]
    query += [('datetime', '%s/%s' % (moment(since), moment(until))), ('limit', limit)]
    return '/collections/%s/items?%s' % (collection, urllib.parse.urlencode(query, safe=',:/'))


def moment(milliseconds):
    """A time in RFC 3339."""
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(milliseconds // 1000)) + '.%03dZ' % (milliseconds % 1000)


class Tipg(Server):
    name, is_on_postgis = 'tipg', True

    def __init__(self, _, table):
        super().__init__()
        self.table, self.bin = table, venv('tipg', TIPG)

    def begin(self):
        return [self.bin + '/uvicorn', 'tipg.main:app', '--host', '127.0.0.1', '--port', str(self.port),
                '--workers', '2', '--no-access-log', '--log-level', 'warning'], {
            'DATABASE_URL': self.table.url, 'TIPG_DB_SCHEMAS': '["public"]', 'TIPG_MAX_FEATURES_PER_QUERY': '10000',
            'TIPG_TABLE_CONFIG__public_events__DATETIMECOL': 'time'}

    def path(self, box, limit=100):
        return ogc(box, limit, 'public.events') + '&sortby=-time&f=geojson'


class PyGeoAPI(Server):
    name, is_on_postgis = 'pygeoapi', True

    def __init__(self, _, table):
        super().__init__()
        self.table, self.bin = table, venv('pygeoapi', PYGEOAPI)

    def begin(self):
        url = 'http://127.0.0.1:%d' % self.port
        settings, document = state('pygeoapi.json'), state('pygeoapi-openapi.json')
        # JSON is YAML, too.
        with open(settings, 'w') as file:
            json.dump({
                'server': {
                    'bind': {'host': '127.0.0.1', 'port': self.port}, 'url': url, 'mimetype': 'application/json',
                    'encoding': 'utf-8', 'languages': ['en-US'], 'gzip': False, 'pretty_print': False,
                    'limits': {'default_items': 100, 'max_items': 10_000}, 'map': {'url': url, 'attribution': ''}},
                'logging': {'level': 'ERROR'},
                'metadata': {
                    'identification': {'title': 'events', 'description': 'events', 'keywords': ['events'],
                                       'keywords_type': 'theme', 'terms_of_service': url, 'url': url},
                    'license': {'name': 'none', 'url': url}, 'provider': {'name': 'none'},
                    'contact': {'name': 'none'}},
                'resources': {'events': {
                    'type': 'collection', 'title': 'events', 'description': 'events', 'keywords': ['events'],
                    'links': [], 'extents': {'spatial': {'bbox': [-180, -90, 180, 90]}},
                    'providers': [{
                        'type': 'feature', 'name': 'PostgreSQL', 'id_field': 'public_id', 'table': 'events',
                        'geom_field': 'geom', 'time_field': 'time',
                        'data': {'host': '127.0.0.1', 'port': self.table.port, 'dbname': 'postgres', 'user': 'postgres',
                                 'password': 'none', 'search_path': ['public']}}]}}}, file)
        done = subprocess.run([self.bin + '/pygeoapi', 'openapi', 'generate', settings, '--format', 'json',
                               '--output-file', document], capture_output=True, text=True)
        if done.returncode != 0:
            raise Unavailable(last_line(done.stderr))
        return [self.bin + '/gunicorn', '--bind', '127.0.0.1:%d' % self.port, '--workers', '2', '--worker-class',
                'gthread', '--threads', '4', '--keep-alive', '60', '--no-control-socket', 'pygeoapi.flask_app:APP'], {
            'PYGEOAPI_CONFIG': settings, 'PYGEOAPI_OPENAPI': document}

    def path(self, box, limit=100):
        return ogc(box, limit, 'events') + '&sortby=-time&f=json'


class Datasette(Server):
    """Rows as JSON objects, since it has no GeoJSON of its own; the R*Tree finds them as in the daemon."""
    name = 'datasette'
    COLUMNS = ', '.join('%s AS %s' % (expression, name) for name, _, expression in COLUMNS)
    FROM = """, e.longitude, e.latitude FROM (
      SELECT b.public_id AS id FROM (
        SELECT DISTINCT abs(id) AS id FROM event_position
        WHERE max_longitude >= :west AND min_longitude <= :east AND max_latitude >= :south AND min_latitude <= :north
          AND max_hour >= :since / 3600000.0 - 0.1 AND min_hour <= :until / 3600000.0 + 0.1) p
      CROSS JOIN event b ON b.id = p.id
      WHERE b.time_ms BETWEEN :since AND :until AND b.withdrawn_reason IS NULL
        AND b.latitude BETWEEN :south AND :north AND b.longitude BETWEEN :west AND :east
      ORDER BY b.time_ms DESC, b.id DESC LIMIT :limit) n
    CROSS JOIN events_v1 e ON e.public_id = n.id"""
    SPAN = """, e.longitude, e.latitude FROM events_v1 e WHERE e.time_ms BETWEEN :since AND :until
      AND e.withdrawn_reason IS NULL ORDER BY e.time_ms DESC LIMIT :limit"""

    def __init__(self, file, _):
        super().__init__()
        self.file, self.bin = file, venv('datasette', DATASETTE)

    def begin(self):
        database = os.path.splitext(os.path.basename(self.file))[0]
        select, self.base = 'SELECT ' + self.COLUMNS.replace('"', ''), '/%s/' % database
        queries = {'box': {'sql': select + self.FROM}, 'span': {'sql': select + self.SPAN}}
        with open(state('datasette.json'), 'w') as file:
            json.dump({'databases': {database: {'queries': queries}}}, file)
        settings = {'sql_time_limit_ms': 30_000, 'max_returned_rows': 10_000, 'default_cache_ttl': 0}
        options = [word for name, value in settings.items() for word in ('--setting', name, str(value))]
        return [self.bin + '/datasette', 'serve', self.file, '--host', '127.0.0.1', '--port', str(self.port),
                '--metadata', state('datasette.json'), *options], {}

    def path(self, box, limit=100):
        query = {name: value for name, value in zip(('west', 'east', 'south', 'north', 'since', 'until'), box)
                 if value is not None}
        return self.base + ('box' if 'west' in query else 'span') + '.json?_shape=array&' + urllib.parse.urlencode(
            {**query, 'limit': limit})

    def ids(self, answer):
        return [row['public_id'] for row in json.loads(answer)]


PEERS = {peer.name: peer for peer in (Tipg, PyGeoAPI, Datasette)}


# MARK: - PostGIS

class PostGIS:
    """A PostgreSQL of our own with the events of a database; leaving the block stops it."""

    def __init__(self, file):
        packages(*POSTGRESQL)
        found = sorted(glob.glob('/usr/lib/postgresql/*/bin'), key=lambda path: int(path.split('/')[4]))
        if not found:
            raise Unavailable('there is no /usr/lib/postgresql/*/bin')
        self.bin, self.file, self.folder, self.port = found[-1], file, state('postgresql'), free_port()
        self.url = 'postgresql://postgres@127.0.0.1:%d/postgres' % self.port
        # It refuses to run as root.
        self.user = ['runuser', '-u', 'postgres', '--'] if os.geteuid() == 0 else []

    def run(self, program, *arguments):
        done = subprocess.run([*self.user, os.path.join(self.bin, program), *arguments], capture_output=True, text=True,
                              cwd='/')
        if done.returncode != 0:
            raise Unavailable('%s: %s' % (program, last_line(done.stderr or done.stdout)))

    def __enter__(self):
        if not os.path.exists(os.path.join(self.folder, 'PG_VERSION')):
            os.makedirs(self.folder, exist_ok=True)
            if self.user:
                shutil.chown(self.folder, 'postgres', 'postgres')
            self.run('initdb', '-D', self.folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C.UTF-8')
        options = {'port': self.port, 'listen_addresses': '127.0.0.1', 'unix_socket_directories': self.folder,
                   'shared_buffers': '1GB', 'effective_cache_size': '4GB', 'work_mem': '32MB', 'jit': 'off',
                   'maintenance_work_mem': '512MB', 'random_page_cost': '1.1', 'max_wal_size': '4GB'}
        words = ' '.join('-c %s=%s' % pair for pair in options.items())
        self.run('pg_ctl', '-D', self.folder, '-w', '-l', os.path.join(self.folder, 'log'), '-o', words, 'start')
        try:
            self.load()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.run('pg_ctl', '-D', self.folder, '-w', '-m', 'fast', 'stop')

    def sql(self, text, stdin=None):
        """Runs statements and returns what they print."""
        done = subprocess.run(['psql', '-qAtX', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', str(self.port), '-U',
                               'postgres', '-c', text], stdin=stdin, capture_output=True, text=True)
        if done.returncode != 0:
            raise Unavailable('psql: ' + last_line(done.stderr))
        return done.stdout.strip()

    def load(self):
        """Fills the table from the database, unless it is of that database already."""
        status = os.stat(self.file)
        mark = '%s %d %d' % (self.file, status.st_size, status.st_mtime_ns)
        if self.sql("SELECT coalesce(obj_description(to_regclass('public.events')), '')") == mark:
            return
        started = time.monotonic()
        self.sql('CREATE EXTENSION IF NOT EXISTS postgis; CREATE EXTENSION IF NOT EXISTS btree_gist; '
                 'DROP TABLE IF EXISTS events; CREATE TABLE events (%s, geom geometry(Point, 4326))' % ', '.join(
                     '%s %s' % (name, kind) for name, kind, _ in COLUMNS))
        point = "printf('SRID=4326;POINT(%!.15g %!.15g)', longitude, latitude)"
        query = 'SELECT %s, %s FROM events_v1 e' % (', '.join(expression for _, _, expression in COLUMNS), point)
        rows = subprocess.Popen(['sqlite3', '-readonly', '-csv', self.file, query], stdout=subprocess.PIPE)
        self.sql('COPY events FROM STDIN WITH (FORMAT csv)', stdin=rows.stdout)
        if rows.wait() != 0:
            raise Unavailable('sqlite3 has ended with %d' % rows.returncode)
        # What an operator makes, and the one index that has box and time, as the daemon's R*Tree.
        self.sql('CREATE INDEX ON events USING gist (geom); CREATE INDEX ON events ("time"); '
                 'CREATE INDEX ON events USING gist (geom, "time")')
        self.sql('VACUUM ANALYZE events')
        self.sql("COMMENT ON TABLE events IS '%s'" % mark)
        print('filled PostGIS in %.0f s' % (time.monotonic() - started), flush=True)
