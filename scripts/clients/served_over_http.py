#!/usr/bin/env python3
"""`visiventd serve` by plain HTTP, compared with SQLite's own rows: served_over_http.py FOLDER PROGRAM"""
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

from checks import RUN, ask, check, same, skip
from served import change, event, identities, public_id, rfc3339, serving, standing


def features(service, query, collection='events'):
    """The features of a query on one page, by public id."""
    page = service.json(f'/collections/{collection}/items?limit=10000&{query}')
    return {feature['id']: feature for feature in page['features']}


def is_refused(service, target, parameter):
    """Raises unless an address is answered 400 with the name of the parameter."""
    same(service.get(target).problem(400)['parameter'], parameter, target)


# MARK: - The start

def start(service):
    @check('http: the start has links to conformance, data and service-desc')
    def _():
        rels = {link['rel'] for link in service.json('/', Accept='application/json')['links']}
        same({'conformance', 'data', 'service-desc'} - rels, set(), 'missing:')

    @check('http: JSON comes for */*, HTML only where it is named')
    def _():
        for accept, expected in [('*/*', 'application/json'), ('text/html', 'text/html; charset=utf-8')]:
            same(service.get('/', Accept=accept).fields['content-type'], expected, f'Accept: {accept}:')


# MARK: - Values

def values(service):
    @check('http: times, magnitudes, titles and points of all events are those of SQLite')
    def _():
        found = features(service, '')
        rows = standing()
        same(set(found), identities(rows), 'events:')
        for row in rows:
            feature = found[row['public_id']]
            properties = feature['properties']
            same(
                (properties['time'], properties.get('magnitude'), properties['title'], properties.get('depth_km')),
                (rfc3339(row['time_ms']), row['magnitude'], row['title'], row['depth_km']), row['public_id'])
            if row['latitude'] is None:
                same(feature['geometry'], None, row['public_id'])
            elif row['geometry_geojson'] is None:
                same(feature['geometry']['coordinates'][:2], [row['longitude'], row['latitude']], row['public_id'])

    @check('http: withdrawn events come with withdrawn=include, and alone with withdrawn=only')
    def _():
        rows = {row['public_id']: row['withdrawn_reason'] for row in ask(
            "SELECT * FROM events_v1 WHERE withdrawn_reason IS NOT NULL AND title <> '(deleted)'")}
        found = features(service, 'withdrawn=only')
        same({key: feature['properties']['withdrawn'] for key, feature in found.items()}, rows)
        same(set(features(service, 'withdrawn=include')), identities(standing()) | set(rows))


# MARK: - Time

def times(service):
    middle = event(public_id('zz000020'))['time_ms']
    day = rfc3339(middle)[:10]
    first, last = [ask(f"SELECT unixepoch('{text}') * 1000 AS ms")[0]['ms'] for text in [day, f'{day} 23:59:59']]
    early, late = middle - 7_200_000, middle + 7_200_000
    for name, value, condition in [
        ('an instant', rfc3339(middle), f'time_ms = {middle}'),
        ('a date', day, f'time_ms BETWEEN {first} AND {last + 999}'),
        ('an interval', f'{rfc3339(early)}/{rfc3339(late)}', f'time_ms BETWEEN {early} AND {late}'),
        ('no end', f'{rfc3339(middle)}/..', f'time_ms >= {middle}'),
        ('no beginning', f'../{rfc3339(middle)}', f'time_ms <= {middle}'),
        ('an empty beginning', f'/{rfc3339(middle)}', f'time_ms <= {middle}'),
    ]:
        @check(f'http: datetime with {name} gives the events of SQLite')
        def _():
            expected = identities(standing(condition))
            if not expected:
                raise AssertionError('no event meets the condition')
            page = service.json(f'/collections/events/items?limit=10000&datetime={value}')
            same({feature['id'] for feature in page['features']}, expected)
            same(page['numberMatched'], len(expected), 'numberMatched:')

    @check('http: datetime from later to earlier, and words in place of a time, are refused')
    def _():
        is_refused(service, f'/collections/events/items?datetime={rfc3339(late)}/{rfc3339(early)}', 'datetime')
        is_refused(service, '/collections/events/items?datetime=yesterday', 'datetime')

    @check('http: an unknown parameter is refused by name')
    def _():
        is_refused(service, '/collections/events/items?datetimes=2026-03-01', 'datetimes')
        is_refused(service, '/changes?colour=red', 'colour')


# MARK: - Boxes

def boxes(service):
    @check('http: a box across 180° has the events of SQLite')
    def _():
        # Shapes are compared elsewhere: earthquakes are points.
        rows = standing("category = 'earthquake' AND latitude BETWEEN -50 AND -10 "
                        'AND (longitude >= 170 OR longitude <= -170)')
        if len({row['longitude'] > 0 for row in rows}) != 2:
            raise AssertionError('there is no event on either side')
        found = features(service, 'bbox=170,-50,-170,-10', 'earthquakes')
        same(set(found), identities(rows))


# MARK: - Hosts

def hosts(service):
    @check('http: another Host is answered 421 on each address, the stream included')
    def _():
        for target in ['/', '/conformance', '/collections/events/items', '/changes', '/stream', '/nothing']:
            same(service.get(target, Host='evil.example').problem(421)['type'], '/problems/host', target)

    @check('http: a configured Host is answered')
    def _():
        with serving(RUN + '/hostile.yaml') as other:
            same(other.get('/collections', Host='evil.example').status, 200)
            same(other.get('/collections', Host='other.example').status, 421)


# MARK: - Hostile text

