// The list: events, places, authors, what has changed, or events without a place, of the present filter.

import { afterLast, eventPath, ITEMS, persist, takeTurns } from './api.js';
import { button, el, on } from './dom.js';
import { asOf, misread, shows, toQuery } from './filter.js';
import { ranked } from './importance.js';
import { ago, changeNodes, chosen, dropGone, eventRow, fill, pages, row, ticked, whenSeen } from './panel.js';
import { changeWords, cityText, fromTown, revisionAt } from './rowwords.js';
import { frame, isPresent } from './timewindow.js';
import { CATEGORIES, count, counted, DAY, dayText, degrees, iso, minuteOf, roughly } from './words.js';

const GROUPS = {
  events: 'Events', places: 'Places', authors: 'Authors', changed: 'Changed', unplaced: 'Without a place',
};
const ORDERS = { weight: 'What matters', time: 'Newest', '-magnitude': 'Strongest' };
const KINDS = {
  merged: 'merged into another event', truncated: 'no longer kept', left: 'no longer meeting the filter',
};
// What a change tells at most in a row.
const TOLD = 3;
const FILTER = 'categories search box range to listBy sort inView home zone then'.split(' ');
const WINDOW = ['end', 'length', 'growing', 'playing'];
// Of so many events of each kind the list by weight is made, and so many it shows.
const MOST = 100;
// The most new events that are counted.
const MOST_NEW = 1000;

