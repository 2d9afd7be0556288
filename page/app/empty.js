// What is told where the window has no event: when the newest before it was, and the way there.

import { afterLast, ITEMS, takeTurns } from './api.js';
import { button, el } from './dom.js';
import { asOf, toQuery } from './filter.js';
import { timeOf } from './record.js';
import { frame, label, MOVES, reach } from './timewindow.js';
import { categoryOf, dateClock, iso } from './words.js';

const FILTER = ['categories', 'search', 'box', 'home', 'zone', 'playing'];

/** Hides `container` while there are events in the window, while it is played, and at loading. */
export function createEmpty({ container, state, api, record, loader, now }) {
  const turn = takeTurns();
  const said = el('span');
  let target = null;
  let isLoading = true;
  const go = button('Go there', () => {
    const { id, ms } = target;
    state.set({ ...reach(state.get(), ms, now()), selected: `event:${id}` });
  });
  container.append(said, go);

  function wanted({ categories, search }) {
    const names = categories?.map((name) => categoryOf(name).plural).join(', ') ?? 'events';
    return search ? `${names} that match “${search}”` : names;
  }

  async function look() {
    const signal = turn();
    const view = state.get();
    const span = frame(view, now());
    const isEmpty = record.shown(view, span).next().done;
    if (view.playing || isLoading || !isEmpty) {
      container.hidden = true;
      return;
    }
    const asked = {
      ...toQuery(view, { time: false }), datetime: `../${iso(span.to)}`, home: view.home ? 'include' : 'exclude',
      ...asOf(span.known), limit: 1,
    };
    const answer = await api.json(ITEMS, asked, { signal }).catch(() => null);
    if (signal.aborted) return;
    const [newest] = answer?.features ?? [];
    const ms = newest && timeOf(newest);
    // The service may know of one that the record has not got.
    container.hidden = !answer || ms >= span.from;
    target = newest && { id: newest.id, ms };
    go.hidden = !newest;
    const last = newest ? `The newest is of ${dateClock(ms, view.zone, now())}.` : 'None is older.';
    const words = `No ${wanted(view)} ${label(view, now())}. ${last}`;
    // What is written anew is read aloud anew.
    if (words !== said.textContent) said.textContent = words;
  }

  const soon = afterLast(300, look);
  state.watch([...MOVES, ...FILTER], soon);
  loader.onRecord(soon);
  loader.onProgress(({ done, total, error }) => {
    isLoading = Boolean(error) || done !== total;
    soon();
  });
  setInterval(soon, 60e3);
}
