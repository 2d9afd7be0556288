#!/usr/bin/env python3
"""pandas and geopandas on the outputs and on the database: with_pandas.py FOLDER"""
import json
import sqlite3

import geopandas
import pandas
import shapely

import checks
from checks import DATABASE, check, output, same, same_events, same_shapes


def times(frame):
    """Milliseconds since 1970 by public id."""
    instants = pandas.to_datetime(frame['time'], utc=True)
    since = (instants - pandas.Timestamp(0, tz='UTC')) // pandas.Timedelta(milliseconds=1)
    return dict(zip(frame['public_id'], (int(number) for number in since)))


@check('pandas: number and times of events in csv')
def _():
    frame = pandas.read_csv(output('csv'))
    same_events(times(frame), checks.TIMES)
    located = frame.dropna(subset=['latitude'])
    points = zip(located['public_id'], located['longitude'], located['latitude'])
    same_shapes({name: {'type': 'Point', 'coordinates': [x, y]} for name, x, y in points}, checks.POINTS)


@check('pandas: number and times of events in ndjson')
def _():
    same_events(times(pandas.read_json(output('ndjson'), lines=True, convert_dates=False)), checks.TIMES)


@check('pandas: strings of times sort as times, in ndjson and csv')
def _():
    for frame in [pandas.read_json(output('ndjson'), lines=True, convert_dates=False), pandas.read_csv(output('csv'))]:
        columns = [name for name in ['time', 'updated', 'first_seen', 'last_changed'] if name in frame]
        for texts in [frame[name].dropna() for name in columns]:
            same(list(texts.sort_values(kind='stable')), list(texts[pandas.to_datetime(texts).sort_values().index]))


for kind in ['geojson', 'geojsonseq', 'gpkg']:
    @check(f'geopandas: number, times and shapes of events in {kind}')
    def _():
        frame = geopandas.read_file(output(kind))
        same(sorted(set(frame.columns)), sorted(frame.columns), 'columns:')
        same_events(times(frame), checks.TIMES)
        located = frame[frame.geometry.notna()]
        shapes = (json.loads(text) for text in shapely.to_geojson(located.geometry.values))
        same_shapes(dict(zip(located['public_id'], shapes)), checks.SHAPES)


@check('GeoJSON: no member twice, no geometry among the properties')
def _():
    def members(pairs):
        names = [name for name, _ in pairs]
        same(sorted(set(names)), sorted(names), 'members:')
        return dict(pairs)

    with open(output('geojson'), encoding='utf-8') as file:
        document = json.load(file, object_pairs_hook=members)
    for feature in document['features']:
        same({'geometry', 'latitude', 'longitude'} & set(feature['properties']), set(), 'properties:')


@check('pandas: the database by SQL')
def _():
    connection = sqlite3.connect(f'file:{DATABASE}?mode=ro', uri=True)
    frame = pandas.read_sql('SELECT public_id, time_ms FROM events_v1 WHERE withdrawn_reason IS NULL', connection)
    connection.close()
    frame['time'] = pandas.to_datetime(frame['time_ms'], unit='ms', utc=True)
    same_events(times(frame), checks.TIMES)
