#!/usr/bin/env python3
"""Measures the map page of `visiventd serve` in headless Chromium, whose graphics card is SwiftShader.

    scripts/test-page.sh bench [CASE…]      source, load, play, globe, changes; all by default

  source   the bytes of the page's own source
  load     first contentful paint; the map; 50 000 events in the record; RUNS (5) visits, each with an empty cache,
           medians
  play     the events played on the flat map: render() of the events' layer; the main thread's milliseconds a second,
           beside the bare map redrawn each frame, in turn; the frames after a pause; ROUNDS (3) of DURATION (10
           seconds)
  globe    the same on the globe
  changes  the heap after PAGE_CHANGES (100000) changes, of that after the first thousand; garbage is collected before

EVENTS (50000) are earthquakes of 72 hours, polled from a file. Exits with 1 if a bar is missed. A bar of time asks for
an idle machine.
"""
import contextlib
import json
import os
import random
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from browser import ARGUMENTS, CHROMIUM, HOUR, PAGE, Program, Scripted, Visit, World

NUMBER = {name: int(os.environ.get(name) or usual) for name, usual in (
    ('EVENTS', 50_000), ('RUNS', 5), ('ROUNDS', 3), ('DURATION', 10), ('PAGE_CHANGES', 100_000))}
FIRST = 1_000
SETTINGS = '''\
database: v.sqlite
fetch: {maximum_body: 512MiB}
sources:
  - {name: quakes, kind: usgs, url: "file://@RUN@/quakes.geojson", max_age: 36500d}
'''
# Rows of the table: what, measured, unit, bar (the most it may be).
ROWS = []


def bar(what, measured, unit, limit=None):
    ROWS.append((what, measured, unit, limit))


def verdict():
    """Prints all figures; 1 if a bar is missed."""
    print(f'\n### The page, {NUMBER["EVENTS"]} events\n\n| | measured | bar | met |\n|---|---:|---:|---|')
    missed = [what for what, measured, _, limit in ROWS if limit is not None and measured > limit]
    for what, measured, unit, limit in ROWS:
        words = '' if limit is None else f'at most {limit:g}'
        outcome = '' if limit is None else 'MISSED' if what in missed else 'yes'
        print(f'| {what} | {measured:.4g} {unit} | {words} | {outcome} |')
    return 1 if missed else 0


# MARK: - The source

def sources():
    """The files of the page that are our own: JavaScript, style sheets and HTML."""
    return [path for path in PAGE[0].rglob('*') if path.suffix in ('.js', '.css', '.html')]


# MARK: - The events

def feature(number, at, draw):
    name, magnitude = f'zz{number:06d}', round(draw.uniform(0.1, 6), 1)
    return {
        'type': 'Feature', 'id': name, 'geometry': {'type': 'Point', 'coordinates': [
            round(draw.uniform(-180, 180), 4), round(draw.uniform(-80, 80), 4), round(draw.uniform(0, 600), 1)]},
        'properties': {
            'mag': magnitude, 'place': f'{number} km N of Nowhere', 'time': at, 'updated': at, 'status': 'reviewed',
            'net': 'zz', 'code': name[2:], 'ids': f',{name},', 'sources': ',zz,', 'types': ',origin,', 'magType': 'ml',
            'type': 'earthquake', 'title': f'M {magnitude} - {number} km N of Nowhere'}}


@contextlib.contextmanager
def served():
    """The program with all events of the last 72 hours."""
    program, draw, count = Program(SETTINGS), random.Random(1), NUMBER['EVENTS']
    # Twenty minutes at the range's beginning keep the oldest in it while all is measured.
    now = int(time.time() * 1000)
    oldest, step = now - 72 * HOUR + 20 * 60_000, (72 * HOUR - 30 * 60_000) / count
    features = [feature(number, int(oldest + number * step), draw) for number in range(count)]
    metadata = {'generated': now, 'title': 'Invented', 'status': 200, 'api': '1.0', 'count': count}
    try:
        Path(program.run, 'quakes.geojson').write_text(
            json.dumps({'type': 'FeatureCollection', 'metadata': metadata, 'features': features}), encoding='utf-8')
        program.command('poll', '--all')
        yield program.serve()
    finally:
        program.close()


