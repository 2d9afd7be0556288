#!/usr/bin/env python3
"""The two libraries under Home Assistant's map on `visiventd serve`: served_to_home_assistant.py FOLDER PROGRAM"""
import asyncio

import aiohttp
from aio_geojson_generic_client.feed import GenericFeed
from aio_geojson_usgs_earthquakes import consts
from aio_geojson_usgs_earthquakes.feed import UsgsEarthquakeHazardsProgramFeed

from checks import check, same, skip
from served import identities, serving, standing

HOME = (12.5, 41.9)


def entries(make, *arguments, **options):
    """The entries that a feed gives within its radius."""
    async def update():
        async with aiohttp.ClientSession() as session:
            return await make(session, HOME, *arguments, **options).update()
    status, found = asyncio.run(update())
    same(status, 'OK')
    return found


def generic(service):
    located = standing("latitude IS NOT NULL AND category = 'earthquake'")

    @check('Home Assistant, geo_json_events: each earthquake with title, id and place')
    def _():
        found = entries(GenericFeed, f'{service.url}/collections/earthquakes/items?limit=1000', filter_radius=30_000)
        same({entry.external_id for entry in found}, identities(located))
        rows = {row['public_id']: row for row in located}
        for entry in found:
            row = rows[entry.external_id]
            same(entry.title, row['title'], entry.external_id)
            same(tuple(entry.coordinates), (row['latitude'], row['longitude']), entry.external_id)

    @check('Home Assistant, geo_json_events: latitude, longitude and radius give what its own radius keeps')
    def _():
        everything = entries(GenericFeed, f'{service.url}/collections/earthquakes/items?limit=1000', filter_radius=2000)
        if not everything:
            raise AssertionError('nothing is in the radius')
        target = f'/collections/earthquakes/items?limit=1000&latitude={HOME[0]}&longitude={HOME[1]}&radius=2010'
        found = entries(GenericFeed, service.url + target, filter_radius=2000)
        same({entry.external_id for entry in found}, {entry.external_id for entry in everything})

    @check('Home Assistant, geo_json_events: events without a place do no harm')
    def _():
        found = entries(GenericFeed, f'{service.url}/collections/events/items?limit=1000', filter_radius=30_000)
        same({entry.external_id for entry in found} >= identities(located), True)


def usgs(service):
    @check('Home Assistant, usgs_earthquakes_feed: the earthquakes of a day with title, id, magnitude and time')
    def _():
        for name in consts.URLS:
            consts.URLS[name] = consts.URLS[name].replace('https://earthquake.usgs.gov', service.url)
        document = service.json('/earthquakes/feed/v1.0/summary/all_day.geojson')
        generated = document['metadata']['generated']
        same(document['metadata']['count'], len(document['features']), 'count:')
        found = entries(UsgsEarthquakeHazardsProgramFeed, 'past_day_all_earthquakes', filter_radius=30_000)
        rows = standing("category = 'earthquake' AND latitude IS NOT NULL AND "
                        f'time_ms BETWEEN {generated - 86_400_000} AND {generated}')
        if not rows:
            raise AssertionError('there is no earthquake of the last day')
        same(sorted((entry.title, entry.magnitude, round(entry.time.timestamp() * 1000)) for entry in found),
             sorted((row['title'], row['magnitude'], row['time_ms']) for row in rows))
        same(len({entry.external_id for entry in found}), len(rows), 'ids:')

    @check('Home Assistant, usgs_earthquakes_feed: from magnitude 4.5')
    def _():
        found = entries(UsgsEarthquakeHazardsProgramFeed, 'past_week_m45_earthquakes', filter_radius=30_000)
        generated = service.json('/earthquakes/feed/v1.0/summary/4.5_week.geojson')['metadata']['generated']
        rows = standing("category = 'earthquake' AND latitude IS NOT NULL AND magnitude >= 4.5 AND "
                        f'time_ms BETWEEN {generated - 7 * 86_400_000} AND {generated}')
        same(len(found), len(rows), 'number of entries:')


with serving() as running:
    generic(running)
    if running.offers('/earthquakes/feed/v1.0/summary/all_day.geojson'):
        usgs(running)
    else:
        skip('Home Assistant, usgs_earthquakes_feed', 'the summary feeds of USGS are not offered')
