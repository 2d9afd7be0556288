#!/usr/bin/env python3
"""The core of the page: the modules without a screen, loading, live changes, erasure, one connection for all tabs. With
the program: what was known when, and erasure, against visiventd itself."""
import json
import os
import time
import urllib.request

from browser import HOUR, World, comes, main, rfc3339, test


def module(tests, name, body, argument=None):
    """The result of a function's body in which `m` is a module of the page and `a` an argument."""
    page = tests.visit(tests.scripted().url, allowed='favicon').empty()
    script = "async (a) => { const m = await import('/page/test/app/%s'); %s }" % (name, body)
    return page.evaluate(script, argument)


def same(found, expected):
    if found != expected:
        raise AssertionError(f'{found!r:.1500} in place of {expected!r:.1500}')


# MARK: - Modules

@test('state: one call for all that has changed, and none for what has not')
def _(tests):
    same(module(tests, 'state.js', '''
        const s = m.createState({ zoom: 3 }), calls = [];
        s.subscribe((view, changed) => { calls.push([...changed].sort()); if (changed.has('heat')) s.set({ pins: false }); });
        const end = s.subscribe(() => calls.push('second'));
        s.set({ zoom: 3, center: [10, 25], overlays: [] });
        s.set({ heat: true, zoom: 4 });
        end();
        s.set({ box: [1, 2, 3, 4] }); s.set({ box: [1, 2, 3, 4] });
        return [calls, s.get().zoom, s.get().range, Object.isFrozen(s.get())];'''),
         [[['heat', 'zoom'], 'second', ['pins'], 'second', ['box']], 4, 72 * HOUR, True])


@test('hash: a view comes back as it was; defaults and playing are left out')
def _(tests):
    view = {
        'center': [142.4, 38.1], 'zoom': 5.2, 'projection': 'flat', 'range': 7 * 24 * HOUR, 'to': 1795500000000,
        'length': 1800_000, 'end': 1795494000000, 'speed': 600, 'growing': True, 'loop': True, 'then': True, 'pins': False,
        'heat': True, 'home': True, 'colour': 'depth', 'base': 'Streets & more', 'overlays': ['plates, all', 'x=1'],
        'categories': ['news', 'alert'], 'search': 'mag>5 author:"A B" ä&#/', 'box': [170, -50, -170.5, -10],
        'selected': 'event:abc', 'panel': 'list', 'listBy': 'changed', 'sort': '-magnitude', 'inView': True, 'zone': 'utc',
        'scheme': 'light', 'hotspots': True, 'volcanoes': False,
    }
    script = '''
        const { DEFAULTS } = await import('/page/test/app/state.js');
        const hash = m.toHash({ ...DEFAULTS, ...a, playing: true });
        return [m.toHash({ ...DEFAULTS, playing: true }), { ...m.fromHash(hash) }, new URL('http://x/' + hash).hash === hash];'''
    same(module(tests, 'hash.js', script, view), ['', view, True])
    same(module(tests, 'hash.js', "return m.toHash({ ...(await import('/page/test/app/state.js')).DEFAULTS, zoom: 5.2, "
                                  "center: [142.4, 38.1], end: Date.UTC(2026, 10, 20, 12), length: 36e6 })"),
         '#5.2/38.1/142.4&window=10h&end=2026-11-20T12:00Z')


@test('hash: what is unknown or bad is left out')
def _(tests):
    bad = '#1/91/0&range=0h&window=xh&end=yesterday&box=1,2,3&speed=1e9&panel=admin&sel=evil&heat=2&' \
          'constructor=1&__proto__=1&q=%E0%A4%A&nothing&=&zone=utc'
    same(module(tests, 'hash.js', 'return m.fromHash(a)', bad), {'zone': 'utc'})
    same(module(tests, 'hash.js', 'return m.fromHash(a)', '#99/1/2&range=99999d&speed=5000'),
         {'range': 36500 * 24 * HOUR, 'speed': 5000})


@test('filter: the search field\'s words, fields and magnitudes become parameters')
def _(tests):
    cases = {
        'ash cloud': {'q': 'ash cloud'}, 'source:quakes M5+': {'source': 'quakes', 'min_magnitude': '5'},
        'author:"A B" mag>5': {'author': 'A B', 'min_magnitude': '5.000001'}, 'mag >= 4.5 mag<6': {
            'min_magnitude': '4.5', 'max_magnitude': '5.999999'}, 'provider:usgs "two words"': {
            'provider': 'usgs', 'q': 'two words'}, 'note:this <b>': {'q': 'note this <b>'}, '': {},
        'mag>=0': {'min_magnitude': '0'},
    }
    script = '''const { DEFAULTS } = await import('/page/test/app/state.js');
        return Object.fromEntries(a.map((search) =>
          [search, m.toQuery({ ...DEFAULTS, search }, { time: false })]));'''
    same(module(tests, 'filter.js', script, list(cases)), cases)


