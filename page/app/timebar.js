// The foot: play, the histogram with the window over it, the range, and how fresh the record is.

import { button, el, on } from './dom.js';
import { MINUTE, age, timeText } from './words.js';
import { DEFAULTS } from './state.js';
import { createHistogram } from './histogram.js';
import { createRangeMenu } from './rangemenu.js';
import { drag, frame, grain, label, MOVES } from './timewindow.js';

// Steps of an edge of the window by key.
const STEPS = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9,
};
const SWITCHES = { growing: 'Growing', loop: 'Loop', then: 'As then known' };
const CONTROLS = ['playing', 'speed', ...Object.keys(SWITCHES)];

/** Makes the foot in `container`; `stream` tells how fresh the record is. */
export function createTimebar({ container, state, api, player, stream, loader, now }) {
  const { get, set } = state;
  const shown = () => frame(get(), now());
  const move = (handle, ms) => set(drag(get(), handle, ms, now()));
  const histogram = createHistogram({ state, api, loader, now });
  let fresh = { live: true, ageMs: null };

  const play = button('', player.toggle, { class: 'play' });
  const speed = el('input', {
    type: 'number', min: 60, max: 86400, step: 60, 'aria-label': 'Speed, times real time',
    title: '3600 shows an hour in a second',
    on: { change() {
      set({ speed: Math.max(60, Math.min(86400, Math.round(speed.value))) });
      show();
    } },
  });
  const switches = Object.entries(SWITCHES).map(([key, words]) =>
    button(words, () => set({ [key]: !get()[key] }), { dataset: { key } }));
  const extras = el('div', { class: 'extras', role: 'group', 'aria-label': 'Playing', hidden: true },
    el('label', {}, speed, ' ×'), switches);

  const edge = (side, end, words) => el('div', {
    class: `edge ${side}`, dataset: { handle: side }, role: 'slider', tabindex: 0, 'aria-label': words,
    on: { keydown(event) {
      const steps = STEPS[event.key];
      if (!steps || event.shiftKey) return;
      event.preventDefault();
      move(side, shown()[end] + steps * grain(get()));
    } },
  });
  const edges = [edge('left', 'from', 'Window begins'), edge('right', 'to', 'Window ends')];
  const track = el('div', { class: 'track', role: 'group', 'aria-label': 'Window of time' },
    histogram.canvas, el('div', { class: 'shade' }),
    el('div', { class: 'window', dataset: { handle: 'body' } }, edges));

  const range = el('button', {
    type: 'button', class: 'range', 'aria-haspopup': 'dialog', popovertarget: 'range-menu',
  });
  const live = button('Connecting', () => set({ panel: get().panel === 'sources' ? null : 'sources' }),
    { class: 'live' });
  container.append(play, extras, track, range, live, createRangeMenu({ state, api, now }));

  /** How fresh the record is; a window in the past is never called live. */
  function tell() {
    const { live: isLive, ageMs, words } = fresh;
    const isPast = (get().end ?? get().to) !== null;
    [live.dataset.live, live.textContent] = !isLive ? ['bad', 'Not live']
      : isPast ? [words ? 'warn' : 'dim', 'Past']
        : ageMs === null ? ['warn', 'Connecting'] : [words ? 'warn' : 'ok', `Live · ${age(ageMs)}`];
    live.style.setProperty('--dot', `var(--${live.dataset.live})`);
    live.title = words || (isPast ? 'The window is in the past' : 'Age of the newest poll or change');
  }

  // MARK: The window

  let follow = null;

  function timeAt(x) {
    const { left, width } = track.getBoundingClientRect();
    return shown().rangeFrom + (x - left) / width * get().range;
  }

  on(track, 'pointerdown', ({ button: which, target, clientX, pointerId }) => {
    if (which !== 0) return;
    const { handle } = target.dataset;
    const { from, to } = shown();
    // Outside the window it jumps there, with its middle under the pointer.
    const offset = handle ? timeAt(clientX) - (handle === 'left' ? from : to) : (from - to) / 2;
    follow = (x) => move(handle ?? 'body', timeAt(x) - offset);
    track.setPointerCapture(pointerId);
    if (!handle) follow(clientX);
  });
  on(track, 'pointermove', ({ clientX }) => {
    if (follow) follow(clientX);
    else track.title = histogram.wordsAt(timeAt(clientX));
  });
  on(track, 'lostpointercapture', () => { follow = null; });

  function place() {
    const view = get();
    const { rangeFrom, from, to, rangeTo } = shown();
    // Hundredths of the track. A length that stays the same costs no layout while the window moves.
    const places = { from: from - rangeFrom, to: to - rangeFrom, length: to - from };
    for (const [name, ms] of Object.entries(places)) {
      track.style.setProperty(`--${name}`, (ms / view.range * 100).toFixed(3));
    }
    const words = label(view, now());
    // While playing, the words for screen readers change with the label, not with each frame.
    if (view.playing && range.textContent === words) return;
    range.textContent = words;
    tell();
    const minutes = [rangeFrom, from, to, rangeTo].map((ms) => Math.round(ms / MINUTE));
    edges.forEach((node, i) => {
      [node.ariaValueMin, node.ariaValueNow, node.ariaValueMax] = minutes.slice(i);
      node.ariaValueText = `${timeText(minutes[i + 1] * MINUTE, view.zone)}; ${words}`;
    });
  }

  function show() {
    const view = get();
    play.textContent = view.playing ? '❚❚' : '▶';
    play.ariaLabel = view.playing ? 'Pause' : 'Play';
    speed.value = view.speed;
    for (const node of switches) node.ariaPressed = view[node.dataset.key];
    // Once they have been wanted they stay.
    if (CONTROLS.some((key) => view[key] !== DEFAULTS[key])) extras.hidden = false;
  }

  stream.onState((news) => {
    fresh = news;
    tell();
  });
  state.watch([...MOVES, 'zone', 'playing'], place);
  state.watch(CONTROLS, show);
  setInterval(() => {
    if (get().playing) return;
    place();
    histogram.draw();
  }, 10e3);
  show();
  place();
}
