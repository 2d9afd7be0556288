// The first sight: a line that names the page and what it shows, and where the globe turns to.

import { afterFirst, eventPath, takeTurns } from './api.js';
import { el } from './dom.js';
import { asOf, shows } from './filter.js';
import { importance, middleOfWeight } from './importance.js';
import { COUNTRY } from './record.js';
import { headline, sightWords } from './rowwords.js';
import { frame, isPresent, MOVES } from './timewindow.js';
import { DAY, MINUTE, span } from './words.js';

/** Where the weight of the last 24 h of a record lies, as [longitude, latitude]; null if no place is known. */
export function weightiest(record, nowMs) {
  const rows = [...record.shown({ home: false }, { from: nowMs - DAY, to: Infinity })];
  return middleOfWeight(rows.filter((row) => record.precision[row] % COUNTRY).map((row) => {
    const event = { category: record.categoryOf(row), magnitude: record.magnitude[row], time: record.time[row] };
    return { lon: record.lon[row], lat: record.lat[row], importance: importance(event, nowMs) };
  }));
}

export function createSight({ container, state, api, record, loader, alerts, now }) {
  const turn = takeTurns();
  const line = el('p');
  container.append(line);
  // The place of the strongest event, by its id and revision.
  let named = { where: '' };

  async function name(id, key) {
    named = { key, where: '' };
    const known = asOf(frame(state.get(), now()).known);
    const feature = await api.lasting(eventPath(id), known, { signal: turn() }).catch(() => null);
    if (!feature || named.key !== key) return;
    const { properties: p } = feature;
    const words = headline(p) || p.place_text || '';
    named.where = /^m[a-z]*\s*\d/i.test(words) ? '' : words;
    draw();
  }

  function draw() {
    const view = state.get();
    const current = frame(view, now());
    let events = 0;
    let strongest = null;
    for (const row of record.shown(view, current)) {
      events += 1;
      const magnitude = record.magnitude[row];
      if (magnitude > (strongest?.magnitude ?? -Infinity)) strongest = { row, magnitude };
    }
    const id = record.id[strongest?.row];
    const key = id && `${id} ${record.revision[strongest.row]}`;
    // What is gone takes its words along.
    if (named.key !== key) {
      if (!key || view.playing) named = { where: '' };
      else name(id, key);
    }
    const words = sightWords({
      events, length: span(Math.round((current.to - current.from) / MINUTE) * MINUTE),
      strongest: strongest && { ...strongest, where: named.where },
      alerts: isPresent(view) && shows(view, 'alert') ? alerts.inForce() : 0,
    });
    line.replaceChildren(...words.map((part, i) => el('span', {}, (i ? ' · ' : '') + part)));
    line.title = line.textContent;
  }

  const update = afterFirst(250, draw);
  state.watch([...MOVES, 'categories', 'home', 'playing'], update);
  loader.onRecord(update);
  alerts.onChange(update);
  setInterval(update, 10e3);
  draw();
}
