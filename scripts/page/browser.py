"""Shared by the tests of the page: Chromium, a service of scripted data, and TAP lines.

A service of scripted data (`Scripted`) serves the page with the headers of `visiventd serve`, and answers as
docs/api.md says from a list of events that the test changes. `Program` runs visiventd itself on invented feeds. `Visit`
is one visit of the page: it collects errors of the console, reports of the policy and requests to other hosts, and fails
at its end if there were any.

From the environment: VISIVENTD, the program (tests that need it are skipped without); PAGE, the folders of the page,
by default page/ of this checkout; PAGE_VENDOR, the folder of MapLibre's two files; CHROMIUM, the browser. The program
serves the folder that scripts/assets.sh assembles. With PAGE_BRIEF only the tests of the short form are run, and
what fails is run once more at the end of its file, unless PAGE_STRICT is set.
"""
import contextlib
import functools
import gzip
import http.server
import json
import mimetypes
import os
import queue
import re
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PAGE = [Path(folder) for folder in os.environ.get('PAGE', str(ROOT / 'page')).split(':')]
VENDOR = Path(os.environ.get('PAGE_VENDOR', ROOT / '.build-assets'))
PROGRAM = os.environ.get('VISIVENTD')
CHROMIUM = os.environ.get('CHROMIUM', '/usr/bin/chromium')
BRIEF = bool(os.environ.get('PAGE_BRIEF'))
# Whether a test that fails is run once more.
TWICE = BRIEF and not os.environ.get('PAGE_STRICT')
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "worker-src blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ARGUMENTS = [
    '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
]
# What drivers say of their speed is no fault of the page.
DRIVER = 'GL Driver Message|GPU stall|performance warning|swiftshader'
# How long in ms a test waits for what must come, on a machine that is busy with other work.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
HOUR = 3_600_000
PARTS = ['earthquakes', 'volcanic-activity', 'alerts', 'news', 'messages']
CATEGORIES = dict(zip(PARTS, ['earthquake', 'volcano', 'alert', 'news', 'message']))


