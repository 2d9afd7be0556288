#!/usr/bin/env python3
"""QGIS without a screen on `visiventd serve`, as an OGC API layer: served_to_qgis.py FOLDER PROGRAM"""
from qgis.core import QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer, QgsWkbTypes

from checks import ask, check, same, same_events
from served import identities, serving, standing

QgsApplication.setPrefixPath('/usr', True)
application = QgsApplication([], False)
application.initQgis()


def layer(service, collection, restricted, conditions=''):
    """A layer as the dialogue "Add WFS / OGC API - Features layer" makes it."""
    only = '1' if restricted else '0'
    uri = (f"url='{service.url}/{conditions}' typename='{collection}' restrictToRequestBBOX='{only}' pagingEnabled='true' "
           "pageSize='50'")
    opened = QgsVectorLayer(uri, collection, 'OAPIF')
    if not opened.isValid():
        raise AssertionError(f'{uri} is no valid layer: {opened.error().message()}')
    return opened


with serving() as running:
    @check('QGIS: earthquakes as an OGC API layer, the number in a box as in SQLite')
    def _():
        box = QgsRectangle(130, 30, 170, 60)
        rows = standing("category = 'earthquake' AND longitude BETWEEN 130 AND 170 AND latitude BETWEEN 30 AND 60")
        if not rows:
            raise AssertionError('nothing is in the box')
        found = list(layer(running, 'earthquakes', True).getFeatures(QgsFeatureRequest(box)))
        same({feature['public_id'] for feature in found}, identities(rows))
        same_events({feature['public_id']: feature['magnitude'] for feature in found},
                    {row['public_id']: row['magnitude'] for row in rows})

    for name, condition in [('earthquakes', "category = 'earthquake'"), ('events', '1')]:
        @check(f'QGIS: all {name} in pages, as many as in SQLite')
        def _():
            rows = standing(condition)
            opened = layer(running, name, False)
            same({feature['public_id'] for feature in opened.getFeatures()}, identities(rows))
            same(opened.featureCount(), len(rows), 'number of features:')

    @check('QGIS: the newest news have no place, so their layer has no geometry')
    def _():
        opened = layer(running, 'news', False)
        same((opened.isSpatial(), opened.featureCount()), (False, len(standing("category = 'news'"))))

    @check('QGIS: with ?located=true in the URL it has points and all located news')
    def _():
        rows = standing("category = 'news' AND latitude IS NOT NULL")
        opened = layer(running, 'news', False, '?located=true')
        same(QgsWkbTypes.displayString(opened.wkbType()), 'Point')
        found = list(opened.getFeatures())
        same({feature['public_id'] for feature in found}, identities(rows))
        same(all(feature.hasGeometry() for feature in found), True, 'points:')
        same(opened.featureCount(), len(rows), 'number of features:')

    day = ask("SELECT date(time_ms / 1000, 'unixepoch') AS day FROM events_v1 WHERE category = 'earthquake' "
              'ORDER BY time_ms DESC LIMIT 1 OFFSET 60')[0]['day']
    midnight = ask(f"SELECT unixepoch('{day}') * 1000 AS ms")[0]['ms']
    # QGIS sends `datetime`: a date is the whole day, and a time has or has no zone.
    for condition, sql in [
        (f'"time" <= \'{day}\'', f'time_ms < {midnight + 86_400_000}'),
        (f'"time" < \'{day}T00:00:00Z\'', f'time_ms <= {midnight}'),
        (f'"time" >= \'{day}T06:00:00\'', f'time_ms >= {midnight + 21_600_000}'),
        (f'"time" >= \'{day}\' AND "time" <= \'{day}T12:00:00Z\'',
         f'time_ms BETWEEN {midnight} AND {midnight + 43_200_000}'),
    ]:
        @check(f'QGIS: the filter {condition} has the rows of SQLite')
        def _():
            opened = layer(running, 'earthquakes', False)
            same(opened.setSubsetString(condition), True, 'the filter is taken:')
            rows = standing(f"category = 'earthquake' AND {sql}")
            if not rows:
                raise AssertionError('no earthquake meets the condition')
            same({feature['public_id'] for feature in opened.getFeatures()}, identities(rows))

application.exitQgis()
