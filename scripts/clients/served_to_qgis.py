#!/usr/bin/env python3
"""QGIS without a screen on `visiventd serve`, as an OGC API layer: served_to_qgis.py FOLDER PROGRAM"""
from qgis.core import QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer

from checks import check, same, same_events
from served import identities, serving, standing

QgsApplication.setPrefixPath('/usr', True)
application = QgsApplication([], False)
application.initQgis()


def layer(service, collection, restricted):
    """A layer as the dialogue "Add WFS / OGC API - Features layer" makes it."""
    only = '1' if restricted else '0'
    uri = (f"url='{service.url}' typename='{collection}' restrictToRequestBBOX='{only}' pagingEnabled='true' "
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

application.exitQgis()