@test('filter: range, categories and box become parameters, and the whole is told in words')
def _(tests):
    script = '''const { DEFAULTS } = await import('/page/test/app/state.js');
        const view = { ...DEFAULTS, categories: ['news'], box: [1, 2, 3.5, 4], search: 'ash mag>5' };
        const now = Date.UTC(2026, 10, 20, 12, 0, 59);
        return [m.toQuery(view, { now }), m.describe(view),
          m.toQuery({ ...view, to: now }, { now }).datetime];'''
    same(module(tests, 'filter.js', script), [
        {'category': 'news', 'q': 'ash', 'min_magnitude': '5.000001', 'bbox': '1,2,3.5,4',
         'datetime': '2026-11-17T12:00:00.000Z/..'},
        'news, matching “ash mag>5”, in a box, last 72 h', '2026-11-17T12:00:59.000Z/2026-11-20T12:00:59.000Z'])


@test('words: ages, lengths and numbers')
def _(tests):
    script = '''const H = 3600e3;
        return [[3200, 12 * 60e3, 2 * H, 5 * 24 * H, -5].map(m.age), [1800e3, 4 * H, 1.5 * H, 72 * H, 7 * 24 * H].map(m.span),
          [999, 12400, 1234567].map(m.count), m.timeText(Date.UTC(2026, 0, 2, 3, 4, 5), 'utc'), [3.44, 120, 1200].map(m.distance)]'''
    same(module(tests, 'words.js', script), [
        ['3 s', '12 min', '2 h', '5 d', '0 s'], ['30 min', '4 h', '1.5 h', '72 h', '7 d'],
        ['999', '12\u2009400', '1\u2009234\u2009567'], '2026-01-02 03:04:05 UTC', ['3.4 km', '120 km', '1\u2009200 km']])


@test('api: problems in their words, one more try after Retry-After, status 0 without an answer')
def _(tests):
    service = tests.scripted()
    page = tests.visit(service.url, allowed='favicon').empty()
    found = page.evaluate('''async () => {
        const { createApi } = await import('/page/test/app/api.js');
        const tell = (e) => [e.status, e.parameter ?? null, e.message];
        const asked = [];
        const answers = [
          new Response('{"type":"/problems/parameter","title":"Bad parameter","status":400,"parameter":"bbox","detail":"four numbers"}',
            { status: 400 }),
          new Response('busy', { status: 503, headers: { 'retry-after': '0.01' } }), new Response('{"ok":1}'),
          new Response('no', { status: 502 }), new TypeError('Failed to fetch'),
        ];
        globalThis.fetch = async (url) => {
          asked.push(url); const next = answers.shift(); if (next instanceof Error) throw next; return next; };
        const api = createApi({ base: 'http://h/x/' });
        const out = [];
        for (let i = 0; i < 4; i++) out.push(await api.json('status', { a: 1 }).catch(tell));
        return [out, asked.length, asked[0]];
      }''')
    same(found, [[
        [400, 'bbox', 'Bad parameter: four numbers'], {'ok': 1},
        [502, None, 'The service answered 502'], [0, None, 'No answer: The service cannot be reached.'],
    ], 5, 'http://h/x/status?a=1'])


RECORD = '''
    const H = 3600e3;
    const answer = (...rows) => ({ columns: Object.fromEntries(['id', 'time', 'longitude', 'latitude', 'category', 'weight',
      'magnitude', 'depth_km', 'location_precision', 'location_evidence', 'location_radius_km', 'location_country',
      'location_place_id', 'revision', 'withdrawn', 'known_from', 'known_to'].map((k) => [k, rows.map((r) => r[k] ?? null)])) });
    const row = (id, time, known_from = time, known_to = null, more = {}) => ({ id, time, known_from, known_to,
      longitude: 1, latitude: 2, category: 'earthquake', weight: .5, magnitude: 5, revision: 1, ...more });
    const feature = (time, more = {}) => ({ geometry: { type: 'Point', coordinates: [3, 4] },
      properties: { time: new Date(time).toISOString(), category: 'news', revision: 2, ...more } });
    const change = (kind, id, at, more = {}) => ({ kind, id, at: new Date(at).toISOString(), ...more });
    const r = new m.EventRecord();
    const seen = (known = Number.MAX_VALUE) => [...Array(r.count).keys()].filter((i) => r.isVisible(i, known)).map((i) => r.id[i]);
'''


