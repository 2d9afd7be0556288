// The foot: play, the histogram with the window over it, the window in dates, and how fresh the record is.

import { button, el, on } from './dom.js';
import { freshness } from './freshness.js';
import { MINUTE, pace, timeText } from './words.js';
import { createHistogram } from './histogram.js';
import { createRangeMenu } from './rangemenu.js';
import { drag, frame, grain, isPresent, label, MOVES, PRESENT } from './timewindow.js';

const STEPS = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9,
};

/** Makes the foot in `container`. Its parts keep their places. */
export function createTimebar({ container, state, api, player, stream, loader, now }) {
  const { get, set } = state;
  const shown = () => frame(get(), now());
  const move = (handle, ms) => set(drag(get(), handle, ms, now()));
  const histogram = createHistogram({ state, api, loader, now });
  let news = { live: true, ageMs: null };

  const play = button('', player.toggle, { class: 'play' });
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

  const menu = createRangeMenu({ state, api, now });
  const opens = (name) => el('button', {
    type: 'button', class: name, 'aria-haspopup': 'dialog', popovertarget: 'range-menu',
    on: { click: ({ currentTarget }) => menu.placeAt(currentTarget) },
  });
  const speed = opens('speed');
  const range = opens('range');
  const toNow = button('Now', () => {
    range.focus();
    set(PRESENT);
  }, { class: 'now', title: 'Back to the present' });
  const live = button('Connecting', () => set({ panel: get().panel === 'sources' ? null : 'sources' }),
    { class: 'live' });
  container.append(play, speed, track, range, toNow, live, menu.node);

  function tell() {
    const [tone, words, title] = freshness(news, { isPast: !isPresent(get()), zone: get().zone, nowMs: now() });
    live.dataset.live = tone;
    live.textContent = words;
    live.title = title;
    live.style.setProperty('--dot', `var(--${tone})`);
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
    range.title = `${words}. Other ranges, and ways of playing`;
    toNow.classList.toggle('gone', isPresent(view));
    tell();
    const minutes = [rangeFrom, from, to, rangeTo].map((ms) => Math.round(ms / MINUTE));
    edges.forEach((node, i) => {
      [node.ariaValueMin, node.ariaValueNow, node.ariaValueMax] = minutes.slice(i);
      node.ariaValueText = `${timeText(minutes[i + 1] * MINUTE, view.zone)}; ${words}`;
    });
  }

  function show(view) {
    play.textContent = view.playing ? '❚❚' : '▶';
    play.ariaLabel = view.playing ? 'Pause' : 'Play';
    speed.textContent = pace(view.speed);
    speed.ariaLabel = `Playing: ${pace(view.speed)}`;
    speed.title = 'Speed and ways of playing';
  }

  stream.onState((state) => {
    news = state;
    tell();
  });
  state.follow(['playing', 'speed'], show);
  state.follow([...MOVES, 'zone', 'playing'], place);
  loader.onRecord(place);
  setInterval(() => {
    if (get().playing) return;
    place();
    histogram.draw();
  }, 10e3);
}
