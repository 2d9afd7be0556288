// The menu of the range: its length or day, and the length of the window.

import { button, el, on } from './dom.js';
import { HOUR, span } from './words.js';
import { dateText, day, frame, recent, shiftDate, wholeMinutes } from './timewindow.js';

const PRESETS = [1, 24, 72, 168, 720].map((hours) => hours * HOUR);

/** Makes the menu, which a button with `popovertarget` 'range-menu' opens. */
export function createRangeMenu({ state, api, now }) {
  function set(patch) {
    state.set(patch);
    fill();
  }
  const last = (ms) => set(recent(ms));
  const near = (date, days) => day(shiftDate(date, days), state.get().zone, now());
  /** A field; `change` gives the patch for its value. */
  const field = (props, change) => el('input', { ...props, step: 'any', required: true, on: {
    change: ({ target }) => set(target.validity.valid ? change(target.value) : {}),
  } });

  const hours = field({ type: 'number', 'aria-label': 'Range in hours', min: 0.02 }, (n) => recent(n * HOUR));
  const length = field({ type: 'number', 'aria-label': 'Window in hours', min: 0.02 },
    (n) => ({ growing: false, length: wholeMinutes(n * HOUR) }));
  const date = field({ type: 'date', 'aria-label': 'Day' }, (value) => near(value, 0));
  const before = button('‹', () => set(near(date.value, -1)), { 'aria-label': 'Previous day' });
  const next = button('›', () => set(near(date.value, 1)), { 'aria-label': 'Next day' });

  async function everything() {
    const { extent } = await api.json('collections/events');
    const [[first]] = extent.temporal.interval;
    if (first) last(now() - Date.parse(first));
  }

  function fill() {
    const view = state.get();
    hours.value = Math.round(view.range / 36e3) / 100;
    length.value = Math.round(Math.min(view.length, view.range) / 36e3) / 100;
    date.value = dateText(frame(view, now()).rangeTo - 1, view.zone);
    date.max = dateText(now(), view.zone);
    next.disabled = date.value === date.max;
  }

  const menu = el('div', { id: 'range-menu', popover: 'auto', role: 'dialog', 'aria-label': 'Range of time' },
    el('p', {}, 'Last', PRESETS.map((ms) => button(span(ms), () => last(ms))), button('All', everything)),
    el('p', {}, 'Range', hours, 'h, window', length, 'h'),
    el('p', {}, 'Day', before, date, next));
  on(menu, 'beforetoggle', fill);
  return menu;
}
