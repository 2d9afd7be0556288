// The card of what is selected: an event, a volcano, a place, or a country.

import { eventPath, ITEMS, takeTurns } from './api.js';
import { button, el, h3, note, sign } from './dom.js';
import { alertFacts, nearWords, peopleFacts, quakeFacts, volcanoFacts } from './facts.js';
import { asOf, toQuery } from './filter.js';
import {
  ago, changeNodes, createFrame, dropGone, eventRow, fill, missingWords, pages, problem, show, webLink,
} from './panel.js';
import { PILE } from './picking.js';
import { createPictures } from './pictures.js';
import { middle, timeOf } from './record.js';
import { changeWords, forceWords } from './rowwords.js';
import { frame } from './timewindow.js';
import {
  categoryOf, counted, countryName, DAY, degrees, distance, evidenceWords, iso, precisionWords, squareAt, timeText,
} from './words.js';

const TABLES = { gazetteer: 'the city table', mapquest: 'MapQuest', nominatim: 'Nominatim' };
const GONE = 'This event is gone: its provider has deleted it, or it is no longer kept.';

const text = (words) => words && el('p', { class: 'text', dir: 'auto', text: words });
const tools = (...nodes) => el('p', { class: 'tools' }, nodes);

const within = (radius, [longitude, latitude]) => ({ latitude, longitude, radius });

const facts = (rows) => el('dl', { class: 'facts' }, rows.flatMap(([name, ...value]) =>
  (value.some(Boolean) ? [el('dt', {}, name), el('dd', { dir: 'auto' }, value)] : [])));

/** A part of its own request: `read` promises its items, and it goes where there are none. */
function section(title, signal, read) {
  const list = el('ul');
  const node = el('section', {}, h3(title), list);
  show(list, signal, read, (items) => (items.length ? list.replaceChildren(...items) : node.remove()));
  return node;
}

