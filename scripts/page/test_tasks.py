#!/usr/bin/env python3
"""What one comes to the map for: done in few steps, with the result asserted. A step is a click, a key, or a text that is
typed with the Enter that ends it. Choosing one of several options takes two."""
import re
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from browser import HOUR, World, main, rfc3339, test

ITEMS = 'collections/events/items'
VOLCANOES = 'collections/volcanoes/items'
# What the map draws, in ms since 1970.
DRAWN = '() => visiventd.map.map.getLayer("events").implementation.frame'


class Hand:
    """Works a page, and counts the steps."""

    def __init__(self, tests, service, hash='', **options):
        # The days of the tests are those of the page.
        self.visit = tests.visit(service.url, timezone_id='UTC', **options)
        self.page = self.visit.open(hash)
        self.panel, self.card = self.page.locator('#panel'), self.page.locator('#card')
        self.rows = self.panel.locator('.row')
        self.steps = 0

    def click(self, target):
        target.click()
        self.steps += 1

    def click_twice(self, target):
        target.dblclick()
        self.steps += 2

    def key(self, key):
        self.page.keyboard.press(key)
        self.steps += 1

    def type(self, text, end=None):
        self.page.keyboard.type(text)
        if end:
            self.page.keyboard.press(end)
        self.steps += 1

    def choose(self, name, option):
        self.panel.get_by_role('combobox', name=name).select_option(option)
        self.steps += 2


def task(words, most, brief=False):
    """Registers a task, whose function asserts the result and returns the hand that did it."""
    def register(function):
        @test(f'{words}: {most} steps at most', brief=brief)
        def _(tests):
            hand = function(tests)
            assert 0 < hand.steps <= most, f'{hand.steps} steps'
    return register


def three_days():
    world = World()
    # Their ages in hours.
    for identity, hours, properties in (
            ('first', 71, {'magnitude': 3.1, 'title': 'M 3.1 - near Quito', 'lon': -78, 'lat': 0}),
            ('stronger', 30, {'magnitude': 7.0, 'title': 'M 7.0 - near Honshu', 'lon': 143, 'lat': 38}),
            ('strong', 20, {'magnitude': 6.3, 'title': 'M 6.3 - south of Panama', 'lon': -80, 'lat': 6}),
            ('ash', 5, {'category': 'volcano', 'title': 'Ash over Sakurajima', 'lon': 130.6, 'lat': 31.6}),
            ('lava', 2, {'category': 'volcano', 'title': 'Lava of Kilauea', 'lon': -155.3, 'lat': 19.4}),
            ('lost', 3, {'category': 'news', 'title': 'A wave hits Atlantis', 'place_text': 'Atlantis',
                         'location_missing': 'not_found'}),
            ('placed', 3, {'category': 'news', 'title': 'A storm over Lisbon', 'lon': -9.1, 'lat': 38.7}),
            ('newest', 0.8, {'magnitude': 5.2, 'title': 'M 5.2 - 9 km N of Etna', 'lon': 14.99, 'lat': 37.75}),
            ('weak', 0.1, {'magnitude': 4.9, 'title': 'M 4.9 - near Tokyo', 'lon': 139.8, 'lat': 35.6}),
            ('weaker', 0.2, {'magnitude': 2.2, 'title': 'M 2.2 - near Osaka', 'lon': 135.5, 'lat': 34.7})):
        world.event(identity, time=world.now - int(hours * HOUR), **properties)
    return world


# MARK: - What there is

@task('volcanic activity only', 2)
def _(tests):
    hand = Hand(tests, tests.scripted(three_days()))
    expect(hand.rows).to_have_count(8)
    hand.click_twice(hand.page.get_by_role('button', name='volcanic activity'))
    expect(hand.rows.locator('button > [dir=auto]')).to_have_text(['Lava of Kilauea', 'Ash over Sakurajima'])
    expect(hand.page.locator('#sight')).to_contain_text('2 events in 24 h')
    pressed = hand.page.locator('#chips [aria-pressed=true]')
    expect(pressed).to_have_count(1)
    expect(pressed).to_contain_text('volcanic activity')
    return hand


