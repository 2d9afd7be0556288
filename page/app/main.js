// Boots the page: makes each part, wires them, and keeps the address.

import { createAbout } from './about.js';
import { createAlerts } from './alerts.js';
import { afterFirst, createApi, pause } from './api.js';
import { createCard } from './card.js';
import { createChips } from './chips.js';
import { createEmpty } from './empty.js';
import { el, on } from './dom.js';
import { fromHash, toHash } from './hash.js';
import { createLayers } from './layers.js';
import { createLegend } from './legend.js';
import { createList } from './list.js';
import { createMap } from './map.js';
import { createMenu } from './menu.js';
import { createPanels } from './panel.js';
import { createPlayer } from './player.js';
import { EventRecord } from './record.js';
import { createLoader } from './recordloader.js';
import { createSearch } from './search.js';
import { createSettings } from './settings.js';
import { createSnapshot } from './snapshot.js';
import { createSources } from './sources.js';
import { createSight, weightiest } from './sight.js';
import { createState, DEFAULTS, isSame } from './state.js';
import { createStream } from './stream.js';
import { createTimebar } from './timebar.js';
import { step } from './timewindow.js';
import { createToasts } from './toasts.js';
import { count, DAY, RAD, useUnits } from './words.js';

// What the browser keeps of the view: how one likes to see, never what one has looked at.
const KEPT = 'range length projection pins heat hotspots volcanoes population colour base zone units scheme'
  .split(' ');
// What an address of somebody else does not change.
const PERSONAL = ['zone', 'units', 'scheme'];
// From this width on, in pixels, the list is open at first.
const WIDE = 1100;
const NO_LIBRARY = 'The library of the map is not installed, so there is only the list.';
const NO_GRAPHICS = 'This browser cannot draw the map (WebGL 2 is missing), so there is only the list.';

const at = (id) => document.getElementById(id);
const now = () => Date.now();
const pick = (view, keys) => Object.fromEntries(Object.entries(view).filter(([key]) => keys.includes(key)));
const hundredths = (n) => Math.round(100 * n) / 100;

/** The zoom of the start, at which the globe fills the window: its diameter is 380 pixels at zoom 1.3. */
function startZoom() {
  const size = 0.94 * Math.min(innerWidth, innerHeight - 72);
  return Math.max(0, hundredths(1.3 + Math.log2(size / 380)));
}
const defaults = { ...DEFAULTS, zoom: startZoom() };
// Without an address the last day is shown, on a wide window beside the list.
const first = { ...defaults, length: DAY, panel: innerWidth >= WIDE ? 'list' : null };
// A browser may refuse storage; the page then forgets.
let storage = {};
try { storage = localStorage; } catch { /* It does. */ }
// Several services may be at one host, each below a path of its own.
const place = `visiventd${new URL('.', document.baseURI).pathname.slice(0, -1)}`;
let kept = fromHash(storage[place] ?? '');
const isFirst = !location.hash;
const state = createState(isFirst ? { ...first, ...kept }
  : { ...defaults, ...pick(kept, PERSONAL), ...fromHash(location.hash) });

// The scheme comes before all that reads colours.
const MEDIA = { dark: 'not all', light: 'all', auto: '(prefers-color-scheme: light)' };
state.follow(['scheme'], ({ scheme }) => { at('light').media = MEDIA[scheme]; });
state.follow(['units'], ({ units }) => useUnits(units));
// In a frame of another page only the map is wanted.
if (new URLSearchParams(location.search).get('embed') === '1') document.body.dataset.embed = '';

const record = new EventRecord();
const api = createApi();
const stream = createStream({ api, now });
const loader = createLoader({ state, api, record, stream, now });
// What the service says of itself, once it has.
const start = { basemaps: [], overlays: [], attributions: [] };
const alerts = createAlerts({ state, api, stream, loader, now });

// MARK: Messages

let problem = '';
let progress = { versions: true };

function tell() {
  const { done, total, error, truncated, versions, part } = progress;
  const [line, words] = at('progress').children;
  at('progress').hidden = Boolean(error) || done === total;
  line.style.width = `${total ? Math.min(100, (100 * done) / total) : 5}%`;
  words.textContent = total ? `${count(Math.min(done, total))} of ${count(total)}` : 'Loading';
  const isUnknown = state.get().then && !versions && 'Too much has changed to tell what was known when.';
  const isCut = truncated && 'Some events are not shown, since too many happened at the same moment.';
  at('message').textContent = error?.message || isCut || isUnknown || part || problem;
}

