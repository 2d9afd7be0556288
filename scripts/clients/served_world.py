#!/usr/bin/env python3
"""Fills a database through polls, so that it has events in each state that clients are told of:
served_world.py FOLDER PROGRAM FIXTURES

The first polls read fixtures, a feed of invented earthquakes and messages. Then the feeds change and are polled again:
an earthquake is revised twice, one is deleted, two become one, and a message is deleted. One source is reset.
"""
import json
import os
import subprocess
import sys
import time

RUN, PROGRAM, FIXTURES = sys.argv[1:4]
# Whole hours before now, so that the feeds of the last day have events.
NOW = int(time.time()) // 3600 * 3_600_000
NUMBER = 400

CONFIGURATION = f"""\
database: v.sqlite
log: {{level: debug, format: logfmt}}
sources:
  - {{name: quakes, kind: usgs, url: "file://{RUN}/quakes.geojson", max_age: 36500d}}
  - {{name: doomed, kind: usgs, url: "file://{RUN}/doomed.geojson", max_age: 36500d}}
  - {{name: hostile, kind: rss, url: "file://{RUN}/hostile.atom", max_age: 36500d}}
  - {{name: lost, kind: rss, url: "file://{RUN}/lost.xml", max_age: 36500d}}
  - {{name: messages, kind: twitter, url: "file://{RUN}/messages.ndjson", api: v1.1, enabled: true, max_age: 36500d}}
  - {{name: demo, kind: usgs, url: "file://{FIXTURES}/demo/quakes.geojson", max_age: 36500d}}
  - {{name: volcanoes, kind: cap, url: "file://{FIXTURES}/demo/volcanoes.cap.xml", trusted_for: [gvp], max_age: 36500d}}
  - {{name: news, kind: rss, url: "file://{FIXTURES}/demo/news/world.xml", trusted_for: [reuters], max_age: 36500d}}
  - {{name: island-watch, kind: rss, url: "file://{FIXTURES}/demo/georss.atom", max_age: 36500d}}
  - {{name: areas, kind: cap, url: "file://{FIXTURES}/cap/areas.xml", max_age: 36500d}}
  - {{name: shapes, kind: kml, url: "file://{FIXTURES}/kml/shapes.kml", max_age: 36500d}}
  - {{name: across, kind: kml, url: "file://{FIXTURES}/kml/across-180.kml", max_age: 36500d}}
"""

VOLCANOES = """\
Volcano Number,Volcano Name,Primary Volcano Type,Last Eruption Year,Country,Region,Subregion,Latitude,Longitude,\
Elevation,Tectonic Settings,Major Rock 1
211060,Etna,Stratovolcano,2026,Italy,Mediterranean,Italy,37.748,14.999,3357,Subduction zone,Basalt
311120,Great Sitkin,Stratovolcano,2026,United States,Alaska,Aleutians,52.076,-176.13,1740,Subduction zone,Andesite
243080,Kadavu,Stratovolcano,1950,Fiji,Melanesia,Fiji Islands,-19.12,177.98,805,Subduction zone,Andesite
"""

HOSTILE = f"""\
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
  <title>Hostile</title>
  <id>urn:hostile</id>
  <entry>
    <id>urn:hostile:1</id>
    <title type="text">&lt;img src=x onerror=alert(1)&gt; &amp; "quoted" ]]&gt;</title>
    <summary type="text">&lt;script&gt;alert(2)&lt;/script&gt;</summary>
    <link href="javascript:alert(3)"/>
    <updated>{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(NOW / 1000 - 7200))}</updated>
    <georss:point>12.5 41.9</georss:point>
  </entry>
</feed>
"""


# The newest events, a dozen without a place: QGIS takes the type of geometry from the newest ten.
LOST = '<rss version="2.0"><channel><title>Lost</title><link>https://lost.example/</link>' + ''.join(
    f'<item><guid>lost-{i}</guid><title>Quiet {i}</title>'
    f'<pubDate>{time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() - 60 * (i + 1)))}</pubDate></item>'
    for i in range(12)) + '</channel></rss>'


def write(name, text):
    """Replaces a file as a whole."""
    with open(f'{RUN}/{name}.new', 'w', encoding='utf-8') as file:
        file.write(text)
    os.rename(f'{RUN}/{name}.new', f'{RUN}/{name}')