def rfc3339(milliseconds):
    """A time in UTC with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds // 1000, tz=timezone.utc)
    return moment.strftime('%Y-%m-%dT%H:%M:%S.') + f'{milliseconds % 1000:03d}Z'


def milliseconds(text):
    return int(datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp() * 1000 + 0.5)


# MARK: - A service of scripted data

class World:
    """The versions of some events, oldest first, and the log of their changes."""

    def __init__(self, now=None):
        self.now = now or int(time.time() * 1000)
        self.versions = []
        self.changes = []
        self.streams = []
        self.lock = threading.Lock()

    def event(self, identity, **properties):
        """A new event or a new version of one; `lon`, `lat`, `geometry` and `time` (milliseconds), else properties of the
        API."""
        return self._change('revised' if self._current(identity) else 'new', identity, properties)

    def withdraw(self, identity):
        """The event no longer stands; its versions stay."""
        return self._change('withdrawn', identity, {'withdrawn': 'deleted'})

    def erase(self, identity):
        """The provider has deleted the event's words: nothing of it is left."""
        return self._change('withdrawn', identity, None)

    def truncate(self, identity):
        """The event is no longer kept."""
        return self._change('truncated', identity, None)

    def merge(self, identity, into):
        """The event has gone into another one."""
        return self._change('merged', identity, None, into=into)

    def load(self, number, make):
        """Many events at once, as if known from their times on; `make(i)` gives (identity, properties)."""
        for i in range(number):
            identity, properties = make(i)
            self._store(identity, properties, properties['time'])

    def _current(self, identity):
        return next((v for v in reversed(self.versions) if v['id'] == identity and v['known_to'] is None), None)

    def _store(self, identity, properties, at):
        current = self._current(identity) if at > 0 and len(self.versions) < 5000 else None
        base = {k: v for k, v in current.items() if k not in ('known_from', 'known_to')} if current else {
            'time': self.now - HOUR, 'category': 'earthquake', 'title': identity, 'weight': 0.5, 'lon': None, 'lat': None,
        }
        version = {**base, **properties, 'id': identity, 'known_from': at, 'known_to': None,
                   'revision': (current['revision'] if current else 0) + 1}
        if 'location_precision' not in version and version['lon'] is not None:
            version['location_precision'] = 'point'
        # Close together: a request between them would see neither.
        if current:
            current['known_to'] = at
        self.versions.append(version)
        return version

    def _change(self, kind, identity, properties, **more):
        with self.lock:
            seq = len(self.changes) + 1
            at = max(int(time.time() * 1000), self.changes[-1]['at_ms'] + 1 if self.changes else 0)
            feature = None
            if properties is None:
                self.versions = [v for v in self.versions if v['id'] != identity]
            else:
                feature = self.feature(self._store(identity, properties, at), seq)
            change = {'seq': seq, 'kind': kind, 'at': rfc3339(at), 'id': identity, 'feature': feature, 'at_ms': at} | more
            self.changes.append(change)
            # One that ends takes itself off the list.
            for stream in list(self.streams):
                stream.put(change)
            return change

    def feature(self, version, seq=0):
        point = None if version['lon'] is None else {'type': 'Point', 'coordinates': [version['lon'], version['lat']]}
        point = version.get('geometry') or point
        hidden = ('lon', 'lat', 'known_from', 'known_to', 'id', 'geometry')
        properties = {k: v for k, v in version.items() if k not in hidden and v is not None}
        properties |= {
            'public_id': version['id'], 'time': rfc3339(version['time']), 'first_seen': rfc3339(version['known_from']),
            'last_changed': rfc3339(version['known_from']), 'change_seq': seq, 'sources': ['invented'],
        }
        return {'type': 'Feature', 'id': version['id'], 'geometry': point, 'properties': properties}

    def standing(self, query):
        """The newest versions that match a query, newest first."""
        rows = [v for v in self.matching(query) if v['known_to'] is None and not v.get('withdrawn')]
        if query.get('sortby') == '-magnitude':
            return sorted((v for v in rows if 'magnitude' in v), key=lambda v: -v['magnitude'])
        return sorted(rows, key=lambda v: v['time'], reverse=True)

    def matching(self, query):
        low, _, high = query.get('datetime', '').partition('/')
        low = milliseconds(low) if low not in ('', '..') else -1e18
        high = milliseconds(high) if high not in ('', '..') else 1e18
        words = query.get('q', '').lower().split()
        categories = query['category'].split(',') if 'category' in query else None
        box = [float(n) for n in query['bbox'].split(',')] if 'bbox' in query else None
        least = float(query.get('min_magnitude', -99))
        for v in list(self.versions):
            if not low <= v['time'] <= high or (categories and v['category'] not in categories):
                continue
            if any(word not in v['title'].lower() for word in words):
                continue
            if 'min_magnitude' in query and v.get('magnitude', -99) < least:
                continue
            if box and (v['lon'] is None or not (box[0] <= v['lon'] <= box[2] and box[1] <= v['lat'] <= box[3])):
                continue
            if query.get('located') == 'false' and v['lon'] is not None:
                continue
            if 'precision' in query and v.get('location_precision') != query['precision']:
                continue
            if 'country' in query and v.get('location_country') != query['country']:
                continue
            yield v