@task('the newest earthquake of M 5 and more', 2)
def _(tests):
    hand = Hand(tests, tests.scripted(three_days()))
    hand.key('/')
    hand.type('M5+', 'Enter')
    expect(hand.rows.locator('.magnitude')).to_have_text(['6.3', '5.2'])
    # What matters is first; the ages tell the newest.
    expect(hand.rows.locator('time')).to_have_text(['20 h ago', re.compile('^(48|49) min ago$')])
    expect(hand.rows.last).to_contain_text('9 km N of Etna')
    expect(hand.rows.last).to_be_in_viewport()
    return hand


@task('what was revised today', 2, brief=True)
def _(tests):
    world = three_days()
    world.event('strong', magnitude=6.4)
    world.changes[-1]['at'] = rfc3339(world.now - 24 * HOUR)
    world.event('newest', magnitude=5.4)
    at = world.changes[-1]['at']
    service = tests.scripted(world)
    service.answers[f'{ITEMS}/newest/history'] = {'history': [
        {'revision': 2, 'at': at, 'source': 'quakes', 'changes': {'magnitude': {'from': 5.2, 'to': 5.4}}}]}
    hand = Hand(tests, service)
    hand.choose('Show', 'Changed')
    expect(hand.panel.locator('.day')).to_have_count(2)
    shown = hand.panel.locator('ul > li').evaluate_all(
        '(all) => all.map((node) => node.dataset.event ?? node.textContent)')
    today = datetime.fromisoformat(at.replace('Z', '+00:00'))
    assert shown[0].startswith(f'{today.day} {today:%b}'), shown
    assert shown[1::2] == ['newest', 'strong'] and len(shown) == 4, shown
    expect(hand.rows.first).to_contain_text('M 5.2 → 5.4')
    return hand


@task('why an event has no place', 3)
def _(tests):
    hand = Hand(tests, tests.scripted(three_days()))
    hand.choose('Show', 'Without a place')
    expect(hand.rows).to_have_count(1)
    hand.click(hand.rows.get_by_role('button', name='A wave hits Atlantis'))
    expect(hand.card.get_by_role('heading', level=2)).to_have_text('A wave hits Atlantis')
    expect(hand.card).to_contain_text('No place: it was not found by its name')
    return hand


@task('which source fails', 2)
def _(tests):
    world = three_days()
    now, since = rfc3339(world.now), rfc3339(world.now - 5 * HOUR)
    source = {'kind': 'usgs', 'enabled': True, 'last_success': now, 'due_reason': 'interval', 'failures': 0,
              'next_due': rfc3339(world.now + HOUR), 'refused': {}}
    service = tests.scripted(world)
    service.answers = {
        'page/upkeep': {'time': now, 'state': 'late', 'last_poll': now, 'since': since,
                        'late': [{'name': 'agency', 'state': 'failing', 'since': since}]},
        'status': {'time': now, 'last_poll': now, 'change_seq': 0, 'events': 10, 'located': 9, 'sources': [
            source | {'name': 'quakes'}, source | {'name': 'agency', 'failures': 3, 'failing_since': since,
                                                   'last_failure': 'no connection within 10 s'}]}}
    hand = Hand(tests, service)
    state = hand.page.locator('.live')
    expect(state).to_have_text('Late: agency · 5 h')
    hand.click(state)
    failing = hand.panel.locator('.source[data-state=failing]')
    for words in ('agency', 'failing since 5 h ago', 'no connection within 10 s'):
        expect(failing).to_contain_text(words)
    return hand


# MARK: - Where

