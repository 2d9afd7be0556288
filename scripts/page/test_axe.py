#!/usr/bin/env python3
"""The page for those who do not see it or do not point: axe finds nothing, and every control of first sight is worked
by keyboard alone."""
from importlib.resources import files

from browser import HOUR, World, main, test

AXE = files('axe_playwright_python').joinpath('axe.min.js').read_text(encoding='utf-8')
FOUND = '''async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)'''
# What can be worked; a window of time with its two edges is one control.
CONTROLS = 'button, input, select, textarea, a[href]'
VISIBLE = f'''() => [...document.querySelectorAll('{CONTROLS}, [role=slider], canvas[tabindex]')]
    .filter((node) => node.checkVisibility({{ visibilityProperty: true }}) && !node.disabled)'''
NAME = "(node) => node.getAttribute('aria-label') ?? node.textContent.trim()"


def world():
    """A few events of each category, one of them without a place, and one that is older than a day."""
    world = World()
    for i, category in enumerate(['earthquake', 'volcano', 'news', 'message']):
        world.event(f'event-{i}', category=category, title=f'An event of the kind {category}', lon=20 * i, lat=10 * i,
                    magnitude=5.5 if category == 'earthquake' else None, link='https://example.org/event')
    world.event('nowhere', category='news', title='An event without a place', time=world.now - 2 * HOUR)
    world.event('old', category='news', title='An older event', lon=5, lat=5, time=world.now - 40 * HOUR)
    return world


def opened(tests, hash='#in=0', answers=(), **options):
    """The page with its map drawn."""
    service = tests.scripted(world())
    service.answers.update(answers)
    visit = tests.visit(service.url, **options)
    page = visit.open(hash)
    visit.map_ready()
    return page


def judge(page):
    page.evaluate(AXE + ';0')
    found = page.evaluate(FOUND)
    if found:
        raise AssertionError('; '.join(found))


# MARK: - axe

@test('axe finds nothing at the start, dark and light')
def _(tests):
    for scheme in ('dark', 'light'):
        page = opened(tests, color_scheme=scheme)
        judge(page)
        page.close()


@test('axe finds nothing with a card beside the list, dark and light', brief=False)
def _(tests):
    for scheme in ('dark', 'light'):
        page = opened(tests, '#panel=list&sel=event:event-0', color_scheme=scheme)
        page.wait_for_selector('#card h2:has-text("earthquake")')
        page.wait_for_selector('#panel :text("An event without a place")')
        judge(page)
        page.close()


@test('axe finds nothing with a pile beside the layers and their legend, dark and light', brief=False)
def _(tests):
    for scheme in ('dark', 'light'):
        page = opened(tests, '#panel=layers&sel=pile:event-0,event-2', color_scheme=scheme)
        page.wait_for_selector('#card [data-event=event-2]')
        page.wait_for_selector('#panel .legend :text("earthquakes 1")')
        judge(page)
        page.close()


@test('axe finds nothing with the sliders below the search field, and with suggestions', brief=False)
def _(tests):
    page = opened(tests, color_scheme='light')
    field = page.locator('#search input[type=search]')
    field.focus()
    page.wait_for_selector('.sliders')
    judge(page)
    field.fill('earth')
    page.wait_for_selector('#places :text("only earthquakes")')
    judge(page)


@test('axe finds nothing while playing', brief=False)
def _(tests):
    page = opened(tests, '#speed=60', color_scheme='dark')
    page.get_by_role('button', name='Play', exact=True).click()
    page.get_by_role('button', name='Pause', exact=True).wait_for()
    judge(page)
    assert page.evaluate('visiventd.state.get().playing'), 'playing has ended too early'


@test('axe finds nothing on a phone, at the start and with a panel')
def _(tests):
    page = opened(tests, width=375, height=812, color_scheme='dark')
    judge(page)
    page.get_by_role('button', name='Layers').click()
    page.wait_for_selector('#panel h2:has-text("Layers")')
    judge(page)


# MARK: - The keyboard

def tab_to(page, locator):
    """Reaches a control by the Tab key alone."""
    for _ in range(40):
        if locator.evaluate('(node) => node === document.activeElement'):
            return locator
        page.keyboard.press('Tab')
    raise AssertionError(f'the Tab key does not reach {locator}')


def view(page, key):
    return page.evaluate('(key) => visiventd.state.get()[key]', key)


