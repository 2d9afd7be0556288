// How fresh the record is: what /status says of the sources, judged and in words.

import { sourceState } from './sources.js';
import { MINUTE, age, count, dateClock } from './words.js';

const MOST = 5 * MINUTE;
const LOST = 'The connection to the service is lost';

/**
 * What an answer of /status says: `late` has the sources that fail, as `{name, since, why}`, that for longest
 * first; `still` is the last poll in ms if a source is due, and none has been asked for twice the shortest
 * interval or five minutes, else null. Times are those of the service.
 */
export function judge({ time, last_poll: polled, sources }) {
  const nowMs = Date.parse(time);
  const enabled = sources.filter((source) => source.enabled);
  const late = enabled.filter((source) => sourceState(source) === 'failing')
    .map(({ name, failing_since: since, last_failure: why }) => ({ name, since: Date.parse(since), why }))
    .sort((a, b) => a.since - b.since);
  const shortest = Math.min(MOST, ...enabled.filter(({ due_reason: reason }) => reason === 'interval')
    .map((source) => Date.parse(source.next_due) - Date.parse(source.last_attempt)).filter((ms) => ms > 0));
  const due = Math.min(...enabled.map((source) => Date.parse(source.next_due)).filter(Number.isFinite));
  const last = Date.parse(polled) || due;
  const isStill = nowMs - last > Math.min(2 * shortest, MOST) && nowMs - due > Math.min(shortest, MINUTE);
  return { late, still: isStill ? last : null };
}

/**
 * A tone, 'ok', 'warn', 'bad' or 'dim', words for the foot, and the whole in a sentence. `live` is whether there
 * is a connection, `ageMs` the age of the newest poll or change (null: unknown), `condition` what `judge` gave;
 * without it the service may have refused to tell (`isClosed`). A window in the past is never called live.
 */
export function freshness({ live, ageMs, condition, isClosed, words }, { isPast, zone, nowMs }) {
  if (!live) return ['bad', 'Not live', words || LOST];
  const { late = [], still = null } = condition ?? {};
  if (still !== null) {
    return ['bad', `Not updating · ${age(nowMs - still)}`,
      `No source has been asked since ${dateClock(still, zone, nowMs)}; the daemon may not be running`];
  }
  const title = late.map(({ name, since, why }) =>
    `${name} fails since ${dateClock(since, zone, nowMs)}${why ? `: ${why}` : ''}`).join('\n');
  if (isPast) return [title ? 'warn' : 'dim', 'Past', title || 'The window is in the past'];
  const [first] = late;
  if (first) {
    const who = late.length > 1 ? `${count(late.length)} sources` : first.name;
    return ['warn', `Late: ${who} · ${age(nowMs - first.since)}`, title];
  }
  if (ageMs !== null) return ['ok', `Live · ${age(ageMs)}`, 'Age of the newest poll or change'];
  return isClosed ? ['ok', 'Connected', 'The service does not tell how fresh its sources are']
    : ['warn', 'Connecting', ''];
}
