#!/usr/bin/env python3
"""ObsPy's FDSN client on `visiventd serve`: served_to_obspy.py FOLDER PROGRAM"""
import io
import warnings

from obspy import UTCDateTime, read_events
from obspy.clients.fdsn import Client
from obspy.clients.fdsn.header import FDSNNoDataException

from checks import check, same, skip
from served import fault_of, public_id, rfc3339, serving, standing

warnings.simplefilter('ignore')
EARTHQUAKES = "category = 'earthquake' AND latitude IS NOT NULL"


def of_catalog(catalog):
    """Time, magnitude, place and depth of each event of a catalogue, sorted."""
    found = []
    for event in catalog:
        origin = event.preferred_origin() or event.origins[0]
        magnitude = event.preferred_magnitude() or (event.magnitudes[0] if event.magnitudes else None)
        found.append((
            round(origin.time.timestamp * 1000), magnitude.mag if magnitude else None,
            round(origin.longitude, 4), round(origin.latitude, 4),
            None if origin.depth is None else round(origin.depth / 1000, 3)))
    return sorted(found, key=str)


def of_rows(rows):
    return sorted((
        (row['time_ms'], row['magnitude'], round(row['longitude'], 4), round(row['latitude'], 4),
         None if row['depth_km'] is None else round(row['depth_km'], 3)) for row in rows), key=str)


def some(condition):
    """The earthquakes of a condition, of which there must be some."""
    rows = standing(f'{EARTHQUAKES} AND {condition}')
    if not rows:
        raise AssertionError(f'there are no earthquakes with {condition}')
    return rows


def queries(service, client):
    since = standing(EARTHQUAKES)[200]['time_ms']

    @check('ObsPy: earthquakes from magnitude 5 since a time are those of SQLite')
    def _():
        found = client.get_events(starttime=UTCDateTime(since / 1000), minmagnitude=5)
        same(of_catalog(found), of_rows(some(f'time_ms >= {since} AND magnitude >= 5')))

    @check('ObsPy: a box, a circle and depths are those of SQLite')
    def _():
        found = client.get_events(minlongitude=130, maxlongitude=170, minlatitude=30, maxlatitude=60)
        same(of_catalog(found), of_rows(some('longitude BETWEEN 130 AND 170 AND latitude BETWEEN 30 AND 60')))
        found = client.get_events(mindepth=100, maxdepth=200)
        same(of_catalog(found), of_rows(some('depth_km BETWEEN 100 AND 200')))

    @check('ObsPy: the order and the limit')
    def _():
        found = client.get_events(orderby='magnitude', limit=5)
        strongest = sorted((row['magnitude'] for row in some('magnitude IS NOT NULL')), reverse=True)[:5]
        same([event.magnitudes[0].mag for event in found], strongest)
        found = client.get_events(orderby='time-asc', limit=3)
        same([round(event.origins[0].time.timestamp * 1000) for event in found],
             sorted(row['time_ms'] for row in some('1'))[:3])

    @check('ObsPy: an empty window is "no data"')
    def _():
        try:
            client.get_events(starttime=UTCDateTime(1900, 1, 1), endtime=UTCDateTime(1900, 1, 2))
        except FDSNNoDataException:
            return
        raise AssertionError('there were events')

    @check('ObsPy: format=text has the events of QuakeML')
    def _():
        answer = service.get(f'/fdsnws/event/1/query?format=text&starttime={rfc3339(since)[:-1]}&minmagnitude=5')
        same(answer.status, 200)
        text = read_events(io.BytesIO(answer.body))
        same(of_catalog(text), of_rows(some(f'time_ms >= {since} AND magnitude >= 5')))


def documents(service):
    @check('xmllint: QuakeML, the WADL, catalogs and contributors are well-formed')
    def _():
        for target in ['query?minmagnitude=5', 'application.wadl', 'catalogs', 'contributors']:
            answer = service.get('/fdsnws/event/1/' + target)
            same(answer.status, 200, target)
            same(fault_of(answer.body), '', target)

    @check('fdsnws: counts are those of SQLite, as text and as GeoJSON')
    def _():
        base = '/fdsnws/event/1/count?minmagnitude=5'
        rows = some('magnitude >= 5')
        same(service.get(base).text, f'{len(rows)}\n')
        same(service.json(base + '&format=geojson')['count'], len(rows))
        same(service.get('/fdsnws/event/1/counts?minmagnitude=5').status, 404)

    @check('fdsnws: 204 and 404 for nothing, one event by its id')
    def _():
        base = '/fdsnws/event/1/'
        nothing = base + 'query?starttime=1900-01-01&endtime=1900-01-02'
        same((service.get(nothing).status, service.get(nothing + '&nodata=404').status), (204, 404))
        identity = public_id('zz000010')
        found = read_events(io.BytesIO(service.get(f'{base}query?eventid={identity}').body))
        same(of_catalog(found), of_rows(some(f"public_id = '{identity}'")))


with serving() as running:
    if running.offers('/fdsnws/event/1/version'):
        queries(running, Client(running.url))
        documents(running)
    else:
        skip('ObsPy', '/fdsnws/event/1/ is not offered')
