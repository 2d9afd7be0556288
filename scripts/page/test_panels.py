#!/usr/bin/env python3
"""The card, the list and the other panels of the page."""
import threading
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import expect

from browser import HOUR, PATIENCE, World, comes, main, milliseconds, rfc3339, test

LIBRARY = 'page/test/vendor/maplibre-gl.js'
ITEMS = 'collections/events/items'
ETNA = {'type': 'Feature', 'id': 'gvp:211060', 'geometry': {'type': 'Point', 'coordinates': [14.993, 37.748]},
        'properties': {'name': 'Etna', 'country': 'Italy', 'number': 211060, 'text': 'Smokes.', 'distance_km': 9.2,
                       'webcam': 'http://example.org/webcam', 'picture': 'http://example.org/etna.jpg'}}
AROUND = {'nearest_cities': [{'name': 'Catania', 'words': '29 km NNW of Catania, <b>Italy</b>'}],
          'exposure': {'within_50_km': 812000, 'within_100_km': 2400000}}
TOASTS = '''async () => {
    const { createToasts } = await import('/page/test/app/toasts.js');
    window.toasts = createToasts({ ...visiventd, container: document.getElementById('toasts'),
      stream: { onState: (fn) => { window.tell = fn; } } });
    await toasts.check();
}'''


class Panels:
    """The page over a world: without the library of its map, which takes seconds, unless `map`."""

    def __init__(self, tests, world, hash='', answers=(), map=False, allowed='410', **options):
        self.world, self.service = world, tests.scripted(world)
        self.service.answers = {**({} if map else {LIBRARY: 404}), **dict(answers)}
        visit = tests.visit(self.service.url, allowed=f'404|Refused to execute|{allowed}', **options)
        self.context, self.page = visit.context, visit.open(f'#zone=utc&{hash}')
        # Without a map the page opens the list, which must not come in between.
        self.page.wait_for_function('(can) => visiventd.map.canDraw === can', arg=map)
        if map:
            visit.map_ready()
        self.card, self.panel = self.page.locator('#card'), self.page.locator('#panel')
        self.rows = self.panel.locator('.row button > [dir=auto]')

    def set(self, **patch):
        self.page.evaluate('(patch) => visiventd.state.set(patch)', patch)

    def get(self, key):
        return self.page.evaluate('(key) => visiventd.state.get()[key]', key)

    def until(self, key, value):
        self.page.wait_for_function('([key, value]) => visiventd.state.get()[key] === value', arg=[key, value])

    def select(self, selected, *words):
        """Selects something, and waits for words in its card."""
        self.set(selected=selected)
        for text in words:
            expect(self.card).to_contain_text(text)

    def asked(self, path):
        """The parameters of all requests for a path."""
        targets = map(urlsplit, self.service.asked)
        return [dict(parse_qsl(target.query)) for target in targets if target.path == '/' + path]

    def until_asked(self, path, **wanted):
        """Waits for a request for a path with these parameters, among others."""
        is_asked = comes(self.page, lambda: any(wanted.items() <= query.items() for query in self.asked(path)))
        assert is_asked, f'{path} is not asked for with {wanted}, but with {self.asked(path)}'

    def scroll_to(self, number):
        """Scrolls down until the list has so many rows."""
        def has():
            self.panel.locator('.row').last.scroll_into_view_if_needed()
            return self.rows.count() >= number
        assert comes(self.page, has), self.rows.count()


def events(*rows):
    """A world of earthquakes: id, age in hours, and properties of each."""
    world = World()
    for identity, hours, properties in rows:
        world.event(identity, **{'title': f'Event {identity}', 'time': world.now - int(hours * HOUR), **properties})
    return world


def placed(**properties):
    return {'lon': 14.99, 'lat': 37.75, **properties}


def ago(hours):
    return rfc3339(World().now - int(hours * HOUR))


def held(gate, document, asked=None):
    """An answer to the first request, which sets `asked` and waits for `gate`; the world answers the others."""
    waiting = [document]

    def answer(query):
        if not waiting:
            return None
        first = waiting.pop()
        if asked:
            asked.set()
        gate.wait(PATIENCE / 1000)
        return first
    return answer


# MARK: - The card

