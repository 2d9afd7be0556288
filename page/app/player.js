// Playing: moves the window frame by frame, and hands each place of it to the map.

import { on } from './dom.js';
import { advance, begin, frame, MOVES } from './timewindow.js';

// The longest step in ms: after a pause of the browser, such as a hidden tab, the window does not leap. With
// reduced motion each step is as long.
const STEP = 1000;

export function createPlayer({ state, map, record, loader, now, requestFrame }) {
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  let last = null;
  let isRunning = false;
  const show = () => map.setFrame(frame(state.get(), now()));

  /** Begins no earlier than with the first event that shows: a map without any looks broken. */
  function play() {
    const view = state.get();
    const { rangeFrom: from, rangeTo: to } = frame(view, now());
    const first = [...record.shown(view, { from, to: to - 1 })].find((row) => record.precision[row]);
    state.set(begin(view, now(), record.time[first]));
  }
  const pause = () => state.set({ playing: false });

  function tick(time) {
    isRunning = state.get().playing;
    if (!isRunning) return;
    const elapsed = time - (last ??= time);
    if (elapsed >= (still.matches ? STEP : 1)) {
      last = time;
      state.set(advance(state.get(), Math.min(elapsed, STEP), now()));
    }
    requestFrame(tick);
  }

  state.watch(['playing'], ({ playing }) => {
    if (!playing || isRunning) return;
    isRunning = true;
    last = null;
    requestFrame(tick);
  });
  state.watch(MOVES, show);
  const follow = () => { if (!state.get().playing) show(); };
  loader.onRecord(follow);
  setInterval(follow, 5e3);
  on(still, 'change', () => { if (still.matches) pause(); });
  show();

  return { play, pause, show, toggle: () => (state.get().playing ? pause() : play()) };
}
