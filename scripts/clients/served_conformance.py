#!/usr/bin/env python3
"""The requirements of the conformance classes that `visiventd serve` claims, one check each, by their ids in OGC API -
Features, Part 1 (OGC 17-069r3; docs/dev/conformance.md): served_conformance.py FOLDER PROGRAM"""
import itertools
import re
from datetime import datetime, timedelta, timezone

from openapi_spec_validator import validate

from checks import ask, check, paths, same, simple
from served import identities, public_id, rfc3339, serving, standing

CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
CLASSES = {f'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/{name}' for name in ['core', 'geojson', 'oas30']}
CATEGORIES = {'earthquakes': 'earthquake', 'volcanic-activity': 'volcano', 'alerts': 'alert', 'news': 'news',
              'messages': 'message'}


def requirement(identity, text):
    """Runs the decorated function as the check of a requirement."""
    return check(f'conformance: {identity}: {text}')


def bare(media_type):
    """A media type without its parameters."""
    return media_type.split(';')[0].strip()


def rows_of(collection):
    """The standing events of a collection."""
    return standing(f"category = '{CATEGORIES[collection]}'" if collection in CATEGORIES else '1')


class Facts:
    """Documents that several checks read."""

    def __init__(self, service):
        self.start = service.json('/', Accept='application/json')
        self.api = service.json('/api')
        self.collections = service.json('/collections')['collections']
        self.names = [collection['id'] for collection in self.collections]

    def types(self, path):
        """The media types of a path's 200 answer in the API definition."""
        return {bare(name) for name in self.api['paths'][path]['get']['responses']['200']['content']}

    def feature_types(self, path):
        """Those that hold features: the columns for a map are application/json and hold none."""
        return self.types(path) - {'application/json'}

    def parameter(self, name):
        """The definition of a parameter of /collections/events/items."""
        found = [entry for entry in self.api['paths']['/collections/events/items']['get']['parameters']
                 if entry['name'] == name]
        same(len(found), 1, f'definitions of {name}:')
        return found[0]


def same_links(links, own_type, other_types):
    """Raises unless there is a link to the document itself and one to each of its other media types."""
    same([bare(link['type']) for link in links if link['rel'] == 'self'], [own_type], 'self:')
    found = {bare(link['type']) for link in links if link['rel'] == 'alternate'}
    same(other_types - found, set(), 'alternate, missing:')


# MARK: - Core

def start(service, facts):
    @requirement('/req/core/root-op, /req/core/root-success', 'the start links to definition, conformance and data')
    def _():
        rels = {link['rel']: link['href'] for link in facts.start['links']}
        same({'conformance', 'data'} - set(rels), set(), 'missing:')
        same(bool({'service-desc', 'service-doc'} & set(rels)), True, 'a definition:')
        same(rels['conformance'], service.url + '/conformance')
        same(rels['data'], service.url + '/collections')

    @requirement('/req/core/api-definition-op, /req/core/api-definition-success',
                 'each definition comes in the media type of its link')
    def _():
        for link in facts.start['links']:
            if link['rel'] in ('service-desc', 'service-doc'):
                answer = service.get(link['href'].removeprefix(service.url), Accept=link['type'])
                same((answer.status, bare(answer.fields['content-type'])), (200, bare(link['type'])), link['href'])

    @requirement('/req/core/conformance-op, /req/core/conformance-success', 'the classes are listed')
    def _():
        same(set(service.json('/conformance')['conformsTo']), CLASSES)

    @requirement('/req/core/http', 'HEAD has the fields of GET, other methods are 405 with Allow')
    def _():
        for target in ['/', '/collections', '/collections/events/items']:
            whole, head = service.get(target), service.get(target, method='HEAD')
            same((head.status, head.body), (200, b''), target)
            for name in ['content-type', 'cache-control', 'vary']:
                same(head.fields[name], whole.fields[name], f'{target}, {name}:')
            other = service.get(target, method='DELETE')
            same((other.status, other.fields['allow']), (405, 'GET, HEAD'), target)
            same(service.get(target, If_None_Match=whole.fields['etag']).status in (200, 304), True)

    @requirement('/req/core/query-param-unknown', 'a parameter that is not defined is 400')
    def _():
        for target in ['/', '/conformance', '/api', '/collections', '/collections/events', '/collections/events/items']:
            same(service.get(target + '?nonsense=1').problem(400)['parameter'], 'nonsense', target)

    @requirement('/req/core/query-param-invalid', 'an invalid value is 400')
    def _():
        for query in ['limit=0', 'limit=ten', 'bbox=1,2,3', 'bbox=0,10,10,0', 'bbox=a,b,c,d', 'datetime=2026-02-30',
                      'datetime=../..x', 'f=xml', 'min_magnitude=strong']:
            problem = service.get('/collections/events/items?' + query).problem(400)
            same(problem['parameter'], query.split('=')[0], query)


