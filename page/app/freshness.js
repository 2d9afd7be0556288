// How fresh the record is, in words for the foot: the service's judgement (/page/upkeep) and the connection.

import { age, count, dateClock } from './words.js';

export const LOST = 'The connection to the service is lost';
const TROUBLES = { failing: 'fails', partly_failing: 'fails in part', overdue: 'is overdue' };
const REASONS = {
  no_daemon: 'No daemon runs', no_poll: 'A source is due, and none is asked', no_source: 'No source is enabled',
};

/**
 * A tone, 'ok', 'warn', 'bad' or 'dim', words for the foot, and the whole in a sentence. `live`: there is a connection;
 * `ageMs`: of the newest poll or change, or null; `upkeep`: what the service says of its sources, or null; `isClosed`:
 * it refuses to. A window in the past is never called live.
 */
export function freshness({ live, ageMs, upkeep, isClosed }, { isPast, zone, nowMs }) {
  if (!live) return ['bad', 'Not live', LOST];
  const { state, reason, since, late = [] } = upkeep ?? {};
  const when = (time) => (time ? ` since ${dateClock(Date.parse(time), zone, nowMs)}` : '');
  const old = (time) => (time ? ` · ${age(nowMs - Date.parse(time))}` : '');
  if (state === 'stopped') {
    return ['bad', `Not updating${old(since)}`, `${REASONS[reason] ?? 'No source is asked'}${when(since)}`];
  }
  const title = late.map((source) => `${source.name} ${TROUBLES[source.state] ?? source.state}${when(source.since)}`)
    .join('\n');
  if (isPast) return [title ? 'warn' : 'dim', 'Past', title || 'The window is in the past'];
  if (late.length) {
    const who = late.length > 1 ? `${count(late.length)} sources` : late[0].name;
    return ['warn', `Late: ${who}${old(since)}`, title];
  }
  if (ageMs !== null) return ['ok', `Live · ${age(ageMs)}`, 'Age of the newest poll or change'];
  return isClosed ? ['ok', 'Connected', 'The service does not tell how fresh its sources are']
    : ['warn', 'Connecting', ''];
}