# MARK: - Loading

WATCH = '''
window.times = {};
new MutationObserver(() => {
    const { page, map } = document.body?.dataset ?? {};
    if (map === 'ready') times.map ??= performance.now();
    if (page === 'ready' && document.getElementById('progress').hidden && visiventd.record.count >= EVENTS) {
        times.events ??= performance.now();
    }
}).observe(document, { subtree: true, attributes: true });'''


def load(browser, program):
    found = []
    for _ in range(NUMBER['RUNS']):
        with contextlib.closing(Visit(browser, program.url, allowed='basemap.places')) as visit:
            visit.context.add_init_script(WATCH.replace('EVENTS', str(NUMBER['EVENTS'])))
            page = visit.open()
            page.wait_for_function('() => times.map && times.events', timeout=60_000)
            paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
            times = page.evaluate('times')
            found.append((paint, times['map'], times['events']))
    bars = {'first contentful paint': 1000, 'map': 3000, f'{NUMBER["EVENTS"]} events ready': 2000}
    for (what, limit), measured in zip(bars.items(), zip(*found)):
        bar(what, statistics.median(measured), 'ms', limit)


# MARK: - Playing

# Shows the events or not, and begins anew: each round plays the same.
PREPARE = '''(isPlaying) => {
    visiventd.state.set({ end: null });
    visiventd.map.map.setLayoutProperty('events', 'visibility', isPlaying ? 'visible' : 'none');
}'''
RUN = '''async ([seconds, isPlaying]) => {
    const { map: { map }, player } = visiventd, layer = map.getLayer('events').implementation;
    const { prerender, render } = layer, spent = [];
    let mine = 0, frames = 0, tiles = 0;
    const load = ({ dataType, tile }) => { if (dataType === 'source' && tile) tiles += 1; };
    const count = () => { frames += 1; };
    layer.prerender = (...args) => {
        const begun = performance.now();
        prerender.apply(layer, args);
        mine = performance.now() - begun;
    };
    layer.render = (...args) => {
        const begun = performance.now();
        render.apply(layer, args);
        spent.push(mine + performance.now() - begun);
    };
    map.on('data', load);
    map.on('render', count);
    const begun = performance.now();
    if (isPlaying) player.play();
    while (performance.now() < begun + 1000 * seconds) {
        if (!isPlaying) map.triggerRepaint();
        await new Promise(requestAnimationFrame);
    }
    map.off('data', load);
    map.off('render', count);
    Object.assign(layer, { prerender, render });
    return { frames, spent, tiles, seconds: (performance.now() - begun) / 1000 };
}'''
# The frames of the second after a pause.
PAUSE = '''async () => {
    const { map: { map }, player, state } = visiventd;
    if (!state.get().playing) throw new Error('the round is longer than the range');
    let frames = 0;
    const count = () => { frames += 1; };
    map.on('render', count);
    player.pause();
    await new Promise((done) => setTimeout(done, 1000));
    map.off('render', count);
    return frames;
}'''


def spent_by_main_thread(session):
    return next(metric['value'] * 1000 for metric in session.send('Performance.getMetrics')['metrics']
                if metric['name'] == 'TaskDuration')


def measure_run(visit, session, is_playing):
    page = visit.page
    page.evaluate(PREPARE, is_playing)
    visit.map_whole()
    before = spent_by_main_thread(session)
    run = page.evaluate(RUN, [NUMBER['DURATION'], is_playing])
    run['main'] = (spent_by_main_thread(session) - before) / run['seconds']
    run['after'] = page.evaluate(PAUSE) if is_playing else 0
    return run


