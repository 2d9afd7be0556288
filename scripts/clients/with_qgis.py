#!/usr/bin/env python3
"""QGIS without a screen on the outputs and on the database: with_qgis.py FOLDER"""
import json

from PyQt5.QtCore import Qt
from qgis.core import QgsApplication, QgsVectorLayer

import checks
from checks import DATABASE, RUN, check, output, same, same_events, same_shapes

QgsApplication.setPrefixPath('/usr', True)
application = QgsApplication([], False)
application.initQgis()


def layer(uri):
    opened = QgsVectorLayer(uri, 'events', 'ogr')
    if not opened.isValid():
        raise AssertionError(f'{uri} is no valid layer: {opened.error().message()}')
    return opened


def milliseconds(value):
    """A field of type DateTime as milliseconds since 1970, sometimes one less: GDAL gives seconds as 32-bit floats, and
    QGIS truncates them. It drops the zone, which is UTC."""
    value.setTimeSpec(Qt.UTC)
    return value.toMSecsSinceEpoch()


def shape(feature):
    return json.loads(feature.geometry().asJson(15))


for name, uri, times, shapes in [
    ('GeoPackage', output('gpkg') + '|layername=events', checks.TIMES, checks.SHAPES),
    ('GeoJSON', output('geojson'), checks.TIMES, checks.SHAPES),
    ('events.vrt', RUN + '/events.vrt', checks.LOCATED_TIMES, checks.POINTS),
]:
    @check(f'QGIS: a layer of the {name} with times and shapes')
    def _():
        events = layer(uri)
        same(events.featureCount(), len(times), 'number of events:')
        features = list(events.getFeatures())
        same_events({feature['public_id']: milliseconds(feature['time']) for feature in features}, times, within=1)
        same_shapes({feature['public_id']: shape(feature) for feature in features if feature.hasGeometry()}, shapes)


@check('QGIS: a layer of the database')
def _():
    events = layer(DATABASE + '|layername=events_v1')
    expected = {row['public_id']: row['time_ms'] for row in checks.ask('SELECT public_id, time_ms FROM events_v1')}
    same(events.featureCount(), len(expected), 'number of events:')
    same_events({feature['public_id']: feature['time_ms'] for feature in events.getFeatures()}, expected)


application.exitQgis()
