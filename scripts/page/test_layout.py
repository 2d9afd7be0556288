#!/usr/bin/env python3
"""The layout in windows of seven sizes, in the short form of two: nothing that can be clicked or read lies over anything
else, all of it is inside the window or can be scrolled there, and playing moves nothing. Steps back and forward, paper,
and the picture."""
from playwright.sync_api import expect

from browser import BRIEF, HOUR, World, click_map, main, rfc3339, test

SIZES = [(320, 256), (375, 667), (768, 1024), (1024, 480), (1280, 800), (1920, 1080), (2560, 1440)]
CATEGORIES = ['earthquake', 'volcano', 'news', 'message', 'alert', 'flood', 'wildfire', 'storm', 'landslide']
# By name: what the view is set to. In each a source fails and the credit names 28 hosts.
STATES = {
    'the start': {},
    'list and card': {'panel': 'list', 'selected': 'event:event-0'},
    'a card': {'selected': 'event:event-0'},
    'playing': {'playing': True, 'end': -40, 'speed': 60},
    'the sources, in the past': {'panel': 'sources', 'end': -30},
    'layers, and nothing in the window': {'panel': 'layers', 'categories': ['tsunami']},
}
if BRIEF:
    SIZES = [(375, 667), (1280, 800)]
    STATES = {name: STATES[name] for name in ('the start', 'list and card', 'playing')}
# The boxes of all that can be clicked and of all words, as far as they are not cut off by what scrolls them. The window of
# time with its edges is one control. A box that is mostly cut off can be neither clicked nor read.
BOXES = '''() => {
    const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      && getComputedStyle(node).clipPath === 'none';
    const cut = (node, { left, top, right, bottom }) => {
      for (let up = node; up && up !== document.body; up = up.parentElement) {
        if (getComputedStyle(up).overflow === 'visible') continue;
        const box = up.getBoundingClientRect();
        left = Math.max(left, box.left); top = Math.max(top, box.top);
        right = Math.min(right, box.right); bottom = Math.min(bottom, box.bottom);
      }
      return { left, top, right, bottom };
    };
    const isShown = ({ left, top, right, bottom }) => right - left > 4 && bottom - top > 4;
    const boxes = [];
    const add = (node, rect, name) => {
      const box = cut(node, rect);
      if (isShown(box)) boxes.push({ node, name, ...box });
    };
    for (const node of document.querySelectorAll('button, input, select, textarea, a[href], .track')) {
      const name = node.getAttribute('aria-label') || node.textContent.trim() || node.className;
      if (seen(node)) add(node, node.getBoundingClientRect(), name);
    }
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const { currentNode: text } = walk, node = text.parentElement;
      if (!text.data.trim() || !seen(node) || node.closest('button, select, a, .track, #map, noscript, option')) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const rect of range.getClientRects()) add(node, rect, text.data.trim().slice(0, 40));
    }
    return boxes;
}'''
WRONG = '''() => {
    const boxes = (%s)(), wrong = [];
    boxes.forEach((a, i) => {
      if (a.left < -1 || a.top < -1 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1) {
        wrong.push(`${a.name} leaves the window`);
      }
      for (const b of boxes.slice(i + 1)) {
        if (a.node.contains(b.node) || b.node.contains(a.node)) continue;
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 1) wrong.push(`${a.name} and ${b.name}`);
      }
    });
    for (const { node, name, left, top, right, bottom } of boxes.filter((box) => box.node.matches('button, input'))) {
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (!node.contains(hit) && !hit?.contains(node)) wrong.push(`${name} lies under ${hit?.id || hit?.className}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page scrolls sideways');
    return wrong;
}''' % BOXES
STILL = '''() => [...document.querySelectorAll('#head, #search, #actions *, #chips, #credit, #timebar > button, .track, .track canvas')]
    .map((node) => { const { x, y, width, height } = node.getBoundingClientRect();
      return [node.classList[0] ?? node.id, x, y, width, height].join(' '); })'''