COLUMNS = {'longitude': 'lon', 'latitude': 'lat'}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def whole(self, status, kind, data, more=()):
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
            if self.server.service.folder:
                data, more = gzip.compress(data), {'Content-Encoding': 'gzip'}
        self.send_response(status)
        fields = {'Content-Type': kind, 'Content-Length': str(len(data)), 'Content-Security-Policy': POLICY,
                  'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', **dict(more)}
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def problem(self, status, kind, detail):
        words = {'type': '/problems/' + kind, 'title': kind, 'status': status, 'detail': detail}
        self.whole(status, 'application/problem+json', words)

    def do_GET(self):
        service = self.server.service
        parts = urlsplit(self.path)
        path = unquote(parts.path)[1:]
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        service.asked.append(self.path)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            # Read once: a test may change them meanwhile.
            answer = service.answers.get(path)
            answer = answer(query) if callable(answer) else answer
            if isinstance(answer, (int, tuple)):
                status, kind = (answer, 'scripted') if isinstance(answer, int) else answer
                self.problem(status, kind, 'A scripted failure.')
            elif answer is not None:
                self.whole(200, 'application/json', answer)
            if answer is not None:
                return
            if path == '' and 'text/html' in self.headers.get('Accept', ''):
                self.whole(200, 'text/html; charset=utf-8', file_of('index.html', service.folder).replace(b'@PAGE@', b'page/test'))
            elif path.startswith('page/test/'):
                self.file(path[len('page/test/'):])
            else:
                self.data(service.world, path, query)

    def file(self, name):
        folder = self.server.service.folder
        data = None if '..' in name else file_of(name, folder)
        kind = 'text/javascript' if name.endswith('.js') else mimetypes.guess_type(name)[0] or 'application/octet-stream'
        packed = file_of(name + '.gz', folder) if folder and data is not None else None
        if data is None:
            self.whole(404, 'text/plain', b'missing')
        elif packed:
            self.whole(200, kind, packed, {'Content-Encoding': 'gzip'})
        else:
            self.whole(200, kind, data)

    def data(self, world, path, query):
        match = re.fullmatch(r'collections/([\w-]+)/items(?:/([^/]+)(?:/(history|sources))?)?', path)
        if path == 'page/start':
            self.whole(200, 'application/json', {
                'version': '0.0', 'basemaps': [], 'overlays': [], 'attributions': ['GeoNames'], 'gazetteer': 'GeoNames'})
        elif path == 'page/upkeep':
            self.whole(200, 'application/json', {
                'time': rfc3339(int(time.time() * 1000)), 'state': 'live', 'last_poll': rfc3339(world.now), 'late': []})
        elif path == 'status':
            self.whole(200, 'application/json', {
                'time': rfc3339(int(time.time() * 1000)), 'version': '0.0', 'last_poll': rfc3339(world.now), 'sources': [],
                'change_seq': len(world.changes), 'events': len(world.versions)})
        elif path == 'basemap/places':
            self.whole(200, 'application/json', {'places': []})
        elif path == 'stream':
            self.stream(world, query)
        elif path == 'changes':
            after = int(query.get('after', 0))
            rest = [shown(c) for c in world.changes if c['seq'] > after][:int(query.get('limit', 256))]
            self.whole(200, 'application/json', {
                'changes': rest, 'next': rest[-1]['seq'] if rest else len(world.changes), 'oldest': 1,
                'newest': len(world.changes)})
        elif path == 'summary/histogram':
            self.histogram(world, query)
        elif path == 'summary/hotspots':
            self.whole(200, 'application/json', {'type': 'FeatureCollection', 'seq': 0, 'truncated': False, 'features': []})
        elif path == 'summary/authors':
            self.whole(200, 'application/json', {'seq': 0, 'truncated': False, 'authors': []})
        elif match and match[3]:
            self.whole(200, 'application/json', {match[3]: []})
        elif match and match[2]:
            found = world._current(match[2])
            if found:
                self.whole(200, 'application/geo+json', world.feature(found))
            else:
                self.problem(410, 'gone', 'The event is gone for good.')
        elif match:
            self.items(world, match[1], query)
        else:
            self.problem(404, 'not-found', 'There is nothing here.')

    def histogram(self, world, query):
        bin = bin_of(query, int(time.time() * 1000)) * 1000
        bins = {}
        for v in world.standing(query):
            start = v['time'] // bin * bin
            entry = bins.setdefault(start, {'start': rfc3339(start), 'count': 0, 'categories': {}})
            entry['count'] += 1
            entry['categories'][v['category']] = entry['categories'].get(v['category'], 0) + 1
        self.whole(200, 'application/json', {
            'seq': len(world.changes), 'bin': bin // 1000, 'truncated': False, 'bins': [bins[k] for k in sorted(bins)]})

    def items(self, world, collection, query):
        limit = int(query.get('limit', 100))
        if collection in CATEGORIES:
            query['category'] = CATEGORIES[collection]
        if collection == 'volcanoes' or query.get('f') != 'columns':
            rows = [] if collection == 'volcanoes' else world.standing(query)
            start = int(query.get('cursor', 0))
            page = rows[start:start + limit]
            following = urlencode(query | {'cursor': start + limit})
            links = [{'rel': 'next', 'href': f'{self.server.service.url}collections/{collection}/items?{following}'}]
            self.whole(200, 'application/geo+json', {
                'type': 'FeatureCollection', 'numberMatched': len(rows), 'numberReturned': len(page),
                'links': links if start + limit < len(rows) else [], 'features': [world.feature(v) for v in page]})
            return
        rows = list(world.matching(query)) if query.get('versions') == 'true' else world.standing(query)
        rows = [v for v in rows if not v.get('withdrawn')]
        names = ['id', 'time', 'longitude', 'latitude', 'category', 'weight', 'magnitude']
        names += [name for name in query.get('properties', '').split(',') if name]
        if query.get('versions') == 'true':
            names += ['exact', 'known_from', 'known_to']
        columns = {name: [v.get(COLUMNS.get(name, name)) for v in rows[:limit]] for name in names}
        self.whole(200, 'application/json', {
            'type': 'EventColumns', 'seq': len(world.changes), 'columns': columns,
            'numberReturned': len(rows[:limit]), 'truncated': len(rows) > limit, 'links': []})

    def stream(self, world, query):
        after = int(self.headers.get('Last-Event-ID') or query.get('after', len(world.changes)))
        coming = queue.Queue()
        with world.lock:
            missed = [c for c in world.changes if c['seq'] > after]
            world.streams.append(coming)
        try:
            self.send_response(200)
            self.send_header('Content-Type', 'text/event-stream')
            self.send_header('Connection', 'close')
            self.end_headers()
            self.close_connection = True
            self.wfile.write(b'retry: 200\n: scripted\n\n')
            self.wfile.flush()
            while True:
                change = missed.pop(0) if missed else coming.get(timeout=self.server.service.beat)
                if change is None:
                    return
                if 'gap' in change:
                    text = f'event: gap\ndata: {json.dumps(change["gap"])}\n\n'
                else:
                    text = f'id: {change["seq"]}\nevent: change\ndata: {json.dumps(shown(change))}\n\n'
                self.wfile.write(text.encode())
                self.wfile.flush()
        except (OSError, queue.Empty):
            pass
        finally:
            world.streams.remove(coming)


def shown(change):
    return {k: v for k, v in change.items() if k != 'at_ms'}


def file_of(name, folder=None):
    """A file of the page, or of the folder that is assembled of it; None: there is no such file."""
    places = [folder / name] if folder else [VENDOR / name[len('vendor/'):]] if name.startswith('vendor/') else [folder / name for folder in PAGE]
    return next((place.read_bytes() for place in places if place.is_file()), None)


ROUND = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
ROUND += [days * 86_400 for days in (1, 2, 7, 14, 30, 90, 365)]


def bin_of(query, now):
    """The length of a histogram's bins in seconds, at most `bins` of them."""
    low, _, high = query['datetime'].partition('/')
    seconds = ((now if high == '..' else milliseconds(high)) - milliseconds(low)) // 1000
    return next(length for length in ROUND if seconds // length + 2 <= int(query['bins']))


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        # A browser that closes drops its connections.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Scripted:
    """A service of scripted data. `answers` has answers by path that come first: a document, a status, a status and
    the type of the problem, or a function of the query that gives one of these or None to pass on; `asked` has the
    targets of all requests. `folder` has the page as it is assembled, which comes compressed, as the answers do then; else
    it comes from the sources."""

    def __init__(self, world=None, folder=None):
        self.world = world or World()
        self.folder = folder
        self.answers = {}
        self.asked = []
        self.beat = 60
        self.server = Server(('127.0.0.1', 0), Handler)
        self.server.service = self
        self.url = f'http://127.0.0.1:{self.server.server_port}/'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def gap(self):
        """Tells all streams that changes are missing, and ends them."""
        for stream in list(self.world.streams):
            stream.put({'gap': {'oldest': 1, 'newest': len(self.world.changes)}})
            stream.put(None)

    def cut(self):
        """Ends all streams without a word."""
        for stream in list(self.world.streams):
            stream.put(None)

    def close(self):
        self.cut()
        self.server.shutdown()
        self.server.server_close()


# MARK: - The program

@functools.cache
def assembled():
    """The folder with the page, its library and compressed files, up to date."""
    made = subprocess.run([ROOT / 'scripts' / 'assets.sh'], stdout=subprocess.PIPE, text=True, check=True)
    return ROOT / made.stdout.strip()


class Program:
    """`visiventd serve` over a database that polls of feeds have filled."""

    def __init__(self, configuration, **serve):
        """`configuration`: the text of the settings without `serve:`, in which @RUN@ stands for a new folder; `serve`:
        more keys of that section."""
        self.folder = tempfile.TemporaryDirectory(prefix='visiventd-page.')
        self.run = self.folder.name
        self.configuration = self.run + '/visiventd.yaml'
        text = f'{configuration}\nserve:\n  page: "{assembled()}"\n  configuration: true\n'
        text += ''.join(f'  {key}: {json.dumps(value)}\n' for key, value in serve.items())
        self.base = serve.get('base_path', '')
        Path(self.configuration).write_text(text.replace('@RUN@', self.run), encoding='utf-8')
        self.process = None

    def command(self, *arguments):
        """Output of a command that must succeed."""
        done = subprocess.run(
            [PROGRAM, *arguments, '--config', self.configuration], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f'visiventd {" ".join(arguments)}: {done.stderr or done.stdout}')
        return done.stdout

    def serve(self):
        log = self.run + '/serve.log'
        with open(log, 'w', encoding='utf-8') as file:
            self.process = subprocess.Popen(
                [PROGRAM, 'serve', '--config', self.configuration, '--listen', '127.0.0.1:0'], stderr=file)
        for _ in range(600):
            found = re.search(r' serving listen=(\S+)', Path(log).read_text(encoding='utf-8'))
            if found:
                self.address = found[1]
                self.url = f'http://{self.address}{self.base}/'
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError('visiventd serve does not listen: ' + Path(log).read_text(encoding='utf-8'))

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait(20)
        self.folder.cleanup()


# MARK: - The browser

class Visit:
    """A visit of a page at `url`. At its end nothing may have gone wrong but what `allowed` (a pattern) says."""

    def __init__(self, browser, url, width=1280, height=800, allowed=None, **options):
        self.url, self.allowed = url, allowed
        self.context = browser.new_context(
            viewport={'width': width, 'height': height}, service_workers='block', **options)
        self.errors = []
        self.requests = []
        self.context.on('request', self.note_request)
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error('policy', e.violatedDirective, e.blockedURI));")
        self.page = self.new_page()

    def new_page(self):
        """A page of the visit. One that is not needed any more is best closed: its map is drawn from time to time."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on('console', lambda message: message.type in ('error', 'warning') and self.errors.append(
            f'{message.text} {message.location.get("url", "")}'))
        page.on('pageerror', lambda error: self.errors.append(str(error)))
        return page

    def note_request(self, request):
        self.requests.append(request.url)
        if not request.url.startswith((self.url, 'data:', 'blob:')):
            self.errors.append('request to another host: ' + request.url)

    def open(self, hash='#in=0', page=None):
        """Opens the page and waits until its parts stand and the record is there. An address without a hash is the first
        sight: the list is open, the window is a day, and the globe turns."""
        page = self.page = page or self.page
        # Its load ends with that of the map's library, which has a time of its own.
        page.goto(self.url + hash, wait_until='commit')
        page.wait_for_selector('body[data-page=ready]', state='attached')
        page.wait_for_function("() => document.getElementById('progress').hidden")
        return page

    def map_ready(self):
        self.page.wait_for_selector('body[data-map=ready]', state='attached')

    def map_whole(self):
        """Waits until the map is at rest with the finer shapes, which come when the page is idle."""
        self.map_ready()
        finer = "() => visiventd.map.map.querySourceFeatures('disputed').length > 0"
        self.page.wait_for_function(finer)
        # The event leads to the whole map, and must not become the answer.
        self.page.evaluate("""() => new Promise((done) => {
            visiventd.map.map.once('idle', () => done());
            visiventd.map.redraw();
        })""")

    def empty(self):
        """Opens a document of the same origin without a script, in which modules can be imported."""
        self.page.goto(self.url + 'page/test/app/dom.js')
        return self.page

    def close(self):
        self.context.close()
        wrong = [e for e in self.errors if not (self.allowed and re.search(self.allowed, e))
                 and not re.search(DRIVER, e, re.I)]
        if wrong:
            raise AssertionError('the browser complains: ' + '; '.join(wrong)[:600])


class Tests:
    """What a test gets: a browser, and services and visits that are closed after it."""

    def __init__(self, browser):
        self.browser = browser
        self.open = []

    def scripted(self, world=None, folder=None):
        return self.keep(Scripted(world, folder))

    def program(self, configuration, **serve):
        return self.keep(Program(configuration, **serve))

    def visit(self, url, **options):
        return self.keep(Visit(self.browser, url, **options))

    def keep(self, thing):
        self.open.append(thing)
        return thing

    def close(self, silently=False):
        """Closes all, the last first; the first complaint is raised unless `silently`."""
        complaint = None
        while self.open:
            try:
                self.open.pop().close()
            except Exception as error:
                complaint = complaint or error
        if complaint and not silently:
            raise complaint


REGISTERED = []


def comes(page, is_so):
    """Whether what the service sees becomes so, while the page goes on."""
    for _ in range(PATIENCE // 50):
        if is_so():
            return True
        page.wait_for_timeout(50)
    return False


def click_map(page, x, y):
    """Clicks into the map, and waits until the page has heard of it: a click that does nothing shows no other sign."""
    page.evaluate("() => { window.isHeard = false; visiventd.map.map.once('click', () => { window.isHeard = true; }); }")
    page.mouse.click(x, y)
    page.wait_for_function('() => window.isHeard')


def test(text, needs_program=False, brief=True):
    """Registers the decorated function as a test, in the short form only if `brief`; its argument is a `Tests`."""
    def register(function):
        if brief or not BRIEF:
            REGISTERED.append((text, needs_program, function))
        return function
    return register


def passes(browser, function):
    """Runs a test in new contexts of the browser. If it fails, a comment says why."""
    tests = Tests(browser)
    try:
        function(tests)
        tests.close()
        return True
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        trace = next((f for f in reversed(frames) if f.name != 'same' and '/test_' in f.filename), frames[-1])
        words = str(error).replace('\n', ' ')[:600]
        print(f'# {type(error).__name__} at {Path(trace.filename).name}:{trace.lineno}: {words}')
        tests.close(silently=True)
        return False


def main():
    """Runs the tests of a file; with arguments those whose text has one of them. The status is 1 if one failed."""
    failed, again = False, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for text, needs_program, function in REGISTERED:
            if sys.argv[1:] and not any(word in text for word in sys.argv[1:]):
                continue
            if needs_program and not PROGRAM:
                print(f'ok - {text} # SKIP VISIVENTD does not name the program', flush=True)
                continue
            if passes(browser, function):
                print(f'ok - {text}', flush=True)
            elif TWICE:
                again.append((text, function))
                print(f'# failed, and is tried again at the end: {text}', flush=True)
            else:
                failed = True
                print(f'not ok - {text}', flush=True)
        for text, function in again:
            if passes(browser, function):
                print(f'# flaky: passed at the second try: {text}\nok - {text}', flush=True)
            else:
                failed = True
                print(f'not ok - {text}', flush=True)
        browser.close()
    sys.exit(1 if failed else 0)
