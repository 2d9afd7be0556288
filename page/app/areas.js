/** Events of which only the country is known: its shape is shaded by their number. */

import { COUNTRY } from './record.js';

const PAUSE = 250;

/** Counts them by ISO 3166-1 code, in `counts()`; `follow()` does so four times a second at most. */
export function createAreas({ map, state, record, layer }) {
  let rows = [], generation = -1, counts = new Map(), timer = null, last = 0;

  function shade() {
    const { from, to, known } = layer.frame;
    last = performance.now();
    if (record.generation !== generation) {
      generation = record.generation;
      rows = [...record.country.keys()].filter((i) => record.precision[i] === COUNTRY && record.country[i]);
    }
    const view = state.get(), isShown = record.shownBy(view, known), before = counts;
    counts = new Map();
    for (const i of view.pins ? rows : []) {
      if (record.time[i] < from || record.time[i] > to || !isShown(i)) continue;
      const code = record.country[i];
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    for (const id of new Set([...before.keys(), ...counts.keys()])) {
      const events = counts.get(id) ?? 0;
      if (events !== before.get(id)) map.setFeatureState({ source: 'world', id }, { events });
    }
  }

  function follow() {
    clearTimeout(timer);
    const wait = last + PAUSE - performance.now();
    if (wait <= 0) shade();
    else timer = setTimeout(shade, wait);
  }
  return { follow, counts: () => counts };
}
