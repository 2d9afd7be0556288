"""Alerts with their areas, and countries with their numbers, on the whole page in a browser."""
import threading

from playwright.sync_api import expect

from browser import HOUR, PATIENCE, World, click_map, comes, main, rfc3339, test

# The pixels at some coordinates, after the next frame: arrays of [red, green, blue].
PIXELS = """(places) => new Promise((resolve) => {
  const { map } = visiventd.map;
  map.once('render', () => {
    const gl = map.painter.context.gl, ratio = gl.drawingBufferWidth / map.getCanvas().clientWidth;
    resolve(places.map((place) => {
      const p = map.project(place), bytes = new Uint8Array(4);
      gl.readPixels(p.x * ratio, gl.drawingBufferHeight - p.y * ratio, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      return [...bytes.slice(0, 3)];
    }));
  });
  map.triggerRepaint();
})"""
SEVERITIES = ['Unknown', 'Minor', 'Moderate', 'Severe', 'Extreme']
ALERTS = 'collections/alerts/items'


def square(lon, lat, side=3):
    """A square around a coordinate."""
    w, s, e, n = lon - side, lat - side, lon + side, lat + side
    return {'type': 'Polygon', 'coordinates': [[[w, s], [e, s], [e, n], [w, n], [w, s]]]}


def warn(world, identity, lon, lat, severity='Severe', begin=2, end=-3.5, **properties):
    """An alert with an area, which begins and ends so many hours ago."""
    world.event(identity, **({
        'category': 'alert', 'title': f'Alert {identity}', 'lon': lon, 'lat': lat,
        'time': world.now - int(begin * HOUR), 'expires': rfc3339(world.now - int(end * HOUR)), 'severity': severity,
        'geometry': square(lon, lat),
        'location_precision': 'region', 'location_radius_km': 300} | properties))


class Seen:
    """A visit of the whole page with the map at rest, over the Pacific."""

    def __init__(self, tests, world, hash='', answers=(), **options):
        service = tests.scripted(world)
        service.answers.update(answers)
        self.world, self.asked, self.answers = world, service.asked, service.answers
        self.visit = tests.visit(service.url, **options)
        self.page = self.visit.open(f'#4/0/-150&proj=flat&window=24h&volc=0&zone=utc&{hash}')
        self.visit.map_ready()
        self.evaluate = self.page.evaluate

    def shows(self, *identities):
        """Waits until these alerts have an area on the map, and no others."""
        self.page.wait_for_function(
            """(wanted) => {
              const { map } = visiventd.map, id = ({ properties }) => properties.id;
              const shown = map.queryRenderedFeatures({ layers: ['alerts'] }).filter(({ state }) => state.is).map(id);
              return map.loaded() && [...new Set(shown)].sort().join() === wanted;
            }""", arg=','.join(sorted(identities)))

    def empties(self):
        """Waits until the map's source has no area."""
        self.page.wait_for_function("() => !visiventd.map.map.getSource('alerts').serialize().data.features.length")

    def colours(self, *places):
        return self.evaluate(PIXELS, [list(place) for place in places])

    def at(self, lon, lat):
        return self.evaluate("""(at) => {
          const { map } = visiventd.map, { x, y } = map.project(at);
          const { left, top } = map.getCanvas().getBoundingClientRect();
          return [x + left, y + top];
        }""", [lon, lat])

    def click(self, lon, lat):
        click_map(self.page, *self.at(lon, lat))

    def set(self, **patch):
        self.evaluate('(patch) => visiventd.state.set(patch)', patch)

    def until(self, key, value):
        self.page.wait_for_function('([key, value]) => visiventd.state.get()[key] === value', arg=[key, value])


def apart(one, other):
    return sum(abs(a - b) for a, b in zip(one, other))