def play(browser, program, projection):
    # The range is longer than a round.
    speed = max(60, min(86_400, 72 * 3600 // (NUMBER['DURATION'] + 4)))
    with contextlib.closing(Visit(browser, program.url, allowed='basemap.places')) as visit:
        page = visit.open(f'#proj={projection}&speed={speed}')
        visit.map_whole()
        session = visit.context.new_cdp_session(page)
        session.send('Performance.enable')
        rounds = [[measure_run(visit, session, is_playing) for is_playing in (False, True)]
                  for _ in range(NUMBER['ROUNDS'])]
    bare, playing = zip(*rounds)
    renders = sorted(milliseconds for run in playing for milliseconds in run['spent'])

    def figure(what, measured, unit, limit=None):
        bar(f'{projection}: {what}', measured, unit, limit)

    figure("render() of the events' layer, p95", renders[int(0.95 * len(renders))], 'ms', 1)
    figure('main thread a second, bare map', statistics.median(run['main'] for run in bare), 'ms')
    figure('main thread a second of playing, above the bare map',
           statistics.median(run['main'] - other['main'] for other, run in rounds), 'ms', 60)
    figure('frames after a pause', max(run['after'] for run in playing), '', 2)
    figure('tiles loaded while playing', sum(run['tiles'] for run in playing), '', 0)
    for what, runs in (('bare map', bare), ('playing', playing)):
        figure(f'frames a second, {what}', sum(run['frames'] for run in runs) / sum(run['seconds'] for run in runs), '')


# MARK: - Changes

def heaps_of_changes(visit, world, number):
    """Bytes of the heap, garbage collected, after the first thousand changes and after all. An event comes, one is
    revised, and the oldest goes, in turn, so that a hundred are there; the list is open."""
    page = visit.open('#panel=list')
    visit.map_whole()
    session = visit.context.new_cdp_session(page)
    found = []

    def change(turn):
        kind, latest = turn % 3, turn // 3
        if kind == 0:
            world.event(f'e{latest}', title=f'Event {latest}', lon=latest % 360 - 180, lat=latest % 160 - 80,
                        magnitude=latest % 70 / 10, time=world.now - latest % 3600 * 1000)
        elif kind == 1:
            world.event(f'e{max(0, latest - 50)}', magnitude=turn % 70 / 10)
        elif latest >= 100:
            world.truncate(f'e{latest - 100}')

    for thousand in range(0, number, FIRST):
        for turn in range(thousand, thousand + FIRST):
            change(turn)
        # What has been told is kept no longer here.
        mark = f'mark{thousand}'
        world.event(mark, title='Mark', lon=0, lat=0)
        page.wait_for_function('(id) => visiventd.record.version(id) >= 0', arg=mark, timeout=120_000)
        world.truncate(mark)
        page.wait_for_function('(id) => visiventd.record.version(id) < 0', arg=mark, timeout=120_000)
        for told in world.changes[-FIRST - 2:]:
            told['feature'] = None
        if thousand == 0 or thousand + FIRST >= number:
            # Weak references are cleared by the second collection.
            for _ in range(2):
                session.send('HeapProfiler.collectGarbage')
            usage = session.send('Runtime.getHeapUsage')
            found.append(usage['usedSize'] + usage.get('backingStorageSize', 0))
    return found


def changes(browser):
    with contextlib.closing(Scripted(World())) as service:
        with contextlib.closing(Visit(browser, service.url, allowed='410')) as visit:
            first, last = heaps_of_changes(visit, service.world, NUMBER['PAGE_CHANGES'])
    bar(f'heap after {FIRST} changes', first / 1e6, 'MB')
    bar(f'heap after {NUMBER["PAGE_CHANGES"]} changes, of that', last / first, '×', 1.2)


CASES = ('source', 'load', 'play', 'globe', 'changes')


def main():
    names = sys.argv[1:] or CASES
    if any(name not in CASES for name in names):
        print(f'the cases are {", ".join(CASES)}', file=sys.stderr)
        return 64
    with contextlib.ExitStack() as stack:
        chromium = stack.enter_context(sync_playwright()).chromium
        browser = stack.enter_context(chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS))
        program = stack.enter_context(served()) if set(names) - {'source', 'changes'} else None
        if 'source' in names:
            bar('our source', sum(path.stat().st_size for path in sources()) / 1000, 'kB', 230)
        if 'load' in names:
            load(browser, program)
        for name, projection in (('play', 'flat'), ('globe', 'globe')):
            if name in names:
                play(browser, program, projection)
        if 'changes' in names:
            changes(browser)
    return verdict()


if __name__ == '__main__':
    sys.exit(main())
