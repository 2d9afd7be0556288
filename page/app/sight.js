// The first sight: a line that names the page and what it shows, and where the globe turns to.

import { eventPath, takeTurns } from './api.js';
import { el } from './dom.js';
import { asOf, shows } from './filter.js';
import { importance, middleOfWeight } from './importance.js';
import { COUNTRY, HOME } from './record.js';
import { headline, sightWords } from './rowwords.js';
import { frame, MOVES } from './timewindow.js';
import { DAY, MINUTE, span } from './words.js';

/** Where the weight of the last 24 h of a record lies, as [longitude, latitude]; null if no place is known. */
export function weightiest(record, nowMs) {
  const points = [];
  const [start, end] = record.range(nowMs - DAY, Infinity);
  for (let row = start; row < end; row += 1) {
    const isPlaced = record.precision[row] % COUNTRY && !(record.flags[row] & HOME);
    if (!isPlaced || !record.isVisible(row)) continue;
    const event = {
      category: record.categories[record.category[row]], magnitude: record.magnitude[row], time: record.time[row],
    };
    points.push({ lon: record.lon[row], lat: record.lat[row], importance: importance(event, nowMs) });
  }
  return middleOfWeight(points);
}

/** The events that a view shows in a frame: their number, and the row of the strongest, -1 without a magnitude. */
function shownIn(record, view, window) {
  let events = 0;
  let strongest = -1;
  for (const row of record.shown(view, window)) {
    events += 1;
    const magnitude = record.magnitude[row];
    if (!Number.isNaN(magnitude) && !(magnitude <= record.magnitude[strongest])) strongest = row;
  }
  return { events, strongest };
}

/** Makes the line in `container`. */
export function createSight({ container, state, api, record, loader, alerts, now }) {
  const turn = takeTurns();
  const line = el('p');
  container.append(line);
  let waiting = null;
  // The place of the strongest event, by its id and revision.
  let named = { key: '', where: '' };

  async function name(id, key) {
    named = { key, where: '' };
    const then = asOf(frame(state.get(), now()).known);
    const feature = await api.lasting(eventPath(id), then, { signal: turn() }).catch(() => null);
    if (!feature || named.key !== key) return;
    const { properties: p } = feature;
    const words = headline(p) || p.place_text || '';
    named.where = /^m[a-z]*\s*\d/i.test(words) ? '' : words;
    draw();
  }

  function draw() {
    clearTimeout(waiting);
    waiting = null;
    const view = state.get();
    const { from, to, known } = frame(view, now());
    const { events, strongest } = shownIn(record, view, { from, to, known });
    const isPresent = (view.end ?? view.to) === null;
    const id = record.id[strongest];
    const key = strongest < 0 ? '' : `${id} ${record.revision[strongest]}`;
    // What is gone takes its words along.
    if (named.key !== key) {
      if (strongest < 0 || view.playing) named = { key: '', where: '' };
      else name(id, key);
    }
    const words = sightWords({
      events, length: span(Math.round((to - from) / MINUTE) * MINUTE),
      strongest: strongest < 0 ? null : { magnitude: record.magnitude[strongest], where: named.where },
      alerts: isPresent && shows(view, 'alert') ? alerts.inForce() : 0,
    });
    line.replaceChildren(...words.map((part, i) => el('span', { text: (i ? ' · ' : '') + part })));
    line.title = line.textContent;
  }

  const update = () => { waiting ??= setTimeout(draw, 250); };
  state.watch([...MOVES, 'categories', 'home', 'playing'], update);
  loader.onRecord(update);
  alerts.onChange(update);
  setInterval(update, 10e3);
  draw();
}