@test('an alert is drawn with its area, by severity; its corners show the colour, what lies beside does not')
def areas(t):
    world = World()
    for i, severity in enumerate(SEVERITIES):
        warn(world, severity, -166 + 8 * i, 3, severity)
    warn(world, 'ended', -166, -8, end=0.5)
    warn(world, 'disc', -158, -10, geometry=None)
    warn(world, 'before', -150, -10, begin=30, end=26)
    warn(world, 'long', -142, -10, begin=30)
    for scheme in ('dark', 'light'):
        seen = Seen(t, world, color_scheme=scheme)
        seen.shows(*SEVERITIES, 'ended', 'long')
        sea = seen.colours((-150, 12))[0]
        # The corners: 2.7 degrees of 3 from the middle both ways.
        for i, severity in enumerate(SEVERITIES):
            lon = -166 + 8 * i
            inside = seen.colours(*((lon + x, 3 + y) for x in (-2.7, 2.7) for y in (-2.7, 2.7)))
            beside = seen.colours((lon - 3.9, 3), (lon + 3.9, 3), (lon, 6.9), (lon, -0.9))
            assert all(apart(one, sea) < 8 for one in beside), (scheme, severity, sea, beside)
            assert all((apart(one, sea) > 8) == (i > 0) for one in inside), (scheme, severity, sea, inside)
        # Each is fuller than the one below it, whatever eye looks.
        fills = [sum(one) for one in seen.colours(*((-166 + 8 * i + 2.5, 5) for i in range(5)))]
        steps = [(b - a) * (1 if scheme == 'dark' else -1) for a, b in zip(fills, fills[1:])]
        assert min(steps) > 8, (scheme, fills)
        # An edge of every severity is seen; that of what has ended is dashed, and nothing fills it.
        assert all(apart(one, sea) > 100 for one in seen.colours(*((-166 + 8 * i, 6) for i in range(5)))), scheme
        assert apart(seen.colours((-163.5, -5.5))[0], sea) < 8
        edge = [apart(one, sea) > 20 for one in seen.colours(*((-168 + i / 20, -5) for i in range(80)))]
        assert 10 < sum(edge) < 70, edge
        # Without an area it keeps its disc; the others have a sign in the middle.
        assert apart(seen.colours((-157, -10))[0], sea) > 8
        assert apart(seen.colours((-134, 3))[0], sea) > 200
        seen.page.close()


@test('an area follows window, category, pins, stream, and goes when its alert is withdrawn or erased')
def lifetimes(t):
    world = World()
    warn(world, 'a', -156, 3)
    warn(world, 'b', -144, 3, begin=10, end=8)
    seen = Seen(t, world)
    seen.shows('a', 'b')
    seen.set(length=4 * HOUR)
    seen.shows('a')
    seen.set(end=world.now - 9 * HOUR)
    seen.shows('b')
    seen.set(end=None, length=24 * HOUR, categories=['news'])
    seen.shows()
    seen.set(categories=None)
    seen.shows('a', 'b')
    seen.set(pins=False)
    seen.shows()
    seen.set(pins=True)
    asked = len([path for path in seen.asked if path.startswith(f'/{ALERTS}')])
    warn(world, 'c', -150, -10, severity='Extreme')
    seen.shows('a', 'b', 'c')
    seen.page.wait_for_function("() => document.getElementById('sight').textContent.includes('2 alerts in force')")
    # A change brings the alert along.
    assert len([path for path in seen.asked if path.startswith(f'/{ALERTS}')]) == asked
    world.event('a', geometry=square(-156, 12), lon=-156, lat=12)
    seen.page.wait_for_function("() => visiventd.map.map.loaded() && visiventd.map.map.queryRenderedFeatures({ layers: ['alerts'] })"
                                ".some(({ properties, state }) => properties.key === 'a 2' && state.is)")
    sea = seen.colours((-150, 12))[0]
    assert apart(seen.colours((-154, 14))[0], sea) > 8 and apart(seen.colours((-154, 5))[0], sea) < 8
    world.withdraw('b')
    seen.shows('a', 'c')
    world.erase('c')
    seen.shows('a')
    world.truncate('a')
    seen.shows()
    seen.empties()
    seen.page.wait_for_function("() => !document.getElementById('sight').textContent.includes('in force')")


@test('an answer that comes after an alert was erased does not bring it back')
def late(t):
    world = World()
    warn(world, 'a', -156, 3)
    warn(world, 'b', -144, 3)
    gate = threading.Event()
    answer = {'type': 'FeatureCollection', 'links': [], 'features': [world.feature(v) for v in world.standing({})]}
    first = [answer]

    def alerts(_):
        if not first:
            return None
        gate.wait(PATIENCE / 1000)
        return first.pop()
    service = t.scripted(world)
    service.answers[ALERTS] = alerts
    visit = t.visit(service.url)
    page = visit.open('#4/0/-150&proj=flat&window=24h&volc=0')
    assert comes(page, lambda: any(path.startswith(f'/{ALERTS}') for path in service.asked))
    world.erase('a')
    page.wait_for_function("() => visiventd.record.rows('a').length === 0")
    gate.set()
    page.wait_for_function("() => [...visiventd.alerts.all()].map(({ id }) => id).join() === 'b'")


