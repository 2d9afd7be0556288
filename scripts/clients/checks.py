"""Shared by the checks of make test-clients: TAP lines, the database, and comparisons with a client's reading of it.

The folder in the first argument has the database v.sqlite and the output of `visiventd events` for it: all.csv,
all.ndjson, all.geojson, all.geojsonseq and all.gpkg.
"""
import contextlib
import json
import math
import os
import sqlite3
import sys

RUN = os.path.abspath(sys.argv[1])
# What a proxy before the service does with its prefix (`FATES` in proxy.py); none: there is no proxy.
BEHIND = os.environ.get('BEHIND')
DATABASE = RUN + '/v.sqlite'


def output(kind):
    """Path of the output file in a format."""
    return f'{RUN}/all.{kind}'


def check(text):
    """Runs the decorated function as a check, which passes unless it raises."""
    if BEHIND:
        text += f', behind nginx, the prefix {BEHIND}'

    def run(function):
        try:
            function()
        except Exception as error:
            print(f'# {type(error).__name__}: ' + str(error).replace('\n', ' ')[:500])
            print('not ok - ' + text, flush=True)
        else:
            print('ok - ' + text, flush=True)
    return run


def skip(text, why):
    """Says that a check is left out."""
    print(f'ok - {text} # SKIP {why}', flush=True)


def same(found, expected, what=''):
    """Raises unless both are equal."""
    if found != expected:
        raise AssertionError(f'{what} {found!r:.200} in place of {expected!r:.200}')


def ask(sql, database=DATABASE):
    """Rows of a database, read by SQLite itself."""
    with contextlib.closing(sqlite3.connect(f'file:{database}?mode=ro', uri=True, timeout=5)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql)]


STANDING = ask('SELECT * FROM events_v1 WHERE withdrawn_reason IS NULL')
TIMES = {row['public_id']: row['time_ms'] for row in STANDING}
POINTS = {
    row['public_id']: {'type': 'Point', 'coordinates': [row['longitude'], row['latitude']]}
    for row in STANDING if row['latitude'] is not None
}
LOCATED_TIMES = {name: TIMES[name] for name in POINTS}
SHAPES = POINTS | {
    row['public_id']: json.loads(row['geometry_geojson']) for row in STANDING if row['geometry_geojson'] is not None
}


def same_events(found, expected, within=0):
    """Raises unless both have the same number for each event, by public id, within a tolerance."""
    same(len(found), len(expected), 'number of events:')
    for name, value in expected.items():
        if name not in found or abs(found[name] - value) > within:
            raise AssertionError(f'event {name}: {found.get(name)} in place of {value}')


# MARK: - Shapes (GeoJSON as dictionaries)

def same_shapes(found, expected):
    """Raises unless each shape covers the expected one and obeys RFC 7946: cut at 180° (§3.1.9), outer rings
    counter-clockwise, inner ones clockwise (§3.1.6)."""
    same(set(found), set(expected), 'events with a shape:')
    for name, shape in expected.items():
        parts = list(simple(found[name]))
        # The cut adds vertices on 180° and does not join parts, so lengths and areas stay the same.
        for one, other in zip(measure(parts), measure(simple(shape))):
            if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9):
                raise AssertionError(f'event {name}: {found[name]} in place of {shape}')
        missing = vertices(simple(shape)) - vertices(parts)
        if missing:
            raise AssertionError(f'event {name}: {found[name]} lacks {missing}')
        for kind, coordinates in parts:
            conforms(name, kind, coordinates)


def simple(geometry):
    """The points, lines and polygons of a geometry."""
    kind = geometry['type']
    if kind == 'GeometryCollection':
        for part in geometry['geometries']:
            yield from simple(part)
    elif kind.startswith('Multi'):
        for part in geometry['coordinates']:
            yield kind[len('Multi'):], part
    else:
        yield kind, geometry['coordinates']


def paths(kind, coordinates):
    """The lists of positions of a point, line or polygon."""
    return {'Point': [[coordinates]], 'LineString': [coordinates], 'Polygon': coordinates}[kind]


def conforms(name, kind, coordinates):
    """Raises unless a point, line or polygon is valid by RFC 7946."""
    for positions in paths(kind, coordinates):
        longitudes = [position[0] for position in positions]
        for one, other in zip(longitudes, longitudes[1:]):
            if abs(one - other) > 180:
                raise AssertionError(f'event {name} is not cut at 180°: {coordinates}')
    if kind == 'Polygon':
        for number, ring in enumerate(coordinates):
            same(ring[0], ring[-1], f'event {name}, end of a ring:')
            if (area(ring) > 0) != (number == 0):
                raise AssertionError(f'event {name}, ring {number} is wound the wrong way: {ring}')


def unwrapped(positions):
    """Positions whose longitudes continue across 180°."""
    turned, shift = [], 0
    for longitude, latitude, *_ in positions:
        if turned and abs(longitude + shift - turned[-1][0]) > 180:
            shift += 360 if longitude + shift < turned[-1][0] else -360
        turned.append((longitude + shift, latitude))
    return turned


def area(ring):
    """The area in square degrees; negative for a clockwise ring."""
    points = unwrapped(ring)
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:])) / 2


def measure(parts):
    """Number of points, length of lines in degrees, area of polygons in square degrees."""
    points, length, size = 0, 0, 0
    for kind, coordinates in parts:
        if kind == 'Point':
            points += 1
        elif kind == 'LineString':
            line = unwrapped(coordinates)
            length += sum(math.dist(a, b) for a, b in zip(line, line[1:]))
        else:
            outer, *holes = [abs(area(ring)) for ring in coordinates]
            size += outer - sum(holes)
    return points, length, size


def vertices(parts):
    """All positions, with 180° as -180°."""
    found = set()
    for kind, coordinates in parts:
        for longitude, latitude, *_ in (position for path in paths(kind, coordinates) for position in path):
            found.add((round(-180 if longitude == 180 else longitude, 9), round(latitude, 9)))
    return found
