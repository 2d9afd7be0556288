// Requests to the service that this page comes from, and when they are made.

const AGAIN = 5e3;

/** An answer that is no success, with the members of the problem; `status` is 0 where no answer came. */
class ApiError extends Error {
  constructor(problem) {
    super([problem.title, problem.detail].filter(Boolean).join(': '));
    Object.assign(this, problem);
  }

  get isPassing() {
    return this.status === 0 || (this.status >= 500 && this.type !== '/problems/too-costly');
  }
}

export const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** For requests of which only the newest counts: each call ends the one before, and gives an AbortSignal. */
export function takeTurns() {
  let turn = new AbortController();
  return () => {
    turn.abort();
    turn = new AbortController();
    return turn.signal;
  };
}

/** What calls `fn` so many ms after the first of several calls. */
export function afterFirst(ms, fn) {
  let timer = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      fn();
    }, ms);
  };
}

/** What calls `fn` so many ms after the last of several calls. */
export function afterLast(ms, fn) {
  let timer = null;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(fn, ms);
  };
}

/** Asks again every 5 s while the service cannot be reached or is in trouble; `failed` hears of each failure. */
export async function persist(ask, signal, failed = () => {}) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted || !error.isPassing) throw error;
      failed(error);
    }
    await pause(AGAIN);
    signal?.throwIfAborted();
  }
}

export const ITEMS = 'collections/events/items';
export const eventPath = (id) => `${ITEMS}/${encodeURIComponent(id)}`;

/**
 * Makes requests to the service at `base`. Answers have people's words, which they may delete, so by default the
 * browser keeps none.
 */
export function createApi({ base = document.baseURI } = {}) {
  const url = (path, params) => `${new URL(path, base)}?${new URLSearchParams(params)}`.replace(/\?$/, '');

  async function ask(address, { signal, cache = 'no-store' }, isAgain) {
    let response;
    try {
      response = await fetch(address, { signal, cache, headers: { accept: 'application/json' } });
      if (response.ok) return await response.json();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError({ status: 0, title: 'No answer', detail: 'The service cannot be reached.' });
    }
    const { status } = response;
    const seconds = Number(response.headers.get('retry-after'));
    if (status !== 503 || !seconds || isAgain) {
      const problem = await response.json().catch(() => ({}));
      throw new ApiError({ title: `The service answered ${status}`, ...problem, status });
    }
    await pause(Math.min(seconds, 30) * 1000);
    return ask(address, { signal, cache }, true);
  }

  const json = (path, params, options = {}) => ask(url(path, params), options, false);
  const lasting = (path, params, options = {}) => persist(() => json(path, params, options), options.signal,
    options.failed);
  return { url, json, lasting };
}