def service_of(tests):
    world = World()
    for i, category in enumerate(CATEGORIES):
        world.event(f'event-{i}', category=category, title=f'An event of the kind {category}, some way off a town of long name',
                    lon=20 * i - 80, lat=5 * i, magnitude=5.5 if i == 0 else None, summary='Some words. ' * 40,
                    time=world.now - i * HOUR // 3)
    service = tests.scripted(world)
    now = rfc3339(world.now)
    since = rfc3339(world.now - 5 * HOUR)
    source = {'kind': 'rss', 'enabled': True, 'last_success': now, 'next_due': rfc3339(world.now + HOUR),
              'due_reason': 'interval', 'refused': {}, 'failures': 0}
    service.answers = {
        'page/start': {'version': '1', 'basemaps': [], 'overlays': [], 'gazetteer': 'GeoNames',
                       'attributions': ['GeoNames'] + [f'feeds.of-some-agency-{i}.example.org' for i in range(28)]},
        'page/upkeep': {'time': now, 'state': 'late', 'last_poll': now, 'since': since, 'late': [
            {'name': 'a-source-of-long-name', 'state': 'failing', 'since': since}]},
        'status': {'time': now, 'version': '0', 'last_poll': now, 'change_seq': 9, 'events': 9, 'located': 9, 'sources': [
            source | {'name': f'source-{i}'} for i in range(27)] + [source | {
                'name': 'a-source-of-long-name', 'failures': 3, 'last_failure': 'no connection within 10 s',
                'failing_since': since}]},
    }
    return service


def opened(tests, hash='#in=0', **options):
    visit = tests.visit(service_of(tests).url, **options)
    page = visit.open(hash)
    visit.map_ready()
    # A sheet of a phone covers the chips.
    page.wait_for_selector('#chips button:nth-child(9)', state='attached')
    page.wait_for_function("() => document.querySelector('.live').textContent.startsWith('Late')")
    return page


def enter(page, state):
    """Sets the view; an `end` is in hours from now."""
    page.evaluate('''(patch) => visiventd.state.set({ panel: null, selected: null, playing: false, end: null, categories: null,
        ...patch, end: patch.end ? Date.now() + patch.end * 3600e3 : null })''', STATES[state])
    if 'selected' in STATES[state]:
        page.wait_for_selector('#card h2')
    # That there is nothing is said after a while, but not while playing. All events are of the last three hours.
    is_empty = bool({'categories', 'end'} & set(STATES[state])) and 'playing' not in STATES[state]
    page.wait_for_function("(isEmpty) => document.getElementById('empty').hidden !== isEmpty", arg=is_empty)
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")


for coarse in (False, True):
    @test(f'nothing lies over anything else in any size and state, {"by finger" if coarse else "by mouse"}')
    def _(tests, coarse=coarse):
        page = opened(tests, has_touch=coarse, is_mobile=coarse)
        found = []
        for width, height in SIZES:
            page.set_viewport_size({'width': width, 'height': height})
            for state in STATES:
                enter(page, state)
                found += [f'{width}×{height}, {state}: {words}' for words in page.evaluate(WRONG)[:5]]
        assert not found, '; '.join(found[:12])


@test('targets of a finger are 44 pixels high, of a mouse 24')
def _(tests):
    for coarse, least in ((True, 44), (False, 24)):
        page = opened(tests, '#panel=list&sel=event:event-0', width=1280, height=800, has_touch=coarse, is_mobile=coarse)
        page.wait_for_selector('#card h2')
        low = page.evaluate('''(least) => [...document.querySelectorAll('button, select, input:not([type=checkbox]), label.tick')]
            .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest('.row, #card .panel-body')
              && node.getBoundingClientRect().height < least - 0.5 && node.id !== 'credit')
            .map((node) => node.textContent || node.className)''', least)
        assert low == [], (least, low)
        page.close()


@test('the menu of time opens at its button, whole in the window, and leaves the button free', brief=False)
def _(tests):
    page = opened(tests)
    for width, height in SIZES:
        page.set_viewport_size({'width': width, 'height': height})
        for name in ('.speed', '.range'):
            opener = page.locator(name)
            if not opener.is_visible():
                continue
            opener.click()
            menu = page.locator('#range-menu')
            menu.wait_for()
            box, own = menu.bounding_box(), opener.bounding_box()
            assert box['x'] >= 0 and box['y'] >= 0 and box['x'] + box['width'] <= width, (width, height, name, box)
            assert box['y'] + box['height'] <= own['y'], (width, height, name, box, own)
            assert box['x'] <= own['x'] + own['width'] and own['x'] <= box['x'] + box['width'], (width, height, name, box, own)
            page.keyboard.press('Escape')
            menu.wait_for(state='hidden')


@test('playing moves nothing of the layout, in each size')
def _(tests):
    page = opened(tests, '#speed=3600')
    for width, height in SIZES:
        page.set_viewport_size({'width': width, 'height': height})
        enter(page, 'the start')
        before = page.evaluate(STILL)
        page.evaluate('() => visiventd.player.play()')
        page.wait_for_function("() => document.querySelector('.live').textContent === 'Past'")
        page.wait_for_function("() => !document.getElementById('sight').textContent.includes('in force')")
        during = page.evaluate(STILL)
        page.evaluate('() => visiventd.player.pause()')
        assert before == during, [pair for pair in zip(before, during) if pair[0] != pair[1]]
        assert page.evaluate(STILL) == before, (width, height)


@test('a panel opens on the side of its button, a card on the other', brief=False)
def _(tests):
    page = opened(tests, '#panel=layers&sel=event:event-0')
    page.wait_for_selector('#card h2')
    panel, card = page.locator('#panel').bounding_box(), page.locator('#card').bounding_box()
    button = page.locator('#btn-layers').bounding_box()
    assert panel['x'] <= button['x'] and panel['y'] >= button['y'] + button['height'], (panel, button)
    assert card['x'] + card['width'] <= panel['x'], (card, panel)


@test('the chips are one row that scrolls; the credit is one line, and its button tells the whole', brief=False)
def _(tests):
    page = opened(tests, width=375, height=667)
    tops = page.locator('#chips button').evaluate_all('(all) => new Set(all.map((n) => n.getBoundingClientRect().top)).size')
    assert tops == 1
    page.locator('#chips button').last.focus()
    box = page.locator('#chips button').last.bounding_box()
    assert 0 <= box['x'] and box['x'] + box['width'] <= 375, box
    assert page.locator('#credit').bounding_box()['height'] <= 32
    page.locator('#credit').click()
    expect(page.locator('#panel')).to_contain_text('feeds.of-some-agency-27.example.org')


@test('a click on nothing closes the card and opens no list', brief=False)
def _(tests):
    page = opened(tests, '#0.5/0/0&proj=globe&sel=event:event-0')
    page.wait_for_selector('#card h2')
    for _ in range(2):
        click_map(page, 640, 70)
        page.wait_for_function('() => visiventd.state.get().selected === null')
        assert page.evaluate('visiventd.state.get().panel') is None


@test('back and forward step through chosen events and panels, and moving the map is no step')
def _(tests):
    page = opened(tests)
    view = lambda: page.evaluate('(({ selected, panel }) => [selected, panel])(visiventd.state.get())')

    def choose(patch):
        before = page.evaluate('location.hash')
        page.evaluate('(patch) => visiventd.state.set(patch)', patch)
        page.wait_for_function('(before) => location.hash !== before', arg=before)

    def becomes(selected, panel):
        page.wait_for_function('([a, b]) => visiventd.state.get().selected === a && visiventd.state.get().panel === b',
                               arg=[selected, panel])
        # The address is written after 400 ms of the page's own time.
        page.evaluate('() => new Promise((done) => setTimeout(done, 600))')
    length = page.evaluate('history.length')
    choose({'panel': 'list'})
    choose({'selected': 'event:event-1'})
    choose({'zoom': 4.2, 'center': [3, 4]})
    choose({'selected': 'event:event-2'})
    assert page.evaluate('history.length') == length + 3
    page.go_back()
    becomes('event:event-1', 'list')
    page.go_back()
    becomes(None, 'list')
    page.go_forward()
    becomes('event:event-1', 'list')
    page.go_forward()
    becomes('event:event-2', 'list')
    for _ in range(3):
        page.go_back()
    becomes(None, None)
    assert view() == [None, None]


@test('on a phone the list comes back when the card is closed')
def _(tests):
    page = opened(tests, '#panel=list', width=375, height=667)
    page.locator('#panel .row button').first.click()
    page.wait_for_selector('#card h2')
    assert page.evaluate('visiventd.state.get().panel') is None
    page.locator('#card .close').click()
    page.wait_for_selector('#panel .row')
    assert page.evaluate('visiventd.state.get().selected') is None


@test('in a small frame of another page legend and credit are at its foot, and the whole card is in it', brief=False)
def _(tests):
    page = opened(tests, '?embed=1#panel=list', width=480, height=500)
    expect(page.locator('#panel')).to_be_hidden()
    foot = lambda part: (lambda box: box['y'] + box['height'])(page.locator(part).bounding_box())
    # A panel that is not there hides neither.
    for part in '#chips', '#credit':
        expect(page.locator(part)).to_be_visible()
        assert 400 < foot(part) <= 500, (part, foot(part))
    # The credit opens the whole of it, and closes it.
    page.locator('#credit').click()
    expect(page.locator('#panel')).to_contain_text('Natural Earth (public domain)')
    assert foot('#panel') <= 500, foot('#panel')
    page.locator('#panel .close').click()
    expect(page.locator('#panel')).to_be_hidden()
    # A card hides both.
    page.evaluate("() => visiventd.state.set({ selected: 'event:event-1' })")
    expect(page.locator('#card h2')).to_be_visible()
    expect(page.locator('#chips')).to_be_hidden()
    assert foot('#card') <= 500, foot('#card')


@test('a view of the start fills a window of another size, too', brief=False)
def _(tests):
    page = opened(tests, width=800, height=600)
    before = page.evaluate('visiventd.state.get().zoom')
    page.set_viewport_size({'width': 2560, 'height': 1440})
    page.wait_for_function('(before) => visiventd.state.get().zoom > before + 1', arg=before)
    page.evaluate('() => visiventd.state.set({ zoom: 3 })')
    page.set_viewport_size({'width': 800, 'height': 600})
    page.wait_for_function('() => visiventd.map.map.getCanvas().clientWidth === 800')
    assert page.evaluate('visiventd.state.get().zoom') == 3


@test('paper has the window, the legend, the credit, the picture and the events, and nothing of it stays', brief=False)
def _(tests):
    page = opened(tests, '#zone=utc')
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media='print')
    paper = page.locator('#print')
    expect(paper.get_by_role('heading')).to_contain_text(' UTC – now (4 h)')
    expect(paper).to_contain_text('● earthquakes 1')
    expect(paper).to_contain_text('feeds.of-some-agency-3.example.org')
    expect(paper.locator('tr').first).to_contain_text('M 5.5')
    assert paper.locator('canvas').bounding_box()['width'] > 300
    expect(page.locator('#head')).to_be_hidden()
    expect(page.locator('#foot')).to_be_hidden()
    # The picture is no empty one: it has more than one colour.
    colours = paper.locator('canvas').evaluate('''(canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, Math.floor(canvas.height / 2));
        return new Set(new Uint32Array(data.buffer)).size; }''')
    assert colours > 20, colours
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert paper.evaluate('(node) => node.childElementCount') == 0


@test('the picture has the window, the legend and the credit below the map', brief=False)
def _(tests):
    page = opened(tests)
    drawn = page.evaluate('''async () => {
        const texts = [], write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...all) {
          texts.push(text);
          return write.call(this, text, ...all);
        };
        const blob = await visiventd.snapshot.png(), picture = await createImageBitmap(blob);
        CanvasRenderingContext2D.prototype.fillText = write;
        return [blob.type, picture.height - document.querySelector('#map canvas').height, texts];
    }''')
    assert drawn[0] == 'image/png' and drawn[1] >= 3 * 20, drawn
    words = '|'.join(drawn[2])
    for part in ('– now (4 h)', '● |earthquakes 1', 'ℹ Natural Earth'):
        assert part in words, words


if __name__ == '__main__':
    main()