@test('card: an event with its place, its history, its sources, and what is near')
def _(tests):
    world = events(('q', 2, placed(
        magnitude=5.4, depth_km=10.0, status='reviewed', place_text='9 km N of Etna',
        details={'magType': 'mb', 'felt': 1234, 'alert': 'yellow', 'tsunami': 1, 'nst': 87},
        location_method='coordinates', link='https://earthquake.usgs.gov/x', summary='Strong shaking.')))
    path = f'{ITEMS}/q'
    item = world.feature(world.versions[-1]) | AROUND
    v = Panels(tests, world, 'sel=event:q', {
        'collections/volcanoes/items': {'features': [ETNA], 'links': []}, path: item,
        f'{path}/history': {'history': [
            {'revision': 2, 'at': ago(1), 'source': 'quakes', 'changes': {'magnitude': {'from': 4.8}}},
            {'revision': 3, 'at': ago(0.5), 'source': 'significant', 'changes': {
                'time': {'from': '2026-03-01T21:07:40.120Z', 'to': '2026-03-01T21:07:40.560Z'},
                'magnitude': {'from': 4.9, 'to': 5.4}, 'status': {'from': None, 'to': 'reviewed'},
                'details': {'from': {'sig': 1}, 'to': {'sig': 2}}}}]},
        f'{path}/sources': {'sources': [{'source': 'quakes', 'first_seen': ago(2), 'missing_since': ago(1)},
                                        {'source': 'significant', 'first_seen': ago(1)}]}})
    for words in ('Event q', 'M 5.4 mb', 'reviewed', '10.0 km (fixed', 'Strong shaking.', '9 km N of Etna',
                  'the coordinates in the feed', '37.750° N', '2 h ago', ' UTC', 'Etna 9.2 km',
                  '29 km NNW of Catania, <b>Italy</b>', 'at least 812\u2009000 within 50 km', '1\u2009234 reports',
                  'yellow: some losses', 'flagged', '87 stations',
                  'by significant', 'Further details', 'quakes since', ':40.120', ':40.560'):
        expect(v.card).to_contain_text(words)
    assert v.card.locator('[data-field]:not([data-field=time])').evaluate_all(
        '(all) => all.map((n) => [n.dataset.field, ...[...n.children].map((part) => part.textContent)])') == [
            ['M', '4.9', '5.4'], ['status', '–', 'reviewed'], ['M', '4.8', 'not known']]
    assert ['missing since' in text for text in v.card.locator('[data-source]').all_inner_texts()] == [True, False]
    link = v.card.get_by_role('link', name='earthquake.usgs.gov')
    assert link.get_attribute('rel') == 'noopener noreferrer nofollow'
    assert f'{path}?f=json' in v.card.get_by_role('link', name='Raw JSON').get_attribute('href')
    v.card.get_by_role('button', name='Etna').click()
    v.until('selected', 'volcano:gvp:211060')


@test('card: an event is shown on the map', brief=False)
def _(tests):
    v = Panels(tests, events(('q', 2, placed())), 'sel=event:q', map=True)
    v.card.get_by_role('button', name='Show on the map').click()
    v.page.wait_for_function('() => { const { center: [lon, lat], zoom } = visiventd.state.get(); '
                             'return Math.abs(lon - 14.99) < .1 && Math.abs(lat - 37.75) < .1 && zoom >= 6; }')
    # On a phone above the card.
    v.page.close()
    phone = Panels(tests, events(('q', 2, placed())), 'sel=event:q', map=True, width=375, height=812)
    phone.card.get_by_role('button', name='Show on the map').click()
    phone.page.wait_for_function(
        '() => { const { x, y } = visiventd.map.map.project([14.99, 37.75]); return visiventd.state.get().zoom >= 6 '
        "&& Math.abs(x - 187) < 10 && y > 60 && y < document.getElementById('card').getBoundingClientRect().top - 40; }")


@test('card: how well a place is known, and why there is none', brief=False)
def _(tests):
    found = placed(location_method='gazetteer', location_confidence=0.35, category='message')
    v = Panels(tests, events(
        ('home', 1, found | {'location_precision': 'city', 'location_evidence': 'author', 'location_radius_km': 8,
                             'location_matched_text': 'Ändå', 'location_name': 'Catania, <b>Sicily</b>'}),
        ('desk', 1, found | {'location_precision': 'city', 'location_evidence': 'dateline'}),
        ('land', 1, found | {'location_precision': 'country', 'location_matched_text': 'Italy'}),
        ('none', 1, {'place_text': 'Atlantis', 'location_missing': 'not_found'})))
    v.select('event:home', 'Ändå', 'Catania, <b>Sicily</b>', 'found by name in the city table',
             'the home of the author', 'precise to a city', '8 km around it', 'confidence 35 %', '37.750° N')
    v.select('event:desk', 'named in the dateline')
    v.select('event:land', 'Italy', 'No point is known.')
    assert '37.750' not in v.card.inner_text()
    v.select('event:none', 'Atlantis', 'No place: it was not found by its name')



@test('list: what is selected is marked on the map, which moves only if it is out of view')
def _(tests):
    v = Panels(tests, events(('near', 1, {'lon': 11, 'lat': 26}), ('far', 2, {'lon': -170, 'lat': -20})),
               'panel=list', map=True)
    center = v.get('center')
    still = '() => !visiventd.map.map.isMoving()'
    v.rows.filter(has_text='Event near').click()
    expect(v.card).to_contain_text('Event near')
    expect(v.page.locator('#map .ring')).to_have_count(1)
    v.page.wait_for_function(still)
    assert v.get('center') == center
    v.rows.filter(has_text='Event far').click()
    v.page.wait_for_function('() => { const { center: [lon, lat] } = visiventd.state.get(); '
                             'return Math.abs(lon + 170) < .1 && Math.abs(lat + 20) < .1; }')
    # An address keeps its place on the map.
    v.set(selected=None)
    v.page.evaluate("location.hash = '#3/40/11&sel=event:far&panel=list'")
    expect(v.card).to_contain_text('Event far')
    v.page.wait_for_function(still)
    assert v.get('center') == [11, 40], v.get('center')


@test('card: j and k walk the list, else the record without authors\' homes', brief=False)
def _(tests):
    home = placed(location_evidence='author')
    v = Panels(tests, events(('new', 1, placed()), ('mid', 2, placed()), ('home', 2.5, home), ('old', 3, placed())))
    v.set(panel=None)
    v.page.locator('#map').evaluate('() => document.activeElement.blur()')
    for key, identity in (('j', 'new'), ('j', 'mid'), ('j', 'old'), ('k', 'mid')):
        v.page.keyboard.press(key)
        assert v.get('selected') == f'event:{identity}'
    expect(v.card).to_contain_text('Event mid')
    v.card.get_by_role('button', name='Previous').click()
    v.until('selected', 'event:new')
    v.set(panel='list')
    expect(v.rows).to_have_count(4)
    expect(v.panel.locator('[aria-current=true]')).to_contain_text('Event new')
    v.panel.get_by_role('heading').focus()
    v.page.keyboard.press('j')
    v.page.keyboard.press('j')
    assert v.get('selected') == 'event:home'