@test('record: answers in any order make one order of time, and none comes twice')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(row('d', 40), row('b', 20)));
        const taken = r.takeDirty();
        r.append(answer(row('c', 30), row('b', 20), row('a', 10), row('e', 50)));
        const dirty = r.takeDirty();
        r.append(answer(row('f', 60)));
        return [r.id, [...r.time.slice(0, r.count)], taken, dirty, r.dirtyFrom, r.range(20, 40), r.range(21, 29),
          r.counts({ home: true }, { from: 0, to: 99 })];'''),
         [['a', 'b', 'c', 'd', 'e', 'f'], [10, 20, 30, 40, 50, 60], 0, 0, 5, [1, 4], [2, 2], {'earthquake': 6}])


@test('record: each moment of knowledge has its own state')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(row('a', 10, 100, 200), row('a', 12, 200, null, { revision: 2 }), row('b', 11, 150, 180)));
        r.applyChange(change('revised', 'a', 300), feature(12));
        r.applyChange(change('withdrawn', 'a', 400), feature(12, { withdrawn: 'deleted' }));
        r.applyChange(change('restored', 'a', 500), feature(12));
        r.applyChange(change('left', 'a', 600), null);
        const at = (t) => { const i = r.version('a', t); return i < 0 ? null : [r.time[i], r.knownFrom[i]]; };
        return [[50, 100, 199, 200, 350, 400, 550, 600].map(at), seen(160), seen(), r.version('a'), r.rows('a').length];'''),
         [[None, [10, 100], [10, 100], [12, 200], [12, 300], None, [12, 500], None], ['a', 'b'], [], -1, 4])


@test('record: changes that answers know of already are taken once')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(row('x', 5, 50), row('a', 10, 100), row('b', 30, 100), row('c', 40, 100)));
        r.append(answer(row('a', 10, 100, 200), row('a', 20, 200), row('b', 30, 100, 210)));   // read after the changes
        r.applyChange(change('revised', 'a', 200), feature(20));
        r.applyChange(change('withdrawn', 'b', 210), feature(30, { withdrawn: 'deleted' }));
        r.applyChange(change('truncated', 'c', 220), null);
        r.applyChange(change('revised', 'a', 200), feature(20));                             // and told again
        const b = r.rows('b')[0];
        return [seen(), r.rows('a').map((i) => [r.time[i], r.knownFrom[i], r.knownTo[i] === Infinity]), r.knownTo[b], r.rows('c')];'''),
         [['x', 'a'], [[10, 100, False], [20, 200, True]], 210, []])


@test('record: nothing is left of an erased event, nor of one merged into it')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(...['a', 'b', 'c', 'd'].map((id, i) => row(id, i * 10, 1, null,
          { location_country: 'DE', location_place_id: 'p' + id, magnitude: 7 }))));
        r.applyChange(change('revised', 'b', 100), feature(25, { magnitude: 6 }));
        r.applyChange(change('merged', 'd', 110, { into: 'b' }), null);
        r.takeDirty();
        r.applyChange(change('withdrawn', 'b', 120), null);
        const numbers = ['time', 'lon', 'lat', 'magnitude', 'weight', 'knownFrom', 'knownTo', 'revision'];
        return [r.id, r.country.length, r.place, r.count, r.dirtyFrom, r.rows('b'), r.rows('d'),
          numbers.every((k) => r[k].slice(r.count).every((n) => n === 0)), [...r.time.slice(0, 2)]];'''),
         [['a', 'c'], 2, ['pa', 'pc'], 2, 1, [], [], True, [0, 20]])