def earthquake(name, number, magnitude, version=0, names=None, status='reviewed'):
    """A feature as USGS writes it."""
    title = f'{number % 90} km N of Nowhere {number}'
    return {
        'type': 'Feature',
        'id': name,
        'properties': {
            'mag': magnitude, 'place': title, 'time': NOW - (number + 1) * 1_017_123, 'updated': NOW + version * 60_000,
            'status': status, 'net': name[:2], 'code': name[2:], 'ids': ',' + ','.join(names or [name]) + ',',
            'sources': f',{name[:2]},', 'types': ',origin,', 'magType': 'ml', 'type': 'earthquake',
            'title': f'M {magnitude} - {title}',
        },
        'geometry': {
            'type': 'Point', 'coordinates': [(number * 7) % 360 - 179.5, (number * 3) % 170 - 84.5, number % 600],
        },
    }


def feed(features, version=0):
    """A USGS document, newer for each version."""
    metadata = {
        'generated': NOW + version * 60_000, 'title': 'Invented', 'status': 200, 'api': '1.0', 'count': len(features),
    }
    return json.dumps({'type': 'FeatureCollection', 'metadata': metadata, 'features': features})


def earthquakes(version):
    """Invented earthquakes; number 10 changes with each version, 11 to 13 with version 1."""
    features = [earthquake(f'zz{i:06d}', i, round(1 + i * 7 % 60 / 10, 1)) for i in range(NUMBER)]
    features[10] = earthquake('zz000010', 10, [3.1, 4.4, 4.6][version], version)
    if version == 0:
        return features + [earthquake('yy000012', 12, 2.5)]
    features[11] = earthquake('zz000011', 11, 1.7, version, status='deleted')
    features[12] = earthquake('zz000012', 12, 2.5, version, names=['zz000012', 'yy000012'])
    return features


def message(number, text):
    """A line as the stream of API v1.1 has it."""
    number += 2_028_047_844_111_286_273
    return json.dumps({
        'created_at': 'Sun Mar 01 10:01:00 +0000 2026', 'id': number, 'id_str': str(number), 'text': text,
        'user': {'id': 1, 'id_str': '1', 'name': 'Ann', 'screen_name': 'ann', 'location': 'Home'},
        'coordinates': {'type': 'Point', 'coordinates': [12.0 + number % 7, 45.0]},
    }) + '\n'


def deletion(number):
    """The line that takes a message back."""
    number += 2_028_047_844_111_286_273
    status = {'id': number, 'id_str': str(number), 'user_id': 1, 'user_id_str': '1'}
    return json.dumps({'delete': {'status': status, 'timestamp_ms': '1'}}) + '\n'


def visiventd(*arguments):
    done = subprocess.run(
        [PROGRAM, *arguments, '--config', RUN + '/visiventd.yaml'], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f'visiventd {" ".join(arguments)}: {done.stdout}{done.stderr}')


os.makedirs(RUN, exist_ok=True)
write('visiventd.yaml', CONFIGURATION)
write('hostile.yaml', CONFIGURATION + 'serve: {hosts: [evil.example]}\n')
write('prefix.yaml', CONFIGURATION + 'serve: {base_path: /quakes}\n')
write('hostile.atom', HOSTILE)
write('lost.xml', LOST)
write('volcanoes.csv', VOLCANOES)
write('doomed.geojson', feed([earthquake(f'xx{i:06d}', 600 + i, 2.0) for i in range(3)]))
write('quakes.geojson', feed(earthquakes(0)))
write('messages.ndjson', ''.join(message(i, text) for i, text in enumerate(
    ['the ground shook', 'a quetzalcoatlus over the volcano', 'ash on the cars'])))
visiventd('poll', '--all')
visiventd('seed', 'volcanoes', RUN + '/volcanoes.csv')
for version in [1, 2]:
    write('quakes.geojson', feed(earthquakes(version), version))
    visiventd('poll', 'quakes')
write('messages.ndjson', deletion(1))
visiventd('poll', 'messages')
visiventd('reset', 'doomed', '--events')
# Last, so that no event is located by it: /basemap/places answers.
visiventd('seed', 'cities', *(f'{FIXTURES}/demo-places/{name}' for name in ('cities.txt', 'regions.txt')))