class Elements(HTMLParser):
    """The elements, attributes and text that a browser sees in a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.addresses, self.text, self.handlers = set(), [], '', []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.addresses += [value for name, value in attrs if name in ('href', 'src')]
        self.handlers += [name for name, _ in attrs if name.startswith('on')]

    def handle_data(self, data):
        self.text += data


HOSTILE = event(public_id('urn:hostile:1'))


def hostile(service):
    @check('http: hostile words of a feed are stored as they are, the link is not')
    def _():
        same(HOSTILE['title'].startswith('<img src=x onerror=alert(1)>'), True, HOSTILE['title'])
        same(HOSTILE['link'], None, 'link:')

    def is_harmless(answer):
        page = Elements(answer.text)
        same(page.tags & {'img', 'script', 'style', 'iframe'}, set(), 'elements:')
        same(page.handlers, [], 'handlers:')
        same([address for address in page.addresses if not re.match('https?://', address)], [], 'addresses:')
        same(HOSTILE['title'] in page.text, True, 'the title as text:')
        same("default-src 'none'" in answer.fields['content-security-policy'], True, 'policy:')
        same(answer.fields['x-content-type-options'], 'nosniff')

    @check('http: f=html shows hostile words as text, of all items and of one')
    def _():
        for rest in ['?f=html&limit=10000', f"/{HOSTILE['public_id']}?f=html"]:
            is_harmless(service.get('/collections/events/items' + rest))

    for target in ['/feed.atom', '/events.kml']:
        name = f'http: {target} shows hostile words as text'
        if not service.offers(target):
            skip(name, f'{target} is not offered')
            continue

        @check(name)
        def _():
            answer = service.get(target + '?limit=1000')
            document = ElementTree.fromstring(answer.body)
            texts = [element.text or '' for element in document.iter()]
            same(any(HOSTILE['title'] in text for text in texts), True, 'the title as text:')
            same('javascript:' in answer.text, False, 'a link that runs:')


# MARK: - What is gone

def gone(service):
    merged = ask('SELECT * FROM merged_events_v1')[0]
    old, survivor = merged['public_id'], merged['into_public_id']
    erased = ask("SELECT public_id FROM events_v1 WHERE title = '(deleted)'")[0]['public_id']
    truncated = ask("SELECT public_id FROM changes_v1 WHERE kind = 'truncated'")[0]['public_id']

    @check('http: a merged id leads to the surviving one')
    def _():
        for part in ['', '/history', '/sources']:
            answer = service.get(f'/collections/earthquakes/items/{old}{part}')
            same(answer.status, 301)
            own = f'{service.url}/collections/earthquakes/items/'
            same(answer.fields['location'], own + survivor + part)
        same(service.json(f'/collections/earthquakes/items/{survivor}')['id'], survivor)
        same(old in features(service, 'withdrawn=include'), False, 'the merged event in a list:')

    @check('http: an erased event and a truncated one are gone, an unknown one is not there')
    def _():
        for identity, status in [(erased, 410), (truncated, 410), ('0' * 16, 404)]:
            for part in ['', '/history', '/sources']:
                service.get(f'/collections/events/items/{identity}{part}').problem(status)

    @check('http: the words of an erased event are in no list, feed, history, change or stream')
    def _():
        word = 'quetzalcoatlus'
        seq = change(erased, 'new')['seq'] - 1
        targets = [f'/collections/messages/items?withdrawn=include&f={form}'
                   for form in ['json', 'csv', 'ndjson', 'geojsonseq', 'columns', 'html']]
        targets += [f'/changes?after={seq}&limit=1000', '/collections/events/items?withdrawn=only&limit=10000']
        last = ask('SELECT max(seq) AS seq FROM changes_v1')[0]['seq']
        targets += [f'/collections/events/items?as_of={min(seq + number, last)}&limit=10000' for number in [1, 2, 3]]
        targets += ['/collections/messages/items?f=columns&versions=true&properties=title,summary']
        targets += [target for target in ['/feed.atom?category=message', '/events.kml'] if service.offers(target)]
        for target in targets:
            answer = service.get(target)
            same(answer.status, 200, target)
            same(word in answer.text, False, target)
            if '/changes' not in target:
                same(erased in answer.text, False, target)
        for form in ['json', 'csv', 'ndjson']:
            answer = service.get(f'/collections/events/items?q={word}&withdrawn=include&f={form}')
            same(erased in answer.text, False, f'found by its words as {form}:')


# MARK: - The end of the log

def ends(service):
    @check('http: cursors that are not in the log are answered 410 with where to begin')
    def _():
        newest = ask('SELECT max(seq) AS seq FROM changes_v1')[0]['seq']
        problem = service.get(f'/changes?after={newest + 1}').problem(410)
        same(problem['type'], '/problems/cursor')
        same(str(newest) in problem['detail'], True, problem['detail'])

    @check('http: the changes are those of SQLite, in order, but for the states of events that are gone since')
    def _():
        rows = ask('''
            SELECT seq, public_id FROM changes_v1 WHERE kind IN ('truncated', 'withdrawn') OR public_id NOT IN (
                SELECT public_id FROM changes_v1 WHERE kind = 'truncated'
                UNION SELECT public_id FROM events_v1 WHERE title = '(deleted)')
            ORDER BY seq''')
        found, cursor = [], 0
        while True:
            page = service.json(f'/changes?after={cursor}&limit=200&withdrawn=include')
            found += [(entry['seq'], entry['id']) for entry in page['changes']]
            if page['next'] == page['newest']:
                break
            cursor = page['next']
        same(found, [(row['seq'], row['public_id']) for row in rows])


with serving() as running:
    for group in [start, values, times, boxes, hosts, hostile, gone, ends]:
        group(running)
