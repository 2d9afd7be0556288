// The changes as they come. Of all tabs with the same filter one has the connection and tells the others.

import { takeTurns } from './api.js';
import { on } from './dom.js';
import { createSignal } from './state.js';

const UPKEEP_EVERY = 30e3;
// A connection that comes back within this is no news.
const GRACE = 5e3;
// The changes of a frame are told together. A hidden tab has timers, but no frames.
const FRAME = 16;

/**
 * `start(after, query)` begins after the change of that number. `onBatch` tells the changes of a frame, `onGap` that
 * some are missing, `onState` each second what `freshness` takes. Without locks, which need https or localhost, each
 * tab has a connection of its own.
 */
export function createStream({ api, now }) {
  const { locks } = navigator;
  const [flushed, stated, missed] = Array.from({ length: 3 }, createSignal);
  const turn = takeTurns();
  let waiting = [];
  let live = null;
  // The time of the newest change or poll; 0: unknown.
  let newest = 0;
  let told = { upkeep: null, isClosed: false };

  function flush() {
    flushed.tell(waiting.splice(0));
  }

  function start(after, query) {
    const signal = turn();
    waiting = [];
    const params = new URLSearchParams(query);
    params.set('withdrawn', 'include');
    // Another service may be below another path.
    const name = `visiventd changes ${api.url('stream', params)}`;
    const channel = locks && new BroadcastChannel(name);
    // The number of the last change here, and of the last one that another tab is known to have.
    let last = after;
    let target = after;
    let isCatchingUp = false;
    let source = null;

    const askFrom = (number) => { params.set('after', number); return params; };
    const send = (change) => channel?.postMessage({ last, live, newest, told, change });

    function report() {
      if (source) send();
      if (live === null) return;
      const ageMs = newest ? Math.max(0, now() - newest) : null;
      stated.tell({ live, ageMs, ...told });
    }

    function setLive(isLive) {
      live = isLive;
      report();
    }

    function accept(change) {
      if (change.seq <= last) return;
      last = change.seq;
      newest = Math.max(newest, Date.parse(change.at));
      if (waiting.push(change) === 1) setTimeout(flush, FRAME);
    }

    function giveUp() {
      turn();
      waiting = [];
      missed.tell();
    }

    /** Reads what this tab has missed of what another has. */
    async function catchUp() {
      isCatchingUp = true;
      try {
        while (target > last) {
          const { changes, next } = await api.json('changes', askFrom(last), { signal });
          changes.forEach(accept);
          last = next;
        }
      } catch ({ status }) {
        // After another failure the next message shows again that something is missing.
        if (status === 410) giveUp();
      }
      isCatchingUp = false;
    }

    function hear({ data: message }) {
      // A new tab, which knows nothing yet, asks.
      if (source) {
        report();
        return;
      }
      live = message.live ?? live;
      if (message.live !== null) told = message.told;
      newest = Math.max(newest, message.newest);
      target = Math.max(target, message.change?.seq ?? message.last);
      if (isCatchingUp) return;
      if (message.change && message.last <= last) accept(message.change);
      else if (target > last) catchUp();
    }

    function connect() {
      source = new EventSource(api.url('stream', askFrom(last)));
      source.onopen = () => setLive(true);
      source.onerror = () => setTimeout(() => {
        if (!signal.aborted && source.readyState !== EventSource.OPEN) setLive(false);
      }, live ? GRACE : 0);
      on(source, 'gap', giveUp);
      on(source, 'change', ({ data }) => {
        const change = JSON.parse(data);
        send(change);
        accept(change);
      });
    }

    async function check() {
      // A connection that the service has refused does not come back by itself.
      if (source.readyState === EventSource.CLOSED) connect();
      try {
        const upkeep = await api.json('page/upkeep', {}, { signal });
        newest = Math.max(newest, Date.parse(upkeep.last_poll) || 0);
        told = { upkeep, isClosed: false };
      } catch ({ status }) {
        // A proxy may keep it from those who see the map. Without an answer the stream tells that all is gone.
        if (status >= 400 && status < 500) told = { upkeep: null, isClosed: true };
      }
      if (!signal.aborted) report();
    }

    const timers = [setInterval(report, 1000)];
    const ended = new Promise((resolve) => { on(signal, 'abort', resolve); });
    ended.then(() => {
      source?.close();
      channel?.close();
      timers.forEach(clearInterval);
    });

    function lead() {
      connect();
      check();
      timers.push(setInterval(check, UPKEEP_EVERY));
      return ended;
    }

    if (channel) {
      channel.onmessage = hear;
      send();
      locks.request(name, { signal }, lead).catch(() => {});
    } else {
      lead();
    }
  }

  return { start, onBatch: flushed.on, onState: stated.on, onGap: missed.on };
}
