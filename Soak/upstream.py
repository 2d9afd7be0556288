"""The scripted upstream: what each address answers, with which fault, and what has been promised by it."""
import asyncio
import json
import os
import time

import documents
import wire
from faults import STREAM_WEIGHTS

ROOT_TYPES = {'json': 'application/geo+json', 'xml': 'application/xml'}


class Page:
    """An address of a feed. Its ETag changes whenever what it lists does."""

    def __init__(self, source, world, select, render, is_lenient=False, dating=lambda item: item.time):
        self.source, self.world, self.select, self.render = source, world, select, render
        self.is_lenient, self.dating = is_lenient, dating
        self.key, self.version = None, 0

    def at(self, now):
        """Items, document and ETag as they are now."""
        self.world.advance(now)
        items = self.select(self.world.listed(now))
        key = [(item.token, item.revision) for item in items]
        if key != self.key:
            self.key, self.version = key, max(self.version + 0.001, now)
        return items, self.render(items, self.version), '"%.3f"' % self.version


class Upstream:
    """All sites. `touched` are the sources whose polls a reload may give up."""

    def __init__(self, worlds, faults, ledger, politeness, max_age, touched):
        self.worlds, self.faults, self.ledger, self.politeness = worlds, faults, ledger, politeness
        self.max_age, self.touched = max_age, touched
        names = ('quakes', 'news', 'atom', 'alerts', 'extra')
        self.sites = {name: wire.Site(name, self.handle) for name in names}
        self.sites['stream'] = wire.Site('stream', self.handle_stream)
        self.rules, self.pending, self.streams, self.streamed = {}, {}, 0, 0
        self.pages = self.make_pages()
        self.loop = wire.Loop(list(self.sites.values()))

    def make_pages(self):
        def quakes(least):
            return lambda items: [item for item in items if item.magnitude >= least]

        def page(source, least):
            return Page(source, self.worlds['quakes'], quakes(least),
                        lambda items, version: documents.quakes(items, version))

        pages = {'/quakes/all_hour.geojson': page('quakes', -1), '/quakes/2.5_hour.geojson': page('strong', 2.5)}
        for topic in ('world', 'science', 'sport'):
            pages['/news/%s.xml' % topic] = Page(
                'news', self.worlds['news'], lambda items, topic=topic: [i for i in items if topic in i.topics],
                lambda items, _, topic=topic: documents.rss(items, topic), True, documents.date_of)
        for name in ('atom', 'extra'):
            pages['/%s.xml' % name] = Page(name, self.worlds[name], list, lambda items, _: documents.atom(items), True,
                                           documents.date_of)
        pages['/alerts.xml'] = Page('alerts', self.worlds['alerts'], list,
                                    lambda items, _: documents.alert_index(items, self.sites['alerts'].url + '/alert'))
        return pages

    # MARK: Feeds

    async def handle(self, site, request, writer):
        page, alert = self.pages.get(request.path), None
        if page is None and request.path.startswith('/alert/'):
            alert = request.path[7:-4]
            page = self.alert_page(alert)
        is_first = page is not None and alert is None and '?' not in request.target
        self.politeness.arrived(site.name, request, page.source if is_first else None)
        try:
            if page is None:
                return await wire.answer(writer, 404)
            if 'circle' in request.target:
                return await wire.answer(writer, 302, fields=[('Location', request.target)])
            return await self.answer(site, page, request, writer)
        finally:
            self.politeness.ended(site.name, request)

    def alert_page(self, token):
        key = '/alert/' + token
        items = [item for item in self.worlds['alerts'].items if item.token == token]
        if not items:
            return None
        if key not in self.pages:
            self.pages[key] = Page('alerts', self.worlds['alerts'],
                                   lambda items: [item for item in items if item.token == token],
                                   lambda items, _: documents.alert(items[0]) if items else b'')
        return self.pages[key]

    async def answer(self, site, page, request, writer):
        is_index = request.path == '/alerts.xml'
        self.politeness.validates(request, is_strict=not is_index and page.source not in self.touched)
        fault, chance = self.faults.deal(request.path)
        if '?' in request.target and fault in ('redirect', 'moved', 'circle'):
            fault = None
        items, body, etag = page.at(time.time())
        if not items and request.path.startswith('/alert/'):
            return await wire.answer(writer, 404)
        given = request.headers.get('if-none-match')
        if page.source in self.touched and given in self.pending:
            # That the answer is named shows that it was taken.
            self.promise(page, self.pending[given])
        fields = [('ETag', etag), ('Content-Type', ROOT_TYPES['json' if 'quakes' in request.path else 'xml'])]
        if fault in ('http_500', 'http_503', 'http_404', 'retry_after', 'reset', 'redirect', 'moved', 'circle', 'html',
                     'empty'):
            self.faults.hit(fault)
            return await self.fail(site, request, writer, fault, chance)
        if given == etag:
            self.politeness.same()
            return await wire.answer(writer, 304, fields=fields)
        if fault in ('reset_in_body', 'cut', 'stalled'):
            self.faults.hit(fault)
            return await self.break_off(request, writer, body, fields, fault)
        if fault == 'broken':
            mark = max(body.rfind(b'<item'), body.rfind(b'<entry'))
            is_item = page.is_lenient and mark > 0
            if is_item or not page.is_lenient:
                self.faults.hit(fault)
                await wire.answer(writer, 200, body[:mark + 12 if is_item else len(body) * 3 // 5], fields)
                if is_item:
                    self.politeness.kept(request, None)
                    self.deliver(page, request, items[:-1], None)
                return True
        if fault:
            self.faults.hit(fault)
        # The daemon may have stored it before this process goes on.
        self.ledger.mention(items)
        if fault == 'chunked':
            goes_on = await wire.answer_chunked(writer, body, fields, chance)
        elif fault == 'gzip':
            goes_on = await wire.answer_packed(writer, body, fields)
        elif fault == 'slow':
            goes_on = await wire.answer_slowly(writer, body, fields, chance.uniform(0.5, 2.5))
        else:
            goes_on = await wire.answer(writer, 200, body, fields)
        self.politeness.kept(request, etag)
        if not is_index:
            self.deliver(page, request, items, etag)
        return goes_on

    def deliver(self, page, request, items, etag):
        """An answer has gone out whole."""
        self.ledger.mention(items)
        if page.source not in self.touched:
            self.promise(page, items)
        elif etag:
            self.pending[etag] = items

    def promise(self, page, items):
        self.ledger.promise(items, time.time(), self.max_age, page.dating)

    async def fail(self, site, request, writer, fault, chance):
        if fault == 'reset':
            return wire.reset(writer)
        if fault == 'html':
            return await wire.answer(writer, 200, b'<html><body>Back soon</body></html>', [
                ('ETag', '"page"'), ('Content-Type', 'text/html')])
        if fault == 'empty':
            return await wire.answer(writer, 200, b'', [('ETag', '"empty"')])
        if fault == 'retry_after':
            seconds = chance.randint(1, 3)
            await wire.answer(writer, 503, b'wait', [('Retry-After', str(seconds))])
            self.politeness.leave_alone(site.name, time.time() + seconds)
            return True
        targets = {'redirect': (302, '?hop=1'), 'moved': (301, '?hop=2'), 'circle': (302, '?circle=1')}
        if fault in targets:
            status, query = targets[fault]
            return await wire.answer(writer, status, fields=[('Location', site.url + request.path + query)])
        return await wire.answer(writer, int(fault[5:]), b'no')

    async def break_off(self, request, writer, body, fields, fault):
        await wire.answer_partly(writer, body, fields, 0.6)
        if fault == 'reset_in_body':
            await asyncio.sleep(0.05)
            return wire.reset(writer)
        if fault == 'stalled':
            # The daemon gives it up and closes.
            await asyncio.wait_for(request.reader.read(1), 60)
        return False

    # MARK: The stream

    async def handle_stream(self, site, request, writer):
        self.politeness.arrived(site.name, request, None)
        try:
            if request.path == '/stream/rules':
                return await self.answer_rules(request, writer)
        finally:
            self.politeness.ended(site.name, request)
        return await self.stream(writer)

    async def answer_rules(self, request, writer):
        if request.method == 'POST':
            change = json.loads(request.body)
            for rule in change.get('add', ()):
                self.rules[str(len(self.rules) + 1)] = rule
            for number in change.get('delete', {}).get('ids', ()):
                self.rules.pop(number, None)
        data = [{'id': number, **rule} for number, rule in self.rules.items()]
        body = json.dumps({'data': data, 'meta': {}} if data else {'meta': {}}).encode()
        return await wire.answer(writer, 201 if request.method == 'POST' else 200, body)

    async def stream(self, writer):
        """Holds the connection for a while and brings what is written meanwhile."""
        chance = self.faults.chance('/stream')
        end = chance.choices(list(STREAM_WEIGHTS), list(STREAM_WEIGHTS.values()))[0]
        lasts = chance.uniform(4, 25)
        if self.faults.is_quiet:
            end, lasts = 'end', 1e9
        if end == 'http_503':
            self.faults.hit('stream_http_503')
            return await wire.answer(writer, 503)
        self.streams += 1
        world, sent, opened = self.worlds['stream'], [], time.time()
        world.advance(opened)
        cursor, last_line = world.count, 0
        await wire.send(writer, wire.head(200, [('Content-Type', 'application/json')], is_chunked=True))
        while time.time() - opened < lasts or self.faults.is_quiet:
            world.advance(time.time())
            new = [item for item in world.items if int(item.token[1:]) > cursor]
            cursor = world.count
            lines = b''.join(documents.message(item, list(self.rules)) for item in new)
            if not lines and time.time() - last_line > 3:
                lines = b'\r\n'
            if lines:
                last_line = time.time()
                await self.send_in_pieces(writer, lines, chance)
                self.ledger.mention(new)
                sent += [(time.time(), item) for item in new]
            # What is a while under way has been read; what is younger may go with a reset.
            read = [item for at, item in sent if at < time.time() - 3]
            sent = [pair for pair in sent if pair[0] >= time.time() - 3]
            self.keep(read)
            await asyncio.sleep(0.2)
        self.faults.hit('stream_' + end)
        if end == 'reset':
            return wire.reset(writer)
        if end == 'end':
            await wire.send(writer, b'0\r\n\r\n')
        self.keep([item for _, item in sent])
        return False

    async def send_in_pieces(self, writer, lines, chance):
        while lines:
            size = chance.randint(1, 900)
            await wire.send(writer, wire.chunk(lines[:size]))
            lines = lines[size:]

    def keep(self, items):
        self.streamed += len(items)
        self.ledger.promise(items, time.time(), self.max_age)


class LinesFile:
    """The file of JSON lines: written anew every two seconds, at times garbage, at times not there."""

    def __init__(self, path, world, faults, ledger):
        self.path, self.world, self.faults, self.ledger = path, world, faults, ledger
        self.versions = []

    async def run(self):
        while True:
            self.write(time.time())
            await asyncio.sleep(2)

    def write(self, now):
        self.world.advance(now)
        items = self.world.listed(now)
        chance = self.faults.chance(self.path.rsplit('/', 1)[1])
        fault = None if self.faults.is_quiet else chance.choices(
            (None, 'file_garbage', 'file_missing'), (88, 6, 6))[0]
        if fault:
            self.faults.hit(fault)
        if fault == 'file_missing':
            if os.path.exists(self.path):
                os.unlink(self.path)
        else:
            with open(self.path + '.new', 'wb') as file:
                file.write(b'<p>no lines</p>' if fault else b''.join(documents.message(item) for item in items))
            os.replace(self.path + '.new', self.path)
        self.ledger.mention(items)
        if self.versions:
            self.versions[-1][1] = now
        self.versions.append([now, now + 1e9, [] if fault else [(item.token, item.time) for item in items]])