def becomes(page, key, value):
    page.wait_for_function('([key, value]) => String(visiventd.state.get()[key]) === String(value)', arg=[key, value])


@test('at first sight there are at most 14 controls, each has a name, and the Tab key reaches all')
def _(tests):
    page = opened(tests)
    names = page.evaluate(f'() => ({VISIBLE})().map({NAME})')
    assert all(names), names
    singles = page.evaluate(f"() => ({VISIBLE})().filter((node) => node.matches('{CONTROLS}')).length")
    assert singles + 1 <= 14, names
    reached = set()
    for _ in range(2 * len(names)):
        page.keyboard.press('Tab')
        reached.add(page.evaluate(f'() => ({VISIBLE})().findIndex((node) => node.matches(":focus-visible"))'))
    assert reached - {-1} == set(range(len(names))), [name for i, name in enumerate(names) if i not in reached]


@test('search and panels are worked by keyboard alone')
def _(tests):
    page = opened(tests)
    tab_to(page, page.locator('#search input[type=search]'))
    page.keyboard.type('ash')
    page.keyboard.press('Enter')
    becomes(page, 'search', 'ash')
    page.keyboard.press('Escape')
    becomes(page, 'search', '')
    for name, panel, key in (('Layers', 'layers', 'Enter'), ('List', 'list', 'Space'), ('More', 'menu', 'Enter')):
        button = tab_to(page, page.get_by_role('button', name=name, exact=True))
        page.keyboard.press(key)
        becomes(page, 'panel', panel)
        assert page.evaluate("() => document.getElementById('panel').contains(document.activeElement)"), name
        page.keyboard.press('Escape')
        becomes(page, 'panel', None)
        assert button.evaluate('(node) => node === document.activeElement'), f'{name} does not get the focus back'


@test('suggestions and sliders of the search are worked by keyboard alone', brief=False)
def _(tests):
    page = opened(tests)
    tab_to(page, page.locator('#search input[type=search]'))
    page.keyboard.type('earth')
    page.wait_for_selector('#places :text("only earthquakes")')
    page.keyboard.press('ArrowDown')
    assert page.evaluate("() => document.activeElement.closest('#places') !== null")
    page.keyboard.press('Enter')
    becomes(page, 'categories', 'earthquake')
    tab_to(page, page.locator('#search input[type=search]'))
    there, back = 'ArrowRight', 'ArrowLeft'
    for i, (way, way_back, search) in enumerate(
            ((there, back, 'mag>=0.5'), (there, back, 'depth>=10'), (back, there, 'depth<=690'))):
        tab_to(page, page.locator('.sliders input').nth(i))
        page.keyboard.press(way)
        becomes(page, 'search', search)
        page.keyboard.press(way_back)
        becomes(page, 'search', '')


@test('the list of first sight, the way to older events, and the credit are worked by keyboard alone', brief=False)
def _(tests):
    page = opened(tests, '')
    panel = page.locator('#panel')
    becomes(page, 'panel', 'list')
    for name, key, other in (('Show', 'listBy', 'places'), ('Order', 'sort', 'time')):
        before = view(page, key)
        control = tab_to(page, panel.get_by_role('combobox', name=name))
        page.keyboard.press('ArrowDown')
        becomes(page, key, other)
        # It is made anew, and keeps the focus.
        assert control.evaluate('(node) => node === document.activeElement'), name
        page.keyboard.press('ArrowUp')
        becomes(page, key, before)
    tab_to(page, panel.get_by_role('checkbox', name='Only what the map shows'))
    for wanted in (True, False):
        page.keyboard.press('Space')
        page.wait_for_function('(wanted) => visiventd.state.get().inView === wanted', arg=wanted)
    page.wait_for_function("() => !document.querySelector('#panel [aria-busy=true]')")
    tab_to(page, panel.get_by_role('button', name='1 older'))
    page.keyboard.press('Enter')
    # The focus goes on to the first of them.
    page.wait_for_function("() => document.activeElement.textContent.includes('An older event')")
    page.keyboard.press('Enter')
    page.wait_for_selector('#card h2:has-text("An older event")')
    page.keyboard.press('Escape')
    becomes(page, 'selected', None)
    tab_to(page, panel.get_by_role('button', name='Close panel'))
    page.keyboard.press('Enter')
    becomes(page, 'panel', None)
    tab_to(page, page.locator('#credit'))
    page.keyboard.press('Enter')
    becomes(page, 'panel', 'about')


