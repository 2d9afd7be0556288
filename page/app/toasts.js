// Toasts: that a source or the connection fails, and that it has recovered; nothing else.

import { button, el } from './dom.js';
import { LOST } from './freshness.js';
import { sourceState } from './sources.js';

/** The toasts in `container`. What fails at the start is no news and has none. */
export function createToasts({ container, api, stream }) {
  const toasts = new Map();
  const failing = new Map([['', false]]);

  function note(key, isFailing, words) {
    const isNews = isFailing !== (failing.get(key) ?? isFailing);
    failing.set(key, isFailing);
    if (!isNews) return;
    toasts.get(key)?.remove();
    const toast = el('div', { class: 'toast' },
      el('span', { dir: 'auto', text: words }),
      button('×', () => toast.remove(), { class: 'close', 'aria-label': 'Dismiss' }));
    toast.style.borderColor = `var(--${isFailing ? 'bad' : 'ok'})`;
    toasts.set(key, toast);
    container.append(toast);
    if (!isFailing) setTimeout(() => toast.remove(), 10e3);
  }

  async function check() {
    // Without an answer the connection fails, which the stream tells.
    const { sources } = await api.json('status').catch(() => ({ sources: [] }));
    for (const source of sources.filter(({ enabled }) => enabled)) {
      const isFailing = sourceState(source) === 'failing';
      const words = isFailing ? `is failing: ${source.last_failure}` : 'has recovered';
      note(source.name, isFailing, `${source.name} ${words}`);
    }
  }

  stream.onState(({ live }) => note('', !live, live ? 'The connection to the service is back' : LOST));
  check();
  setInterval(check, 60e3);
  return { check };
}
