// Requests to the service that this page comes from.

/** An answer that is no success, with the members of the problem; `status` is 0 where no answer came. */
class ApiError extends Error {
  constructor(problem) {
    super([problem.title, problem.detail].filter(Boolean).join(': '));
    Object.assign(this, problem);
  }
}

async function failure(response) {
  const title = `The service answered ${response.status}`;
  const problem = await response.json().catch(() => ({}));
  return new ApiError({ title, ...problem, status: response.status });
}

/** For requests of which only the newest counts: each call ends the one before, and gives an AbortSignal. */
export function takeTurns() {
  let turn = new AbortController();
  return () => {
    turn.abort();
    turn = new AbortController();
    return turn.signal;
  };
}

/**
 * Makes the requests of the page. `base` is the service's address, by default the document's. `params` are
 * URLSearchParams or an object.
 */
export function createApi({ fetch, base = document.baseURI }) {
  const url = (path, params) => `${new URL(path, base)}?${new URLSearchParams(params)}`.replace(/\?$/, '');

  async function ask(address, signal, isAgain) {
    let response;
    try {
      // Answers have people's words, which they may delete, so the browser keeps none.
      response = await fetch(address, { signal, cache: 'no-store', headers: { accept: 'application/json' } });
      if (response.ok) return await response.json();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError({ status: 0, title: 'No answer', detail: 'The service cannot be reached.' });
    }
    const seconds = Number(response.headers.get('retry-after'));
    if (response.status !== 503 || !seconds || isAgain) throw await failure(response);
    await new Promise((resolve) => { setTimeout(resolve, Math.min(seconds, 30) * 1000); });
    return ask(address, signal, true);
  }

  return { url, json: (path, params, { signal } = {}) => ask(url(path, params), signal, false) };
}