@test('record: what has been merged is erased even if an event between is no longer in the range')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(row('b', 1, 1, null), row('c', 2, 1, null), row('a', 10, 1, null), row('d', 20, 1, null)));
        ['ab', 'bc', 'cd'].forEach(([id, into], i) => r.applyChange(change('merged', id, 100 + i, { into }), null));
        r.prune(5);
        const before = [...r.id];
        r.erase('d');
        return [before, r.id];'''), [['a', 'd'], []])


@test('record: flags, precision and places are as the answer and the feature say')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(row('a', 1, 1, null, { location_evidence: 'author', location_precision: 'city', longitude: null })));
        r.applyChange(change('new', 'b', 9), { geometry: { type: 'Polygon', coordinates: [[[0, 0], [4, 0], [4, 2], [0, 0]]] },
          properties: { time: new Date(2).toISOString(), category: 'alert', location_evidence: 'dateline',
            location_precision: 'country', location_country: 'IT' } });
        r.applyChange(change('new', 'c', 9), { geometry: null, properties: { first_seen: new Date(3).toISOString(), category: 'news' } });
        r.applyChange(change('new', 'd', 9), { geometry: { type: 'Point', coordinates: [1, 1] }, properties: { category: 'news',
            time: new Date(4).toISOString(), location_precision: 'point', location_radius_km: 10 } });
        r.applyChange(change('new', 'e', 9), { geometry: { type: 'Point', coordinates: [1, 1] }, properties: { category: 'news',
            time: new Date(5).toISOString(), location_precision: 'point' } });
        return [[...r.flags.slice(0, 3)], [...r.precision.slice(0, 5)], Number.isNaN(r.lon[0]), [r.lon[1], r.lat[1]], r.country[1],
          Number.isNaN(r.lon[2]), r.time[2], [...r.category.slice(0, 3)].map((i) => r.categories[i])];'''),
         [[1, 2, 0], [2, 4, 0, 2, 1], True, [2, 1], 'IT', True, 3, ['earthquake', 'alert', 'news']])


@test('record: 20 000 changes of 500 events stay bounded, and the order holds')
def _(tests):
    same(module(tests, 'record.js', RECORD + '''
        r.replace(answer(...Array.from({ length: 500 }, (_, i) => row('e' + i, i * 1000, 1))));
        let seed = 5;
        const random = (n) => (seed = (seed * 16807) % 2147483647) % n;
        for (let i = 0; i < 20000; i++) r.applyChange(change('revised', 'e' + random(500), 10000 + i), feature(random(500000)));
        const ordered = [...Array(r.count - 1).keys()].every((i) => r.time[i] <= r.time[i + 1]);
        const most = Math.max(...Array.from({ length: 500 }, (_, i) => r.rows('e' + i).length));
        r.prune(250000);
        return [ordered, most, seen(1e9).length <= 500, r.time[0] >= 250000, new Set(seen()).size === seen().length,
          r.time.slice(r.count).every((n) => n === 0)];'''), [True, 20, True, True, True, True])


# MARK: - The page

