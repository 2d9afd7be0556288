#!/usr/bin/env python3
"""What the events lie on: names of places, cities by their people, degrees, and the legend of what is on the map."""
from browser import HOUR, World, comes, main, test

NAMES = '''() => visiventd.map.map.getSource('names').serialize().data.features.map((one) => one.properties.id)'''


def placed(page):
    """The names on the map, when those of the present view stand."""
    names = f'() => {{ const names = ({NAMES})(); return !visiventd.map.map.isMoving() && names.length > 0 && names; }}'
    return page.wait_for_function(names).json_value()


def opened(tests, hash, world=None, places=(), **options):
    service = tests.scripted(world or World())
    service.answers = {'basemap/places': lambda query: {'places': places(query) if callable(places) else places}}
    visit = tests.visit(service.url, **options)
    page = visit.open(hash)
    visit.map_ready()
    return page, service


@test('Tokyo is readable at zoom 8 below an earthquake and discs of news', brief=False)
def _(tests):
    world = World()
    for i in range(5):
        world.event(f'news-{i}', category='news', lon=139.69, lat=35.69, location_precision='city', location_radius_km=25,
                    title='News')
    world.event('quake', lon=139.69, lat=35.69, magnitude=5.2)
    page, _ = opened(tests, '#8/35.69/139.69', world, [[139.69, 35.69, 9_000_000, 'Tokyo', 'JP']], color_scheme='light')
    page.wait_for_function(f"() => ({NAMES})().includes('city:Tokyo')")
    light, dark, apart = page.evaluate('''() => new Promise((done) => {
        const { map } = visiventd.map;
        map.once('idle', () => {
          const { properties: { offset } } = map.getSource('names').serialize().data.features
            .find((one) => one.properties.id === 'city:Tokyo');
          const pen = visiventd.map.picture(), { x, y } = map.project([139.69, 35.69]), r = pen.ratio;
          const { data } = pen.canvas.getContext('2d').getImageData(
            (x + offset[0] - 15) * r, (y + offset[1] - 6) * r, 30 * r, 12 * r);
          const sums = Array.from({ length: data.length / 4 }, (_, i) => data[4 * i] + data[4 * i + 1] + data[4 * i + 2]);
          done([Math.max(...sums), Math.min(...sums), Math.hypot(...offset)]);
        });
        map.triggerRepaint();
    })''')
    # Dark letters in a light halo, and not on the sign.
    assert light > 650 and dark < 350 and apart > 14, (light, dark, apart)


@test('Germany and Italy are named on a globe of 1280 pixels, others on a phone; none hangs outside', brief=False)
def _(tests):
    for width, height, zoom, expected in ((1280, 800, 2.15, ['GERMANY', 'ITALY']), (375, 667, 0.6, ['GERMANY'])):
        page, _ = opened(tests, f'#{zoom}/40/15', width=width, height=height)
        names = placed(page)
        assert all(f'country:{name}' in names for name in expected), names
        assert len(names) >= 5, names
        outside = page.evaluate('''() => {
            const { map } = visiventd.map, at = document.getElementById('map');
            const globe = parseFloat(at.style.getPropertyValue('--globe'));
            return map.getSource('names').serialize().data.features.filter(({ geometry, properties: { offset } }) => {
              const { x, y } = map.project(geometry.coordinates);
              return Math.hypot(x + offset[0] - at.clientWidth / 2, y + offset[1] - at.clientHeight / 2) > globe;
            }).length; }''')
        assert outside == 0, outside
        page.close()