/** The list, open while the panel of the state is 'list'; `ids()` are those of its events, in their order. */
export function createList({ addPanel, state, api, map, record, stream, start, now }) {
  const turn = takeTurns();
  let parts = null;
  let asked = null;
  const waiting = new Set();
  const select = state.setter('selected');
  const ask = (path, params) => api.json(path, params, { signal: asked });
  const since = (time) => ago(Date.parse(time), now, state.get().zone);
  const numbered = (n, newest) => [`${counted(n, 'event')}, newest `, since(newest)];

  function draw(body, signal) {
    const pill = button('', () => { load(); body.scrollTop = 0; }, { class: 'pill' });
    parts = { head: el('div'), pill, rows: el('ul') };
    body.append(parts.head, pill, parts.rows);
    load();
    on(signal, 'abort', () => {
      turn();
      parts = null;
    });
  }

  function drawHead({ listBy }) {
    const { head } = parts;
    const held = [...head.children].findIndex((control) => control.contains(document.activeElement));
    head.replaceChildren(chosen(state, 'listBy', 'Show', GROUPS));
    if (listBy === 'events') head.append(chosen(state, 'sort', 'Order', ORDERS));
    if (/events|places/.test(listBy)) head.append(ticked(state, 'inView', 'Only what the map shows'));
    head.children[held]?.control.focus();
  }

  // MARK: What is asked for

  const byWeight = ({ listBy, sort }) => listBy === 'events' && sort === 'weight';
  const isSeen = ({ listBy, inView }) => inView && /events|places/.test(listBy);

  /** The window as bounds of the service, open at the present. */
  function bounds(view) {
    const { from, to } = frame(view, now());
    const begin = isPresent(view) ? minuteOf(from) : from;
    return { begin, datetime: `${iso(begin)}/${isPresent(view) ? '..' : iso(to)}` };
  }

  /** Of the window are what the map shows and events by weight; events by time go on beyond the range. */
  function query(view) {
    const { listBy, sort } = view;
    const query = toQuery(view, { box: listBy !== 'unplaced' });
    const isEndless = listBy === 'unplaced' || (listBy === 'events' && sort === 'time');
    if (isSeen(view) || byWeight(view)) query.datetime = bounds(view).datetime;
    else if (isEndless) query.datetime = `../${iso(view.to ?? now() + DAY)}`;
    if (isSeen(view)) {
      const [west, south, east, north] = map.bounds();
      if (east - west < 360) query.bbox = [west, south, east, north].map((x) => x.toFixed(3)).join();
    }
    if (view.home) query.home = 'include';
    return query;
  }

  const knownQuery = (view) => ({ ...query(view), ...asOf(frame(view, now()).known) });
  const drawEvent = (feature) => eventRow(feature, { state, now });
  const eventPages = (params) => pages(ask, { ...params, limit: 50 }, drawEvent);

  // MARK: Events by weight

  /** The events of the window that matter most, then a way to those before it, with their number. */
  const weighty = (view) => async () => {
    const { from, to } = frame(view, now());
    const params = knownQuery(view);
    const [newest, next] = await Promise.all([ask(ITEMS, { ...params, limit: MOST }), olderThan(view, params)]);
    const isCut = newest.links.some(({ rel }) => rel === 'next');
    const features = isCut ? [...newest.features, ...await candidates(view, params)] : newest.features;
    const once = new Map(features.map((feature) => [feature.id, feature]));
    const nodes = ranked([...once.values()], to).slice(0, MOST).map(drawEvent);
    const { numberMatched: n } = newest;
    const all = button('All by time', () => state.set({ sort: 'time' }));
    if (isCut) nodes.push(note(`The ${MOST} that matter most${n ? ` of ${count(n)}` : ''}. `, all));
    if (!nodes.length && next) nodes.push(note(`Nothing in ${roughly(to - from)}.`));
    return [nodes, next];
  };

  const note = (...words) => el('li', { class: 'dim' }, words);

  /** What may matter among more events than one answer has: the strongest, and the newest that are no earthquakes. */
  async function candidates(view, params) {
    // The record may still be on its way.
    const known = new Set([...Object.keys(CATEGORIES), ...record.categories]);
    const others = (view.categories ?? [...known]).filter((name) => name !== 'earthquake');
    const answers = await Promise.all([
      ask(ITEMS, { ...params, sortby: '-magnitude', limit: MOST }),
      others.length ? ask(ITEMS, { ...params, category: others.join(), limit: MOST }) : { features: [] },
    ]);
    return answers.flatMap(({ features }) => features);
  }

  /** What reads the events before the window, the newest first, with the words for its button: "69 older". */
  async function olderThan(view, params) {
    const before = { ...params, datetime: `../${iso(bounds(view).begin - 1)}` };
    // Where counting fails there may be some.
    const { features, numberMatched } = await ask(ITEMS, { ...before, limit: 1 }).catch(() => ({ features: [null] }));
    const words = numberMatched ? `${count(numberMatched)} older` : 'Older';
    return features.length > 0 && Object.assign(eventPages(before), { words });
  }

  // MARK: Places, authors, changes

  async function nameByTown(node, [lon, lat]) {
    if (start.gazetteer === null) return;
    const bbox = [lon - 2, Math.max(-90, lat - 1.5), lon + 2, Math.min(90, lat + 1.5)].map((n) => n.toFixed(2)).join();
    const { places } = await ask('basemap/places', { bbox, limit: 100 }).catch(() => ({ places: [] }));
    const words = fromTown([lon, lat], places);
    if (words) node.querySelector('[dir=auto]').textContent = words;
  }

  function placeRow({ id, geometry: { coordinates }, properties: { name, count: n, newest } }) {
    const country = record.country[record.place.indexOf(id)];
    const node = row(name ? cityText(name, country) : degrees(coordinates), numbered(n, newest),
      () => select(`place:${id}`));
    if (!name) whenSeen(node, asked, () => nameByTown(node, coordinates));
    return node;
  }

  const READERS = {
    events: (view) => (byWeight(view) ? weighty(view)
      : eventPages({ ...knownQuery(view), ...(view.sort !== 'time' && { sortby: view.sort }) })),
    unplaced: (view) => eventPages({ ...knownQuery(view), located: false }),
    places: (view) => async () => [(await ask('summary/hotspots', query(view))).features.map(placeRow)],
    authors: (view) => async () => {
      const { authors } = await ask('summary/authors', { ...query(view), limit: 1000 });
      return [authors.map(({ author_name: name, events: n, latest }) => row(name, numbered(n, latest), () => {
        state.set({ listBy: 'events', search: `${view.search} author:"${name}"`.trim() });
      }))];
    },
    changed: (view) => changes(view, Infinity),
  };

  /** Reads the changes from number `upTo` downwards by the hundred: of each event the newest, by day. */
  const changes = (view, upTo, seen = { ids: new Set(), day: '' }) => async () => {
    const { newest, oldest } = await ask('changes', { limit: 1 });
    const last = Math.min(upTo, newest);
    const after = Math.max(oldest - 1, last - 100);
    const filter = toQuery(view, { time: false });
    const answer = await ask('changes', { ...filter, after, limit: 100 });
    const told = answer.changes.filter(({ seq, kind }) => seq <= last && kind !== 'new').reverse()
      .filter(({ id }) => !seen.ids.has(id) && seen.ids.add(id));
    const nodes = told.flatMap((change) => {
      const day = dayText(Date.parse(change.at), view.zone, now());
      const heading = day !== seen.day && el('li', { class: 'day', text: day });
      seen.day = day;
      return [heading, changeRow(change)];
    });
    return [nodes, after >= oldest && changes(view, after, seen)];
  };

  /** Says of a change what was and what is; long texts are the card's. */
  async function tellChange(node, { id, at }) {
    const { history } = await persist(() => ask(`${eventPath(id)}/history`), asked).catch(() => ({ history: [] }));
    const { summary, ...short } = revisionAt(history, at)?.changes ?? {};
    const told = changeWords(short, state.get().zone).slice(0, TOLD);
    node.append(...changeNodes(told).flatMap((nodes) => [' · ', ...nodes]));
  }

  function changeRow(change) {
    const { kind, at, id, into, feature } = change;
    if (!feature) return row(`An event, ${KINDS[kind] ?? kind}`, [since(at)], () => select(`event:${into ?? id}`));
    const what = el('span');
    const node = eventRow(feature, { state, now }, [`${kind} `, since(at), what, ' · event ']);
    whenSeen(node, asked, () => tellChange(what, change));
    return node;
  }

  function load() {
    if (!parts) return;
    asked = turn();
    const view = state.get();
    waiting.clear();
    drawPill();
    drawHead(view);
    fill(parts.rows, asked, READERS[view.listBy](view), `Nothing with this filter. ${misread(view.search)}`);
  }

  // MARK: What changes

  const rows = () => [...parts?.rows.querySelectorAll('[data-event]') ?? []];

  function drawPill() {
    parts.pill.hidden = waiting.size === 0;
    parts.pill.textContent = `${waiting.size}${waiting.size < MOST_NEW ? '' : '+'} new`;
  }

  stream.onBatch((batch) => {
    if (!parts) return;
    const view = state.get();
    const { listBy, sort, inView, then } = view;
    const isFollowing = !inView && (sort === 'time' || (sort === 'weight' && isPresent(view)));
    if (listBy === 'changed' && batch.some(({ feature }) => !feature)) {
      // An event goes with the one into which it was merged, and only the service knows which that is.
      parts.rows.replaceChildren();
      load();
    } else if (dropGone(parts.rows, batch)) load();
    if (listBy !== 'events' || then) return;
    for (const { kind, id, feature } of batch) {
      const shown = rows().find((node) => node.dataset.event === id);
      if (!feature) waiting.delete(id);
      else if (shown) shown.replaceWith(drawEvent(feature));
      else if (kind === 'new' && isFollowing && waiting.size < MOST_NEW && shows(view, feature.properties.category)) {
        waiting.add(id);
      }
    }
    drawPill();
  });
  stream.onGap(load);

  const soon = afterLast(200, load);
  state.watch([...FILTER, ...WINDOW, 'center', 'zoom'], (view, changed) => {
    const has = (keys) => keys.some((key) => changed.has(key));
    const isWindow = has(WINDOW) && (isSeen(view) || byWeight(view) || view.then);
    if (has(FILTER)) load();
    else if (!view.playing && (isWindow || (isSeen(view) && has(['center', 'zoom'])))) soon();
  });
  state.watch(['selected'], ({ selected }) => {
    for (const node of rows()) node.ariaCurrent = selected === `event:${node.dataset.event}`;
  });

  addPanel('list', 'List', draw);

  return { ids: () => rows().map((node) => node.dataset.event) };
}