def quakes(number, now, hours=71):
    """Invented earthquakes, evenly over some hours before now."""
    def make(i):
        return f'q{i:05d}', {
            'time': now - (i * hours * HOUR // number) - 60_000, 'lon': (i * 7) % 360 - 179.5, 'lat': (i * 3) % 160 - 79.5,
            'magnitude': i % 70 / 10, 'title': f'M {i % 70 / 10} - quake {i}', 'depth_km': i % 600,
        }
    return make


def loaded(page):
    return page.evaluate('() => [...visiventd.record.id].sort()')


def wait_for(page, expression, argument=None):
    """Asks by a timer: a tab behind another one may have no frames."""
    page.wait_for_function(expression, arg=argument, polling=50)


@test('loading: all events of the range, newest first, in slices of at most 10 000, and nothing else is asked for')
def _(tests):
    world = World()
    world.load(23_000, quakes(23_000, world.now))
    visit = tests.visit(tests.scripted(world).url)
    page = visit.open()
    same(page.evaluate('() => [visiventd.record.count, new Set(visiventd.record.id).size]'), [23_000, 23_000])
    # In the page's order: several are on their way at once.
    slices = [target for target in visit.requests if 'f=columns' in target]
    if not 3 <= len(slices) <= 8:
        raise AssertionError(slices)
    first = [target for target in slices if '..' in target]
    same([len(first), slices.index(first[0])], [1, 0])


@test('loading: a slice with too many versions is halved', brief=False)
def _(tests):
    world = World()
    world.load(12_000, lambda i: (f'q{i}', {'time': world.now - 10 * HOUR - i, 'lon': 0, 'lat': 0}))
    visit = tests.visit(tests.scripted(world).url)
    same(visit.open().evaluate('() => visiventd.record.count'), 12_000)


@test('loading: where versions cost too much, the present state comes without them', brief=False)
def _(tests):
    world = World()
    world.load(50, quakes(50, world.now))
    service = tests.scripted(world)
    service.answers['collections/events/items'] = lambda query: (503, 'too-costly') if 'versions' in query else None
    page = tests.visit(service.url, allowed='503').open()
    same(page.evaluate('() => [visiventd.record.count, new Set(visiventd.record.id).size]'), [50, 50])
    page.evaluate('() => visiventd.state.set({ then: true })')
    page.wait_for_selector('#message:has-text("Too much has changed")')


@test('a search loads anew what matches, and the hash has it', brief=False)
def _(tests):
    world = World()
    world.load(40, quakes(40, world.now))
    world.event('n1', category='news', title='Ash over town', lon=10, lat=50)
    visit = tests.visit(tests.scripted(world).url)
    page = visit.open()
    same(len(loaded(page)), 41)
    page.evaluate("() => visiventd.state.set({ search: 'ash' })")
    wait_for(page, '() => visiventd.record.count === 1')
    wait_for(page, "() => location.hash === '#q=ash'")
    again = tests.visit(visit.url).open('#q=ash')
    same(loaded(again), ['n1'])


@test('the hash restores a view in another browser, and a changed hash changes the view')
def _(tests):
    visit = tests.visit(tests.scripted().url)
    page = visit.open('#3/40/20&range=24h&window=2h&cat=news&heat=1&panel=list&by=changed&zone=utc')
    read = "() => (({ zoom, center, range, length, categories, heat, panel, listBy, zone }) => " \
           '({ zoom, center, range, length, categories, heat, panel, listBy, zone }))(visiventd.state.get())'
    same(page.evaluate(read), {
        'zoom': 3, 'center': [20, 40], 'range': 24 * HOUR, 'length': 2 * HOUR, 'categories': ['news'], 'heat': True,
        'panel': 'list', 'listBy': 'changed', 'zone': 'utc'})
    page.evaluate("() => { location.hash = '#window=6h'; }")
    wait_for(page, '() => visiventd.state.get().length === 6 * 3600e3')
    same(page.evaluate('() => { const v = visiventd.state.get(); return [v.range, v.categories, v.heat, v.zone]; }'),
         [72 * HOUR, None, False, 'utc'])


@test('live: new, revised, withdrawn and erased events reach the record by the stream, without another request')
def _(tests):
    world = World()
    world.event('a', title='first', lon=1, lat=1, magnitude=4)
    service = tests.scripted(world)
    # The list may ask for what has just gone.
    visit = tests.visit(service.url, allowed='410')
    page = visit.open()
    wait_for(page, '() => visiventd.record.count === 1')
    del service.asked[:]
    world.event('b', title='second', lon=2, lat=2, magnitude=5)
    wait_for(page, "() => visiventd.record.version('b') >= 0")
    world.event('a', magnitude=4.5)
    wait_for(page, "() => { const r = visiventd.record, i = r.version('a'); return i >= 0 && r.magnitude[i] === 4.5; }")
    world.withdraw('b')
    wait_for(page, "() => visiventd.record.version('b') < 0")
    same(page.evaluate("() => visiventd.record.rows('b').length"), 1)
    world.event('old', title='old', time=world.now - 100 * HOUR, lon=3, lat=3)
    world.erase('a')
    wait_for(page, "() => visiventd.record.rows('a').length === 0")
    same(page.evaluate("() => visiventd.record.rows('old').length"), 0)
    same([target for target in service.asked if 'f=columns' in target], [])


@test('erasure: card, list, record and storage keep nothing of an erased event')
def _(tests):
    world = World()
    world.event('secret', title='Zanzibarquux words', summary='Zanzibarquux text', category='message', lon=1, lat=1,
                author_name='Zanzibarquux Author')
    world.event('other', title='Another', category='news', lon=2, lat=2)
    service = tests.scripted(world)
    # The list may ask for what has just gone.
    visit = tests.visit(service.url, allowed='410')
    page = visit.open('#panel=list&sel=event:secret')
    page.wait_for_selector('#card :text("Zanzibarquux")')
    page.wait_for_selector('#panel :text("Zanzibarquux")')
    world.erase('secret')
    wait_for(page, "() => !document.documentElement.textContent.includes('Zanzibarquux')")
    kept = page.evaluate('''async () => JSON.stringify([visiventd.record.id, { ...localStorage }, { ...sessionStorage },
        await caches.keys(), await indexedDB.databases(), document.title])''')
    same('Zanzibarquux' in kept or 'secret' in kept, False)


@test('a cut connection comes back by itself and misses nothing; a gap loads anew')
def _(tests):
    world = World()
    world.event('a', lon=1, lat=1)
    service = tests.scripted(world)
    visit = tests.visit(service.url, allowed='ERR_INCOMPLETE|ERR_CONNECTION')
    page = visit.open()
    wait_for(page, '() => visiventd.record.count === 1')
    page.wait_for_selector('.live[data-live=ok]')
    service.cut()
    world.event('b', lon=1, lat=1)
    wait_for(page, "() => visiventd.record.version('b') >= 0")
    with page.expect_request(lambda request: 'f=columns' in request.url):
        service.gap()
    wait_for(page, '() => visiventd.record.count === 2')


SHAPES = 'page/test/basemap/ne_110m_countries.topo.json'
ETNA = {'type': 'Feature', 'id': 'etna', 'geometry': {'type': 'Point', 'coordinates': [1, 2]}, 'properties': {'name': 'Etna'}}


START = {'version': '0.0', 'basemaps': [{'name': 'relief', 'tiles': ['tiles/{z}/{x}/{y}.png']}], 'gazetteer': None,
         'overlays': [{'name': 'plates', 'url': 'page/overlays/plates'}], 'attributions': ['GeoNames']}
PLATES = {'type': 'FeatureCollection', 'features': [{'type': 'Feature', 'properties': {}, 'geometry': {
    'type': 'LineString', 'coordinates': [[0, 0], [2, 2]]}}]}


@test('each part that failed asks again by itself: events, histogram, list, volcanoes, cities, shapes', brief=False)
def _(tests):
    world = World()
    world.event('a', title='An event', lon=1, lat=1, magnitude=5)
    service = tests.scripted(world)
    parts = 'collections/events/items', 'summary/histogram', 'collections/volcanoes/items', 'basemap/places', SHAPES
    service.answers = {path: 500 for path in parts}
    page = tests.visit(service.url, allowed='500').open('#5/1/1&panel=list')
    page.wait_for_selector('#message:has-text("scripted")')
    page.wait_for_selector('#panel [role=alert]')
    page.wait_for_selector('canvas[aria-label^="No histogram"]')
    service.answers = {'collections/volcanoes/items': {'features': [ETNA], 'links': []},
                       'basemap/places': {'places': [[1, 1.5, 100_000, 'Catania', 'IT']]}}
    page.wait_for_selector('#panel :text("An event")')
    page.wait_for_selector('canvas[aria-label^="1 "]')
    page.wait_for_selector('#message', state='hidden')
    wait_for(page, '() => visiventd.record.count === 1')
    for source in 'volcanoes', 'cities', 'world':
        wait_for(page, "(name) => visiventd.map.map.getSource(name).serialize().data.features.length > 0", source)


@test('what the service says of itself is asked for again, and so is an overlay', brief=False)
def _(tests):
    service = tests.scripted()
    plates = [500, PLATES]
    service.answers = {'page/start': 500, 'page/overlays/plates': lambda query: plates.pop(0) if plates else PLATES}
    # There is no tile of the base map.
    visit = tests.visit(service.url, allowed='500|404')
    page = visit.open('#5/1/1&over=plates&base=relief')
    visit.map_ready()
    land = "() => visiventd.map.map.getLayoutProperty('land', 'visibility')"
    same(page.evaluate(land), 'visible')
    same('GeoNames' in page.inner_text('#credit'), False)
    service.answers['page/start'] = START
    page.wait_for_selector('#credit:has-text("GeoNames")')
    same(page.evaluate(land), 'none')
    order = page.evaluate("() => visiventd.map.map.getLayersOrder()")
    same([name for name in order if name in ('land', 'base:relief', 'borders', 'overlay:plates', 'grid', 'events')],
         ['land', 'base:relief', 'borders', 'overlay:plates', 'grid', 'events'])
    wait_for(page, "() => visiventd.map.map.getSource('overlay:plates').serialize().data.features.length === 1")
    same(plates, [])


@test('without the service, field, map and numbers agree; once it is back, all is as asked for', brief=False)
def _(tests):
    world = World()
    world.event('weak', title='ash', lon=1, lat=1, magnitude=2)
    world.event('strong', title='smoke', lon=2, lat=2, magnitude=6)
    visit = tests.visit(tests.scripted(world).url, allowed='ERR_')
    page = visit.open('#panel=list')
    number = "(n) => document.querySelector('#chips b').textContent === String(n)"
    wait_for(page, number, 2)
    visit.context.set_offline(True)
    page.evaluate("() => visiventd.state.set({ search: 'mag>=5' })")
    page.wait_for_selector('#message:has-text("cannot be reached")')
    wait_for(page, number, 1)
    same(page.evaluate("() => visiventd.record.version('strong') >= 0"), True)
    page.wait_for_selector('#panel [role=alert]:has-text("cannot be reached")')
    # Which of them a word matches only the service knows.
    page.evaluate("() => visiventd.state.set({ search: 'ash' })")
    wait_for(page, number, 0)
    visit.context.set_offline(False)
    wait_for(page, number, 1)
    page.wait_for_selector('#panel .row:has-text("ash")')
    page.wait_for_selector('#message', state='hidden')


@test('one connection serves all tabs; another takes over when its tab closes, and nothing is missed')
def _(tests):
    world = World()
    world.event('a', lon=1, lat=1)
    service = tests.scripted(world)
    visit = tests.visit(service.url)
    first = visit.open()
    wait_for(first, '() => visiventd.record.count === 1')
    second = visit.open(page=visit.new_page())
    world.event('b', lon=2, lat=2)
    for page in (first, second):
        wait_for(page, "() => visiventd.record.version('b') >= 0")
    same(len(world.streams), 1)
    first.close()
    world.event('c', lon=3, lat=3)
    wait_for(second, "() => visiventd.record.version('c') >= 0")
    world.event('d', lon=4, lat=4)
    wait_for(second, "() => visiventd.record.version('d') >= 0")
    same(second.evaluate('() => visiventd.record.count'), 4)


@test('without the map library the page says so and shows the list', brief=False)
def _(tests):
    world = World()
    world.event('a', title='A listed event', lon=1, lat=1)
    service = tests.scripted(world)
    service.answers['page/test/vendor/maplibre-gl.js'] = 404
    page = tests.visit(service.url, allowed='404|Refused to execute').open()
    page.wait_for_selector('#message:has-text("not installed")')
    page.wait_for_selector('#panel :text("A listed event")')


@test('a refused search is told in the words of the service', brief=False)
def _(tests):
    service = tests.scripted()
    visit = tests.visit(service.url, allowed='400')
    page = visit.open()
    for path in ('summary/histogram', 'collections/events/items'):
        service.answers[path] = 400
    page.evaluate("() => visiventd.state.set({ search: 'x' })")
    page.wait_for_selector('#message:has-text("A scripted failure.")')


@test('without script there is a link to the table', brief=False)
def _(tests):
    visit = tests.visit(tests.scripted().url, java_script_enabled=False)
    visit.page.goto(visit.url)
    link = visit.page.locator('#noscript a')
    same(link.get_attribute('href'), 'collections/events/items?f=html')
    same(link.is_visible(), True)


# MARK: - The program

NOW = int(time.time()) // 60 * 60_000
SETTINGS = """\
database: v.sqlite
sources:
  - {name: quakes, kind: usgs, url: "file://@RUN@/quakes.geojson", max_age: 36500d}
  - {name: messages, kind: twitter, url: "file://@RUN@/messages.ndjson", api: v1.1, enabled: true, max_age: 36500d}
"""


def write(program, name, text):
    """Replaces a feed as a whole."""
    with open(f'{program.run}/{name}.new', 'w', encoding='utf-8') as file:
        file.write(text)
    os.rename(f'{program.run}/{name}.new', f'{program.run}/{name}')


def feed(version):
    """Sixty earthquakes as USGS writes them. With each version some change, one is deleted, and one is new."""
    features = []
    for i in range(60 + version):
        changes = version if i % 7 == version % 7 else 0
        name = f'zz{i:06d}'
        features.append({'type': 'Feature', 'id': name, 'properties': {
            'mag': round(1 + i % 60 / 10 + changes / 10, 1), 'place': f'{i} km N of Nowhere', 'updated': NOW + version * 60_000,
            'time': NOW - (i + 1) * 20 * 60_000 - changes * 1000, 'status': 'deleted' if version > 0 and i == version else
            'reviewed', 'net': 'zz', 'code': name[2:], 'ids': f',{name},', 'sources': ',zz,', 'types': ',origin,',
            'magType': 'ml', 'type': 'earthquake', 'title': f'M {i} - {i} km N of Nowhere'},
            'geometry': {'type': 'Point', 'coordinates': [i * 7 % 360 - 179.5, i * 3 % 170 - 84.5 + changes / 10, 10 + i]}})
    metadata = {'generated': NOW + version * 60_000, 'title': 'Invented', 'status': 200, 'api': '1.0', 'count': len(features)}
    return json.dumps({'type': 'FeatureCollection', 'metadata': metadata, 'features': features})


def message(number, text):
    """A line as the stream of API v1.1 has it."""
    number += 2_028_047_844_111_286_273
    made = time.strftime('%a %b %d %H:%M:%S +0000 %Y', time.gmtime(NOW / 1000 - 600))
    return json.dumps({
        'created_at': made, 'id': number, 'id_str': str(number), 'text': text,
        'user': {'id': 1, 'id_str': '1', 'name': 'Ann', 'screen_name': 'ann', 'location': 'Home'},
        'coordinates': {'type': 'Point', 'coordinates': [12.0, 45.0]}}) + '\n'


def deletion(number):
    number += 2_028_047_844_111_286_273
    status = {'id': number, 'id_str': str(number), 'user_id': 1, 'user_id_str': '1'}
    return json.dumps({'delete': {'status': status, 'timestamp_ms': '1'}}) + '\n'


def answer(program, target):
    with urllib.request.urlopen(program.url + target, timeout=20) as response:
        return json.load(response)


KNOWN = """(known) => { const r = visiventd.record, rows = [];
    for (let i = 0; i < r.count; i++) if (r.isVisible(i, known)) rows.push([r.id[i], r.time[i],
      Number.isNaN(r.magnitude[i]) ? null : Math.round(r.magnitude[i] * 10)]);
    return rows.sort(); }"""


@test('as known then: the record equals the service\'s as_of at ten moments, half loaded and half by the stream',
      needs_program=True)
def _(tests):
    program = tests.program(SETTINGS)
    write(program, 'messages.ndjson', message(0, 'the ground shook'))
    write(program, 'quakes.geojson', feed(0))
    program.command('poll', '--all')
    for version in range(1, 5):
        write(program, 'quakes.geojson', feed(version))
        program.command('poll', 'quakes')
    program.serve()
    page = tests.visit(program.url, allowed='basemap.places').open('#range=30h')
    for version in range(5, 9):
        write(program, 'quakes.geojson', feed(version))
        program.command('poll', 'quakes')
    newest = answer(program, 'status')['change_seq']
    changes = answer(program, 'changes?limit=1000')['changes']
    last = [change for change in changes if change['feature']][-1]
    wait_for(page, '([id, revision]) => { const r = visiventd.record, i = r.version(id); return i >= 0 && '
             'r.revision[i] === revision; }', [last['id'], last['feature']['properties']['revision']])
    same(newest, changes[-1]['seq'])
    moments = sorted({change['at'] for change in changes})
    same(len(moments) >= 9, True)
    for moment in [*moments[:10], rfc3339(int(time.time() * 1000))][:10]:
        then = answer(program, f'collections/events/items?as_of={moment}&limit=1000')
        milliseconds = page.evaluate('Date.parse', moment)
        expected = sorted([f['id'], page.evaluate('Date.parse', f['properties']['time']),
                           round(f['properties']['magnitude'] * 10) if 'magnitude' in f['properties'] else None]
                          for f in then['features'])
        # Changes may follow the one that was waited for.
        comes(page, lambda: page.evaluate(KNOWN, milliseconds) == expected)
        same(page.evaluate(KNOWN, milliseconds), expected)


@test('erasure by the program: a message taken back leaves the record, the card and the list', needs_program=True)
def _(tests):
    program = tests.program(SETTINGS)
    write(program, 'quakes.geojson', feed(0))
    write(program, 'messages.ndjson', message(0, 'the ground shook') + message(1, 'a quetzalcoatlus over the volcano'))
    program.command('poll', '--all')
    program.serve()
    rows = answer(program, 'collections/messages/items')['features']
    identity = next(f['id'] for f in rows if 'quetzalcoatlus' in json.dumps(f))
    page = tests.visit(program.url, allowed='410|basemap.places').open('#panel=list&sel=event:' + identity)
    page.wait_for_selector('#card :text("quetzalcoatlus")')
    same(page.evaluate('(id) => visiventd.record.version(id) >= 0', identity), True)
    write(program, 'messages.ndjson', deletion(1))
    program.command('poll', 'messages')
    wait_for(page, "() => !document.documentElement.textContent.includes('quetzalcoatlus')")
    wait_for(page, '(id) => visiventd.record.rows(id).length === 0', identity)


main()
