"""The foot, the chips, the search field and the settings of the map page, with scripted answers of the reading interface.

Each test opens a page of its own: the modules of page/app, a record of 72 hours, and a map that only notes what it is
handed. The tests turn the clock and hand out the frames.
"""
import datetime
import functools
import json
import sys
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import expect

import browser
from browser import HOUR, PATIENCE, POLICY, comes, file_of, main

BASE = 'http://localhost/'
NOW = 1_795_500_000_000
DAY = 24 * HOUR
PAGE = '''<!doctype html><html lang="en"><meta charset="utf-8"><title>Time</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="page/style.css"><link rel="stylesheet" href="page/time.css">
<h1 class="unseen">Time</h1><header id="head"><div id="search" role="search"></div></header>
<main><button id="elsewhere" type="button">Elsewhere</button><div id="empty" role="status" hidden></div>
<section id="panel" hidden></section><div id="chips" role="group" aria-label="Categories"></div></main><footer id="foot"><div id="timebar"></div></footer>
<script type="module" src="harness.js"></script></html>'''
SCRIPT = '''
import { createState, DEFAULTS } from './page/app/state.js';
import { fromHash, toHash } from './page/app/hash.js';
import { createApi } from './page/app/api.js';
import { EventRecord } from './page/app/record.js';
import * as timewindow from './page/app/timewindow.js';
import { createPlayer } from './page/app/player.js';
import { createTimebar } from './page/app/timebar.js';
import { createChips } from './page/app/chips.js';
import { createEmpty } from './page/app/empty.js';
import { createSearch } from './page/app/search.js';
import { createPanels } from './page/app/panel.js';
import { createSettings } from './page/app/settings.js';
const t = { later: 0, frames: [], shown: [], flights: [], violations: 0, animated: 0 };
const now = () => NOW + t.later;
const state = createState({ zone: 'utc', ...fromHash(location.hash) });
const api = createApi();
const record = new EventRecord();
record.replace(await api.json('columns'));
const told = { state: [], record: [], progress: [] };
const stream = { onState: (f) => told.state.push(f) };
const loader = { onRecord: (f) => told.record.push(f), onProgress: (f) => told.progress.push(f) };
const map = { setFrame: (f) => t.shown.push(f), flyTo: (f) => t.flights.push(f), bounds: () => [1.234, 2, -170.5, 4] };
const parts = { state, api, record, stream, loader, map, start: {}, now };
parts.player = createPlayer({ ...parts, requestFrame: (f) => { t.frames.push(f); t.animated += 1; } });
createSearch({ ...parts, container: document.getElementById('search') });
createChips({ ...parts, container: document.getElementById('chips') });
createEmpty({ ...parts, container: document.getElementById('empty') });
createTimebar({ ...parts, container: document.getElementById('timebar') });
const addPanel = createPanels({ ...parts, container: document.getElementById('panel') });
createSettings({ ...parts, addPanel, defaults: DEFAULTS });
// Hands out a frame: its time in ms.
let time = 1000;
t.frame = (ms = 100, times = 1) => {
  for (let i = 0; i < times; i += 1) { time += ms; for (const f of t.frames.splice(0)) f(time); }
};
addEventListener('securitypolicyviolation', () => { t.violations += 1; });
window.t = Object.assign(t, parts, { timewindow, hash: () => toHash(state.get()),
  tell: (kind, value) => told[kind].forEach((f) => f(value)) });
'''.replace('NOW', str(NOW))


