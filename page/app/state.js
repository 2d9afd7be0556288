// The view: what is shown and chosen. One object, replaced as a whole, with subscribers.

import { HOUR } from './words.js';

/** The view without an address; times in milliseconds, speed in multiples of real time. */
export const DEFAULTS = Object.freeze({
  center: [10, 25], zoom: 1.3, projection: 'auto',
  range: 72 * HOUR, to: null, length: 4 * HOUR, end: null,
  playing: false, speed: 3600, growing: false, loop: false, then: false,
  pins: true, heat: false, hotspots: false, volcanoes: true, population: false, home: false,
  colour: 'category', base: 'plain', overlays: [], categories: null, search: '', box: null,
  selected: null, panel: null, listBy: 'events', sort: 'weight', inView: false, zone: 'local', units: 'km',
  scheme: 'auto',
});

export const isSame = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Something to listen to: `on(fn)` returns the function that ends it, `tell(…)` calls all that listen. */
export function createSignal() {
  const listeners = new Set();
  return {
    on: (fn) => {
      listeners.add(fn);
      return () => listeners.delete(fn);
    },
    tell: (...values) => { for (const fn of [...listeners]) fn(...values); },
  };
}

/** `set(patch)` tells subscribers once the new view and the changed keys; what they set follows. */
export function createState(initial) {
  let view = Object.freeze({ ...DEFAULTS, ...initial });
  const signal = createSignal();
  const waiting = [];

  function set(patch) {
    const changed = new Set(Object.keys(patch).filter((key) => !isSame(view[key], patch[key])));
    if (changed.size === 0) return;
    view = Object.freeze({ ...view, ...patch });
    if (waiting.push(changed) > 1) return;
    try {
      for (; waiting.length; waiting.shift()) signal.tell(view, waiting[0]);
    } finally {
      waiting.length = 0;
    }
  }

  /** Calls `fn(view, changed)` when one of these keys has changed. */
  const watch = (keys, fn) => signal.on((now, changed) => {
    if (keys.some((key) => changed.has(key))) fn(now, changed);
  });

  /** As `watch`, and calls it at once. */
  function follow(keys, fn) {
    watch(keys, fn);
    fn(view);
  }

  const setter = (key) => (value) => set({ [key]: value });

  return { get: () => view, set, setter, subscribe: signal.on, watch, follow };
}