@test('as then known, an area is that of its time', brief=False)
def knowledge(t):
    world = World()
    warn(world, 'a', -156, 3, begin=3)
    # The first version is known for two hours.
    world.versions[0]['known_from'] = world.now - 3 * HOUR
    warn(world, 'a', -144, 3, begin=3)
    world.versions[0]['known_to'] = world.versions[1]['known_from'] = world.now - HOUR

    def alerts(query):
        version = world.versions[0 if 'as_of' in query else 1]
        return {'type': 'FeatureCollection', 'links': [], 'features': [world.feature(version)]}
    seen = Seen(t, world, answers={ALERTS: alerts})
    shown = """(key) => [...new Set(visiventd.map.map.queryRenderedFeatures({ layers: ['alerts'] })
      .filter(({ state }) => state.is).map(({ properties }) => properties.key))].join() === key"""
    seen.page.wait_for_function(shown, arg='a 2')
    seen.set(then=True, end=world.now - 2 * HOUR)
    seen.page.wait_for_function(shown, arg='a 1')
    assert any('as_of=' in path for path in seen.asked if path.startswith(f'/{ALERTS}'))
    seen.set(end=world.now - 4 * HOUR)
    seen.page.wait_for_function(shown, arg='')
    seen.set(then=False, end=None)
    seen.page.wait_for_function(shown, arg='a 2')


@test('a click into an area opens the alert, after signs; its words say until when; a click on the ocean closes')
def picking(t):
    world = World()
    warn(world, 'a', -156, 3, details={
        'severity': 'Severe', 'urgency': 'Expected', 'certainty': 'Likely', 'responseType': ['Evacuate', 'Shelter'],
        'instruction': 'Move to <b>higher</b> ground.', 'areaDesc': ['Coast']}, place_text='Coast')
    world.event('quake', magnitude=5.0, lon=-157.5, lat=4.5)
    seen = Seen(t, world, 'panel=list')
    seen.shows('a')
    card = seen.page.locator('#card')
    seen.click(-153.3, 0.3)
    seen.until('selected', 'event:a')
    for words in ('in force, expires in 3 h', 'SeveritySevere', 'UrgencyExpected', 'CertaintyLikely',
                  'Evacuate, Shelter', 'Move to <b>higher</b> ground.', 'Coast'):
        expect(card).to_contain_text(words)
    expect(seen.page.locator('[data-event=a]')).to_contain_text('severe · in force, expires in 3 h')
    seen.click(-157.5, 4.5)
    seen.until('selected', 'event:quake')
    # Nothing is there: the card closes, and nothing else opens; another click does nothing.
    for _ in range(2):
        seen.click(-146, -8)
        seen.until('selected', None)
        assert card.is_hidden() and seen.evaluate('visiventd.state.get().panel') == 'list'
        assert seen.evaluate('visiventd.state.get().listBy') == 'events'
    seen.page.mouse.move(*seen.at(-153.3, 0.3))
    seen.page.wait_for_function(
        "() => document.querySelector('.tip').textContent === 'Alert a · in force, expires in 3 h'")


@test('a country is not painted: it has a number, and an outline when it is pointed at or chosen', brief=False)
def countries(t):
    world = World()
    for i in range(3):
        world.event(f'ke{i}', category='news', lon=38, lat=0, location_precision='country', location_country='KE')
    seen = Seen(t, world)
    seen.set(center=[38, 0], zoom=4)
    # The finer shapes move the number once more.
    seen.visit.map_whole()
    numbers = "() => visiventd.map.map.queryRenderedFeatures({ layers: ['numbers'] }).map((f) => f.properties)"
    one = f'() => {{ const found = ({numbers})(); return found.length === 1 && found[0]; }}'
    found = seen.page.wait_for_function(one).json_value()
    assert (found['id'], found['name'], found['events']) == ('KE', 'Kenya: 3', 3), found
    # The number leaves the name its room.
    names = "visiventd.map.map.queryRenderedFeatures({ layers: ['names'] })"
    seen.page.wait_for_function(f"() => {names}.some((one) => one.properties.id === 'country:KENYA')")
    # Land is land, in Kenya as in Tanzania.
    seen.page.wait_for_function('() => visiventd.map.map.loaded()')
    inside, beside = seen.colours((39.3, 1.2), (34, -5.2))
    assert inside == beside, (inside, beside)
    at = seen.evaluate("""() => {
      const { map } = visiventd.map, { geometry } = map.queryRenderedFeatures({ layers: ['numbers'] })[0];
      const { x, y } = map.project(geometry.coordinates), { left, top } = map.getCanvas().getBoundingClientRect();
      return [x + left, y + top + 16];
    }""")
    outline = "() => (visiventd.map.map.getFeatureState({ source: 'world', id: 'KE' }).is ?? 0) === %d"
    seen.page.mouse.move(*at)
    seen.page.wait_for_function(outline % 1)
    seen.page.wait_for_function("() => document.querySelector('.tip').textContent === 'Kenya: 3'")
    seen.page.mouse.move(*seen.at(43.5, -4.5))
    seen.page.wait_for_function(outline % 0)
    seen.page.mouse.click(*at)
    seen.until('selected', 'country:KE')
    seen.page.wait_for_function(outline % 1)
    seen.click(37, 1.5)
    seen.until('selected', None)
    seen.set(pins=False)
    seen.page.wait_for_function(f'() => ({numbers})().length === 0')


if __name__ == '__main__':
    main()
