#!/usr/bin/env python3
"""GDAL on the outputs, on the database, and on the database while a daemon writes it: with_gdal.py FOLDER PROGRAM"""
import json
import os
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone

from osgeo import gdal, ogr
from osgeo_utils.samples import validate_gpkg

import checks
from checks import DATABASE, RUN, check, output, same, same_events, same_shapes

gdal.UseExceptions()
PROGRAM = sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))


def layer(path, name=None):
    """A data set and its layer; the data set must outlive the layer."""
    opened = gdal.OpenEx(path, gdal.OF_VECTOR | gdal.OF_READONLY)
    return opened, opened.GetLayerByName(name) if name else opened.GetLayer(0)


def milliseconds(feature, field):
    """A field of type DateTime in UTC, as milliseconds since 1970."""
    index = feature.GetFieldIndex(field)
    same(feature.GetFieldDefnRef(index).GetTypeName(), 'DateTime', f'type of {field}:')
    year, month, day, hour, minute, second, zone = feature.GetFieldAsDateTime(index)
    same(zone, 100, 'zone (100 is UTC):')
    return round(datetime(year, month, day, hour, minute, tzinfo=timezone.utc).timestamp() * 1000 + second * 1000)


def times(path, name=None):
    opened, features = layer(path, name)
    return {feature['public_id']: milliseconds(feature, 'time') for feature in features}


def shapes(path, name=None):
    opened, features = layer(path, name)
    return {
        feature['public_id']: json.loads(feature.GetGeometryRef().ExportToJson(['COORDINATE_PRECISION=15']))
        for feature in features if feature.GetGeometryRef() is not None
    }


def ogr2ogr(*arguments):
    """Runs ogr2ogr; any message is an error."""
    done = subprocess.run(['ogr2ogr', *arguments], capture_output=True, text=True, timeout=60)
    same((done.returncode, done.stderr), (0, ''), 'ogr2ogr:')


# MARK: - The outputs

for kind in ['geojson', 'geojsonseq', 'gpkg']:
    @check(f'GDAL: number and times of events in {kind}')
    def _():
        same_events(times(output(kind)), checks.TIMES)

    @check(f'GDAL: shapes in {kind}')
    def _():
        same_shapes(shapes(output(kind)), checks.SHAPES)

for kind in ['csv', 'geojson', 'geojsonseq', 'gpkg']:
    @check(f'ogr2ogr: {kind} to a table of its own')
    def _():
        # A GeoPackage has no type for an event's list of sources.
        ogr2ogr('-f', 'GPKG', '-mapFieldType', 'StringList=String', f'{RUN}/from-{kind}.gpkg', output(kind))
        opened, features = layer(f'{RUN}/from-{kind}.gpkg')
        same({feature['public_id'] for feature in features}, set(checks.TIMES))


@check('validate_gpkg: the GeoPackage is one')
def _():
    same(validate_gpkg.check(output('gpkg'), extra_checks=True, warning_as_error=True, abort_at_first_error=False), [])


@check("GDAL: a box finds in the GeoPackage's index what it finds without")
def _():
    opened, features = layer(output('gpkg'), 'events')
    features.SetSpatialFilterRect(-180, -90, -150, 90)
    with_index = features.GetFeatureCount()
    if with_index == 0:
        raise AssertionError('nothing is in the box')
    box = ogr.CreateGeometryFromWkt('POLYGON ((-180 -90, -150 -90, -150 90, -180 90, -180 -90))')
    features.SetSpatialFilter(None)
    # OGR selects by boxes first, then by shapes.
    found = [f for f in features if f.GetGeometryRef() is not None and f.GetGeometryRef().Intersects(box)]
    same(with_index, len(found))


# MARK: - The database

timed = {}
for row in checks.ask(
        "SELECT v.name AS view, c.name AS column FROM sqlite_schema v, pragma_table_info(v.name) c "
        "WHERE v.type = 'view' AND v.name LIKE '%_v1' AND c.name LIKE '%_ms'"):
    timed.setdefault(row['view'], []).append(row['column'])

for view, columns in timed.items():
    @check(f'GDAL: all times in {view} have 64 bits')
    def _():
        opened, rows = layer(DATABASE, view)
        fields = rows.GetLayerDefn()
        for column in columns:
            same(fields.GetFieldDefn(fields.GetFieldIndex(column)).GetTypeName(), 'Integer64', f'type of {column}:')
        found = [tuple(row[column] for column in columns) for row in rows]
        expected = [tuple(row[column] for column in columns) for row in checks.ask(f'SELECT * FROM {view}')]
        same(sorted(map(str, found)), sorted(map(str, expected)))


@check('GDAL: the example events.vrt gives times and points of located events')
def _():
    with open(HERE + '/../../config/events.vrt', encoding='utf-8') as file:
        example = file.read()
    path = RUN + '/events.vrt'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(example.replace('/var/lib/visiventd/visiventd.sqlite', DATABASE))
    same_events(times(path), checks.LOCATED_TIMES)
    same_shapes(shapes(path), checks.POINTS)


@check('ogr2ogr: a database while a daemon writes it')
def _():
    """ogr2ogr reads while each poll stores another two hundred earthquakes."""
    database, feed, configuration = RUN + '/live.sqlite', RUN + '/many.geojson', RUN + '/live.yaml'
    source = f'{{name: many, kind: usgs, url: "file://{feed}", refresh_interval: 1h, max_age: 36500d}}'
    with open(configuration, 'w', encoding='utf-8') as file:
        file.write(f'database: {database}\nsources:\n  - {source}\n')

    def poll(number):
        with open(feed + '.new', 'wb') as file:
            subprocess.run([sys.executable, HERE + '/../service/many.py', str(number)], check=True, stdout=file)
        os.rename(feed + '.new', feed)
        command = [PROGRAM, 'poll', 'many', '--config', configuration]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    def write():
        for number in range(400, 4200, 200):
            poll(number)

    def stored():
        rows = checks.ask('SELECT public_id, time_ms FROM events_v1', database)
        return {row['public_id']: row['time_ms'] for row in rows}

    poll(200)
    daemon = subprocess.Popen([PROGRAM, 'run', '--config', configuration], stderr=subprocess.DEVNULL)
    writer = threading.Thread(target=write)
    try:
        # Before the daemon listens, the command would store the events itself.
        while not os.path.exists(database + '.sock') and daemon.poll() is None:
            time.sleep(0.1)
        writer.start()
        number = 0
        while writer.is_alive():
            number += 1
            before = set(stored())
            ogr2ogr('-f', 'GPKG', f'{RUN}/live-{number}.gpkg', database, 'events_v1')
            opened, rows = layer(f'{RUN}/live-{number}.gpkg')
            found, after = {row['public_id']: row['time_ms'] for row in rows}, stored()
            same(before - set(found), set(), 'missing:')
            same(found, {name: after.get(name) for name in found})
        same(len(stored()), 4000, 'events in the end:')
    finally:
        if writer.is_alive():
            writer.join()
        daemon.terminate()
        daemon.wait(20)
