#!/usr/bin/env python3
"""feedparser and xmllint on the feeds of `visiventd serve`: served_to_feed_readers.py FOLDER PROGRAM"""
import feedparser

from checks import check, same, skip
from served import fault_of, latest, serving


def atom(service):
    rows = latest()[:50]
    address = service.url + '/feed.atom?limit=50'

    @check('feedparser: the Atom feed has the events of SQLite')
    def _():
        feed = feedparser.parse(address)
        same((feed.status, bool(feed.bozo)), (200, False), feed.get('bozo_exception', ''))
        same(len(feed.entries), len(rows), 'entries:')
        same(len({entry.id for entry in feed.entries}), len(rows), 'ids:')
        same(sorted(entry.title for entry in feed.entries), sorted(row['title'] for row in rows))
        for entry in feed.entries:
            same(bool(entry.id.startswith('urn:')), True, entry.id)
            same(bool(entry.updated_parsed), True, entry.id)

    @check('feedparser: the second request is answered 304')
    def _():
        # A new minute has a new ETag, so a request may come too late once.
        statuses = []
        for _ in range(2):
            first = feedparser.parse(address)
            statuses.append(feedparser.parse(address, etag=first.etag).status)
        same(304 in statuses, True, f'{statuses}:')

    @check('feedparser: an entry leads to a page, also of an event without one of its own')
    def _():
        feed = feedparser.parse(service.url + '/feed.atom?q=quiet&limit=50')
        entries = [entry for entry in feed.entries if entry.title.startswith('Quiet ')]
        same(len(entries), 12, 'entries:')
        for entry in entries:
            same(entry.link.startswith(service.url), True, entry.link)
            answer = service.get(entry.link.removeprefix(service.url))
            same((answer.status, answer.fields['content-type']), (200, 'text/html; charset=utf-8'), entry.link)
            same(f'<h1>{entry.title}</h1>' in answer.text, True, entry.title)

    @check('feedparser: points of GeoRSS are those of SQLite')
    def _():
        feed = feedparser.parse(service.url + '/feed.atom?category=earthquake&limit=50')
        found = sorted(tuple(round(number, 4) for number in entry.where['coordinates']) for entry in feed.entries)
        earthquakes = latest("category = 'earthquake'")[:50]
        same(found, sorted((round(row['longitude'], 4), round(row['latitude'], 4)) for row in earthquakes))


def well_formed(service, targets):
    for target in targets:
        name = f'xmllint: {target} is well-formed'
        if not service.offers(target):
            skip(name, f'{target} is not offered')
            continue

        @check(name)
        def _():
            answer = service.get(target)
            same(answer.status, 200)
            same(fault_of(answer.body), '')


with serving() as running:
    if running.offers('/feed.atom'):
        atom(running)
    else:
        skip('feedparser', '/feed.atom is not offered')
    well_formed(running, ['/feed.atom', '/events.kml', '/network-link.kml'])
