#!/usr/bin/env python3
"""OWSLib on `visiventd serve`, also while a feeder inserts and revises events: served_to_owslib.py FOLDER PROGRAM"""
import json
import os
import threading
import time
from urllib.parse import parse_qsl, urlsplit

from owslib.ogcapi.features import Features

from checks import RUN, ask, check, same
from served import identities, serving, standing, visiventd

NEWEST = 1_760_000_000_000


def pages(client, collection, **parameters):
    """The features of all pages, found by the links to the next one."""
    while True:
        page = client.collection_items(collection, **parameters)
        yield page
        following = [link['href'] for link in page['links'] if link['rel'] == 'next']
        if not following:
            return
        parameters = dict(parse_qsl(urlsplit(following[0]).query))
        # OWSLib takes these two in parts.
        if 'bbox' in parameters:
            parameters['bbox'] = parameters['bbox'].split(',')
        if 'sortby' in parameters:
            name = parameters['sortby']
            parameters['sortby'] = (name.lstrip('-'), 'desc' if name.startswith('-') else 'asc')


def walk(client, collection, **parameters):
    """The ids of all pages in order."""
    return [feature['id'] for page in pages(client, collection, **parameters) for feature in page['features']]


# MARK: - At rest

def at_rest(service):
    client = Features(service.url + '/')

    @check('OWSLib: conformance, collections, schema of each, queryables')
    def _():
        same(len(client.conformance()['conformsTo']), len(service.json('/conformance')['conformsTo']))
        names = client.feature_collections()
        same(set(names), {'events', 'earthquakes', 'volcanic-activity', 'alerts', 'news', 'messages', 'volcanoes'})
        for name in names:
            same(client.collection(name)['id'], name)
            same(client.collection_queryables(name)['type'], 'object')
        same(client.api()['openapi'][:3], '3.0')

    for limit in [7, 100]:
        @check(f'OWSLib: all pages of {limit} have each event of SQLite once')
        def _():
            found = walk(client, 'events', limit=limit)
            same(len(found), len(set(found)), 'ids:')
            same(set(found), identities(standing()))

    @check('OWSLib: boxes, times, words and the order are passed on')
    def _():
        found = walk(client, 'earthquakes', bbox=[130, 30, 170, 60], limit=5)
        rows = standing("category = 'earthquake' AND longitude BETWEEN 130 AND 170 AND latitude BETWEEN 30 AND 60")
        same(sorted(found), sorted(identities(rows)))
        times = [feature['properties']['time'] for page in pages(client, 'events', sortby=('time', 'asc'), limit=100)
                 for feature in page['features']]
        same(times, sorted(times))
        identity = found[0]
        same(client.collection_item('earthquakes', identity)['id'], identity)


# MARK: - While events come and change

CONFIGURATION = RUN + '/fed.yaml'


def earthquake(number, magnitude):
    """An earthquake; its time depends on its number alone."""
    name = f'zz{number:06d}'
    return {
        'type': 'Feature', 'id': name,
        'properties': {
            'mag': magnitude, 'place': 'Nowhere', 'time': NEWEST - (number * 7919) % 1000 * 60_000,
            'updated': NEWEST + round(magnitude * 1000), 'status': 'reviewed', 'net': 'zz', 'code': name[2:],
            'ids': f',{name},', 'sources': ',zz,', 'types': ',origin,', 'magType': 'ml', 'type': 'earthquake',
            'title': f'M {magnitude} - Nowhere',
        },
        'geometry': {'type': 'Point', 'coordinates': [number % 360 - 179.5, number % 170 - 84.5, 10]},
    }


class Feeder:
    """Polls a feed whose next version has further events and a revision of others."""

    def __init__(self):
        self.count, self.version, self.is_asked_to_stop = 0, 0, threading.Event()
        self.magnitudes = {}
        with open(CONFIGURATION, 'w', encoding='utf-8') as file:
            file.write('database: fed.sqlite\nsources:\n'
                       f'  - {{name: fed, kind: usgs, url: "file://{RUN}/fed.geojson", max_age: 36500d}}\n')

    def feed(self, added):
        """Adds events and revises as many, in one poll."""
        self.version += 1
        changed = set(range(self.count, self.count + added))
        changed |= {(self.version * 37 + i) % max(self.count, 1) for i in range(added)}
        self.count += added
        for number in changed:
            self.magnitudes[number] = 1 + self.version / 100
        features = [earthquake(number, magnitude) for number, magnitude in self.magnitudes.items()]
        metadata = {'generated': NEWEST + self.version * 1000, 'status': 200, 'count': len(features)}
        document = {'type': 'FeatureCollection', 'metadata': metadata, 'features': features}
        with open(RUN + '/fed.geojson.new', 'w', encoding='utf-8') as file:
            json.dump(document, file)
        os.rename(RUN + '/fed.geojson.new', RUN + '/fed.geojson')
        visiventd('poll', 'fed', '--config', CONFIGURATION)

    def run(self):
        while not self.is_asked_to_stop.is_set():
            began = time.monotonic()
            self.feed(25)
            self.is_asked_to_stop.wait(max(0, 0.5 - (time.monotonic() - began)))


def while_fed():
    feeder = Feeder()
    feeder.feed(1000)
    writer = threading.Thread(target=feeder.run)
    database = RUN + '/fed.sqlite'
    with serving(CONFIGURATION) as service:
        client = Features(service.url + '/')
        writer.start()
        try:
            @check('OWSLib: while a hundred events a second come and change, no id comes twice and none is missed')
            def _():
                for _ in range(5):
                    before = identities(ask('SELECT public_id FROM events_v1', database))
                    found = []
                    for page in pages(client, 'earthquakes', limit=20):
                        found += [feature['id'] for feature in page['features']]
                        time.sleep(0.01)
                    same(len(found), len(set(found)), 'ids:')
                    same(before - set(found), set(), 'missed:')
                if feeder.count < 1100:
                    raise AssertionError(f'only {feeder.count - 1000} events have come meanwhile')

            @check("OWSLib: the first page's seq leads to all that changed while the pages were read")
            def _():
                first, *others = list(pages(client, 'earthquakes', limit=50))
                known = {feature['id']: feature['properties']['revision']
                         for page in [first, *others] for feature in page['features']}
                feeder.is_asked_to_stop.set()
                writer.join()
                cursor, newest = first['seq'], None
                while cursor != newest:
                    page = service.json(f'/changes?after={cursor}&limit=1000')
                    for entry in page['changes']:
                        known[entry['id']] = entry['feature']['properties']['revision']
                    cursor, newest = page['next'], page['newest']
                same(known, {row['public_id']: row['revision'] for row in
                             ask('SELECT public_id, revision FROM events_v1', database)})
        finally:
            feeder.is_asked_to_stop.set()
            writer.join()


with serving() as running:
    at_rest(running)
while_fed()