loader.onProgress((news) => {
  progress = news;
  tell();
});
state.watch(['then'], tell);

// MARK: The map

// Where an event is that is not of the range, which may be known before there is a map.
const other = {};

/** The map; until it is there, and where it cannot be drawn, this does in its place. */
const map = {
  map: null, canDraw: true, redraw() {}, setFrame() {}, reveal() {}, flyTo: (there) => state.set(there),
  bounds: () => [-180, -90, 180, 90],
  locate(id, at) {
    Object.assign(other, { id, at });
    map.redraw();
  },
};

function withoutMap(words) {
  map.canDraw = false;
  problem = words;
  tell();
  state.set({ panel: state.get().panel ?? 'list' });
}

function onPick({ type, id }) {
  const { selected } = state.get();
  const picked = type === 'nothing' ? null : `${type}:${id}`;
  if (picked || selected) state.set({ selected: picked === selected ? null : picked });
}

/** Loads the library of the map, which is larger than all else. */
function loadLibrary() {
  const address = (name) => new URL(`../vendor/maplibre-gl.${name}`, import.meta.url);
  const nodes = [el('link', { rel: 'stylesheet', href: address('css') }), el('script', { src: address('js') })];
  document.head.append(...nodes);
  return Promise.all(nodes.map((node) => new Promise((done) => {
    on(node, 'load', done);
    on(node, 'error', done);
  })));
}

function makeMap() {
  if (!globalThis.maplibregl) {
    withoutMap(NO_LIBRARY);
    return;
  }
  try {
    const shared = { state, record, api, alerts, start, other, onPick };
    Object.assign(map, createMap({ ...shared, container: at('map'), credit: at('credit') }));
  } catch {
    withoutMap(NO_GRAPHICS);
    return;
  }
  map.map.on('movestart', ({ originalEvent }) => { if (originalEvent) isMoved = true; });
  map.ready.then(() => { document.body.dataset.map = 'ready'; },
    (error) => withoutMap(`The map is not whole: ${error.message}`));
}

// MARK: The address

let written = location.hash;
let read = location.hash;
let isMoved = isFirst && Boolean(kept.center);
// Whether another thing or panel has been chosen since: a step for the browser's buttons back and forward.
let isStep = false;

const writeHash = afterFirst(400, () => {
  // The browser is on its way to another step, whose view comes at once.
  if (location.hash !== read) return;
  const view = state.get();
  storage[place] = toHash({ ...first, ...kept }, first);
  written = toHash(view, defaults);
  const write = isStep ? 'pushState' : 'replaceState';
  if (written !== location.hash) history[write](null, '', written || location.pathname + location.search);
  read = location.hash;
  isStep = false;
});

state.watch(['selected', 'panel'], () => { isStep = true; });

/** Selects what an event has become, which is no step: *back* would lead here again. */
function goOn(id) {
  const was = isStep;
  state.set({ selected: `event:${id}` });
  isStep = was;
}

state.subscribe((view, changed) => {
  const keys = [...KEPT.filter((key) => changed.has(key)), ...isMoved ? ['center', 'zoom'] : []];
  kept = { ...kept, ...pick(view, keys) };
  // Playing moves the window each frame; the address follows when it stops.
  if (!view.playing) writeHash();
});

on(window, 'hashchange', () => {
  read = location.hash;
  if (location.hash === written) return;
  written = location.hash;
  const own = kept;
  state.set({ ...defaults, ...pick(state.get(), PERSONAL), ...fromHash(location.hash) });
  kept = own;
  // The browser has made this step.
  isMoved = isStep = false;
});

// The zoom of the start after the globe has turned.
let turned = defaults.zoom;
// A view that is still that of the start fills a window of another size, too.
on(window, 'resize', () => {
  const { zoom } = state.get(), by = startZoom() - defaults.zoom;
  const larger = (n) => Math.max(0, hundredths(n + by));
  const isUntouched = zoom === defaults.zoom || zoom === turned;
  first.zoom = defaults.zoom = startZoom();
  turned = larger(turned);
  if (isUntouched) state.set({ zoom: larger(zoom) });
});

