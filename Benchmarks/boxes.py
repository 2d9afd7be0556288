"""Queries the newest hundred events of a box and a span of time, among a million events and in a burst.

The million events are one second apart and scattered over the Earth. A timed poll then stores the burst: 20 000 events
in one hour and one cell of a degree. The store's SQL runs with the times in the R*Tree and, as in earlier versions,
without; both must find the same events. Then the program runs as a whole process on some of the boxes.
"""
import json
import random
import sqlite3
import subprocess
import time

import growth
from prune import percentile
from support import PROGRAM, bar, benchlib, configuration, copy, database, settle, state

ROWS, BURST, DRAWS, PROCESSES = 1_000_000, 20_000, 1_000, 50
# Start of the burst in milliseconds, and the south-west corner of its cell.
BURST_AT, BURST_WEST, BURST_SOUTH = growth.FILLED_AT - 6 * 3_600_000, 142, 38
QUERY = """
    SELECT e.public_id FROM (
      SELECT DISTINCT abs(id) AS id FROM event_position
      WHERE max_longitude >= ?1 AND min_longitude <= ?2 AND max_latitude >= ?3 AND min_latitude <= ?4 %s) p
    CROSS JOIN event e ON e.id = p.id
    WHERE e.time_ms >= ?5 AND e.time_ms <= ?6 AND e.withdrawn_reason IS NULL
      AND coalesce(iif(e.geometry IS NULL, NULL, 1), e.latitude BETWEEN ?3 AND ?4 AND e.longitude BETWEEN ?1 AND ?2)
    ORDER BY e.time_ms DESC, e.id DESC LIMIT 100"""
WITHOUT = QUERY % ''
WITH = QUERY % 'AND max_hour >= ?5 / 3600000.0 - 0.1 AND min_hour <= ?6 / 3600000.0 + 0.1'


def burst(count=BURST):
    """Path of a document with a burst of `count` events."""
    draw, features = random.Random(3), []
    for number in range(count):
        feature = growth.feature('burst%05d' % number, 0, number, 2 + draw.expovariate(1))
        feature['properties']['time'] = BURST_AT + number * 3_600_000 // count
        feature['geometry']['coordinates'] = [BURST_WEST + draw.random(), BURST_SOUTH + draw.random(), 10.0]
        features.append(feature)
    path = state('burst.geojson')
    with open(path, 'w') as file:
        json.dump({'type': 'FeatureCollection', 'features': features}, file)
    return path


def scattered(draw):
    """A random box of 2° to 20° with a span of 15 minutes to eight hours: the same share of the filled time as a day to
    a month of a year."""
    size, span = draw.uniform(2, 20), draw.uniform(0.25, 8) * 3_600_000
    west, south = draw.uniform(-180, 180 - size), draw.uniform(-80, 80 - size)
    since = growth.FILLED_AT - draw.uniform(span, ROWS * 1000)
    return west, west + size, south, south + size, int(since), int(since + span)


def in_burst(draw):
    """A random quarter of the burst's cell with half of its hour."""
    west, south = BURST_WEST + draw.uniform(0, 0.5), BURST_SOUTH + draw.uniform(0, 0.5)
    since = BURST_AT + draw.uniform(0, 0.5) * 3_600_000
    return west, west + 0.5, south, south + 0.5, int(since), int(since + 1_800_000)


def timed(connection, sql, boxes):
    """Seconds and results of a query for each box, in order."""
    times, found = [], []
    for box in boxes:
        begun = time.perf_counter()
        rows = connection.execute(sql, box).fetchall()
        times.append(time.perf_counter() - begun)
        found.append([row[0] for row in rows])
    return times, found


def processes(path, boxes):
    """Seconds and results of the program for each box, one process each."""
    times, found = [], []
    for west, east, south, north, since, until in boxes:
        command = [PROGRAM, 'events', '--database', path, '--bbox', '%r,%r,%r,%r' % (west, south, east, north), '--since',
                   str(since), '--until', str(until), '--limit', '100', '--format', 'ndjson']
        begun = time.perf_counter()
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        times.append(time.perf_counter() - begun)
        found.append([json.loads(line)['public_id'] for line in lines])
    return times, found


def measure(path, runs):
    """Rows of a table; by kind of box, median and p99 with times in the tree as ratios to those without."""
    connection = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
    table, ratios = [], {}
    for name, kind in (('scattered', scattered), ('burst', in_burst)):
        draw = random.Random(1)
        boxes = [kind(draw) for _ in range(DRAWS)]
        seconds = {'without times in the tree': [], 'with them': [], 'the program': []}
        # The first round fills the caches and is not counted.
        for number in range(1 + runs):
            times, expected = timed(connection, WITHOUT, boxes)
            if number:
                seconds['without times in the tree'] += times
            times, found = timed(connection, WITH, boxes)
            if number:
                seconds['with them'] += times
            if found != expected:
                raise RuntimeError('%s: what is found is another with the times of the tree' % name)
        times, found = processes(path, boxes[:PROCESSES])
        seconds['the program'] = times
        if found != expected[:PROCESSES]:
            raise RuntimeError('%s: the program finds others' % name)
        for label, values in seconds.items():
            table.append([name, label, len(values)] + ['%.2f' % (percentile(values, share) * 1e3) for share in (0.5, 0.99)])
        ratios[name] = [percentile(seconds['with them'], share) / percentile(seconds['without times in the tree'], share)
                        for share in (0.5, 0.99)]
    connection.close()
    return table, ratios


def boxes(runs):
    """Measures boxes and spans among a million events and notes the bars."""
    used = database('boxes')
    copy(growth.filled(ROWS), used)
    wall, _ = growth.timed(configuration('boxes', [('quakes', 'usgs', 'file://' + burst())]))
    settle(used)
    print('\n### the newest 100 of a box and a span, %d events and a burst of %d\n' % (ROWS, BURST))
    table, ratios = measure(used, runs)
    benchlib.show(['boxes', 'by', 'queries', 'median, ms', 'p99, ms'], table)
    bar('boxes and spans: median with the times in the tree, of that without', ratios['scattered'][0], 0.5)
    bar('the same, p99', ratios['scattered'][1], gates=False)
    bar('boxes and spans in a burst: median, of that without', ratios['burst'][0], gates=False)
    bar('a poll of a burst of %d, s' % BURST, wall, gates=False)
