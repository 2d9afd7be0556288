"""Documents of each format with the items of a world, and the tokens of what they hold."""
import json
from datetime import datetime, timezone
from email.utils import formatdate
from xml.sax.saxutils import escape

SENDER = 'soak@example.org'


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def date_of(item):
    """The date that a feed gives an item; None: it gives none."""
    return {'true': item.time, 'none': None, 'future': item.born + 7200}[item.dating]


def quakes(items, changed):
    """A USGS summary feed."""
    features = []
    for item in items:
        properties = {
            'mag': item.magnitude, 'place': '12 km S of %s' % (item.town or 'nothing'), 'time': int(item.time * 1000),
            'updated': int(item.updated * 1000), 'status': 'automatic', 'tsunami': 0, 'net': 'us', 'code': item.token,
            'url': 'https://example.org/' + item.token, 'ids': ',us%s,' % item.token, 'sources': ',us,',
            'types': ',origin,', 'magType': 'ml', 'type': 'earthquake', 'title': item.title, 'note': item.text}
        features.append({'type': 'Feature', 'properties': properties, 'id': 'us' + item.token, 'geometry': {
            'type': 'Point', 'coordinates': [*item.position, 10]}})
    return json.dumps({'type': 'FeatureCollection', 'metadata': {
        'generated': int(changed * 1000), 'status': 200, 'count': len(features), 'title': 'soak'},
        'features': features}).encode()


def rss(items, topic):
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>%s</title>'
             '<link>https://example.org/</link><description>soak</description>' % topic]
    for item in items:
        date = date_of(item)
        parts.append('<item><title>%s</title><guid isPermaLink="false">%s</guid><link>https://example.org/%s</link>'
                     '%s<description>%s</description></item>\n' % (
                         escape(item.title), item.token, item.token,
                         '' if date is None else '<pubDate>%s</pubDate>' % formatdate(date),
                         escape('%s (Soak) - %s' % (item.town.upper(), item.text))))
    return (''.join(parts) + '</channel></rss>\n').encode()


def atom(items):
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" '
             'xmlns:georss="http://www.georss.org/georss"><id>urn:soak</id><title>soak</title>']
    for item in items:
        date = date_of(item)
        parts.append('<entry><id>urn:soak:%s</id><title>%s</title>%s<link href="https://example.org/%s"/>'
                     '<georss:point>%s %s</georss:point><summary>%s</summary></entry>\n' % (
                         item.token, escape(item.title),
                         '' if date is None else '<published>%s</published><updated>%s</updated>' % (
                             iso(date), iso(item.updated)),
                         item.token, item.position[1], item.position[0], escape(item.text)))
    return (''.join(parts) + '</feed>\n').encode()


def alert_index(items, base):
    """An Atom index of alerts."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:alerts</id>'
             '<title>alerts</title>']
    for item in items:
        parts.append('<entry><id>urn:%s</id><title>%s</title><updated>%s</updated><link href="%s/%s.xml"/></entry>\n' % (
            item.token, item.token, datetime.fromtimestamp(item.updated, timezone.utc).isoformat(), base, item.token))
    return (''.join(parts) + '</feed>\n').encode()


def alert(item):
    """One CAP alert."""
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<alert xmlns="urn:oasis:names:tc:emergency:cap:1.2">'
            '<identifier>%s</identifier><sender>%s</sender><sent>%s</sent><status>Actual</status>'
            '<msgType>Alert</msgType><scope>Public</scope><info><category>Geo</category><event>Volcano</event>'
            '<urgency>Expected</urgency><severity>Severe</severity><certainty>Likely</certainty>'
            '<effective>%s</effective><headline>%s</headline><description>%s</description><area><areaDesc>%s</areaDesc>'
            '<circle>%s,%s 5</circle></area></info></alert>\n' % (
                item.token, SENDER, iso(item.updated), iso(item.time), escape(item.title), escape(item.text),
                item.town or 'sea', item.position[1], item.position[0])).encode()


def message(item, rules=()):
    """A message of API v2 in a line."""
    number = 2_000_000_000_000_000_000 + ord(item.token[0]) * 10 ** 10 + int(item.token[1:])
    data = {'id': str(number), 'text': '%s %s' % (item.title, item.text[:200]),
            'author_id': '12', 'created_at': iso(item.time)}
    line = {'data': data, 'includes': {'users': [{'id': '12', 'username': 'soak', 'name': 'Soak',
                                                  'location': item.town}]}}
    if rules:
        line['matching_rules'] = [{'id': rule, 'tag': 'x'} for rule in rules]
    return json.dumps(line).encode() + b'\r\n'
