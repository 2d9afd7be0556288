// The alerts with their areas, whose number and corners are bounded. No text of an alert is kept here.

import { afterFirst, takeTurns } from './api.js';
import { asOf, toQuery } from './filter.js';
import { endOf } from './importance.js';
import { createSignal } from './state.js';
import { frame, MOVES } from './timewindow.js';
import { DAY, iso } from './words.js';

// How long before the range an alert may have begun that is in force.
const BEFORE = 30 * DAY;
const MOST = 1000;
// The characters of all areas together, about 20 a corner; beyond them older alerts are discs.
const MOST_TEXT = 4e6;
const SEVERITIES = ['minor', 'moderate', 'severe', 'extreme'];

/** What an alert is in a window: 2 in force at its end, 1 ended before, 0 not of it. */
export function phase({ begin, end }, from, to) {
  if (begin > to || Math.max(begin, end) < from) return 0;
  return end > to ? 2 : 1;
}

/**
 * Holds the newest of the view's filter, as they are known in the frame. `all()` has `{id, revision, begin, end, level,
 * area}`, level is 4 for extreme and 0 for unknown. `inForce()` is their number now.
 */
export function createAlerts({ state, api, stream, loader, now }) {
  const turn = takeTurns();
  const changed = createSignal();
  const held = new Map();
  let total = 0;
  let asked = '';
  // What changes have told of since a question without answer; null: there is none.
  let since = null;
  // The filter of what is held.
  let filter = '';

  function drop(id) {
    total -= held.get(id)?.size ?? 0;
    held.delete(id);
  }

  function take({ id, geometry, properties: p }) {
    drop(id);
    const area = geometry && geometry.type !== 'Point' ? geometry : null;
    const size = area ? JSON.stringify(area).length : 0;
    total += size;
    // One that is announced counts from then on.
    const begin = Math.min(...[p.time, p.first_seen].map((time) => Date.parse(time) || Infinity));
    const level = 1 + SEVERITIES.indexOf(String(p.severity ?? p.details?.severity).toLowerCase());
    held.set(id, { id, revision: p.revision, begin, end: endOf(p), level, area, size });
    if (held.size > MOST) drop(held.keys().next().value);
    // The newest come last, and keep their areas.
    for (const old of held.values()) {
      if (total <= MOST_TEXT) break;
      total -= old.size;
      Object.assign(old, { area: null, size: 0 });
    }
  }

  async function read(query) {
    const signal = turn();
    since = new Set();
    try {
      const { features } = await api.json('collections/alerts/items', query, { signal });
      for (const id of [...held.keys()]) if (!since.has(id)) drop(id);
      for (const feature of features.reverse()) if (!since.has(feature.id)) take(feature);
      since = null;
      changed.tell();
    } catch {
      if (signal.aborted) return;
      since = null;
      asked = '';
      setTimeout(update, 10e3);
    }
  }

  function check() {
    const view = state.get();
    const wanted = toQuery(view, { time: false, categories: false }), words = JSON.stringify(wanted);
    // What another search has found does not stay until the answer comes.
    if (words !== (filter ||= words)) {
      turn();
      held.clear();
      [total, asked, since] = [0, '', null];
      changed.tell();
    }
    filter = words;
    if (view.playing) return;
    const { rangeFrom, known } = frame(view, now());
    const query = { ...wanted, ...asOf(known) };
    const key = JSON.stringify([query, view.range, view.to]);
    if (key === asked) return;
    asked = key;
    const datetime = `${iso(rangeFrom - BEFORE)}/${view.to === null ? '..' : iso(view.to)}`;
    read({ ...query, datetime, limit: MOST, properties: 'category,time,first_seen,expires,severity,revision' });
  }

  const update = afterFirst(250, check);
  state.watch([...MOVES, 'search', 'box', 'playing'], update);
  loader.onRecord(update);
  stream.onBatch((changes) => {
    for (const { id, feature } of changes) {
      since?.add(id);
      const { category, withdrawn } = feature?.properties ?? {};
      if (category === 'alert' && !withdrawn) take(feature);
      else drop(id);
    }
    changed.tell();
  });
  stream.onGap(() => {
    asked = '';
    update();
  });
  const inForce = () => [...held.values()].filter((alert) => phase(alert, now(), now()) > 1).length;
  return { all: () => held.values(), inForce, onChange: changed.on };
}