// MARK: Panels and keys

function wirePanels() {
  for (const button of document.querySelectorAll('[data-panel]')) {
    const { panel } = button.dataset;
    on(button, 'click', () => state.set({ panel: state.get().panel === panel ? null : panel }));
    state.follow(['panel'], (view) => { button.ariaExpanded = view.panel === panel; });
  }
}

function wireKeys({ player, card }) {
  on(document, 'keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const isIn = (selector) => event.target.closest(selector);
    const { selected, panel, search } = state.get();
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const by = { j: 1, k: -1 }[event.key];
    if (event.key === 'Escape') {
      // The browser closes the menu of the range by itself.
      if (document.querySelector(':popover-open')) return;
      if (selected) state.set({ selected: null });
      else if (panel) state.set({ panel: null });
      else if (search && !isIn('input')) state.set({ search: '' });
    } else if (isIn('input, select, textarea, [popover]')) {
      return;
    } else if (event.key === '?') {
      state.set({ panel: 'about' });
      // They come last.
      at('panel').lastChild.scrollTop = 1e4;
    } else if (event.key === ' ' && !isIn('button, a, summary')) {
      player.toggle();
      event.preventDefault();
    } else if (by) {
      card.step(by);
    } else if (way) {
      state.set(step(state.get(), way, now(), event.shiftKey ? 'day' : 'window'));
      event.preventDefault();
    }
  });
}

// MARK: The start

/** Turns the globe once to where the weight of the last 24 h lies, unless something is moved or chosen before. */
function turn() {
  const end = loader.onRecord(follow);
  const { center, zoom } = state.get();
  const cosine = ([, lat]) => Math.cos(lat * RAD);
  function follow() {
    const isThere = record.count > 0 && (record.time[0] <= now() - DAY || progress.done === progress.total);
    const isLate = !isSame(state.get().center, center) || state.get().selected;
    if (!isThere && !isLate) return;
    end();
    const middle = isLate ? null : weightiest(record, now());
    if (!middle) return;
    // At the same zoom the globe is larger towards the poles.
    const same = hundredths(zoom + Math.log2(cosine(middle) / cosine(center)));
    turned = Math.max(0, same);
    const there = { center: middle, zoom: turned };
    state.set(there);
    map.map?.jumpTo(there);
  }
  follow();
}

async function boot() {
  // The page does without, and begins anew once there is an answer.
  const told = api.json('page/start').catch(() => {
    api.lasting('page/start').then(() => location.reload(), () => {});
    return {};
  });
  // The first frame of the map keeps the page busy: events are asked for before, if that is soon.
  const asked = new Promise((done) => { loader.onProgress(({ total }) => total !== null && done()); });
  loader.load();
  const library = Promise.all([loadLibrary(), Promise.race([asked, pause(500)])]);
  const addPanel = createPanels({ container: at('panel'), state, now });
  const parts = { state, api, record, stream, loader, alerts, map, start, now, goOn, addPanel, defaults: first };
  // For tests and for the curious; nothing in the page reads it.
  globalThis.visiventd = parts;
  const make = (create, id) => create({ ...parts, container: at(id) });
  parts.player = createPlayer({ ...parts, requestFrame: (fn) => requestAnimationFrame(fn) });
  make(createSearch, 'search');
  make(createSight, 'sight');
  make(createChips, 'chips');
  make(createEmpty, 'empty');
  make(createTimebar, 'timebar');
  parts.legend = createLegend(parts);
  parts.snapshot = createSnapshot({ ...parts, print: at('print'), credit: at('credit') });
  parts.list = createList(parts);
  createSettings(parts);
  wirePanels();
  loader.onRecord(() => map.redraw());
  alerts.onChange(() => map.redraw());
  if (isFirst && !kept.center) turn();

  Object.assign(start, await told);
  parts.card = make(createCard, 'card');
  for (const create of [createLayers, createSources, createAbout]) create(parts);
  make(createToasts, 'toasts');
  wireKeys(parts);
  isStep = false;
  document.body.dataset.page = 'ready';

  await library;
  makeMap();
  createMenu(parts);
  parts.player.show();
}

boot();
