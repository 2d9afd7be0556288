#!/usr/bin/env python3
"""A validator of RFC 7946 on the GeoJSON of Fixtures and of each capture: with_validator.py FOLDER PROGRAM CAPTURES"""
import json
import os
import subprocess
import sys

import geojson_validator

from checks import RUN, check, output, same

PROGRAM, CAPTURES = sys.argv[2:4]
HERE = os.path.dirname(os.path.abspath(__file__))
geojson_validator.configure_logging(enabled=False)


def validate(text):
    document = json.loads(text)
    same(geojson_validator.validate_structure(document, check_crs=True), {}, 'structure:')
    if document['features']:
        found = geojson_validator.validate_geometries(document, criteria_problematic=['outside_lat_lon_boundaries'])
        same({**found['invalid'], **found['problematic']}, {}, 'geometries:')
    return len(document['features'])


@check('geojson-validator: the GeoJSON of Fixtures')
def _():
    with open(output('geojson'), encoding='utf-8') as file:
        validate(file.read())


def captures():
    """Path and kind of each capture with events."""
    with open(HERE + '/../../Fixtures/captures.tsv', encoding='utf-8') as file:
        for line in file:
            fields = line.rstrip('\n').split('\t')
            if len(fields) > 2 and fields[2].startswith('events=') and not fields[2].startswith('events=0'):
                yield fields[0], fields[1]


def sources(found):
    """Name and settings of a source for each capture, named after its path."""
    for path, kind in found:
        options = ''
        if kind == 'twitter':
            options = ', enabled: true, api: ' + ('v2' if os.path.basename(path).startswith('v2') else 'v1.1')
        elif kind != 'usgs':
            options = ', trusted_for: [gvp, reuters, usgs]'
        name = path.replace('/', '-').replace('.', '-').replace('_', '-').lower()
        yield name, f'{{name: {name}, kind: {kind}, url: "file://{CAPTURES}/{path}", max_age: 36500d{options}}}'


if not os.path.isdir(CAPTURES):
    print('ok - geojson-validator: the captures # SKIP captures are not beside the checkout')
    sys.exit()

configured = list(sources(captures()))
configuration = RUN + '/captures.yaml'
with open(configuration, 'w', encoding='utf-8') as file:
    file.write('database: captures.sqlite\nsources:\n' + ''.join(f'  - {source}\n' for _, source in configured))


@check(f'visiventd: {len(configured)} captures are stored')
def _():
    command = [PROGRAM, 'poll', '--all', '--config', configuration]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    same(done.returncode, 0, done.stderr)


for name, _ in configured:
    @check('geojson-validator: ' + name)
    def _():
        command = [PROGRAM, 'events', '--format', 'geojson', '--source', name, '--config', configuration]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        same((done.returncode, done.stderr), (0, ''))
        if validate(done.stdout) == 0:
            raise AssertionError('it has given no events')
