#!/usr/bin/env python3
"""Kept pictures of authors and volcanoes: scripted, and of the program."""
import base64
import sqlite3
import struct
import zlib

from playwright.sync_api import expect

from browser import World, comes, main, test

FACE = 'https://foreign.example/face.png?token=1'
ETNA = 'https://foreign.example/etna.png'


def key(link):
    return base64.urlsafe_b64encode(link.encode()).decode().rstrip('=')


def png(width, height):
    """A grey picture."""
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    rows = b''.join(b'\0' + b'\x80' * width for _ in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def service(tests, **start):
    world = World()
    world.event('seen', title='Ash', category='message', author_name='Ada Byron', author_picture=FACE)
    world.event('unseen', title='Dust', category='message', author_name='Émile Zola',
                author_picture='https://foreign.example/other.png')
    scripted = tests.scripted(world)
    point = {'type': 'Point', 'coordinates': [14.993, 37.748]}
    scripted.answers = {
        'page/start': {'version': '0', 'basemaps': [], 'overlays': [], 'attributions': [], **start},
        'collections/volcanoes/items/etna': {'type': 'Feature', 'id': 'etna', 'geometry': point, 'properties': {
            'name': 'Etna', 'picture': ETNA}},
        'summary/hotspots': {'type': 'FeatureCollection', 'seq': 0, 'truncated': False, 'features': []},
    }
    return scripted


def opened(tests, scripted, selected):
    """The page with something selected; the pictures of `FACE` and `ETNA` are kept."""
    visit = tests.visit(scripted.url, allowed='404|basemap.places')
    asked = []

    def give(route):
        asked.append(route.request.url.rsplit('/', 1)[1])
        if asked[-1] in (key(FACE), key(ETNA)):
            route.fulfill(status=200, content_type='image/png', body=png(8, 6))
        else:
            route.fulfill(status=204)
    visit.page.route('**/pictures/*', give)
    return visit.open('#zone=utc&sel=' + selected), asked


@test('the card of an event shows the kept picture of its author, from this service alone')
def _(tests):
    page, asked = opened(tests, service(tests, pictures=True), 'event:seen')
    face = page.locator('#card .face')
    expect(face).to_have_text('AB')
    page.wait_for_function("() => document.querySelector('#card .face img')?.naturalWidth === 8")
    assert asked == [key(FACE)], asked


@test('without a kept picture the card shows initials', brief=False)
def _(tests):
    page, asked = opened(tests, service(tests, pictures=True), 'event:unseen')
    expect(page.locator('#card .face')).to_have_text('ÉZ')
    expect(page.locator('#card .face img')).to_have_count(0)
    assert len(asked) == 1, asked


@test('the card of a volcano shows its kept photograph, and a grid those of its authors', brief=False)
def _(tests):
    page, _ = opened(tests, service(tests, pictures=True), 'volcano:etna')
    page.wait_for_function("() => document.querySelector('#card .photo')?.naturalWidth === 8")
    assert page.locator('#card a[href="https://foreign.example/etna.png"]').count() == 1
    page.evaluate("() => visiventd.state.set({ selected: 'place:square:0,0' })")
    page.wait_for_selector('#card .grid')


@test('where no pictures are kept none is asked for, and the page is as before')
def _(tests):
    page, asked = opened(tests, service(tests), 'event:seen')
    expect(page.locator('#card')).to_contain_text('Ada Byron')
    assert page.locator('#card .face').count() == 0
    page.evaluate("() => visiventd.state.set({ selected: 'volcano:etna' })")
    expect(page.locator('#card')).to_contain_text('Etna')
    assert page.locator('#card .photo').count() == 0
    assert asked == [], asked


RSS = '''<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>n</title>
<item><guid isPermaLink="false">one</guid><title>Ash falls</title><dc:creator>Ada Byron</dc:creator></item>
</channel></rss>'''


@test('the program gives out a kept picture, which the page shows with its network cut', needs_program=True)
def _(tests):
    from pathlib import Path
    program = tests.program('''database: "@RUN@/events.sqlite"
pictures:
  hosts: [foreign.example]
sources:
  - {name: news, kind: rss, url: "file://@RUN@/news.xml", max_age: 36500d}''')
    Path(program.run, 'news.xml').write_text(RSS, encoding='utf-8')
    program.command('poll', 'news')
    # As a feed that names pictures and the daemon leave it.
    with sqlite3.connect(program.run + '/events.sqlite') as database:
        identity, = database.execute('SELECT public_id FROM event').fetchone()
        database.execute('UPDATE event SET author_picture = ?', (FACE,))
    with sqlite3.connect(program.run + '/events.sqlite-pictures') as database:
        database.execute('CREATE TABLE picture (key TEXT PRIMARY KEY, size INTEGER, type TEXT, body BLOB)')
        body = png(8, 6)
        database.execute('INSERT INTO picture VALUES (?, ?, ?, ?)', (key(FACE), len(body), 'image/png', body))
    program.serve()
    visit = tests.visit(program.url, allowed='basemap.places')
    heads = {}
    visit.page.on('response', lambda answer: '/pictures/' in answer.url and heads.update(answer.headers))
    page = visit.open('#zone=utc&sel=event:' + identity)
    page.wait_for_function("() => document.querySelector('#card .face img')?.naturalWidth === 8")
    assert comes(page, lambda: heads)
    assert heads['content-type'] == 'image/png' and heads['x-content-type-options'] == 'nosniff', heads
    assert heads['content-security-policy'].startswith("default-src 'none'; sandbox"), heads
    assert heads['cache-control'] == 'no-store', heads


if __name__ == '__main__':
    main()