@test('card: a volcano with the earthquakes within 50 km and 30 days; its picture is a link')
def _(tests):
    world = events(('q1', 1, placed()), ('q2', 30, placed()),
                   ('r', 20, placed(category='volcano', title='Report for Etna')))
    v = Panels(tests, world, 'sel=volcano:gvp:211060', {
        'collections/volcanoes/items/gvp:211060': {**ETNA, **AROUND, 'properties': {
            **ETNA['properties'], 'details': {'type': 'Stratovolcano', 'elevation_m': 3357, 'last_eruption_year': -650}}}})
    for words in ('Etna', 'Italy', '211060', 'Smokes.', 'Earthquakes within 50 km, last 30 days', 'Report for Etna',
                  'Event q2', 'Stratovolcano', '3\u2009357 m', '650 BCE', '29 km NNW of Catania',
                  '2\u2009400\u2009000 within 100 km'):
        expect(v.card).to_contain_text(words)
    assert v.card.get_by_role('link', name='example.org').count() == 2 and v.page.locator('img').count() == 0
    asked, = [query for query in v.asked(ITEMS) if query.get('category') == 'earthquake']
    assert (asked['longitude'], asked['latitude'], asked['radius']) == ('14.993', '37.748', '50')
    assert abs(milliseconds(asked['datetime'].partition('/')[0]) - milliseconds(ago(30 * 24))) < HOUR, asked


@test('card: a place with its messages as a grid in pages, of the present search', brief=False)
def _(tests):
    here = placed(location_place_id='city:12', category='message', author_name='ann lee')
    world = events(*((f'm{n}', n / 10, here | {'title': f'etna {n}'}) for n in range(1, 31)),
                   ('x', 1, placed(title='etna elsewhere', location_place_id='city:99')))
    v = Panels(tests, world, 'q=etna&sel=place:city:12', {'summary/hotspots': {'features': [
        {'id': 'city:12', 'properties': {'name': 'Catania', 'count': 30}}]}})
    expect(v.card).to_contain_text('30 events')
    expect(v.card.get_by_role('heading')).to_have_text('Catania')
    cells = v.card.locator('.grid .row')
    cells.last.scroll_into_view_if_needed()
    expect(cells).to_have_count(30)
    expect(cells.first).to_contain_text('ann lee')
    assert all(query['q'] == 'etna' for query in v.asked(ITEMS) if 'versions' not in query)
    world.truncate('m2')
    expect(cells).to_have_count(29)
    cells.first.get_by_role('button').click()
    v.until('selected', 'event:m1')


@test('card: the events of a country', brief=False)
def _(tests):
    world = events(('pt', 1, placed(location_country='PT')), ('it', 1, placed(location_country='IT')))
    world.event('in', title='Event in', **placed(location_country='PT', location_precision='country'))
    world.event('before', title='Event before', time=world.now - 9 * HOUR,
                **placed(location_country='PT', location_precision='country'))
    v = Panels(tests, world, 'sel=country:PT')
    expect(v.card.get_by_role('heading').first).to_have_text('Portugal')
    # First those that the number on the map counts, then all.
    lists = v.card.locator('.panel-body > ul')
    expect(lists.nth(0).locator('.row')).to_have_count(1)
    expect(lists.nth(0)).to_contain_text('Event in')
    expect(lists.nth(1).locator('.row')).to_have_count(3)
    expect(lists.nth(1)).to_contain_text('Event pt')
    counted = '''() => { const { record, state } = visiventd, to = Date.now();
      return record.counts(state.get(), { from: to - state.get().length, to, known: Number.MAX_VALUE },
        (row) => (record.precision[row] === 4 ? record.country[row] : ''))['PT']; }'''
    assert v.page.evaluate(counted) == 1
    # Another window, another number.
    v.set(length=12 * HOUR)
    expect(lists.nth(0).locator('.row')).to_have_count(2)
    assert v.page.evaluate(counted) == 2
    # As then known, those of then.
    end = world.now - HOUR // 2
    v.set(then=True, end=end)
    v.until_asked(ITEMS, country='PT', as_of=rfc3339(end))


@test('card: the events of a pile are asked for until they come, and one that is gone is left out', brief=False)
def _(tests):
    world = events(('a', 1, placed(magnitude=5)), ('b', 2, placed(magnitude=4)))
    path = 'collections/events/items/b'
    v = Panels(tests, world, answers={path: 500}, allowed='410|500')
    v.select('pile:a,b,gone', 'Not to be had', 'A scripted failure.')
    del v.service.answers[path]
    rows = v.card.locator('[data-event]')
    expect(rows).to_have_count(2)
    assert rows.evaluate_all('(all) => all.map((row) => row.dataset.event)') == ['a', 'b']


@test('card: a withdrawn event with the evidence', brief=False)
def _(tests):
    world = events(('w', 1, placed(withdrawn='absent', withdrawn_at=ago(1), withdrawn_evidence='missing since noon')))
    v = Panels(tests, world, 'sel=event:w')
    for words in ('Withdrawn (absent)', 'missing since noon', 'threshold'):
        expect(v.card.locator('.withdrawn')).to_contain_text(words)


