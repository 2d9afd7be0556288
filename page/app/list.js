// The list: events, places, authors, what has changed, or events without a place, of the present filter.

import { takeTurns } from './api.js';
import { button, el } from './dom.js';
import { asOf, shows, toQuery } from './filter.js';
import { frame } from './timewindow.js';
import { DAY, degrees, iso } from './words.js';
import { ago, choice, dropGone, eventRow, events, fill, pages, row, tick } from './panel.js';

const GROUPS = [['events', 'Events'], ['places', 'Places'], ['authors', 'Authors'], ['changed', 'Changed'],
  ['unplaced', 'Without a place']];
const ORDERS = [['time', 'Newest'], ['-magnitude', 'Strongest']];
const KINDS = {
  merged: 'merged into another event', truncated: 'no longer kept', left: 'no longer meeting the filter',
};
const FILTER = 'categories search box range to listBy sort inView home zone then'.split(' ');
const WINDOW = 'center zoom end length playing'.split(' ');

/** The list, open while the panel of the state is 'list'; `ids()` are those of its events, in their order. */
export function createList({ addPanel, state, api, map, stream, now }) {
  const turn = takeTurns();
  let parts = null;
  let asked = null;
  let timer = null;
  const waiting = new Set();
  const { setter: set } = state;
  const select = set('selected');
  const ask = (path, params) => api.json(path, params, { signal: asked });
  const since = (time) => ago(Date.parse(time), now, state.get().zone);
  const numbered = (n, newest) => [`${events(n)}, newest `, since(newest)];

  function draw(body, signal) {
    const pill = button('', () => { load(); body.scrollTop = 0; }, { class: 'pill' });
    parts = { head: el('div'), pill, rows: el('ul') };
    body.append(parts.head, pill, parts.rows);
    load();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      turn();
      parts = null;
    });
  }

  function drawHead({ listBy, sort, inView }) {
    const { head } = parts;
    const held = [...head.children].findIndex((control) => control.contains(document.activeElement));
    head.replaceChildren(choice('Show', GROUPS, listBy, set('listBy')));
    if (listBy === 'events') head.append(choice('Order', ORDERS, sort, set('sort')));
    if (/events|places/.test(listBy)) head.append(tick('Only what the map shows', inView, set('inView')));
    head.children[held]?.querySelector('select, input').focus();
  }

  // MARK: What is asked for

  /** The filter as parameters. Events by time go on beyond the range; what the map shows is in its window. */
  function query(view) {
    const { listBy, sort } = view;
    const asked = toQuery(view, { box: listBy !== 'unplaced' });
    const isEndless = listBy === 'unplaced' || (listBy === 'events' && sort === 'time');
    if (isEndless) asked.datetime = `../${iso(view.to ?? now() + DAY)}`;
    if (view.inView && /events|places/.test(listBy)) {
      const { from, to } = frame(view, now());
      const [west, south, east, north] = map.bounds();
      if (east - west < 360) asked.bbox = [west, south, east, north].map((x) => x.toFixed(3)).join();
      asked.datetime = `${iso(from)}/${iso(to)}`;
    }
    if (view.home) asked.home = 'include';
    return asked;
  }

  function eventPages(view, more) {
    const params = { ...query(view), ...more, ...asOf(frame(view, now()).known), limit: 50 };
    return pages(ask, params, (feature) => eventRow(feature, { state, now }));
  }

  /** By group: what reads its pages. */
  const READERS = {
    events: (view) => eventPages(view, view.sort === 'time' ? {} : { sortby: view.sort }),
    unplaced: (view) => eventPages(view, { located: false }),
    places: (view) => async () => {
      const { features } = await ask('summary/hotspots', query(view));
      return [features.map(({ id, geometry: { coordinates }, properties: { name, count, newest } }) =>
        row(name ?? degrees(coordinates), numbered(count, newest), () => select(`place:${id}`)))];
    },
    authors: (view) => async () => {
      const { authors } = await ask('summary/authors', { ...query(view), limit: 1000 });
      authors.sort((a, b) => a.author_name.localeCompare(b.author_name));
      return [authors.map(({ author_name: name, events: n, latest }) => row(name, numbered(n, latest), () => {
        state.set({ listBy: 'events', search: `${view.search} author:"${name}"`.trim() });
      }))];
    },
    changed: (view) => changes(view, Infinity),
  };

  /** Reads the changes from number `upTo` downwards by the hundred: of each event the newest. */
  const changes = (view, upTo, seen = new Set()) => async () => {
    const { newest, oldest } = await ask('changes', { limit: 1 });
    const last = Math.min(upTo, newest);
    const after = Math.max(oldest - 1, last - 100);
    const filter = toQuery(view, { time: false });
    const answer = await ask('changes', { ...filter, after, limit: 100 });
    const told = answer.changes.filter(({ seq, kind }) => seq <= last && kind !== 'new').reverse()
      .filter(({ id }) => !seen.has(id) && seen.add(id));
    return [told.map(changeRow), after >= oldest && changes(view, after, seen)];
  };

  const changeRow = ({ kind, at, id, into, feature }) => (feature
    ? eventRow(feature, { state, now }, [`${kind} `, since(at), ' · event '])
    : row(`An event, ${KINDS[kind] ?? kind}`, [since(at)], () => select(`event:${into ?? id}`)));

  function load() {
    clearTimeout(timer);
    asked = turn();
    const view = state.get();
    waiting.clear();
    drawPill();
    drawHead(view);
    fill(parts.rows, asked, READERS[view.listBy](view));
  }

  // MARK: What changes

  const rows = () => [...parts?.rows.querySelectorAll('[data-event]') ?? []];

  function drawPill() {
    parts.pill.hidden = waiting.size === 0;
    parts.pill.textContent = `${waiting.size} new`;
  }

  stream.onBatch((batch) => {
    if (!parts) return;
    const view = state.get();
    const { listBy, sort, inView, then } = view;
    if (listBy === 'changed' && batch.some(({ feature }) => !feature)) {
      // An event goes with the one into which it was merged, and only the service knows which that is.
      parts.rows.replaceChildren();
      load();
    } else if (dropGone(parts.rows, batch)) load();
    if (listBy !== 'events' || then) return;
    for (const { kind, id, feature } of batch) {
      const shown = rows().find((node) => node.dataset.event === id);
      if (!feature) waiting.delete(id);
      else if (shown) shown.replaceWith(eventRow(feature, { state, now }));
      else if (kind === 'new' && sort === 'time' && !inView && shows(view, feature.properties.category)) {
        waiting.add(id);
      }
    }
    drawPill();
  });
  stream.onGap(() => parts && load());

  state.watch([...FILTER, ...WINDOW], (view, changed) => {
    if (!parts) return;
    if (FILTER.some((key) => changed.has(key))) load();
    else if ((view.inView || view.then) && !view.playing) {
      clearTimeout(timer);
      timer = setTimeout(load, 200);
    }
  });
  state.watch(['selected'], ({ selected }) => {
    for (const node of rows()) node.ariaCurrent = selected === `event:${node.dataset.event}`;
  });

  addPanel('list', 'List', draw);

  return { ids: () => rows().map((node) => node.dataset.event) };
}