def collections(service, facts):
    @requirement('/req/core/fc-md-op, /req/core/fc-md-success', 'the collections have ids and links')
    def _():
        document = service.json('/collections')
        same(bool(document['links']), True)
        for collection in document['collections']:
            same(bool(collection['id'] and collection['links']), True)

    @requirement('/req/core/fc-md-links', 'the list of collections links to itself and its other forms')
    def _():
        same_links(service.json('/collections')['links'], 'application/json',
                   facts.types('/collections') - {'application/json'})

    @requirement('/req/core/fc-md-items', 'each collection is listed')
    def _():
        same(set(facts.names), {'events', 'volcanoes', *CATEGORIES})

    @requirement('/req/core/fc-md-items-links', 'each collection links to its items in each media type')
    def _():
        for collection in facts.collections:
            links = collection['links']
            same([link for link in links if not link.get('rel') or not link.get('type')], [])
            found = {bare(link['type']) for link in links if link['rel'] == 'items'}
            same(facts.feature_types(f'/collections/{collection["id"]}/items') - found, set(), 'missing:')

    @requirement('/req/core/fc-md-extent', 'the extents enclose all points and times')
    def _():
        for collection in facts.collections:
            if collection['id'] == 'volcanoes':
                rows = ask('SELECT latitude, longitude FROM points_of_interest_v1')
            else:
                rows = rows_of(collection['id'])
                first, last = collection['extent']['temporal']['interval'][0]
                for row in rows:
                    time = rfc3339(row['time_ms'])
                    same((first or time) <= time <= (last or time), True, f'{collection["id"]}, {time}:')
            west, south, east, north = collection['extent']['spatial']['bbox'][0]
            for row in rows:
                if row['latitude'] is not None:
                    inside = west <= row['longitude'] <= east and south <= row['latitude'] <= north
                    same(inside, True, f'{collection["id"]}, {row}:')
            for feature in service.json(f'/collections/{collection["id"]}/items?limit=10000')['features']:
                for kind, coordinates in simple(feature['geometry']) if feature['geometry'] else []:
                    for x, y, *_ in itertools.chain(*paths(kind, coordinates)):
                        inside = west <= x <= east and south <= y <= north
                        same(inside, True, f'{collection["id"]}, {feature["id"]}, {x}, {y}:')

    @requirement('/req/core/sfc-md-op, /req/core/sfc-md-success', 'each collection is described as in the list')
    def _():
        for collection in facts.collections:
            same(service.json('/collections/' + collection['id']), collection)

    @requirement('/req/core/crs84', 'coordinates are longitude and latitude')
    def _():
        for collection in facts.collections:
            same(collection['crs'][0], CRS84)
        row = standing(f"public_id = '{public_id('zz000010')}'")[0]
        feature = service.json('/collections/earthquakes/items/' + row['public_id'])
        same(feature['geometry']['coordinates'][:2], [row['longitude'], row['latitude']])