@test('card: a revised event is read again, and a merged one gives way to the one that stays')
def _(tests):
    world = events(('a', 1, placed()), ('b', 1, placed(title='The one that stays')))
    v = Panels(tests, world, 'sel=event:a')
    expect(v.card).to_contain_text('Event a')
    world.event('a', title='Event a, revised')
    expect(v.card).to_contain_text('Event a, revised')
    world.merge('a', 'b')
    expect(v.card).to_contain_text('The one that stays')
    assert v.get('selected') == 'event:b'


@test('card: what has been merged is no step to go back to', brief=False)
def _(tests):
    world = events(('b', 1, placed(title='The one that stays')), ('c', 2, placed()))
    # The service leads from one to the other.
    gate = threading.Event()
    properties = {'title': 'The one that stays', 'category': 'earthquake', 'time': ago(1), 'first_seen': ago(1)}
    stays = {'type': 'Feature', 'id': 'b', 'geometry': None, 'properties': properties}
    v = Panels(tests, world, 'sel=event:c', {f'{ITEMS}/a': held(gate, stays)})
    v.set(selected='event:a')
    v.page.wait_for_function("() => location.hash.includes('sel=event:a')")
    steps = v.page.evaluate('history.length')
    gate.set()
    v.page.wait_for_function("() => location.hash.includes('sel=event:b')")
    assert v.page.evaluate('history.length') == steps
    v.page.go_back()
    v.until('selected', 'event:c')


@test('card: as then known, the state of then is asked for')
def _(tests):
    v = Panels(tests, events(('a', 1, placed())), 'sel=event:a')
    expect(v.card).to_contain_text('Event a')
    end = World().now - HOUR
    v.set(then=True, end=end)
    expect(v.card).to_contain_text('as known then')
    v.until_asked(f'{ITEMS}/a', as_of=rfc3339(end))
    # The card follows the window.
    v.set(end=end - HOUR)
    v.until_asked(f'{ITEMS}/a', as_of=rfc3339(end - HOUR))


@test('erasure: card and list do not show an answer that was under way')
def _(tests):
    world = events(('e', 1, placed(title='Private words')), ('f', 2, placed()))
    features = [world.feature(version) for version in world.versions]
    v = Panels(tests, world, 'panel=layers&sort=time')
    gate, asked = threading.Event(), threading.Event()
    v.service.answers |= {f'{ITEMS}/e': held(gate, features[0], asked),
                          ITEMS: held(gate, {'features': features, 'links': []})}
    v.set(selected='event:e', panel='list')
    expect(v.panel.locator('ul[aria-busy]')).to_have_count(1)
    assert asked.wait(PATIENCE / 1000)
    world.erase('e')
    v.page.wait_for_function("() => visiventd.record.rows('e').length === 0")
    gate.set()
    expect(v.card).to_contain_text('This event is gone')
    expect(v.rows).to_have_text(['Event f'])
    assert 'Private' not in v.page.evaluate('() => document.body.textContent')


# MARK: - The list

@test('list: endless, beyond the range')
def _(tests):
    v = Panels(tests, events(*((f'e{n:03}', n, placed()) for n in range(1, 121))), 'panel=list&sort=time')
    v.scroll_to(120)
    expect(v.rows).to_have_text([f'Event e{n:03}' for n in range(1, 121)])
    v.panel.locator('.row button').nth(3).click()
    v.until('selected', 'event:e004')


