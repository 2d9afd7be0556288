#!/usr/bin/env python3
"""GDAL's driver for OGC API Features on `visiventd serve`: served_to_gdal.py FOLDER PROGRAM"""
import contextlib
import json
import os
import re
import subprocess

from osgeo import gdal

from checks import RUN, SHAPES, ask, check, same, same_events, same_shapes, skip
from served import CONFIGURATION, identities, latest, serving, standing, visiventd

gdal.UseExceptions()


def run(*command):
    """Output of one of GDAL's programs; any message is an error."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    same((done.returncode, done.stderr), (0, ''), command[0])
    return done.stdout


def fresh(name):
    """The path of a file that is not there yet."""
    path = f'{RUN}/{name}'
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
    return path


def copied(path):
    """Magnitude and shape of the features of a GeoPackage, by public id."""
    opened = gdal.OpenEx(path, gdal.OF_VECTOR)
    return {feature['public_id']: feature for feature in opened.GetLayer(0)}


def summary(service):
    @check('ogrinfo: news has magnitude as a real number and the true count, in five requests at most')
    def _():
        before = len(service.answered())
        text = run('ogrinfo', '-ro', '-so', 'OAPIF:' + service.url, 'news')
        requests = service.answered()[before:]
        same(re.findall(r'^magnitude: (\S+)', text, re.MULTILINE), ['Real'])
        same(re.findall(r'^Feature Count: (\d+)', text, re.MULTILINE), [str(len(standing("category = 'news'")))])
        if len(requests) > 5:
            raise AssertionError(f'{len(requests)} requests: {requests}')

    @check('ogrinfo: all collections are layers with the types of the schema')
    def _():
        opened = gdal.OpenEx('OAPIF:' + service.url, gdal.OF_VECTOR)
        collections = service.json('/collections')['collections']
        same({opened.GetLayer(i).GetName() for i in range(opened.GetLayerCount())},
             {collection['id'] for collection in collections})
        types = {'string': {'String', 'DateTime'}, 'number': {'Real'}, 'integer': {'Integer', 'Integer64'}}
        for collection in collections:
            name = collection['id']
            schema = service.json(f'/collections/{name}/schema')['properties']['properties']['properties']
            layer = opened.GetLayerByName(name).GetLayerDefn()
            for field, description in schema.items():
                if description['type'] in types:
                    index = layer.GetFieldIndex(field)
                    if index < 0:
                        raise AssertionError(f'{name} has no field {field}')
                    found = layer.GetFieldDefn(index).GetTypeName()
                    same(found in types[description['type']], True, f'{name}.{field} is {found}:')


def copies(service):
    for name, west, south, east, north in [
        ('a box', 130, 30, 170, 60), ('a box on the southern half', -180, -90, 180, 0),
    ]:
        @check(f'ogr2ogr: {name} has the rows of visiventd events')
        def _():
            path = fresh(f'from-oapif-{west}-{south}.gpkg')
            run('ogr2ogr', '-f', 'GPKG', '-mapFieldType', 'StringList=String', path, 'OAPIF:' + service.url,
                'earthquakes', '-spat', *map(str, [west, south, east, north]))
            box = f'{west},{south},{east},{north}'
            lines = visiventd('events', '--bbox', box, '--category', 'earthquake', '--format', 'ndjson',
                              '--limit', '10000', '--config', CONFIGURATION)
            expected = {row['public_id']: row for row in map(json.loads, lines.splitlines())}
            if not expected:
                raise AssertionError('nothing is in the box')
            found = copied(path)
            same(set(found), set(expected))
            for identity, row in expected.items():
                same(found[identity]['magnitude'], row.get('magnitude'), identity)

    @check('ogr2ogr: a condition on time has the rows of SQLite')
    def _():
        path = fresh('from-oapif-time.gpkg')
        middle = ask("SELECT time_ms FROM events_v1 WHERE category = 'earthquake' ORDER BY time_ms DESC LIMIT 1 "
                     'OFFSET 60')[0]['time_ms'] // 1000
        text = ask(f"SELECT strftime('%Y/%m/%d %H:%M:%S', {middle}, 'unixepoch') AS text")[0]['text']
        run('ogr2ogr', '-f', 'GPKG', '-mapFieldType', 'StringList=String', path, 'OAPIF:' + service.url,
            'earthquakes', '-where', f"time >= '{text}'")
        expected = standing(f"category = 'earthquake' AND time_ms >= {middle * 1000}")
        same(set(copied(path)), identities(expected))

    day = ask("SELECT date(time_ms / 1000, 'unixepoch') AS day FROM events_v1 WHERE category = 'earthquake' "
              'ORDER BY time_ms DESC LIMIT 1 OFFSET 60')[0]['day'].replace('-', '/')
    midnight = ask(f"SELECT unixepoch('{day.replace('/', '-')}') * 1000 AS ms")[0]['ms']
    for condition, sql in [
        (f"time < '{day}'", f'time_ms < {midnight}'), (f"time > '{day}'", f'time_ms > {midnight}'),
        (f"time BETWEEN '{day}' AND '{day} 12:00:00'", f'time_ms BETWEEN {midnight} AND {midnight + 43_200_000}'),
    ]:
        @check(f'GDAL: {condition} has the rows of SQLite')
        def _():
            opened = gdal.OpenEx('OAPIF:' + service.url, gdal.OF_VECTOR)
            layer = opened.GetLayerByName('earthquakes')
            layer.SetAttributeFilter(condition)
            expected = identities(standing(f"category = 'earthquake' AND {sql}"))
            if not expected:
                raise AssertionError('no earthquake meets the condition')
            same({feature['public_id'] for feature in layer}, expected)

    @check('GDAL: conditions of the URL select the features of all its requests')
    def _():
        opened = gdal.OpenEx(f'OAPIF:{service.url}/?located=true&min_magnitude=5', gdal.OF_VECTOR)
        layer = opened.GetLayerByName('earthquakes')
        rows = standing("category = 'earthquake' AND latitude IS NOT NULL AND magnitude >= 5")
        same({feature['public_id'] for feature in layer}, identities(rows))
        same(layer.GetLayerDefn().GetFieldDefn(layer.GetLayerDefn().GetFieldIndex('magnitude')).GetTypeName(), 'Real')

    @check('GDAL: a GeoJSON sequence by its address')
    def _():
        opened = gdal.OpenEx(f'GeoJSONSeq:{service.url}/collections/news/items?f=geojsonseq&limit=1000', gdal.OF_VECTOR)
        same({feature['public_id'] for feature in opened.GetLayer(0)}, identities(standing("category = 'news'")))

    @check('ogr2ogr: all events in pages of fifty, with the magnitudes and shapes of SQLite')
    def _():
        path = fresh('from-oapif.gpkg')
        run('ogr2ogr', '-f', 'GPKG', '-mapFieldType', 'StringList=String', '-oo', 'PAGE_SIZE=50', path,
            'OAPIF:' + service.url, 'events')
        found, rows = copied(path), standing()
        same(set(found), identities(rows))
        same_events({key: feature['magnitude'] for key, feature in found.items() if feature['magnitude'] is not None},
                    {row['public_id']: row['magnitude'] for row in rows if row['magnitude'] is not None})
        same_shapes({key: json.loads(feature.GetGeometryRef().ExportToJson(['COORDINATE_PRECISION=15']))
                     for key, feature in found.items() if feature.GetGeometryRef() is not None}, SHAPES)


def feeds(service):
    for target, driver, ordered in [('/feed.atom', 'GeoRSS', latest), ('/events.kml', 'KML', standing)]:
        name = f'ogrinfo: the points of {target}'
        if not service.offers(target):
            skip(name, f'{target} is not offered')
            continue

        @check(name)
        def _():
            path = f'{RUN}/feed.{driver}'
            with open(path, 'wb') as file:
                file.write(service.get(target + '?category=earthquake&limit=100').body)
            opened = gdal.OpenEx(path, gdal.OF_VECTOR, allowed_drivers=[driver])
            found = sorted((round(shape.GetX(), 4), round(shape.GetY(), 4)) for shape in points(opened))
            rows = ordered("category = 'earthquake' AND latitude IS NOT NULL")[:100]
            same(found, sorted((round(row['longitude'], 4), round(row['latitude'], 4)) for row in rows))


def points(opened):
    """The points of all layers of a data set."""
    for i in range(opened.GetLayerCount()):
        for feature in opened.GetLayer(i):
            if feature.GetGeometryRef() is not None:
                yield feature.GetGeometryRef().Clone()


with serving() as running:
    for group in [summary, copies, feeds]:
        group(running)