@test('images of names are bounded, however many places one has seen', brief=False)
def _(tests):
    seen = [0]

    def places(_):
        seen[0] += 1
        return [[4.5 + i % 10 * 1.3, 43.5 + i // 10 * 0.7, 1000, f'Town {seen[0]}-{i}', 'IT'] for i in range(80)]
    page, _ = opened(tests, '#7/46/10.5', places=places)
    for i in range(8):
        # The view moves, and the names of the next answer come.
        before = seen[0]
        page.evaluate('(i) => visiventd.map.map.jumpTo({ center: [10.5 + i / 1000, 46] })', i)
        page.wait_for_function(f"(n) => ({NAMES})().some((id) => /^city:Town (\\d+)/.exec(id)?.[1] > n)", arg=before)
    kept = page.evaluate('visiventd.map.map.listImages().length')
    assert seen[0] >= 8 and 80 < kept <= 490, (seen, kept)


@test('cities by population are circles, larger with more people, and off at first', brief=False)
def _(tests):
    places = [[60, 0, 20_000_000, 'Great', 'XX'], [75, 0, 1_000_000, 'Small', 'XX']]
    page, service = opened(tests, '#3/0/66', places=places)
    visibility = "visiventd.map.map.getLayoutProperty('population', 'visibility')"
    assert page.evaluate(visibility) == 'none'
    page.get_by_role('button', name='Layers').click()
    page.get_by_label('Cities by population').check()
    page.wait_for_function(f"() => {visibility} === 'visible'")
    page.wait_for_function("() => visiventd.map.map.queryRenderedFeatures({ layers: ['population'] }).length >= 2")
    widths = page.evaluate('''() => [60, 75].map((lon) => {
        const { map } = visiventd.map, { x, y } = map.project([lon, 0]);
        let r = 0;
        while (map.queryRenderedFeatures([x + r, y], { layers: ['population'] }).length) r += 0.5;
        return r; })''')
    assert widths[0] > 2 * widths[1] > 2, widths
    assert comes(page, lambda: any('limit=1000' in path for path in service.asked if 'basemap/places' in path)), service.asked


@test('near by there are degrees, a scale and the way to more detail, from afar none of it', brief=False)
def _(tests):
    page, _ = opened(tests, '#8/35.6/139.7')
    names = placed(page)
    assert 'grid:139.5° E' in names and 'grid:35.5° N' in names, names
    ground = page.locator('#ground')
    assert 'km' in ground.inner_text() and 'base map can be configured' in ground.inner_text()
    page.evaluate("() => visiventd.state.set({ units: 'mi' })")
    assert 'mi' in ground.inner_text() and 'km' not in ground.inner_text(), ground.inner_text()
    page.evaluate('() => visiventd.state.set({ zoom: 4 })')
    page.wait_for_function(f"() => !({NAMES})().some((id) => id.startsWith('grid:'))")
    assert ground.is_hidden()


@test('the legend has what is on the map, and nothing else')
def _(tests):
    world = World()
    world.event('quake', lon=10, lat=40, magnitude=5, time=world.now - HOUR)
    page, _ = opened(tests, '#2/40/15&panel=layers', world)
    words = lambda: page.locator('.legend').inner_text()
    page.wait_for_selector('.legend:has-text("earthquakes 1")')
    assert 'magnitude 3' in words(), words()
    for absent in ('depth', 'city', 'region', 'country', 'hotspots', 'weak', 'alert'):
        assert absent not in words(), (absent, words())
    for patch, shown in (("{ colour: 'depth' }", 'depth 0 to 650 km'), ('{ heat: true }', 'few or weak'),
                         ('{ hotspots: true }', 'hotspots'), ('{ population: true }', 'city of 1')):
        page.evaluate(f'() => visiventd.state.set({patch})')
        page.wait_for_function("(text) => document.querySelector('.legend').innerText.includes(text)", arg=shown)
    world.event('news', category='news', title='News', lon=12, lat=42, location_precision='city', location_radius_km=20,
                time=world.now)
    page.wait_for_function("() => document.querySelector('.legend').innerText.includes('around a city')")
    page.evaluate('() => visiventd.state.set({ pins: false })')
    page.wait_for_function("() => !document.querySelector('.legend').innerText.includes('magnitude')")


if __name__ == '__main__':
    main()