@test('list: new events wait behind a button and nothing jumps; what is revised or gone is so at once')
def _(tests):
    world = events(*((f'e{n}', n, placed()) for n in range(1, 4)))
    v = Panels(tests, world, 'panel=list&cat=earthquake&sort=time')
    expect(v.rows).to_have_text(['Event e1', 'Event e2', 'Event e3'])
    for n in range(12):
        world.event(f'n{n}', title=f'Event n{n}', time=world.now - HOUR // 2 - n)
    world.event('other', title='Of no interest', category='news')
    world.truncate('n3')
    pill = v.panel.get_by_role('button', name='11 new')
    expect(pill).to_be_visible()
    expect(v.rows).to_have_text(['Event e1', 'Event e2', 'Event e3'])
    world.event('e1', title='Event e1 revised')
    world.withdraw('e2')
    expect(v.rows).to_have_text(['Event e1 revised', 'Event e3'])
    pill.click()
    expect(v.rows).to_have_count(13)
    expect(v.rows.first).to_have_text('Event n0')
    expect(v.panel.locator('.pill')).to_be_hidden()


@test('list: new events are counted up to 1000', brief=False)
def _(tests):
    v = Panels(tests, events(('e', 1, placed())), 'panel=list&sort=time')
    expect(v.rows).to_have_text(['Event e'])
    v.page.evaluate('''async () => {
        const { createSignal } = await import('/page/test/app/state.js');
        const { createList } = await import('/page/test/app/list.js');
        const batch = createSignal(), body = document.createElement('div');
        createList({ ...visiventd, stream: { onBatch: batch.on, onGap() {} },
          addPanel: (name, title, draw) => draw(body, new AbortController().signal) });
        document.getElementById('toasts').append(body);
        window.tell = (from, to) => batch.tell(Array.from({ length: to - from }, (_, i) => (
          { kind: 'new', id: `n${from + i}`, feature: { properties: { category: 'news' } } })));
    }''')
    pill = v.page.locator('#toasts .pill')
    for number, words in (999, '999 new'), (1000, '1000+ new'), (3000, '1000+ new'):
        v.page.evaluate('(number) => tell(0, number)', number)
        expect(pill).to_have_text(words)


@test('list: it follows filter, order and map')
def _(tests):
    world = events(('a', 1, placed(magnitude=3)), ('b', 2, placed(magnitude=6)), ('c', 3, placed()))
    v = Panels(tests, world, '6/37/15&panel=list', map=True)
    v.panel.get_by_label('Order').focus()
    v.panel.get_by_label('Order').select_option('-magnitude')
    expect(v.rows).to_have_text(['Event b', 'Event a'])
    assert v.panel.get_by_label('Order').evaluate('(node) => node === document.activeElement')
    v.panel.get_by_label('Only what the map shows').check()
    v.until('inView', True)
    with v.page.expect_request(lambda request: 'bbox=' in request.url and 'datetime=' in request.url):
        v.set(center=[100, 2])
    v.set(search='etna')
    v.until_asked(ITEMS, q='etna')


@test('list: what matters first, with its magnitude, clock and depth; older events are one click away')
def _(tests):
    old = [(f'old{n}', 5 + n, placed(magnitude=8.0)) for n in range(69)]
    world = events(('weak', 0.2, placed(magnitude=2.0)), ('strong', 3, placed(
        title='M 6.3 - south of Panama', place_text='south of Panama', magnitude=6.3, depth_km=35.2)), ('red', 2, placed(
            magnitude=5.8, details={'alert': 'red'})), *old)
    v = Panels(tests, world, 'panel=list')
    expect(v.rows).to_have_text(['Event red', 'south of Panama', 'Event weak'])
    row = v.panel.locator('.row').nth(1)
    expect(row.locator('.magnitude')).to_have_text('6.3')
    for words in (' · 3 h ago · ', '35 km deep'):
        expect(row).to_contain_text(words)
    assert row.inner_text().count('Panama') == 1, row.inner_text()
    expect(v.panel.locator('.row').first).to_contain_text('PAGER red')
    v.panel.get_by_role('button', name='69 older').click()
    expect(v.rows.nth(3)).to_have_text('Event old0')
    v.scroll_to(72)
    # A window without events says so, and still leads there.
    v.set(length=60_000)
    expect(v.panel).to_contain_text('Nothing in 1 min.')
    expect(v.panel.get_by_role('button', name='72 older')).to_be_visible()


@test('list: of more events than an answer has, the strongest and the newest of other kinds are found', brief=False)
def _(tests):
    swarm = [(f'm{n}', 0.1 + n / 1000, placed(magnitude=1.0)) for n in range(150)]
    world = events(*swarm, ('strong', 3.5, placed(magnitude=7.1)), ('alert', 3.6, placed(
        category='alert', details={'severity': 'Extreme'}, expires=ago(-5))))
    v = Panels(tests, world, 'panel=list')
    expect(v.rows).to_have_count(100)
    expect(v.rows.nth(0)).to_have_text('Event alert')
    expect(v.rows.nth(1)).to_have_text('Event strong')
    expect(v.panel).to_contain_text('The 100 that matter most of 152.')
    v.panel.get_by_role('button', name='All by time').click()
    v.until('sort', 'time')


@test('list: a change says what was and what is, by day', brief=False)
def _(tests):
    world = events(('r', 1, placed(magnitude=4.8)))
    world.event('r', magnitude=5.4)
    at = world.changes[-1]['at']
    history = {'history': [{'revision': 2, 'at': at, 'source': 'quakes', 'changes': {
        'magnitude': {'from': 4.8, 'to': 5.4}, 'depth_km': {'from': 10, 'to': 34.6}}}]}
    # What fails is asked for again.
    failing = [500]
    answer = lambda query: failing.pop() if failing else history
    v = Panels(tests, world, 'panel=list&by=changed', {f'{ITEMS}/r/history': answer}, allowed='410|500')
    expect(v.panel.locator('.day')).to_have_count(1)
    expect(v.panel.locator('.row')).to_contain_text('M 4.8 → 5.4 · depth 10 km → 35 km')


@test('list: a place of coordinates is named by its nearest town', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=list&by=places', {
        'basemap/places': {'places': [[-9.139, 38.722, 500000, 'Lisboa', 'PT']]},
        'summary/hotspots': {'features': [{'id': 'square:-9.55,38.4', 'geometry': {'coordinates': [-9.55, 38.4]},
                                           'properties': {'count': 3, 'newest': ago(1)}}]}})
    expect(v.rows).to_have_text(['51 km SW of Lisboa, Portugal'])


