// The categories: legend, counts in the window, and filter in one.

import { afterFirst } from './api.js';
import { button, el, sign } from './dom.js';
import { shows } from './filter.js';
import { frame, MOVES } from './timewindow.js';
import { CATEGORIES, categoryOf, count } from './words.js';

const ALWAYS = ['earthquake', 'volcano', 'news', 'message'];
// A view that shows all.
const ALL = { home: true };
const KNOWN = Object.keys(CATEGORIES);
const rank = (name) => (KNOWN.includes(name) ? KNOWN.indexOf(name) : KNOWN.length);

/**
 * Four categories are always there, others once there are events of them. A click hides or shows a category; with Alt,
 * or as the second of two, it leaves this one alone, and all come back the same way.
 */
export function createChips({ container, state, record, loader, now }) {
  const chips = new Map();
  let measured = '';
  // The categories before the first of two clicks.
  let before = null;
  const isShown = (name) => shows(state.get(), name);

  function toggle(name) {
    const all = [...new Set([...KNOWN, ...record.categories])];
    const shown = all.filter((other) => isShown(other) !== (other === name));
    // Without any category the map would look as if nothing happened on Earth.
    const isFilter = shown.length < all.length && shown.some((other) => chips.has(other));
    state.set({ categories: isFilter ? shown : null });
  }

  function only(name) {
    state.set({ categories: before?.join() === name ? null : [name] });
  }

  function add(name) {
    const { plural } = categoryOf(name);
    const chip = button('', ({ altKey, detail }) => {
      if (altKey || detail !== 2) before = state.get().categories;
      if (altKey || detail === 2) only(name);
      else toggle(name);
    }, { class: 'chip', title: `Only ${plural}: click twice, or with Alt` });
    chip.append(sign(name), el('span', {}, plural), el('b'));
    // Categories with a sign of their own come before all others.
    const next = [...chips.keys()].find((other) => rank(other) > rank(name));
    container.insertBefore(chip, chips.get(next) ?? null);
    chips.set(name, chip);
  }

  /** Gives each number the room of that of the whole range, so that no chip moves while the window does. */
  function measure({ rangeFrom, rangeTo }) {
    const { range, to } = state.get();
    if (measured === (measured = [record.generation, range, to].join())) return;
    const totals = record.counts(ALL, { from: rangeFrom, to: rangeTo });
    for (const [name, chip] of chips) chip.style.setProperty('--digits', count(totals[name] ?? 0).length);
  }

  function draw() {
    const span = frame(state.get(), now());
    const counts = record.counts(ALL, span);
    for (const name of [...ALWAYS, ...record.categories]) if (!chips.has(name)) add(name);
    measure(span);
    for (const [name, chip] of chips) {
      chip.lastChild.textContent = count(counts[name] ?? 0);
      chip.ariaPressed = isShown(name);
    }
  }

  // Four times a second is as much as an eye can read.
  const update = afterFirst(250, draw);
  state.watch(['categories'], draw);
  state.watch(MOVES, update);
  loader.onRecord(update);
  setInterval(update, 10e3);
  draw();
}
