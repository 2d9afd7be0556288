// Fills the record from the service, newest first, and keeps it up to date by the stream.

import { ITEMS, takeTurns } from './api.js';
import { toQuery } from './filter.js';
import { timeOf } from './record.js';
import { createSignal, isSame } from './state.js';
import { count, iso, MINUTE, minuteOf } from './words.js';

const PROPERTIES = 'location_precision,location_evidence,location_radius_km,location_country,'
  + 'location_place_id,depth_km,revision,withdrawn';
const LIMIT = 10000;
const BINS = 300;
// The first slice is small, to show something at once; the others leave room for further versions.
const FIRST_SLICE = 1500;
const SLICE = 8000;
// The most slices that are asked for at once: answers come while the map is drawn. A browser has six connections.
const AHEAD = 5;
// The most versions that are read; older events are in the histogram only.
const MOST = 250e3;
const PRUNE_EVERY = 5 * MINUTE;

const isCostly = ({ type }) => type === '/problems/too-costly';

/** Cuts a span of time into slices, newest first, each for about one answer of events. */
function slicesOf({ bins, bin }, { from, to }) {
  const slices = [];
  let end = to;
  let sum = 0;
  for (const { start, count } of bins.reverse()) {
    const after = Date.parse(start) + bin * 1000;
    if (sum > 0 && sum + count > (slices.length ? SLICE : FIRST_SLICE) && after < end) {
      slices.push({ from: after, to: end });
      end = after;
      sum = 0;
    }
    sum += count;
  }
  return [...slices, { from, to: end }];
}

/** A query without its bounds of magnitude and depth, as text. */
const unbounded = (query) => JSON.stringify(query, (key, value) => (/^(min|max)_/.test(key) ? undefined : value));

/**
 * Loads anew when the search, the box or the range asks for what is not there. `onProgress` tells `{done, total, error,
 * truncated, versions, part}`: rows read, events to read (null: unknown), what failed, whether some are missing,
 * whether past versions are there, and in words how many events are, if not all.
 */
export function createLoader({ state, api, record, stream, now }) {
  const progressed = createSignal();
  const changed = createSignal();
  const turn = takeTurns();
  // The span and filter of what is there or coming, and the query of what is there.
  let loaded = {};
  let held = {};
  // Whether the stream is that of another query.
  let isOther = false;
  // Changes that wait for the end of loading; null: none.
  let waiting = null;

  /** In milliseconds since 1970; `to` is Infinity at the present. */
  const spanOf = ({ range, to }) => ({ from: (to ?? minuteOf(now())) - range, to: to ?? Infinity });

  function take(change) {
    const { feature } = change;
    const at = feature ? timeOf(feature) : NaN;
    if (at < loaded.from || at >= loaded.to) record.applyChange({ ...change, kind: 'left' }, null);
    else record.applyChange(change, feature);
  }

  /** Without an answer leaves what is known to match the query: the map must not show another one than the field. */
  function narrow(query) {
    if (isSame(query, held)) return;
    const isWider = unbounded(query) !== unbounded(held);
    const isWithin = (row) => ['magnitude', 'depth'].every((name) => {
      const { [`min_${name}`]: least, [`max_${name}`]: most } = query;
      const value = record[name][row];
      return (least === undefined || value >= least) && (most === undefined || value <= most);
    });
    record.filter((row) => !isWider && isWithin(row));
    held = query;
    isOther = true;
    changed.tell();
  }

  async function load() {
    const signal = turn();
    const view = state.get();
    const span = spanOf(view);
    const query = toQuery(view, { time: false, categories: false });
    const progress = { done: 0, total: null, error: null, truncated: false, versions: true, part: '' };
    // The change that the stream begins after.
    let seq;
    const tell = (news) => progressed.tell(Object.assign(progress, news));
    loaded = { ...span, search: view.search, box: view.box };

    function failed(error) {
      if (progress.done === 0) narrow(query);
      tell({ error });
    }

    async function ask(path, { from, to }, more) {
      // Both ends of an interval belong to it.
      const datetime = `${iso(from)}/${to === Infinity ? '..' : iso(to - 1)}`;
      const answer = await api.lasting(path, { ...query, datetime, ...more }, { signal, failed });
      progress.error = null;
      return answer;
    }

    /** Asks for a slice, which keeps its answer. */
    function request(slice) {
      if (slice.answer) return;
      slice.versions = progress.versions;
      slice.answer = ask(ITEMS, slice, {
        f: 'columns',
        limit: LIMIT,
        ...slice.versions ? { properties: PROPERTIES, versions: true } : { properties: `${PROPERTIES},first_seen` },
      });
      // A failure counts when its turn comes.
      slice.answer.catch(() => {});
    }

    /** Takes the answer for a slice; returns those that are to be read in its place. */
    async function read({ versions, answer: asked, ...slice }) {
      let answer;
      try {
        answer = await asked;
      } catch (error) {
        if (!isCostly(error) || !versions) throw error;
        progress.versions = false;
        return [slice];
      }
      // All slices but this one are asked for after this change.
      seq ??= answer.seq;
      const isCut = answer.truncated ?? answer.links.some((link) => link.rel === 'next');
      const middle = Math.floor((slice.from + Math.min(slice.to, now())) / 2);
      if (isCut && middle - slice.from > 500) return [{ ...slice, from: middle }, { ...slice, to: middle }];
      if (progress.done === 0) {
        record.replace(answer);
        held = query;
        isOther = false;
        waiting = [];
        stream.start(seq, query);
      } else {
        record.append(answer);
      }
      changed.tell();
      tell({ done: progress.done + answer.columns.id.length, truncated: progress.truncated || isCut });
      return [];
    }

    try {
      tell();
      const histogram = await ask('summary/histogram', span, { bins: BINS }).catch((error) => {
        if (!isCostly(error)) throw error;
        return { bins: [] };
      });
      ({ seq } = histogram);
      const slices = slicesOf(histogram, span);
      const counted = histogram.bins.reduce((sum, bin) => sum + bin.count, 0);
      tell({ total: Math.min(counted, MOST) });
      while (slices.length && progress.done < MOST) {
        slices.slice(0, AHEAD).forEach(request);
        slices.unshift(...await read(slices.shift()));
      }
      // An event has a row for each of its versions.
      const there = record.id.filter((_, row) => record.isVisible(row)).length;
      const part = slices.length && `Of ${count(counted)} events the newest ${count(there)} are on the map. `
        + 'The histogram counts all; choose a shorter range for the others.';
      tell({ total: progress.done, part });
    } catch (error) {
      if (signal.aborted) return;
      failed(error);
      // What is there is not what was asked for.
      loaded.search = null;
    }
    waiting?.forEach(take);
    waiting = null;
    changed.tell();
  }

  function holds(view) {
    const { from, to } = spanOf(view);
    return loaded.search === view.search && loaded.box === view.box && from >= loaded.from && to <= loaded.to;
  }

  state.watch(['search', 'box', 'range', 'to'], (view) => { if (!holds(view)) load(); });
  stream.onBatch((batch) => {
    const changes = isOther ? batch.filter(({ id }) => record.rows(id).length) : batch;
    if (waiting) waiting.push(...changes);
    else changes.forEach(take);
    changed.tell();
  });
  stream.onGap(load);
  setInterval(() => {
    if (loaded.to !== Infinity) return;
    loaded.from = Math.max(loaded.from, spanOf(state.get()).from);
    record.prune(loaded.from);
    changed.tell();
  }, PRUNE_EVERY);

  return { load, onProgress: progressed.on, onRecord: changed.on };
}