@test('list: a filter that is not understood is told', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=list&q=heft>3')
    expect(v.panel).to_contain_text('“heft>3” is no filter and searched as words. Filters are: mag>=5, depth>=100')


# MARK: - The first sight

def at_first(tests, world, **options):
    """The page by its bare address."""
    service = tests.scripted(world)
    visit = tests.visit(service.url, **options)
    return visit, visit.open('')


@test('first sight: the globe turns to where the weight of the last day lies, and the list is open from 1100 px on')
def _(tests):
    world = events(('strong', 20, placed(lon=-80, lat=6, magnitude=6.3, title='M 6.3 - south of Panama')),
                   *((f'm{n}', n / 10, placed(lon=142, lat=38, magnitude=1.5)) for n in range(60)),
                   ('old', 30, placed(lon=20, lat=-60, magnitude=8)))
    visit, page = at_first(tests, world, allowed='410')
    page.wait_for_function('() => Math.hypot(visiventd.state.get().center[0] + 80, visiventd.state.get().center[1] - 6) < 8')
    visit.map_ready()
    assert page.evaluate('() => { const { lng, lat } = visiventd.map.map.getCenter(); return Math.hypot(lng + 80, lat - 6) < 8; }')
    expect(page.locator('#panel .row').first).to_contain_text('south of Panama')
    expect(page.locator('#sight')).to_contain_text('61 events in 24 h · strongest M 6.3 south of Panama')
    assert page.evaluate('() => document.activeElement === document.body')
    # The words go with the event.
    world.erase('strong')
    expect(page.locator('#sight')).not_to_contain_text('Panama')
    # A narrow window has no list, and an address says where.
    page.close()
    _, narrow = at_first(tests, world, width=1000)
    expect(narrow.locator('#panel')).to_be_hidden()
    narrow.close()
    visit = tests.visit(visit.url)
    page = visit.open('#2/50/10')
    visit.map_ready()
    assert page.evaluate('() => visiventd.state.get().center') == [10, 50]


@test('first sight: a globe that has turned fills a window of another size, too', brief=False)
def _(tests):
    _, page = at_first(tests, events(('q', 1, placed(lon=100, lat=60, magnitude=6))), width=800, height=600)
    page.wait_for_function('() => visiventd.state.get().center[1] > 50')
    before = page.evaluate('visiventd.state.get().zoom')
    page.set_viewport_size({'width': 2560, 'height': 1440})
    page.wait_for_function('(before) => visiventd.state.get().zoom > before + 1', arg=before)
    page.set_viewport_size({'width': 800, 'height': 600})
    page.wait_for_function('(before) => Math.abs(visiventd.state.get().zoom - before) < 0.02', arg=before)


@test('first sight: the map is where it was left by hand', brief=False)
def _(tests):
    world = events(('q', 1, placed(lon=100, lat=10, magnitude=6)))
    visit, page = at_first(tests, world)
    visit.map_ready()
    page.wait_for_function('() => Math.abs(visiventd.state.get().center[0] - 100) < 1')
    page.locator('#map canvas').focus()
    page.keyboard.press('ArrowLeft')
    page.wait_for_function('() => Math.abs(visiventd.state.get().center[0] - 100) > 1 && !visiventd.map.map.isMoving()')
    left = page.evaluate('() => visiventd.state.get().center')
    page.wait_for_function('(lon) => Object.values(localStorage).some((hash) => hash.includes(lon))', arg=str(left[0]))
    page.close()
    page = visit.open('', visit.new_page())
    assert page.evaluate('() => visiventd.state.get().center') == left


@test('first sight: an address of somebody else changes nothing of what is kept, what one changes there does')
def _(tests):
    visit, page = at_first(tests, events())
    kept = "() => Object.values(localStorage).join()"
    page.evaluate("() => visiventd.state.set({ heat: true, units: 'mi' })")
    page.wait_for_function(f"() => ({kept})().includes('heat=1')")
    before = page.evaluate(kept)
    # Opened, and then another one in the same tab.
    page.close()
    page = visit.open('#3/40/20&range=7d&hot=1&zone=utc', visit.new_page())
    visit.map_ready()
    written = "(text) => location.hash.includes(text)"
    page.evaluate("() => visiventd.state.set({ search: 'ash' })")
    page.wait_for_function(written, arg='q=ash')
    assert page.evaluate(kept) == before
    page.evaluate("() => { location.hash = '#4/10/20&range=30d&volc=0'; }")
    page.wait_for_function('() => !visiventd.state.get().volcanoes')
    page.evaluate("() => visiventd.state.set({ search: 'smoke' })")
    page.wait_for_function(written, arg='q=smoke')
    assert page.evaluate(kept) == before
    # One setting is one's own now, the others are not.
    page.evaluate("() => visiventd.state.set({ pins: false })")
    page.wait_for_function(f"() => ({kept})().includes('pins=0')")
    after = page.evaluate(kept)
    assert 'heat=1' in after and 'units=mi' in after and 'range' not in after and '/' not in after, after


@test('first sight: as then known, its words are those of then; what could not be had is asked for again', brief=False)
def _(tests):
    world = events(('q', 3, placed(magnitude=5, title='M 5.0 - near Old')))
    world.versions[0]['known_from'] = world.now - 3 * HOUR
    world.event('q', title='M 5.0 - near New')
    world.versions[0]['known_to'] = world.versions[1]['known_from'] = world.now - HOUR
    path = 'collections/events/items/q'
    v = Panels(tests, world, 'window=24h', {path: 500}, allowed='500')
    sight = v.page.locator('#sight')
    expect(sight).to_contain_text('1 event in 24 h · strongest M 5.0')
    v.service.answers[path] = lambda query: world.feature(world.versions[0 if 'as_of' in query else 1])
    expect(sight).to_contain_text('near New')
    v.set(then=True, end=world.now - 2 * HOUR)
    expect(sight).to_contain_text('near Old')
    v.set(then=False, end=None)
    expect(sight).to_contain_text('near New')


@test('first sight: alerts in force are counted until they end', brief=False)
def _(tests):
    alert = {'category': 'alert', 'title': 'Alert'}
    world = events(('in', 1, placed(**alert, expires=ago(-3))), ('out', 2, placed(**alert, expires=ago(1))),
                   ('open', 3, placed(**alert)))
    _, page = at_first(tests, world)
    expect(page.locator('#sight')).to_contain_text('3 events in 24 h · 2 alerts in force')


@test('list: places and authors with their numbers', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=list&by=places', {
        'summary/hotspots': {'features': [{'id': 'city:12', 'geometry': {'coordinates': [15.087, 37.502]}, 'properties': {
            'name': 'Catania', 'count': 1234, 'newest': ago(1)}}]},
        'summary/authors': {'authors': [{'author_name': 'zoe', 'events': 9, 'latest': ago(1)},
                                        {'author_name': 'Ann B', 'events': 2, 'latest': ago(1)}]}})
    expect(v.panel.locator('.row')).to_contain_text(['Catania1\u2009234 events, newest 1 h ago'])
    v.panel.locator('.row button').click()
    v.until('selected', 'place:city:12')
    v.panel.get_by_role('combobox', name='Show').select_option('authors')
    expect(v.rows).to_have_text(['zoe', 'Ann B'])
    v.panel.locator('.row button').nth(1).click()
    v.until('search', 'author:"Ann B"')
    assert v.get('listBy') == 'events'