def items(service, facts):
    target = '/collections/events/items'

    @requirement('/req/core/fc-op, /req/core/fc-response', 'each collection has items of its own alone')
    def _():
        for name in facts.names:
            page = service.json(f'/collections/{name}/items?limit=10000')
            if name in CATEGORIES:
                found = {feature['properties']['category'] for feature in page['features']}
                same(found, {CATEGORIES[name]}, name)
            if name != 'volcanoes':
                same({feature['id'] for feature in page['features']}, identities(rows_of(name)), name)

    @requirement('/req/core/fc-limit-definition', 'limit is a whole number from 1 on')
    def _():
        limit = facts.parameter('limit')
        same((limit['in'], limit['required'], limit['style'], limit['explode']), ('query', False, 'form', False))
        same((limit['schema']['type'], limit['schema']['minimum']), ('integer', 1))

    @requirement('/req/core/fc-limit-response-1', 'there are no more features than limit says')
    def _():
        same([len(service.json(f'{target}?limit={limit}')['features']) for limit in [1, 3, 150]], [1, 3, 150])
        same(service.get(target + '?limit=1000000').status, 200)

    @requirement('/req/core/fc-bbox-definition', 'bbox is four or six numbers')
    def _():
        box = facts.parameter('bbox')
        same((box['in'], box['required'], box['style'], box['explode']), ('query', False, 'form', False))
        schema = box['schema']
        same((schema['type'], schema['items']['type']), ('array', 'number'))
        same((schema['minItems'], schema['maxItems']), (4, 6))

    @requirement('/req/core/fc-bbox-response A, D', 'features in the box alone, of four numbers or six')
    def _():
        expected = identities(standing("category = 'earthquake' AND longitude BETWEEN 130 AND 170 "
                                       'AND latitude BETWEEN 30 AND 60'))
        for box in ['130,30,170,60', '130,30,-1000,170,60,1000']:
            page = service.json(f'/collections/earthquakes/items?limit=10000&bbox={box}')
            same({feature['id'] for feature in page['features']}, expected, box)

    @requirement('/req/core/fc-time-definition', 'datetime is a text')
    def _():
        time = facts.parameter('datetime')
        same((time['in'], time['required'], time['style'], time['explode']), ('query', False, 'form', False))
        same(time['schema']['type'], 'string')

    @requirement('/req/core/fc-time-response', 'features of the time alone, for an instant and each sort of interval')
    def _():
        middle = standing()[len(standing()) // 2]['time_ms']
        late = middle + 3_600_000
        at, then = rfc3339(middle), rfc3339(late)
        for value, condition in [
            (at, f'time_ms = {middle}'), (f'{at}/{then}', f'time_ms BETWEEN {middle} AND {late}'),
            (f'{at}/..', f'time_ms >= {middle}'), (f'{at}/', f'time_ms >= {middle}'),
            (f'../{at}', f'time_ms <= {middle}'), (f'/{at}', f'time_ms <= {middle}'),
        ]:
            page = service.json(f'{target}?limit=10000&datetime={value}')
            same({feature['id'] for feature in page['features']}, identities(standing(condition)), value)

    @requirement('/req/core/fc-links', 'a page links to itself and its other forms')
    def _():
        for name in facts.names:
            path = f'/collections/{name}/items'
            same_links(service.json(path)['links'], 'application/geo+json',
                       facts.feature_types(path) - {'application/geo+json'})

    @requirement('/req/core/fc-rel-type', 'all links have rel and type')
    def _():
        links = service.json(target + '?limit=5')['links'] + facts.start['links']
        same([link for link in links if not link.get('rel') or not link.get('type')], [])

    @requirement('/req/core/fc-timeStamp', 'the time of a page, if it has one, is that of the answer')
    def _():
        page = service.json(target)
        if 'timeStamp' in page:
            distance = datetime.now(timezone.utc) - datetime.fromisoformat(page['timeStamp'].replace('Z', '+00:00'))
            same(abs(distance) < timedelta(minutes=1), True, page['timeStamp'])

    @requirement('/req/core/fc-numberMatched, /req/core/fc-numberReturned', 'the numbers are those of SQLite')
    def _():
        for query, condition in [
            ('', '1'), ('&min_magnitude=5', 'magnitude >= 5'), ('&category=news', "category = 'news'"),
        ]:
            page = service.json(f'{target}?limit=5{query}')
            same(page['numberMatched'], len(standing(condition)), query)
            same(page['numberReturned'], len(page['features']), query)

    @requirement('/req/core/f-op, /req/core/f-success', 'each feature has an address of its own')
    def _():
        for name in facts.names:
            for feature in service.json(f'/collections/{name}/items?limit=3')['features']:
                found = service.json(f'/collections/{name}/items/{feature["id"]}')
                same({key: found[key] for key in feature}, feature)

    @requirement('/req/core/f-links', 'a feature links to itself, its other forms and its collection')
    def _():
        for name in facts.names:
            feature = service.json(f'/collections/{name}/items?limit=1')['features'][0]
            path = f'/collections/{name}/items/'
            links = service.json(path + feature['id'])['links']
            same_links(links, 'application/geo+json', facts.types(path + '{featureId}') - {'application/geo+json'})
            same([link['href'] for link in links if link['rel'] == 'collection'], [f'{service.url}/collections/{name}'])


# MARK: - GeoJSON

def geojson(service, facts):
    @requirement('/req/geojson/definition', 'features are application/geo+json, the rest application/json')
    def _():
        identity = public_id('zz000010')
        for target in ['/collections/events/items', f'/collections/events/items/{identity}']:
            answer = service.get(target, Accept='application/geo+json')
            same(answer.fields['content-type'], 'application/geo+json', target)
        for target in ['/', '/conformance', '/collections', '/collections/events']:
            answer = service.get(target, Accept='application/json')
            same(answer.fields['content-type'], 'application/json', target)

    @requirement('/req/geojson/content', 'pages are feature collections, items are features, both with links')
    def _():
        for name in facts.names:
            page = service.json(f'/collections/{name}/items')
            same((page['type'], bool(page['links'])), ('FeatureCollection', True), name)
            for feature in page['features']:
                same((feature['type'], 'geometry' in feature, 'properties' in feature), ('Feature', True, True), name)
            item = service.json(f'/collections/{name}/items/{page["features"][0]["id"]}')
            same((item['type'], bool(item['links'])), ('Feature', True), name)


# MARK: - OpenAPI 3.0

def openapi(service, facts):
    @requirement('/req/oas30/oas-definition-1', 'the definition is there as JSON and as HTML')
    def _():
        types = {(link['rel'], bare(link['type'])) for link in facts.start['links']}
        same(('service-desc', 'application/vnd.oai.openapi+json') in types, True, 'JSON:')
        same(('service-doc', 'text/html') in types, True, 'HTML:')
        same(bare(service.get('/api?f=html').fields['content-type']), 'text/html')

    @requirement('/req/oas30/oas-definition-2', 'the definition is one of OpenAPI 3.0')
    def _():
        same(bool(re.match(r'3\.0\.\d$', facts.api['openapi'])), True, facts.api['openapi'])
        validate(facts.api)

    @requirement('/req/oas30/oas-impl', 'each address of the definition is answered')
    def _():
        identity = public_id('zz000010')
        volcano = service.json('/collections/volcanoes/items?limit=1')['features'][0]['id']
        for path in facts.api['paths']:
            if path == '/stream':
                continue
            # The earthquake is an item of two collections; the others say that it is none of theirs.
            own = volcano if '/volcanoes/' in path else identity
            target = path.replace('{featureId}', own).replace('{feed}', 'all_day.geojson')
            status = service.get(target).status
            expected = {200} if '{featureId}' not in path or re.search('/(events|earthquakes|volcanoes)/', path) else {404}
            same(status in expected, True, f'{path}: {status},')

    @requirement('/req/oas30/completeness, /req/oas30/exceptions-codes', 'each status that is answered is declared')
    def _():
        gone = ask("SELECT public_id FROM events_v1 WHERE title = '(deleted)'")[0]['public_id']
        newest = ask('SELECT max(seq) AS seq FROM changes_v1')[0]['seq']
        item = '/collections/events/items/{featureId}'
        for path, target, fields in [
            ('/', '/?x=1', {}), ('/collections', '/collections?x=1', {}),
            ('/changes', f'/changes?after={newest + 1}', {}),
            ('/collections/events/items', '/collections/events/items?limit=0', {}),
            (item, item.replace('{featureId}', gone), {}), (item, item.replace('{featureId}', '0' * 16), {}),
            ('/collections', '/collections', {'Host': 'evil.example'}),
        ]:
            status = str(service.get(target, **fields).status)
            responses = facts.api['paths'][path]['get']['responses']
            same(status in responses or 'default' in responses, True, f'{path}, {status} is declared:')

    @requirement('/req/oas30/security', 'nothing asks for a login, and the definition says so')
    def _():
        same('securitySchemes' in facts.api.get('components', {}), False)
        same('security' in facts.api, False)


with serving() as running:
    known = Facts(running)
    for group in [start, collections, items, geojson, openapi]:
        group(running, known)
