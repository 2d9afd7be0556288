// The menu of time: the range by its length or day, the length of the window, and how it is played.

import { button, el, h3, on } from './dom.js';
import { choice, ticked } from './panel.js';
import { HOUR, pace, span } from './words.js';
import { dateText, day, everything, frame, recent, shiftDate, wholeMinutes } from './timewindow.js';

const PRESETS = [1, 24, 72, 168, 720].map((hours) => hours * HOUR);
// From a minute to 30 days a second.
const SPEEDS = [60, 600, 3600, 21600, 86400, 604800, 2592000];
const SWITCHES = {
  growing: 'Growing: the window begins with the range, and its end moves',
  loop: 'Loop: begins again at the end of the range',
  then: 'As then known: without what was reported or corrected later',
};

/** Makes the menu, whose `node` a button with `popovertarget` 'range-menu' opens; `placeAt` puts it there. */
export function createRangeMenu({ state, api, now }) {
  function set(patch) {
    state.set(patch);
    fill();
  }
  const near = (date, days) => day(shiftDate(date, days), state.get().zone, now());
  /** A field; `change` gives the patch for its value. */
  const field = (props, change) => el('input', { ...props, step: 'any', required: true, on: {
    change: ({ target }) => set(target.validity.valid ? change(target.value) : {}),
  } });
  const said = el('p', { class: 'failure', role: 'alert' });

  const hours = field({ type: 'number', 'aria-label': 'Range in hours', min: 0.02 }, (n) => recent(n * HOUR));
  const length = field({ type: 'number', 'aria-label': 'Window in hours', min: 0.02 },
    (n) => ({ growing: false, length: wholeMinutes(n * HOUR) }));
  // A date field of the browser has another form.
  const date = field({ 'aria-label': 'Day, YYYY-MM-DD', size: 10, pattern: '\\d{4}(-\\d\\d){2}' },
    (value) => near(value, 0));
  const before = button('‹', () => set(near(date.value, -1)), { 'aria-label': 'Previous day' });
  const next = button('›', () => set(near(date.value, 1)), { 'aria-label': 'Next day' });
  const speed = choice('Speed', {}, null, (value) => state.set({ speed: Number(value) }));
  const switches = Object.entries(SWITCHES).map(([key, words]) => [key, ticked(state, key, words)]);

  const all = () => api.json('collections/events').then(({ extent }) => {
    const [[first]] = extent.temporal.interval;
    if (first) set(everything(Date.parse(first), now()));
  }, ({ message }) => { said.textContent = message; });

  function fill() {
    const view = state.get();
    hours.value = Math.round(view.range / 36e3) / 100;
    length.value = Math.round(Math.min(view.length, view.range) / 36e3) / 100;
    date.value = dateText(frame(view, now()).rangeTo - 1, view.zone);
    next.disabled = date.value === dateText(now(), view.zone);
    said.textContent = '';
    // The address may name another speed.
    const speeds = [...new Set([...SPEEDS, view.speed])].sort((a, b) => a - b);
    speed.lastChild.replaceChildren(...speeds.map((value) =>
      el('option', { value, selected: value === view.speed, text: pace(value) })));
    for (const [key, { firstChild: box }] of switches) box.checked = view[key];
  }

  /** Puts the menu above the foot, at a button's side of the window. */
  function placeAt(opener) {
    const { left, right } = opener.getBoundingClientRect();
    const { top } = opener.closest('footer').getBoundingClientRect();
    const isLeft = left + right < innerWidth;
    Object.assign(menu.style, {
      left: isLeft ? `${left}px` : 'auto', right: isLeft ? 'auto' : `${innerWidth - right}px`,
      bottom: `${innerHeight - top + 8}px`, maxHeight: `${top - 16}px`,
    });
  }

  const menu = el('div', { id: 'range-menu', popover: 'auto', role: 'dialog', 'aria-label': 'Range of time' },
    el('p', {}, 'Last', PRESETS.map((ms) => button(span(ms), () => set(recent(ms)))), button('All', all)),
    el('p', {}, 'Range', hours, 'h, window', length, 'h'),
    el('p', {}, 'Day, YYYY-MM-DD', before, date, next), said,
    h3('Playing'), speed, switches.map(([, node]) => node));
  on(menu, 'beforetoggle', fill);
  return { node: menu, placeAt };
}