@test('list: changes, newest first, each event once; an event goes with the one into which it was merged')
def _(tests):
    world = events(('l', 1, placed()), ('r', 1, placed()), ('s', 1, placed()))
    world.event('r', title='Event r, revised')
    world.event('l', title='Event l, revised once')
    world.event('l', title='Event l, revised')
    for n in range(150):
        world.event(f'n{n}')
    world.truncate('n0')
    v = Panels(tests, world, 'panel=list&by=changed')
    expect(v.rows).to_have_text(['An event, no longer kept', 'Event l, revised', 'Event r, revised'])
    expect(v.panel.locator('.row').nth(1)).to_contain_text('revised')
    expect(v.panel.get_by_role('button', name='Older')).to_have_count(0)
    # The service leaves out what is gone with the other.
    for change in world.changes:
        if change['id'] == 'r':
            change['feature'] = None
    world.erase('s')
    expect(v.panel).not_to_contain_text('Event r')


@test('list: events without a place, each with the reason', brief=False)
def _(tests):
    v = Panels(tests, events(
        ('a', 1, placed()), ('u', 2, {'place_text': 'Atlantis', 'location_missing': 'not_found'}),
        ('n', 3, {'location_missing': 'not_named'}), ('w', 4, {'location_missing': 'waiting'})),
        'panel=list&by=unplaced')
    expect(v.panel.locator('.row')).to_contain_text(
        ['Atlantis · No place: it was not found', 'neither the feed nor the text names one', 'not been looked up'])