def stamp(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')


def moment(text):
    return int(datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp() * 1000)


class Api:
    """72 hours: an earthquake half past each hour, twelve more 30 hours ago, news each six hours, four messages lately."""

    def __init__(self):
        self.events = [(NOW - h * HOUR - HOUR // 2, 'earthquake') for h in range(72)]
        self.events += [(NOW - 30 * HOUR + 60_000 * n, 'earthquake') for n in range(1, 13)]
        self.events += [(NOW - h * HOUR - 60_000, 'news') for h in range(0, 72, 6)]
        self.events += [(NOW - 600_000 * n, 'message') for n in range(1, 5)]
        self.asked = []
        self.places = {'places': [[15.09, 37.5, 290_000, 'Catania'], [-3.7, 40.42, 3_000_000, 'Cata <b>Two</b>', 'ES']]}
        self.histogram = None
        self.answers = {}

    def columns(self):
        rows = sorted(self.events)
        return {'type': 'EventColumns', 'seq': 9, 'truncated': False, 'columns': {
            'id': [f'e{i}' for i in range(len(rows))], 'time': [r[0] for r in rows], 'category': [r[1] for r in rows],
            'longitude': [0.0] * len(rows), 'latitude': [0.0] * len(rows), 'weight': [1] * len(rows),
            'magnitude': [None] * len(rows), 'location_precision': ['point'] * len(rows),
            'known_from': [r[0] + 60_000 for r in rows], 'known_to': [None] * len(rows)}}

    def bins(self, query):
        length = browser.bin_of(query, NOW)
        begin, end = query['datetime'].split('/')
        bins = {}
        for time, category in self.events:
            if time >= moment(begin) and (end == '..' or time <= moment(end)):
                bin = bins.setdefault(time // (length * 1000) * length * 1000, {})
                bin[category] = bin.get(category, 0) + 1
        return {'seq': 9, 'bin': length, 'truncated': False, 'bins': [
            {'start': stamp(start), 'count': sum(bin.values()), 'categories': bin} for start, bin in sorted(bins.items())]}

    def answer(self, path, query):
        if path in self.answers:
            return self.answers[path]
        if path == 'columns':
            return 200, self.columns()
        if path == 'summary/histogram':
            return self.histogram or (200, self.bins(query))
        if path == 'basemap/places':
            return 200, self.places
        if path == 'collections/events':
            return 200, {'extent': {'temporal': {'interval': [[stamp(NOW - 200 * HOUR), stamp(NOW)]]}}}
        return 404, {'type': '/problems/not-found', 'title': 'Not found', 'status': 404, 'detail': 'there is nothing'}

    def handle(self, route):
        parts = urlsplit(route.request.url)
        assert route.request.url.startswith(BASE), f'foreign host: {route.request.url}'
        path = parts.path.lstrip('/')
        head = {'content-security-policy': POLICY, 'content-type': 'application/json'}
        own = {'': (PAGE, 'text/html'), 'harness.js': (SCRIPT, 'text/javascript')}
        if path in own:
            return route.fulfill(body=own[path][0], headers=head | {'content-type': own[path][1]})
        if path == 'favicon.ico':
            return route.fulfill(status=204)
        if path.startswith('page/'):
            kind = 'text/css' if path.endswith('.css') else 'text/javascript'
            return route.fulfill(body=file_of(path[5:]), headers=head | {'content-type': kind})
        query = dict(parse_qsl(parts.query))
        self.asked.append((path, query))
        status, body = self.answer(path, query)
        route.fulfill(status=status, body=json.dumps(body), headers=head)

    def of(self, path):
        return [query for asked, query in self.asked if asked == path]


class View:
    """A page, and what went wrong in it."""

    def __init__(self, browser, api, width=1280, height=800, hash='', **more):
        self.context = browser.new_context(viewport={'width': width, 'height': height}, timezone_id='Europe/Zurich', **more)
        self.context.route('**/*', api.handle)
        self.page, self.errors = self.context.new_page(), []
        self.page.set_default_timeout(PATIENCE)
        self.page.on('pageerror', lambda e: self.errors.append(str(e)))
        self.page.on('console', lambda m: m.type == 'error' and 'Failed to load resource' not in m.text
                     and self.errors.append(m.text))
        self.page.goto(BASE + hash)
        self.until('window.t')
        self.until('/^(?!0 events)./.test(document.querySelector("canvas").ariaLabel ?? "")')
        self.at = self.page.locator

    def until(self, condition):
        """Waits for a condition, without the eval that the policy forbids and that wait_for_function needs."""
        self.page.evaluate('''() => new Promise((done, fail) => {
          const late = performance.now() + PATIENCE;
          const look = () => ((CONDITION) ? done() : performance.now() > late ? fail(new Error('not in PATIENCE ms')) : setTimeout(look, 16));
          look();
        })'''.replace('PATIENCE', str(PATIENCE)).replace('CONDITION', condition))

    def do(self, script):
        return self.page.evaluate(script)

    def set(self, **patch):
        self.page.evaluate('patch => t.state.set(patch)', patch)

    def get(self, key):
        return self.page.evaluate('key => t.state.get()[key]', key)

    def frame(self):
        return self.do('t.timewindow.frame(t.state.get(), t.now())')

    def x(self, ms):
        """Where a time is on the track, in pixels of the page."""
        box, f = self.at('.track').bounding_box(), self.frame()
        return box['x'] + (ms - f['rangeFrom']) / (f['rangeTo'] - f['rangeFrom']) * box['width']

    def drag(self, start, end, steps=4):
        """Drags from one place to another; `end` None: leaves the button down."""
        y = self.at('.track').bounding_box()['y'] + 20
        self.page.mouse.move(start, y)
        self.page.mouse.down()
        self.page.mouse.move(end, y, steps=steps)

    def drop(self):
        self.page.mouse.up()

    def label(self):
        return self.at('.range').text_content()

    def lit(self, x, category):
        """Whether the histogram has the colour of a category in the column at x of the page."""
        return self.page.evaluate('''([x, name]) => {
          const canvas = document.querySelector('.track canvas'), box = canvas.getBoundingClientRect();
          const probe = document.createElement('canvas').getContext('2d');
          probe.fillStyle = getComputedStyle(canvas).getPropertyValue(name);
          probe.fillRect(0, 0, 1, 1);
          const want = probe.getImageData(0, 0, 1, 1).data;
          const column = canvas.getContext('2d').getImageData(Math.round((x - box.left) * devicePixelRatio), 0, 1, canvas.height).data;
          let count = 0;
          for (let i = 0; i < column.length; i += 4) if ([0, 1, 2].every((j) => Math.abs(column[i + j] - want[j]) < 4)) count += 1;
          return count;
        }''', [x, category])

    def close(self):
        violations = self.do('t.violations')
        self.context.close()
        assert not self.errors, self.errors
        assert violations == 0, f'{violations} reports of the policy'


def test(function, brief=True):
    """Registers a test, which gets the answers to change and a function that opens the page with them."""
    def run(tests):
        api = Api()
        function(api, lambda **options: tests.keep(View(tests.browser, api, **options)))
    return browser.test('time: ' + function.__name__.replace('_', ' '), brief=brief)(run)


# Registers a test that the short form leaves out.
further = functools.partial(test, brief=False)


def near(a, b, by=1):
    assert abs(a - b) <= by, f'{a} is not {b} within {by}'


# The window (row 8)


@test
def window_begins_at_the_present_in_the_given_words(api, open):
    v = open()
    assert v.label() == '24 Nov 02:00 UTC – now (4 h)'
    assert v.frame() == {'rangeFrom': NOW - 72 * HOUR, 'rangeTo': NOW, 'from': NOW - 4 * HOUR, 'to': NOW, 'known': sys.float_info.max}
    assert v.do('t.shown.at(-1)') == v.frame()
    # An hour later the window has followed the present.
    v.do('t.later = 3600e3; t.tell("record")')
    assert v.do('t.shown.at(-1).to') == NOW + HOUR
    assert v.label() == '24 Nov 03:00 UTC – now (4 h)'


@test
def now_leads_back_from_the_past_and_takes_no_room(api, open):
    v = open()
    present = v.at('.now')
    places = lambda: v.at('.play, .speed, .track, .range, .live').evaluate_all(
        'all => all.map((n) => { const { x, y, width, height } = n.getBoundingClientRect(); return [x, y, width, height]; })')
    expect(present).to_be_hidden()
    before = places()
    v.set(end=NOW - 58 * HOUR)
    assert v.label() == '21 Nov 16:00 – 20:00 UTC (4 h)'
    expect(present).to_be_visible()
    present.click()
    assert v.get('end') is None and v.get('to') is None
    expect(present).to_be_hidden()
    expect(v.at('.range')).to_be_focused()
    # From another day, too; and neither the past nor playing has moved anything.
    v.set(to=NOW - 30 * DAY)
    assert places() == before
    v.at('.play').click()
    v.do('t.frame(100, 11)')
    assert places() == before
    present.click()
    assert v.get('to') is None and v.get('playing') is False
    assert places() == before


@further
def nothing_in_the_window_tells_the_newest_and_leads_there(api, open):
    v = open()
    api.answers['collections/events/items'] = 200, {'features': [
        {'id': 'far', 'properties': {'time': stamp(NOW - 900 * DAY)}}], 'links': []}
    v.do("t.tell('progress', { done: 100, total: 100, error: null })")
    note = v.at('#empty')
    expect(note).to_be_hidden()
    v.set(categories=['alert'])
    expect(note).to_contain_text('No alerts 24 Nov 02:00 UTC – now (4 h). The newest is of 7 Jun 2024 06:00.')
    asked = api.of('collections/events/items')[-1]
    assert (asked['category'], asked['limit'], asked['datetime']) == ('alert', '1', f'../{stamp(NOW)}'), asked
    # Words that stay the same are not written, and so not read aloud, again.
    v.do('''t.writes = 0; new MutationObserver(() => { t.writes += 1; })
      .observe(document.getElementById('empty'), { subtree: true, childList: true, characterData: true })''')
    looks = len(api.of('collections/events/items'))
    v.set(home=True)
    v.until('performance.getEntriesByType("resource").filter((one) => one.name.includes("home=include")).length')
    v.set(home=False, box=[1, 2, 3, 4])
    v.until('performance.getEntriesByType("resource").filter((one) => one.name.includes("bbox=1")'
            ' && one.name.includes("items")).length')
    assert v.do('t.writes') == 0 and len(api.of('collections/events/items')) == looks + 2
    v.set(box=None)
    note.get_by_role('button', name='Go there').click()
    assert v.get('selected') == 'event:far' and v.get('to') == NOW - 900 * DAY + 2 * HOUR
    f = v.frame()
    assert f['from'] <= NOW - 900 * DAY <= f['to'], f
    # Nothing is said while it is played, and where the service has none that is older.
    api.answers['collections/events/items'] = 200, {'features': [], 'links': []}
    v.set(to=None, search='ash')
    expect(note).to_contain_text('No alerts that match “ash” 24 Nov 02:00 UTC – now (4 h). None is older.')
    expect(note.get_by_role('button')).to_be_hidden()
    v.set(playing=True)
    expect(note).to_be_hidden()


@test
def both_edges_and_the_body_can_be_dragged(api, open):
    v = open()
    v.drag(v.x(NOW - 4 * HOUR), v.x(NOW - 10 * HOUR))
    v.drop()
    assert v.get('end') is None
    near(v.get('length'), 10 * HOUR, HOUR / 2)
    # The body: the middle of the window goes 58 hours back.
    v.set(length=10 * HOUR)
    v.drag(v.x(NOW - 5 * HOUR), v.x(NOW - 63 * HOUR))
    v.drop()
    assert v.get('length') == 10 * HOUR
    near(v.get('end'), NOW - 58 * HOUR, HOUR / 2)
    assert v.label().endswith('UTC (10 h)') and ' – ' in v.label(), v.label()
    assert v.at('.edge.left').get_attribute('aria-valuetext').endswith('; ' + v.label())
    # The right edge leaves the left one where it is.
    f = v.frame()
    v.drag(v.x(f['to']), v.x(f['to'] + 6 * HOUR))
    v.drop()
    assert v.frame()['from'] == f['from']
    near(v.get('length'), 16 * HOUR, HOUR / 2)
    # At the end of the range the window follows the present again.
    v.drag(v.x(NOW - 60 * HOUR), v.x(NOW + 40 * HOUR))
    v.drop()
    assert v.get('end') is None
    assert v.label().endswith('UTC – now (16 h)')
    # Nothing moves while the button is up.
    v.page.mouse.move(v.x(NOW - 50 * HOUR), v.at('.track').bounding_box()['y'] + 20)
    assert v.get('end') is None


@test
def edges_obey_the_keyboard(api, open):
    v = open()
    left, right = v.page.get_by_role('slider', name='Window begins'), v.page.get_by_role('slider', name='Window ends')
    left.focus()
    v.page.keyboard.press('ArrowLeft')
    assert v.get('length') == 4 * HOUR + 600_000
    v.page.keyboard.press('PageUp')
    assert v.get('length') == 4 * HOUR - 90 * 60_000
    right.focus()
    v.page.keyboard.press('ArrowLeft')
    assert v.get('end') == NOW - 600_000 and v.get('length') == 140 * 60_000
    assert right.get_attribute('aria-valuetext').startswith('2026-11-24 05:50:00 UTC'), right.get_attribute('aria-valuetext')
    assert int(right.get_attribute('aria-valuenow')) == (NOW - 600_000) // 60_000
    assert int(right.get_attribute('aria-valuemax')) == NOW // 60_000
    v.page.keyboard.press('End')
    assert v.get('end') is None
    left.focus()
    v.page.keyboard.press('Home')
    assert v.label() == '21 Nov 06:00 UTC – now (72 h)'
    v.page.keyboard.press('End')
    assert v.get('length') == 600_000


@further
def steps_of_windows_and_days_take_the_range_along(api, open):
    v = open()
    step = lambda n, unit='window': v.do(f't.state.set(t.timewindow.step(t.state.get(), {n}, t.now(), "{unit}"))')
    step(-1)
    assert v.get('end') == NOW - 4 * HOUR and v.get('to') is None
    step(1)
    assert v.get('end') is None
    step(1)
    assert v.get('end') is None and v.get('to') is None
    step(-2, 'day')
    assert v.get('end') == NOW - 48 * HOUR and v.get('to') is None
    step(-1, 'day')
    assert v.frame()['to'] == NOW - 72 * HOUR and v.frame()['from'] == v.frame()['rangeFrom'] == NOW - 76 * HOUR
    step(4, 'day')
    assert v.get('end') is None and v.get('to') is None


# Playing (row 10, check 22)


@test
def playing_slides_the_window_to_the_present(api, open):
    v = open()
    v.at('.play').click()
    assert v.get('playing') and v.get('end') == NOW - 68 * HOUR
    expect(v.at('.play')).to_have_attribute('aria-label', 'Pause')
    v.do('t.shown.length = 0; t.frame(100, 11)')
    # One frame sets the clock, ten move it: an hour at 3600 times real time.
    assert v.get('end') == NOW - 67 * HOUR
    shown = v.do('t.shown')
    assert len(shown) == 10 and [f['to'] - f['from'] for f in shown] == [4 * HOUR] * 10
    assert v.label() == '21 Nov 07:00 – 11:00 UTC (4 h)'
    near(v.at('.window').bounding_box()['x'], v.x(NOW - 71 * HOUR), 2)
    assert len(api.of('summary/histogram')) == 1
    v.set(speed=86400)
    v.do('t.frame(100, 50)')
    assert v.get('playing') is False and v.get('end') is None
    assert v.label() == '24 Nov 02:00 UTC – now (4 h)'
    assert v.do('t.frames.length') == 0
    expect(v.at('.play')).to_have_attribute('aria-label', 'Play')
    # Paused, it stays where it is, and goes on from there.
    v.do('t.player.play(); t.frame(77, 5); t.player.toggle()')
    end = v.get('end')
    v.do('t.frame(100, 5)')
    assert v.get('end') == end
    v.do('t.player.toggle(); t.frame(0); t.frame(50)')
    assert v.get('end') == end + 50 * 86400
    # A pause of the browser is no leap.
    v.do('t.frame(60000)')
    assert v.get('end') == end + 1050 * 86400


@further
def playing_begins_with_the_first_event_that_shows(api, open):
    v = open()
    v.set(categories=['message'])
    v.at('.play').click()
    assert v.get('end') == NOW - 40 * 60_000
    # Where nothing shows, and where the window has been put, it begins as ever.
    v.set(playing=False, end=None, categories=['alert'])
    v.at('.play').click()
    assert v.get('end') == NOW - 68 * HOUR
    v.set(playing=False, end=NOW - 50 * HOUR)
    v.at('.play').click()
    assert v.get('end') == NOW - 50 * HOUR


@further
def dragging_while_playing_jumps(api, open):
    v = open()
    v.at('.play').click()
    v.do('t.frame(100, 11)')
    # Outside the window a press jumps, with the middle of the window under the pointer.
    v.drag(v.x(NOW - 20 * HOUR), v.x(NOW - 20 * HOUR))
    near(v.get('end'), NOW - 18 * HOUR, HOUR / 2)
    assert v.get('playing')
    v.drop()
    held = v.get('end')
    v.do('t.frame(100, 10)')
    assert v.get('end') == held + HOUR
    # The body jumps, too.
    end = v.get('end')
    v.drag(v.x(end - 2 * HOUR), v.x(end - 42 * HOUR))
    v.drop()
    near(v.get('end'), end - 40 * HOUR, HOUR / 2)
    assert v.get('playing') and v.get('length') == 4 * HOUR


@further
def length_changes_while_playing(api, open):
    v = open()
    v.at('.play').click()
    v.do('t.frame(100, 101)')
    end = v.get('end')
    v.drag(v.x(end - 4 * HOUR), v.x(end - 8 * HOUR))
    v.drop()
    near(v.get('length'), 8 * HOUR, HOUR / 2)
    v.do('t.frame(100, 10)')
    assert v.get('playing') and v.get('end') == end + HOUR
    assert v.do('t.shown.at(-1).to - t.shown.at(-1).from') == v.get('length')


@test
def window_can_grow_loop_and_know_what_was_known(api, open):
    v = open()
    v.at('.play').click()
    v.at('.speed').click()
    menu = v.page.get_by_role('dialog', name='Range of time')
    menu.get_by_label('Growing').check()
    assert v.get('growing')
    v.do('t.frame(100, 21)')
    f = v.frame()
    assert f['from'] == NOW - 72 * HOUR and f['to'] == NOW - 66 * HOUR
    menu.get_by_label('As then known').check()
    assert v.get('then') and v.do('t.shown.at(-1).known') == NOW - 66 * HOUR
    menu.get_by_label('Loop').check()
    menu.get_by_label('Speed').select_option('1 d a second')
    assert v.get('speed') == 86400
    expect(v.at('.speed')).to_have_text('1 d a second')
    v.page.keyboard.press('Escape')
    v.do('t.frame(250, 11)')
    f = v.frame()
    assert f['from'] == f['to'] == NOW - 72 * HOUR and v.get('playing')
    v.do('t.frame(250)')
    assert v.frame()['to'] == NOW - 66 * HOUR
    # Dragging its left edge makes the growing window one that slides.
    v.do('t.player.pause()')
    v.drag(v.x(NOW - 72 * HOUR), v.x(NOW - 70 * HOUR))
    v.drop()
    assert not v.get('growing')
    near(v.get('length'), 4 * HOUR, HOUR / 2)


@test
def address_restores_time_in_a_new_browser(api, open):
    v = open()
    v.do('t.player.play(); t.frame(100, 33); t.player.pause()')
    v.set(growing=True, loop=True, speed=7200, range=48 * HOUR, to=NOW - 10 * HOUR, length=90 * 60_000, end=NOW - 20 * HOUR,
          categories=['news', 'earthquake'], search='mag>5')
    other = open(hash=v.do('t.hash()'))
    for key in ('growing', 'loop', 'speed', 'range', 'to', 'length', 'end', 'categories', 'search'):
        assert other.get(key) == v.get(key), key
    assert other.label() == v.label() and other.frame() == v.frame()
    expect(other.at('.speed')).to_have_text('2 h a second')
    assert other.at('#search input[type=search]').input_value() == 'mag>5'
    assert other.get('playing') is False


@further
def reduced_motion_moves_by_itself_nothing(api, open):
    v = open(reduced_motion='reduce')
    v.do('t.frame(100, 20)')
    assert v.do('t.animated') == 0 and v.get('playing') is False
    # Asked to play, it goes step by step: once a second.
    v.at('.play').click()
    v.do('t.shown.length = 0; t.frame(100, 31)')
    assert v.do('t.shown.length') == 3 and v.get('end') == NOW - 65 * HOUR
    # Asked for while playing, it stops.
    w = open()
    w.do('t.player.play(); t.frame(100, 3)')
    w.page.emulate_media(reduced_motion='reduce')
    w.until('!t.state.get().playing')


# The range (rows 9, 15, 30, 31)


@test
def ranges_can_be_chosen(api, open):
    v = open()
    v.at('.range').click()
    menu = v.page.get_by_role('dialog', name='Range of time')
    expect(menu.get_by_role('spinbutton', name='Range in hours')).to_have_value('72')
    for name, hours, words in [('1 h', 1, '24 Nov 05:56 UTC – now (4 min)'), ('24 h', 24, '24 Nov 04:40 UTC – now (80 min)'),
                               ('7 d', 168, '23 Nov 20:40 UTC – now (9 h)'), ('30 d', 720, '22 Nov 14:00 UTC – now (40 h)')]:
        menu.get_by_role('button', name=name, exact=True).click()
        assert v.get('range') == hours * HOUR
        assert v.label() == words
    menu.get_by_role('button', name='All').click()
    # All is in the window, too, and what is played then has a window that moves.
    v.until('t.state.get().range === 200 * 3600e3')
    assert v.get('length') == 200 * HOUR
    range, window = menu.get_by_role('spinbutton', name='Range in hours'), menu.get_by_role('spinbutton', name='Window in hours')
    range.fill('48')
    range.press('Enter')
    window.fill('6')
    window.press('Enter')
    assert v.label() == '24 Nov 00:00 UTC – now (6 h)'
    # What is no length changes nothing.
    for text in ('', '-3'):
        window.fill(text)
        window.press('Tab')
        assert v.label() == '24 Nov 00:00 UTC – now (6 h)' and window.input_value() == '6'
    v.page.keyboard.press('Escape')
    expect(menu).to_be_hidden()
    expect(v.at('.range')).to_be_focused()
    v.page.keyboard.press('Enter')
    expect(menu).to_be_visible()
    v.page.mouse.click(700, 300)
    expect(menu).to_be_hidden()
    v.until('t.state.get().range === 48 * 3600e3')
    assert comes(v.page, lambda: api.of('summary/histogram')[-1]['datetime'] == f'{stamp(NOW - 48 * HOUR)}/..')


@further
def all_without_an_answer_says_so(api, open):
    v = open()
    v.at('.range').click()
    api.answers['collections/events'] = 500, {'title': 'No answer', 'status': 500, 'detail': 'gone'}
    v.page.get_by_role('button', name='All').click()
    said = v.page.get_by_role('dialog').get_by_role('alert')
    expect(said).to_have_text('No answer: gone')
    assert v.get('range') == 72 * HOUR
    del api.answers['collections/events']
    v.page.get_by_role('button', name='All').click()
    v.until('t.state.get().range === 200 * 3600e3')
    expect(said).to_be_empty()


@further
def days_can_be_chosen(api, open):
    for zone, first in (('utc', '2026-11-23T00:00:00Z'), ('local', '2026-11-22T23:00:00Z')):
        v = open()
        v.set(zone=zone)
        v.at('.range').click()
        following = v.page.get_by_role('button', name='Next day')
        expect(following).to_be_disabled()
        before = v.page.get_by_role('button', name='Previous day')
        before.click()
        assert v.get('to') == moment(first) + DAY and v.get('range') == DAY
        assert v.frame()['to'] == v.get('to')
        before.click()
        assert v.get('to') == moment(first)
        following.click()
        following.click()
        assert v.get('to') is None and v.get('end') is None
        near(v.get('range'), NOW - moment(first) - DAY)
        day = v.page.get_by_role('textbox', name='Day, YYYY-MM-DD')
        # It has the form of all other dates, whatever the browser's language is.
        assert day.get_attribute('type') is None
        day.fill('2026-11-21')
        day.press('Enter')
        assert v.get('to') == moment(first) - DAY and v.get('range') == DAY
        v.until('!document.querySelector(".range").textContent.includes("now")')
        # What is no day that has been changes nothing.
        for wrong in '2026-12-24', '21.11.2026', '2026-13-41', '':
            day.fill(wrong)
            day.press('Enter')
            assert v.get('to') == moment(first) - DAY and day.input_value() == '2026-11-21', wrong
    # A day on which the clocks change has 25 hours.
    day.fill('2026-10-25')
    day.press('Enter')
    assert v.get('range') == 25 * HOUR


# The histogram (row 27)


@test
def histogram_shows_bins_by_category(api, open):
    v = open()
    asked = api.of('summary/histogram')[0]
    assert asked == {'bins': '200', 'by': 'category', 'datetime': f'{stamp(NOW - 72 * HOUR)}/..'}, asked
    assert v.at('canvas').get_attribute('aria-label') == \
        '100 events in 72 h; most: 2026-11-23 00:00 · 12 earthquakes', v.at('canvas').get_attribute('aria-label')
    peak = v.x(NOW - 30 * HOUR) + 3
    assert v.lit(peak, '--quake') > 30
    assert v.lit(v.x(NOW) - 3, '--message') > 0 and v.lit(peak, '--news') == 0
    # The filter by category needs no request.
    v.set(categories=['news'])
    v.until('document.querySelector("canvas").ariaLabel.startsWith("12 events")')
    assert v.lit(peak, '--quake') == 0
    assert len(api.of('summary/histogram')) == 1
    v.set(categories=None)
    # What a bin holds is told under the pointer; a press goes there.
    v.page.mouse.move(peak, v.at('.track').bounding_box()['y'] + 20)
    expect(v.at('.track')).to_have_attribute('title', '2026-11-23 00:00 · 12 earthquakes')
    v.page.mouse.down()
    v.page.mouse.up()
    near(v.get('end') - v.get('length') / 2, NOW - 30 * HOUR, HOUR)
    # The search filters the histogram, too.
    v.set(search='ash mag>=5 source:quakes', box=[1, 2, 3, 4], categories=['news'])
    assert comes(v.page, lambda: 'q' in api.of('summary/histogram')[-1])
    asked = api.of('summary/histogram')[-1]
    assert (asked['q'], asked['min_magnitude'], asked['source'], asked['bbox']) == ('ash', '5', 'quakes', '1,2,3,4')
    assert 'category' not in asked


@test
def histogram_that_cannot_be_had_is_told(api, open):
    api.histogram = (503, {'title': 'Too costly', 'status': 503, 'detail': 'narrow it'})
    v = open()
    expect(v.at('canvas')).to_have_attribute('aria-label', 'No histogram: Too costly: narrow it')
    v.at('.play').click()
    v.do('t.frame(100, 11)')
    assert v.get('end') == NOW - 67 * HOUR
    api.histogram = None
    v.set(range=24 * HOUR)
    v.until('document.querySelector("canvas").ariaLabel.includes("events in 24 h")')


@further
def histogram_stays_without_an_answer_and_says_that_it_is_old(api, open):
    v = open()
    v.until('document.querySelector("canvas").ariaLabel.startsWith("100 events")')
    peak = lambda: v.x(NOW - 30 * HOUR) + 3
    # How opaque the highest bar is, right of the mark of midnight.
    alpha = lambda: v.page.evaluate('''(x) => {
      const canvas = document.querySelector('.track canvas'), left = canvas.getBoundingClientRect().left;
      const { data } = canvas.getContext('2d').getImageData(Math.round(x - left) - 2, canvas.height - 20, 2, 1);
      return Math.max(...data.filter((_, i) => i % 4 === 3));
    }''', peak())
    assert alpha() == 255
    api.histogram = (503, {'title': 'No answer', 'status': 503, 'detail': 'gone'})
    v.set(range=71 * HOUR)
    expect(v.at('canvas')).to_have_attribute('aria-label', 'The histogram is old: No answer: gone')
    assert v.lit(peak(), '--quake') > 30 and 0 < alpha() < 128, alpha()
    # What another search has found does not stay.
    v.set(search='ash')
    expect(v.at('canvas')).to_have_attribute('aria-label', 'No histogram: No answer: gone')
    assert v.lit(peak(), '--quake') == 0
    api.histogram = None
    v.set(search='')
    v.until('/^[1-9]/.test(document.querySelector("canvas").ariaLabel)')
    assert alpha() == 255


@test
def live_is_never_said_without_an_age(api, open):
    v = open()
    chip = v.at('.live')
    expect(chip).to_have_text('Connecting')
    say = lambda **state: v.page.evaluate('s => t.tell("state", s)', {'live': True, 'since': NOW, 'ageMs': 3000} | state)
    say()
    expect(chip).to_have_text('Live · 3 s')
    assert chip.get_attribute('data-live') == 'ok'
    # Nor while the past is shown, from the first moment on.
    v.at('.play').click()
    expect(chip).to_have_text('Past')
    assert chip.get_attribute('data-live') == 'dim'
    say()
    expect(chip).to_have_text('Past')
    v.set(playing=False, end=None)
    expect(chip).to_have_text('Live · 3 s')
    v.set(to=NOW - DAY)
    expect(chip).to_have_text('Past')
    v.set(to=None)
    say(ageMs=None)
    expect(chip).to_have_text('Connecting')
    # A source that fails is named, since when, and colours the dot of the past, too.
    since = stamp(NOW - 2 * HOUR)
    say(upkeep={'state': 'late', 'since': since, 'late': [{'name': '<b>quakes</b>', 'state': 'failing', 'since': since}]})
    expect(chip).to_have_text('Late: <b>quakes</b> · 2 h')
    assert chip.get_attribute('data-live') == 'warn'
    assert chip.get_attribute('title') == '<b>quakes</b> fails since 24 Nov 04:00'
    v.set(to=NOW - DAY)
    expect(chip).to_have_text('Past')
    assert chip.get_attribute('data-live') == 'warn'
    v.set(to=None)
    say(upkeep={'state': 'stopped', 'reason': 'no_daemon', 'since': stamp(NOW - 6 * 60_000), 'late': []})
    expect(chip).to_have_text('Not updating · 6 min')
    assert chip.get_attribute('data-live') == 'bad' and chip.get_attribute('title') == 'No daemon runs since 24 Nov 05:54'
    # Where a proxy keeps the state of the sources, nothing is connecting for ever.
    say(ageMs=None, isClosed=True)
    expect(chip).to_have_text('Connected')
    say(live=False)
    expect(chip).to_have_text('Not live')
    assert chip.get_attribute('data-live') == 'bad'
    chip.click()
    assert v.get('panel') == 'sources'
    chip.click()
    assert v.get('panel') is None


# Chips and search (rows 3, 24)


@test
def chips_are_legend_count_and_filter(api, open):
    v = open()
    chips = v.at('.chip')
    expect(chips).to_have_count(4)
    texts = chips.all_text_contents()
    assert texts == ['●earthquakes4', '▲volcanic activity0', '■news1', '◆messages4'], texts
    assert chips.evaluate_all('all => all.map((c) => c.getAttribute("aria-pressed"))') == ['true'] * 4
    boxes = lambda: chips.evaluate_all('all => all.map((c) => getComputedStyle(c, "::before").content[1])')
    assert boxes() == ['☑'] * 4, boxes()
    v.page.get_by_role('button', name='news').click()
    assert v.get('categories') == ['earthquake', 'volcano', 'message', 'alert', 'other']
    assert boxes() == ['☑', '☑', '☐', '☑'], boxes()
    v.page.get_by_role('button', name='news').click()
    assert v.get('categories') is None
    # One alone: with Alt, and by the second of two clicks; the same way all come back.
    v.page.get_by_role('button', name='news').click(modifiers=['Alt'])
    assert v.get('categories') == ['news']
    v.page.get_by_role('button', name='news').click(modifiers=['Alt'])
    assert v.get('categories') is None
    v.page.get_by_role('button', name='volcanic activity').dblclick()
    assert v.get('categories') == ['volcano'] and boxes() == ['☐', '☑', '☐', '☐'], boxes()
    v.page.get_by_role('button', name='volcanic activity').dblclick()
    assert v.get('categories') is None
    # The last one cannot be taken away.
    for name in ('earthquakes', 'volcanic activity', 'news', 'messages'):
        v.page.get_by_role('button', name=name).click()
    assert v.get('categories') is None
    # The counts are those of the window.
    v.set(end=NOW - 28 * HOUR)
    expect(v.at('.chip b').nth(0)).to_have_text('16')
    # As then known, what became known later does not count.
    v.set(then=True, end=NOW - 24 * HOUR - 30_000)
    expect(v.at('.chip b').nth(2)).to_have_text('0')
    v.set(then=False)
    # Another category joins once there is an event of it.
    v.do('''() => { t.record.applyChange({ kind: 'new', id: 'x', at: new Date(t.now()).toISOString() },
      { properties: { time: new Date(t.now() - 1000).toISOString(), category: 'flood <b>' } }, t.now()); t.tell('record'); }''')
    v.set(end=None)
    expect(chips).to_have_count(5)
    expect(chips.nth(4)).to_contain_text('flood <b>')
    expect(v.at('.chip b').nth(4)).to_have_text('1')


@test
def search_filters_and_flies_to_places(api, open):
    v = open()
    field = v.page.get_by_role('searchbox', name='Search')
    v.at('#elsewhere').focus()
    v.page.keyboard.press('/')
    expect(field).to_be_focused()
    v.page.keyboard.type('cata')
    option = v.at('#places button')
    expect(option).to_have_count(2)
    expect(option.nth(1)).to_have_text('→ Cata <b>Two</b>, Spain')
    assert api.of('basemap/places') == [{'q': 'cata', 'limit': '6'}]
    assert v.get('search') == ''
    v.page.keyboard.press('ArrowDown')
    expect(option.first).to_be_focused()
    v.page.keyboard.press('Enter')
    assert v.do('t.flights') == [{'center': [15.09, 37.5], 'zoom': 8}]
    assert field.input_value() == '' and v.get('search') == ''
    # With the pointer.
    field.fill('cata')
    option.nth(1).click()
    assert v.do('t.flights.length') == 2
    # Enter without a chosen place searches.
    field.fill('ash mag>5')
    field.press('Enter')
    assert v.get('search') == 'ash mag>5' and len(api.of('basemap/places')) == 2
    v.set(search='other')
    assert field.input_value() == 'other'
    # Escape takes back: first the places, then the search.
    field.fill('cata')
    expect(option).to_have_count(2)
    v.page.keyboard.press('ArrowDown')
    v.page.keyboard.press('Escape')
    expect(option).to_have_count(0)
    expect(field).to_be_focused()
    v.page.keyboard.press('Escape')
    assert v.get('search') == '' and field.input_value() == ''


@further
def search_without_places_offers_none(api, open):
    v = open()
    v.do('t.start.gazetteer = null')
    field = v.page.get_by_role('searchbox', name='Search')
    with v.page.expect_response('**/collections/volcanoes/items**'):
        field.fill('catania')
    assert v.at('#places li').count() == 0
    field.press('Enter')
    assert v.get('search') == 'catania'
    assert not api.of('basemap/places')


@further
def search_suggests_and_says_what_it_does_not_understand(api, open):
    point = {'type': 'Point', 'coordinates': [-98.62, 19.02]}
    api.answers['collections/volcanoes/items'] = 200, {'features': [
        {'id': 'gvp:341090', 'geometry': point, 'properties': {'name': 'Popocatépetl <b>', 'country': 'Mexico'}}]}
    api.answers['status'] = 200, {'sources': [{'name': 'quakes'}, {'name': 'portal'}]}
    v = open()
    field, option, said = v.page.get_by_role('searchbox', name='Search'), v.at('#places button'), v.at('#search-said')
    field.fill('Popocat')
    expect(option.first).to_have_text('▲ Popocatépetl <b>, Mexico')
    assert api.of('collections/volcanoes/items') == [{'q': 'Popocat*', 'limit': '4'}]
    option.first.click()
    assert v.get('selected') == 'volcano:gvp:341090'
    assert v.do('t.flights.at(-1)') == {'center': [-98.62, 19.02], 'zoom': 7}
    field.fill('port')
    expect(option).to_contain_text(['source:portal', 'Country: Portugal'])
    option.filter(has_text='Portugal').click()
    assert v.get('selected') == 'country:PT'
    field.fill('ash dep')
    option.filter(has_text='depth>=100').click()
    assert v.get('search') == 'ash depth>=100'
    field.fill('cat:news')
    field.press('Enter')
    assert v.get('categories') == ['news'] and v.get('search') == ''
    v.set(categories=None)
    field.fill('heft>3')
    expect(said).to_contain_text('“heft>3” is no filter and searched as words.')
    assert field.get_attribute('aria-invalid') == 'true'
    field.fill('xyzzy')
    field.press('Enter')
    v.page.evaluate("t.tell('progress', { done: 0, total: 0, error: null })")
    expect(said).to_have_text('Nothing of this range matches “xyzzy”.')
    v.at('#elsewhere').focus()
    expect(said).to_be_hidden()


@further
def sliders_of_magnitude_and_depth_write_into_the_search(api, open):
    v = open(hash='#q=ash mag<7')
    least = v.page.get_by_label('Magnitude at least')
    expect(least).to_be_hidden()
    v.page.get_by_role('searchbox', name='Search').focus()
    least.fill('4.5')
    assert v.get('search') == 'ash mag<7 mag>=4.5'
    v.page.get_by_label('Depth at most').fill('300')
    assert v.get('search') == 'ash mag<7 mag>=4.5 depth<=300'
    least.fill('0')
    assert v.get('search') == 'ash mag<7 depth<=300'
    # What is typed and not yet searched is not lost.
    v.page.get_by_role('searchbox', name='Search').fill('smoke mag<8')
    v.page.get_by_label('Depth at least').fill('70')
    assert v.get('search') == 'smoke mag<8 depth>=70', v.get('search')
    v.set(search='mag>=6')
    assert least.input_value() == '6'


@test
def search_can_be_kept_to_the_view_of_the_map(api, open):
    v = open()
    field, here = v.page.get_by_role('searchbox', name='Search'), v.at('.sliders button')
    expect(here).to_be_hidden()
    field.focus()
    v.set(search='ash')
    here.click()
    assert v.get('box') == [1.23, 2, -170.5, 4] and v.get('search') == 'ash'
    assert 'box=1.23,2,-170.5,4' in v.do('t.hash()'), v.do('t.hash()')
    expect(field).to_be_focused()
    expect(here).to_have_text('Search everywhere')
    here.click()
    assert v.get('box') is None
    expect(here).to_have_text('Search this view')


@test
def all_fits_a_phone_and_can_be_reached(api, open):
    v = open(width=375, height=812, has_touch=True)
    v.page.evaluate('t.tell("state", { live: true, since: 0, ageMs: 3000 })')
    wide = 'document.documentElement.scrollWidth <= 375 && document.getElementById("foot").scrollWidth <= 375'
    assert v.do(wide)
    v.at('.play').click()
    v.at('.range').click()
    assert v.do(wide)
    # The chips scroll in their row.
    boxes = v.at('#foot button:visible, #foot input:visible, #chips').evaluate_all(
        'all => all.map((n) => [n.getBoundingClientRect().left, n.getBoundingClientRect().right, n.getBoundingClientRect().height])')
    assert all(left >= 0 and right <= 375 and height >= 24 for left, right, height in boxes), boxes
    foot, chips = v.at('#foot').bounding_box(), v.at('#chips').bounding_box()
    assert chips['y'] + chips['height'] <= foot['y'] + 1, (chips, foot)
    v.page.keyboard.press('Escape')
    # First sight has five controls in the foot: play, its speed, the window with its two edges, the range, the sources.
    w = open()
    assert w.at('#foot button:visible, #foot input:visible, #foot .track').count() == 5
    names = []
    w.at('#search input[type=search]').focus()
    # The three sliders and what keeps the search to the view come while it has the focus.
    for _ in range(14):
        w.page.keyboard.press('Tab')
        names.append(w.do('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent'))
    assert names[5:] == ['●earthquakes4', '▲volcanic activity0', '■news1', '◆messages4', 'Play',
                         'Playing: 1 h a second', 'Window begins', 'Window ends', '24 Nov 02:00 UTC – now (4 h)'], names


# The settings (rows 15, 16)


@test
def settings_show_values_and_faults_in_the_words_of_the_answer(api, open):
    file = '/etc/visiventd/visiventd.yaml'
    api.answers['configuration'] = 200, {'file': file, 'faults': [], 'values': [
        {'key': 'refresh_interval', 'source': 'quakes', 'value': '5m', 'line': 7, 'default': False, 'accepted': 'a duration'},
        {'key': 'log.file', 'value': None, 'default': True, 'accepted': 'a path'}]}
    v = open()
    v.set(panel='settings')
    rows = v.at('#panel tbody tr')
    expect(rows).to_have_count(2)
    assert [r.split('\t') for r in rows.all_inner_texts()] == [
        ['quakes: refresh_interval', '5m', 'line 7'], ['log.file', 'none', 'default']], rows.all_inner_texts()
    expect(v.page.get_by_role('table', name=file)).to_be_visible()
    keys, check = v.page.get_by_label('Keys'), v.page.get_by_role('button', name='Check')
    # Nothing, and what is no edit, is not asked for.
    check.click()
    keys.fill('refresh_interval')
    check.click()
    assert not api.of('configuration/check')
    words = f'{file}:7:5: sources[0].refresh_interval: found "1s"; accepted: a duration from 10s to 366d'
    api.answers['configuration/check'] = 200, {
        'faults': [{'key': 'sources[0].refresh_interval', 'found': 'found "1s"', 'accepted': 'a duration', 'words': words}],
        'yaml': 'refresh_interval: 1s', 'command': 'visiventd set quakes refresh_interval=1s'}
    keys.fill('refresh_interval = 1s\n\n')
    check.click()
    expect(v.at('#panel .faults li')).to_have_text([words])
    assert v.at('#panel pre').count() == 0
    assert api.of('configuration/check') == [{'source': 'quakes', 'refresh_interval': '1s'}]
    # What only takes keys away has a command and no lines.
    api.answers['configuration/check'] = 200, {'faults': [], 'yaml': '', 'command': 'visiventd set quakes refresh_interval='}
    keys.fill('refresh_interval=')
    check.click()
    expect(v.at('#panel pre')).to_have_text(['visiventd set quakes refresh_interval='])
    api.answers['configuration/check'] = 200, {
        'faults': [], 'yaml': 'refresh_interval: 10m', 'command': 'visiventd set quakes refresh_interval=10m'}
    keys.fill('refresh_interval=10m')
    check.click()
    expect(v.at('#panel pre')).to_have_text(['visiventd set quakes refresh_interval=10m', 'refresh_interval: 10m'])
    # A key that no source may have is refused in words.
    api.answers['configuration/check'] = 400, {'title': 'Bad parameter', 'status': 400, 'detail': 'a key of the source'}
    check.click()
    expect(v.at('#panel .failure')).to_have_text('Bad parameter: a key of the source')


@further
def settings_say_why_the_configuration_is_not_shown(api, open):
    detail = 'the configuration is not shown: serve.configuration is false'
    api.answers['configuration'] = 404, {'title': 'Not found', 'status': 404, 'detail': detail}
    v = open()
    v.set(panel='settings', heat=True)
    expect(v.at('#panel').get_by_text(detail, exact=True)).to_be_visible()
    assert v.at('#panel [role=alert], #panel form').count() == 0
    # Faults of the file itself leave no values.
    api.answers['configuration'] = 200, {'file': 'v.yaml', 'values': [], 'faults': [{'words': 'v.yaml:3:1: unknown key'}]}
    v.set(panel=None)
    v.set(panel='settings')
    expect(v.at('#panel .faults li')).to_have_text(['v.yaml:3:1: unknown key'])
    assert v.at('#panel form').count() == 0
    v.page.get_by_role('button', name='Reset the view').click()
    assert v.get('heat') is False and v.get('panel') is None


@browser.test('time: arrows move the window while a button has the focus')
def arrows(tests):
    visit = tests.visit(tests.scripted().url)
    page = visit.open()
    hours = lambda: page.evaluate(
        '() => visiventd.state.get().end && Math.round((Date.now() - visiventd.state.get().end) / 3600e3)')
    for focused in ('#btn-list', '.chip', '.live'):
        page.locator(focused).first.focus()
        page.keyboard.press('ArrowLeft')
        assert hours() == 4, (focused, hours())
        page.keyboard.press('ArrowRight')
        page.keyboard.press('ArrowRight')
        assert hours() is None, (focused, hours())
        page.keyboard.press('Shift+ArrowLeft')
        assert hours() == 24, (focused, hours())
        page.keyboard.press('Shift+ArrowRight')
        page.keyboard.press('Shift+ArrowRight')
    # A space presses the button, and plays elsewhere.
    page.keyboard.press(' ')
    assert page.evaluate('visiventd.state.get().panel') == 'sources'
    page.locator('.edge.left').focus()
    page.keyboard.press(' ')
    assert page.evaluate('visiventd.state.get().playing') is True
    # The menu of the range has arrows and Escape for itself.
    page.evaluate('visiventd.state.set({ playing: false, end: null })')
    page.locator('.range').click()
    page.get_by_role('button', name='72 h', exact=True).focus()
    page.keyboard.press('ArrowLeft')
    assert hours() is None
    page.keyboard.press('Escape')
    page.wait_for_selector('#range-menu', state='hidden')
    assert page.evaluate('visiventd.state.get().panel') == 'sources'


main()