@test('? opens the list of keys, however long what stands before it; in the search field it is a letter', brief=False)
def _(tests):
    start = {'version': '1', 'basemaps': [], 'overlays': [], 'gazetteer': 'GeoNames',
             'attributions': [f'feeds.of-some-agency-{i}.example.org' for i in range(40)]}
    page = opened(tests, answers={'page/start': start})
    page.keyboard.press('?')
    becomes(page, 'panel', 'about')
    keys = page.locator('#panel kbd')
    assert keys.all_inner_texts() == ['/', 'space', '← →', 'shift ← →', 'j k', 'Esc', '?']
    body, window = page.locator('.panel-body').bounding_box(), page.viewport_size
    for box in (keys.first.bounding_box(), keys.last.bounding_box()):
        assert body['y'] <= box['y'] and box['y'] + box['height'] <= body['y'] + body['height'] + 1, (body, box)
        assert box['y'] + box['height'] <= window['height'], box
    page.keyboard.press('Escape')
    becomes(page, 'panel', None)
    page.keyboard.press('/')
    page.keyboard.type('what?')
    assert page.locator('#search input[type=search]').input_value() == 'what?'
    assert view(page, 'panel') is None


@test('chips are worked by keyboard alone', brief=False)
def _(tests):
    page = opened(tests)
    chips = page.locator('#chips button')
    for i in range(chips.count()):
        chip = tab_to(page, chips.nth(i))
        for pressed in ('false', 'true'):
            page.keyboard.press('Space')
            page.wait_for_function(
                f"(wanted) => document.querySelectorAll('#chips button')[{i}].getAttribute('aria-pressed') === wanted",
                arg=pressed)
    assert view(page, 'categories') is None


@test('the foot is worked by keyboard alone', brief=False)
def _(tests):
    page = opened(tests)
    foot = page.locator('#timebar')
    for name, key, expected in (('Window begins', 'ArrowLeft', 1), ('Window ends', 'ArrowLeft', -1)):
        edge = tab_to(page, foot.get_by_role('slider', name=name))
        before = view(page, 'length')
        page.keyboard.press(key)
        page.wait_for_function('([sign, before]) => Math.sign(visiventd.state.get().length - before) === sign',
                               arg=[expected, before])
        assert edge.get_attribute('aria-valuetext'), name
    tab_to(page, foot.locator('.range'))
    page.keyboard.press('Enter')
    menu = foot.get_by_role('dialog')
    menu.wait_for()
    page.keyboard.press('Escape')
    menu.wait_for(state='hidden')
    tab_to(page, foot.get_by_role('button', name='Past'))
    page.keyboard.press('Enter')
    becomes(page, 'panel', 'sources')
    page.keyboard.press('Escape')
    becomes(page, 'panel', None)
    # Playing would soon be at its end from here.
    tab_to(page, foot.get_by_role('button', name='Now', exact=True))
    page.keyboard.press('Enter')
    becomes(page, 'end', None)
    tab_to(page, foot.locator('.speed'))
    page.keyboard.press('Enter')
    menu.wait_for()
    tab_to(page, menu.get_by_role('combobox', name='Speed'))
    page.keyboard.press('ArrowDown')
    becomes(page, 'speed', 21600)
    page.keyboard.press('Escape')
    menu.wait_for(state='hidden')
    tab_to(page, foot.get_by_role('button', name='Play', exact=True))
    page.keyboard.press('Enter')
    becomes(page, 'playing', True)
    page.keyboard.press('Enter')
    becomes(page, 'playing', False)


@test('the map is moved by keyboard alone, and an event of the list is opened and closed')
def _(tests):
    page = opened(tests, '#panel=list')
    tab_to(page, page.locator('#map canvas'))
    before = view(page, 'center')
    page.keyboard.press('ArrowRight')
    page.wait_for_function('([lon]) => visiventd.state.get().center[0] > lon', arg=before)
    tab_to(page, page.locator('#panel li button').first)
    page.keyboard.press('Enter')
    page.wait_for_selector('#card h2:has-text("An event")')
    page.keyboard.press('Escape')
    becomes(page, 'selected', None)


if __name__ == '__main__':
    main()
