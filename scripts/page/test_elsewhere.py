#!/usr/bin/env python3
"""The program below a prefix, also behind nginx with a login, and pages of other origins that read its answers."""
import http.server
import sys
import threading
import time
from email.utils import formatdate
from pathlib import Path

from playwright.sync_api import expect

from browser import ROOT, Server, main, test

sys.path.append(str(ROOT / 'scripts' / 'clients'))
from proxy import NGINX, PREFIX, proxied

SETTINGS = '''database: "@RUN@/events.sqlite"
sources:
  - {name: news, kind: rss, url: "file://@RUN@/news.xml", max_age: 36500d}
'''
NEWS = f'''<rss version="2.0" xmlns:georss="http://www.georss.org/georss"><channel><title>n</title>
<item><guid isPermaLink="false">one</guid><title>Ash falls</title><pubDate>{formatdate(time.time() - 60)}</pubDate>
<georss:point>37.7 15</georss:point></item></channel></rss>'''


def polled(tests, **serve):
    program = tests.program(SETTINGS, **serve)
    Path(program.run, 'news.xml').write_text(NEWS, encoding='utf-8')
    program.command('poll', 'news')
    return program.serve()


def works_below(tests, url, **options):
    """The page at an address lists events, has its map and its stream, and leads nowhere outside of it. The visit fails
    at its end if it has asked for anything outside."""
    visit = tests.visit(url, allowed='basemap.places', **options)
    page = visit.open('#panel=list')
    visit.map_ready()
    expect(page.locator('#panel')).to_contain_text('Ash falls')
    page.evaluate('() => new Promise((done) => { visiventd.stream.onState(({ live }) => { if (live) done(); }); })')
    page.evaluate("() => visiventd.state.set({ panel: 'menu' })")
    expect(page.locator('#panel')).to_contain_text('QGIS')
    lines = page.locator('#panel pre').all_inner_texts()
    links = page.eval_on_selector_all('#panel .tools a', '(all) => all.map((one) => one.href)')
    assert url in lines, lines
    assert links and all(link.startswith(url) for link in links), links
    assert any(f'Client("{url.rstrip("/")}")' in line for line in lines), lines
    page.close()


@test('below a prefix the page works, asks for nothing outside, and shows addresses below it', needs_program=True)
def _(tests):
    program = polled(tests, base_path=PREFIX)
    works_below(tests, program.url)
    # The prefix without its slash leads there.
    page = tests.visit(f'http://{program.address}/', allowed='basemap.places').page
    page.goto(program.url.rstrip('/'))
    page.wait_for_selector('body[data-page=ready]', state='attached')
    assert page.url.split('#')[0] == program.url, page.url


if NGINX:
    for fate in ['passed', 'taken']:
        @test(f'behind nginx with a login, the prefix {fate}, the page works', needs_program=True, brief=False)
        def _(tests, fate=fate):
            program = polled(tests, base_path=PREFIX)
            with proxied(program.address, fate, 'anna:geheim') as address:
                login = {'username': 'anna', 'password': 'geheim'}
                works_below(tests, f'http://{address}{PREFIX}/', http_credentials=login)
                tests.open.pop().close()
else:
    print('ok - behind nginx the page works # SKIP nginx is not installed', flush=True)


class Empty(http.server.BaseHTTPRequestHandler):
    """An empty page without a policy."""

    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *_):
        pass


class Site:
    """The site of somebody else."""

    def __init__(self):
        self.server = Server(('127.0.0.1', 0), Empty)
        self.origin = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


ASK = '''async ([url, headers]) => {
    try {
        const response = await fetch(url, { headers });
        const { value } = await response.body?.getReader().read() ?? {};
        return [response.status, response.headers.get('etag'), new TextDecoder().decode(value).slice(0, 6)];
    } catch (error) {
        return [error.name];
    }
}'''


@test('a page of a configured origin sends conditions and goes on with the stream; others send and read nothing',
      needs_program=True, brief=False)
def _(tests):
    friend, stranger = tests.keep(Site()), tests.keep(Site())
    program = polled(tests, cors=[friend.origin])
    items = program.url + 'collections/events/items?limit=1'
    stream = program.url + 'stream'

    def ask(site, url, headers):
        visit = tests.visit(site.origin + '/', allowed='another host|CORS|ERR_FAILED|favicon')
        visit.page.goto(visit.url)
        return visit.page.evaluate(ASK, [url, headers])
    status, tag, _ = ask(friend, items, {})
    assert status == 200 and tag, (status, tag)
    assert ask(friend, items, {'If-None-Match': tag})[0] == 304
    resumed = ask(friend, stream, {'Last-Event-ID': '0', 'Content-Type': 'application/json'})
    assert resumed[0] == 200 and resumed[2] == 'retry:', resumed
    assert ask(friend, stream, {'Last-Event-ID': '0', 'X-Other': '1'}) == ['TypeError']
    for headers in [{}, {'If-None-Match': tag}]:
        assert ask(stranger, items, headers) == ['TypeError'], headers


FRAME = '''(url) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.onload = () => done();
    frame.src = url;
    document.body.append(frame);
})'''


@test('a page of serve.frame_ancestors frames the map alone, others do not, and no page frames another answer',
      needs_program=True, brief=False)
def _(tests):
    friend, stranger = tests.keep(Site()), tests.keep(Site())
    program = polled(tests, frame_ancestors=[friend.origin])

    def framed(site, target):
        visit = tests.visit(site.origin + '/', allowed='.')
        visit.page.goto(visit.url)
        visit.page.evaluate(FRAME, target)
        return visit.page.frames[1]
    frame = framed(friend, program.url + '?embed=1#panel=list')
    frame.wait_for_selector('body[data-page=ready]', state='attached')
    expect(frame.locator('#map')).to_be_visible()
    for part in ['#head', '#foot', '#panel']:
        expect(frame.locator(part)).to_be_hidden()
    # Whose data it is can be read there.
    frame.locator('#credit').click()
    expect(frame.locator('#panel')).to_contain_text('Natural Earth (public domain)')
    assert framed(stranger, program.url + '?embed=1').query_selector('#map') is None
    assert framed(friend, program.url + 'collections').query_selector('a') is None


if __name__ == '__main__':
    main()
