// Calls that come too often are gathered.

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