@test('list: a failure is told in words', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=list&by=authors', {'summary/authors': 400}, allowed='400')
    expect(v.panel.get_by_role('alert')).to_have_text('scripted: A scripted failure.')


# MARK: - The other panels

def source(name, **more):
    return {'name': name, 'kind': 'usgs', 'enabled': True, 'last_success': ago(1), 'next_due': ago(-1.1),
            'due_reason': 'interval', 'failures': 0, 'refused': {}, **more}


def status(*sources):
    return {'time': ago(0), 'last_poll': ago(0), 'newest_event': ago(1), 'change_seq': 0, 'events': 3, 'located': 2,
            'sources': sources}


START = {'version': '1.2.3', 'basemaps': [{'name': 'Streets', 'attribution': '© Streets', 'tiles': []}],
         'overlays': [{'name': 'Plates', 'attribution': '© Plates'}], 'attributions': ['GeoNames (CC BY 4.0)'],
         'gazetteer': 'GeoNames'}


@test('layers: each control sets the view')
def _(tests):
    world = events(('home', 1, placed(location_evidence='author')))
    v = Panels(tests, world, 'panel=layers', {'page/start': START})
    for label, key, isOn in (('Pins', 'pins', False), ('Heat', 'heat', True), ('Hotspots', 'hotspots', True),
                             ('Volcanoes', 'volcanoes', False), ('By author’s home (1)', 'home', True)):
        v.panel.get_by_label(label).set_checked(isOn)
        assert v.get(key) is isOn, key
    v.panel.get_by_label('Plates').check()
    assert v.get('overlays') == ['Plates']
    for label, value, key in (('Colour of earthquakes', 'depth', 'colour'), ('Base map', 'Streets', 'base'),
                              ('Shape', 'flat', 'projection')):
        v.panel.get_by_label(label).select_option(value)
        assert v.get(key) == value


@test('sources: freshness, failure, and what was left out')
def _(tests):
    v = Panels(tests, events(), 'panel=sources', {'page/start': START, 'status': status(
        source('quakes', refused={'magnitude': 9}), source('messages', enabled=False),
        source('news', failures=3, failing_since=ago(2), last_failure='no connection within 10 s'))})
    for words in ('1 of 2 sources are well', 'last success 1 h ago', 'next due in 1 h', 'failing since 2 h ago',
                  'no connection within 10 s', '9 left out: magnitude', 'GeoNames (CC BY 4.0)', 'City table: GeoNames.'):
        expect(v.panel).to_contain_text(words)
    expect(v.panel).not_to_contain_text('visiventd seed')
    states = v.panel.locator('.source').evaluate_all('(all) => all.map((node) => node.dataset.state)')
    assert states == ['well', 'off', 'failing']
    bare = Panels(tests, events(), 'panel=sources', {'page/start': START | {'gazetteer': None}, 'status': status()})
    expect(bare.panel).to_contain_text('City table: none. visiventd seed cities and')


@test('menu: lines for other programs, downloads, address, picture and own position', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=menu&q=etna', map=True, geolocation={'latitude': 48.1, 'longitude': 11.6},
               permissions=['clipboard-read', 'clipboard-write', 'geolocation'])
    for words in (f"curl -o events.csv '{v.service.url}{ITEMS}?", 'q=etna', 'obspy.clients.fdsn', 'starttime=',
                  'all_day.geojson', 'feed.atom', 'QGIS'):
        expect(v.panel).to_contain_text(words)
    for name in ('GeoJSON', 'CSV', 'ndjson', 'KML', 'Atom'):
        assert 'q=etna' in v.panel.get_by_role('link', name=name, exact=True).get_attribute('href')
    expect(v.panel).to_contain_text('is this machine: no other reaches these addresses.')
    pasted = '(start) => navigator.clipboard.readText().then((text) => text.startsWith(start))'
    v.panel.get_by_role('button', name='Copy: curl').click()
    v.page.wait_for_function(pasted, arg='curl -o')
    # All that is not usual for an address with a view is in it, with the time, and without the panel.
    v.set(length=24 * HOUR)
    v.panel.get_by_role('button', name='Copy link to this view').click()
    v.page.wait_for_function(pasted, arg=v.service.url)
    link = v.page.evaluate('navigator.clipboard.readText()')
    assert 'window=24h' in link and '&to=2' in link and 'panel' not in link, link
    download = v.panel.get_by_role('link', name='CSV', exact=True).get_attribute('download')
    assert download.startswith('visiventd-2') and download.endswith('.csv'), download
    with v.page.expect_download() as download:
        v.panel.get_by_role('button', name='Save picture').click()
    with open(download.value.path(), 'rb') as file:
        assert file.read(4) == b'\x89PNG'
    v.panel.get_by_role('button', name='My position').click()
    expect(v.page.get_by_role('img', name='Own position')).to_be_visible()
    v.panel.get_by_role('button', name='Settings').click()
    expect(v.panel.get_by_role('heading', name='Settings')).to_be_visible()


@test('settings: the values in effect with file and line, and what an edit would bring')
def _(tests):
    file = '/etc/visiventd/visiventd.yaml'
    fault = {'key': 'refresh_interval', 'found': '1s', 'accepted': 'from 1m', 'words': 'found "1s"; accepted: from 1m'}
    command = 'visiventd set quakes refresh_interval=10m'
    v = Panels(tests, events(), 'panel=settings', {
        'configuration': {'file': file, 'faults': [], 'values': [
            {'key': 'refresh_interval', 'source': 'quakes', 'value': '5m', 'line': 7},
            {'key': 'log.level', 'value': 'info'}]},
        'configuration/check': lambda query: {'faults': [fault]} if query['refresh_interval'] == '1s' else {
            'faults': [], 'yaml': 'refresh_interval: 10m', 'command': command}})
    expect(v.panel.get_by_role('table', name=file)).to_be_visible()
    expect(v.panel.locator('[data-key=refresh_interval]')).to_contain_text('line 7')
    expect(v.panel.locator('[data-key="log.level"]')).to_contain_text('default')
    for edit, words in (('refresh_interval=1s', fault['words']), ('refresh_interval=10m', command)):
        v.panel.get_by_label('Keys').fill(edit)
        v.panel.get_by_role('button', name='Check').click()
        expect(v.panel.get_by_text(words)).to_be_visible()
    assert v.asked('configuration/check')[0] == {'source': 'quakes', 'refresh_interval': '1s'}
    v.panel.get_by_label('Times').select_option('local')
    assert v.get('zone') == 'local'


@test('settings: without a configuration they say so', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=settings', {'configuration': 404})
    expect(v.panel).to_contain_text('A scripted failure.')


@test('about: version, licences and whose data is shown', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=about', {'page/start': START})
    for words in ('visiventd 1.2.3', 'Natural Earth', 'GeoNames (CC BY 4.0)', '© Streets', '© Plates', 'Licences'):
        expect(v.panel).to_contain_text(words)


@test('toasts: failing and recovered only, each once', brief=False)
def _(tests):
    v = Panels(tests, events(), 'panel=about', {'status': status(source('quakes'))})
    toasts = v.page.locator('.toast')
    v.page.evaluate(TOASTS)
    assert toasts.count() == 0
    for now, words in ((source('quakes', failures=2, last_failure='<b>no</b> connection'),
                        'quakes is failing: <b>no</b> connection'), (source('quakes'), 'quakes has recovered')):
        v.service.answers['status'] = status(now)
        for _ in range(2):
            v.page.evaluate('() => toasts.check()')
            assert toasts.count() == 1 and words in toasts.text_content()
    toasts.get_by_role('button', name='Dismiss').click()
    assert toasts.count() == 0
    for isLive, words in ((True, None), (False, 'is lost'), (False, 'is lost'), (True, 'is back')):
        v.page.evaluate('(live) => tell({ live })', isLive)
        assert toasts.count() == 0 if words is None else words in toasts.text_content()


# MARK: - All of them

@test('a phone has one sheet and no sideways scroll')
def _(tests):
    world = events(('a', 1, placed(title='W' * 300, summary='x' * 500, place_text='y' * 200)))
    v = Panels(tests, world, width=375, height=812)
    fits = "() => [document.documentElement, document.querySelector('.panel-body')].every((n) => n.scrollWidth <= 375)"
    for panel in ('layers', 'sources', 'menu', 'settings', 'about', 'list'):
        v.set(panel=panel)
        expect(v.panel.locator('[aria-busy]')).to_have_count(0)
        assert v.page.evaluate(fits), panel
    v.select('event:a', 'x' * 500)
    expect(v.panel).to_be_hidden()
    assert v.get('panel') is None and v.page.evaluate(fits)
    v.set(panel='menu')
    expect(v.panel).to_be_visible()
    expect(v.card).to_be_hidden()
    assert v.get('selected') is None


main()