/** Keeps the card; `step(by)` selects the event before or after: in the list if that has it, else in the record. */
export function createCard({ container, state, api, map, record, loader, stream, list, start, now, goOn }) {
  const turn = takeTurns();
  let asked = null;
  const select = state.setter('selected');
  const pictures = createPictures({ start, api });
  const sheet = createFrame({ container, now, hide: () => select(null) });
  const ask = (path, params = {}) => api.json(path, params, { signal: asked });
  const when = (time) => timeText(Date.parse(time), state.get().zone);
  const then = () => asOf(frame(state.get(), now()).known);
  const filter = (parts) => ({ ...toQuery(state.get(), parts), home: state.get().home ? 'include' : 'exclude' });
  const onMap = (center, zoom) => map.canDraw && button('Show on the map',
    () => map.flyTo({ center, zoom: Math.max(zoom, state.get().zoom) }));

  function found(params, name = null, isWanted = () => true) {
    const rows = el('ul', { class: name });
    const draw = (feature) => {
      const p = feature.properties;
      const face = name && pictures.face(p.author_picture, p.author_name);
      return isWanted(p) && eventRow(feature, { state, now }, [], face);
    };
    fill(rows, asked, pages(ask, { ...params, ...then() }, draw));
    return rows;
  }

  // MARK: Events

  function place(p, at) {
    const operators = p.location_method === 'operator';
    const name = el('bdi', {}, operators ? p.location_name : p.location_matched_text ?? p.place_text);
    if (!at) return [name, note(missingWords(p))];
    const meant = !operators && p.location_name && note(el('bdi', {}, p.location_name));
    const { location_method: method, location_confidence: confidence, location_radius_km: radius } = p;
    const how = [
      TABLES[method] ? `found by name in ${TABLES[method]}`
        : operators ? 'set by the operator' : `the ${method} in the feed`,
      evidenceWords[p.location_evidence], `precise to ${precisionWords[p.location_precision]}`,
      radius && `${distance(radius)} around it`,
      confidence < 1 && `confidence ${Math.round(confidence * 100)} %`,
    ].filter(Boolean).join('; ');
    return [name, meant, note(how), note(p.location_precision === 'country' ? 'No point is known.' : degrees(at))];
  }

  const withdrawal = (p) => el('div', { class: 'withdrawn' },
    el('b', {}, `Withdrawn (${p.withdrawn}) ${when(p.withdrawn_at)}`), text(p.withdrawn_evidence),
    p.withdrawn === 'absent' && text('It may only have fallen below the threshold of its feeds.'));

  /** Who has made changes that no source has made. */
  const who = ({ location_method: method }) =>
    (Object.values(method ?? {}).includes('operator') ? 'the operator' : 'the service');

  function revision({ at, source, changes }) {
    const told = changeWords(changes, state.get().zone);
    return el('li', {}, note(`${when(at)} by ${source ?? who(changes)}`),
      el('ul', {}, changeNodes(told).map((nodes, i) => el('li', { dataset: { field: told[i][0] } }, nodes))),
      told.length < Object.keys(changes).length && note('Further details'));
  }

  const sighting = (s) => el('li', { dataset: { source: s.source } }, el('b', {}, s.source),
    ` since ${when(s.first_seen)}`, s.missing_since && `, missing since ${when(s.missing_since)}`);

  const towns = (item) => nearWords(item).map((words) => el('li', { dir: 'auto', text: words }));

  async function near(item, at) {
    const { features } = await ask('collections/volcanoes/items', { ...within(200, at), limit: 3 });
    return [
      ...towns(item),
      ...features.map(({ id, properties: { name, distance_km: km } }) => el('li', {}, sign('volcano'),
        button(name, () => select(`volcano:${id}`), { class: 'link' }), ` ${distance(km)}`)),
    ];
  }

  async function drawEvent(id, signal) {
    const path = eventPath(id);
    const known = then();
    const feature = await ask(path, known);
    // The service leads from a merged event to the one that stays.
    if (feature.id !== id && !signal.aborted) goOn(feature.id);
    const { properties: p, geometry } = feature;
    const { word } = categoryOf(p.category);
    const at = middle(geometry);
    const hasPoint = at && p.location_precision !== 'country';
    map.locate?.(id, hasPoint && at);
    return [
      p.title || word,
      note(sign(p.category), word, known.as_of && ' · as known then'),
      p.withdrawn && withdrawal(p),
      p.summary !== p.title && text(p.summary),
      facts([
        ['Time', when(p.time ?? p.first_seen), ' · ', ago(timeOf(feature), now, state.get().zone),
          p.time_source === 'first_seen' && ' (first sight; the feed gives no time)'],
        ['Alert', forceWords(p, now())], ['Expires', when(p.expires)],
        ...p.category === 'alert' ? alertFacts(p) : [],
        ['Strength', p.magnitude !== undefined && `M ${p.magnitude.toFixed(1)} ${p.details?.magType ?? ''}`],
        ['Depth', p.depth_km !== undefined && `${p.depth_km.toFixed(1)} km`,
          p.depth_km === 10 && ' (fixed by convention, not measured)'],
        ...p.category === 'earthquake' ? quakeFacts(p) : [],
        ['Status', p.status],
        ['Place', ...place(p, at)],
        ...peopleFacts(feature),
        ['Author', pictures.face(p.author_picture, p.author_name),
          p.author_link ? webLink(p.author_link, p.author_name) : p.author_name],
        ['Page', p.link && webLink(p.link)],
        ['First seen', when(p.first_seen)],
      ]),
      section('What changed', signal,
        async () => (await ask(`${path}/history`)).history.reverse().map(revision)),
      section('Sources', signal, async () => (await ask(`${path}/sources`)).sources.map(sighting)),
      hasPoint && section('Nearby', signal, () => near(feature, at)),
      tools(button('‹ Previous', () => step(-1)), button('Next ›', () => step(1)), hasPoint && onMap(at, 6),
        el('a', { href: api.url(path, { f: 'json' }), target: '_blank', text: 'Raw JSON' })),
    ];
  }

  function step(by) {
    const view = state.get();
    const isShown = record.shownBy(view);
    const newestFirst = record.id.filter((_, row) => isShown(row)).reverse();
    const id = /^event:(.+)/s.exec(view.selected)?.[1];
    const ids = [list.ids(), newestFirst].find((some) => (id ? some.includes(id) : some.length)) ?? [];
    const next = ids[ids.indexOf(id) + by];
    if (next) select(`event:${next}`);
  }

  // MARK: Volcanoes, places, countries

  async function drawVolcano(id) {
    const volcano = await ask(`collections/volcanoes/items/${encodeURIComponent(id)}`);
    const { properties: p, geometry } = volcano;
    const at = geometry.coordinates;
    const around = (category, radius, days) => found({
      category, ...within(radius, at), datetime: `${iso(now() - days * DAY)}/..`, limit: 10,
    });
    return [
      p.name,
      note(sign('volcano'), 'volcano'),
      pictures.photo(p.picture),
      facts([
        ['Country', p.country], ['Number', p.number && `${p.number} (Global Volcanism Program)`],
        ...volcanoFacts(p.details),
        ['Position', degrees(at)], ...peopleFacts(volcano), ['Webcam', p.webcam && webLink(p.webcam)],
        ['Picture', p.picture && webLink(p.picture)],
      ]),
      text(p.text),
      tools(onMap(at, 7)),
      section('Nearby', asked, async () => towns(volcano)),
      h3('Activity of the last 8 weeks'), around('volcano', 20, 56),
      h3('Earthquakes within 50 km, last 30 days'), around('earthquake', 50, 30),
    ];
  }

  /** The events of a town, or of a square of 0.1 degrees ('square:LON,LAT'). */
  async function drawPlace(id) {
    const row = record.place.indexOf(id);
    const square = squareAt(id);
    const at = square ?? (row >= 0 && [record.lon[row], record.lat[row]]);
    if (!at) return ['Place', el('p', { class: 'unknown', text: 'No event with this filter is there.' })];
    const [west, south, east, north] = [-0.05, 0.05].flatMap((by) => at.map((n) => (n + by).toFixed(4)));
    const bbox = [west, Math.max(-90, south), east, Math.min(90, north)].join();
    const params = { ...filter(), bbox };
    const { features } = await ask('summary/hotspots', params);
    const { name, count } = features.find((feature) => feature.id === id)?.properties ?? { count: 0 };
    const isHere = ({ location_place_id: other }) => (square ? !other : other === id);
    return [name ?? degrees(at), note(counted(count, 'event')), tools(onMap(at, 7)),
      found({ ...params, limit: 24 }, 'grid', isHere)];
  }

  async function drawCountry(code) {
    const { from, to } = frame(state.get(), now());
    const of = { country: code, limit: 50 };
    return [countryName(code) ?? code,
      h3('In the window, by the country alone'),
      found({ ...filter(), ...of, precision: 'country', datetime: `${iso(from)}/${iso(to)}` }),
      h3('All found by name there'),
      found({ ...filter({ box: false }), ...of })];
  }

  /** The events whose signs lie over each other, by their escaped ids. */
  async function drawPile(ids) {
    const known = then();
    const rows = ids.split(',').slice(0, PILE).map((id) => ask(`${ITEMS}/${id}`, known)
      .then((feature) => eventRow(feature, { state, now }), (error) => {
        if (error.isPassing) throw error;
      }));
    return ['Events here, the strongest first', el('ul', {}, await Promise.all(rows))];
  }

  // MARK: The card as a whole

  const DRAW = { event: drawEvent, volcano: drawVolcano, place: drawPlace, country: drawCountry, pile: drawPile };

  function draw(view, changed) {
    const [, type, id] = /^(\w+):(.+)$/s.exec(state.get().selected) ?? [];
    asked = turn();
    container.removeAttribute('aria-busy');
    if (!type) {
      sheet.close();
      return;
    }
    function put([title, ...content]) {
      sheet.open(title, content);
      // An address that comes with a place on the map keeps it.
      if (changed?.has('selected') && !changed.has('center')) map.reveal();
    }
    show(container, asked, () => DRAW[type](id, asked), put, (error) => {
      const isGone = error.status === 410;
      if (isGone) map.locate?.();
      put(isGone ? ['Gone', el('p', {}, GONE)] : ['Not to be had', problem(error)]);
    });
  }

  // The panel that a card has taken the place of.
  let covered = null;

  /** A phone shows one sheet at a time; the panel comes back when the card is closed. */
  function makeRoom({ selected, panel }, changed) {
    if (!matchMedia('(max-width: 599px)').matches) return;
    if (!selected && !panel && covered && changed.has('selected')) state.set({ panel: covered });
    covered = selected && panel && changed.has('selected') ? panel : selected && !panel ? covered : null;
    if (selected && panel) state.set(changed.has('selected') ? { panel: null } : { selected: null });
  }

  state.watch(['selected', 'panel'], makeRoom);
  state.watch(['selected', 'zone', 'then'], draw);
  state.watch(['playing'], ({ then }) => { if (then) draw(); });
  let timer = null;
  state.watch(['end', 'to', 'length'], ({ then, playing, selected }) => {
    clearTimeout(timer);
    if ((then || /^country/.test(selected)) && !playing) timer = setTimeout(draw, 200);
  });
  makeRoom(state.get(), new Set(['selected']));
  draw();

  stream.onBatch((changes) => {
    const own = changes.findLast(({ id }) => state.get().selected === `event:${id}`);
    const isStale = dropGone(container, changes);
    if (own?.into) goOn(own.into);
    else if (own || isStale) {
      // Nothing of it may be seen until the service has said what is left of it.
      if (own && !own.feature) {
        sheet.open('Event', []);
        map.locate?.();
      }
      draw();
    }
  });
  stream.onGap(draw);
  // The place that the address names may come with the record.
  loader.onRecord(() => container.querySelector('.unknown') && draw());

  return { step };
}