@task('the volcano nearest to an earthquake', 2, brief=True)
def _(tests):
    def volcano(identity, name, lon, lat, km):
        return {'type': 'Feature', 'id': identity, 'geometry': {'type': 'Point', 'coordinates': [lon, lat]},
                'properties': {'name': name, 'country': 'Italy', 'distance_km': km, 'text': f'{name} smokes.'}}
    etna, vulcano = volcano('etna', 'Etna', 14.99, 37.75, 9.2), volcano('vulcano', 'Vulcano', 14.96, 38.4, 72.0)
    service = tests.scripted(three_days())
    service.answers = {VOLCANOES: {'features': [etna, vulcano], 'links': []}, f'{VOLCANOES}/etna': etna}
    hand = Hand(tests, service)
    hand.click(hand.rows.get_by_role('button', name='9 km N of Etna'))
    near = hand.card.locator('li:has(.link)')
    expect(near).to_contain_text(['Etna 9.2 km', 'Vulcano 72 km'])
    # The service sorts them by the distance from here.
    asked = [parse_qs(urlsplit(target).query) for target in service.asked if target.startswith(f'/{VOLCANOES}?')]
    near_it = [query['longitude'] + query['latitude'] for query in asked if 'radius' in query]
    assert near_it and all(at == ['14.99', '37.75'] for at in near_it), asked
    hand.click(near.first.get_by_role('button'))
    expect(hand.card.get_by_role('heading', level=2)).to_have_text('Etna')
    expect(hand.card).to_contain_text('Etna smokes.')
    return hand


@task('what happened near Tokyo', 3)
def _(tests):
    service = tests.scripted(three_days())
    service.answers['basemap/places'] = {'places': [[139.69, 35.69, 8_336_599, 'Tokyo', 'JP']]}
    hand = Hand(tests, service)
    hand.visit.map_ready()
    hand.click(hand.page.get_by_role('searchbox', name='Search'))
    hand.type('Tokyo')
    hand.click(hand.page.locator('#places').get_by_role('button', name='Tokyo, Japan'))
    hand.page.wait_for_function('() => Math.abs(visiventd.state.get().zoom - 8) < 0.01')
    seen = hand.page.evaluate('''() => {
        const { record: { id, lon, lat }, map } = visiventd, [west, south, east, north] = map.bounds();
        return id.filter((_, i) => west < lon[i] && lon[i] < east && south < lat[i] && lat[i] < north);
    }''')
    assert seen == ['weak'], seen
    return hand


# MARK: - When, and for others

@task('three days are played', 2)
def _(tests):
    hand = Hand(tests, tests.scripted(three_days()))
    hand.visit.map_ready()
    hand.key('Space')
    # Read at once: an hour a second goes by.
    begun = hand.page.wait_for_function(f'() => visiventd.state.get().playing && ({DRAWN})()').json_value()
    assert begun['from'] < hand.page.evaluate('Date.now()') - 60 * HOUR, begun
    hand.page.wait_for_function(f'(begun) => ({DRAWN})().to > begun + 60_000', arg=begun['to'])
    # Up to the present; no hand waits for that here.
    hand.page.evaluate('() => visiventd.state.set({ speed: 604800 })')
    hand.page.wait_for_function('() => !visiventd.state.get().playing && visiventd.state.get().end === null')
    assert abs(hand.page.evaluate(DRAWN)['to'] - hand.page.evaluate('Date.now()')) < 60_000
    return hand


@task('exactly this view, with its time, is told to others', 2, brief=True)
def _(tests):
    service = tests.scripted(three_days())
    view = '''() => (({ center, zoom, range, length, categories, search, colour, to }) =>
        ({ center, zoom, range, length, categories, search, colour, to }))(visiventd.state.get())'''
    hand = Hand(tests, service, '#4.2/38.1/142.4&window=10h&cat=earthquake&q=mag>=3&colour=depth',
                permissions=['clipboard-read', 'clipboard-write'])
    hand.visit.map_ready()
    before = hand.page.evaluate('Date.now()')
    hand.click(hand.page.get_by_role('button', name='More', exact=True))
    hand.click(hand.panel.get_by_role('button', name='Copy link to this view'))
    expect(hand.panel).to_contain_text('The address of this view is copied.')
    link = hand.page.evaluate('() => navigator.clipboard.readText()')
    assert link.startswith(service.url + '#'), link
    after, own = hand.page.evaluate('Date.now()'), hand.page.evaluate(view)
    hand.page.close()
    # In a window of another size, and whenever it is opened.
    theirs = Hand(tests, service, link[len(service.url):], width=1000, height=700).page.evaluate(view)
    assert own['to'] is None and before - 60_000 < theirs['to'] <= after, (own, theirs)
    assert theirs | {'to': None} == own, (own, theirs)
    return hand


if __name__ == '__main__':
    main()
