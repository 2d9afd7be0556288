// The window of time in words, its ways, and how fresh the record is.
import assert from 'node:assert/strict';
import test from 'node:test';

import { freshness } from '../../../page/app/freshness.js';
import { fromHash, toHash } from '../../../page/app/hash.js';
import { DEFAULTS } from '../../../page/app/state.js';
import * as w from '../../../page/app/timewindow.js';
import { pace } from '../../../page/app/words.js';

const [MINUTE, HOUR, DAY] = [60e3, 3600e3, 86400e3];
const NOW = Date.UTC(2026, 10, 27, 18);
const view = (more) => ({ ...DEFAULTS, zone: 'utc', ...more });
const iso = (ms) => new Date(ms).toISOString();

test('a window is told by its dates', () => {
  for (const [more, words] of [
    [{}, '27 Nov 14:00 UTC – now (4 h)'],
    [{ to: NOW }, '27 Nov 14:00 – 18:00 UTC (4 h)'],
    [{ end: NOW - 16 * HOUR }, '26 Nov 22:00 – 27 Nov 02:00 UTC (4 h)'],
    [{ to: Date.UTC(2024, 4, 4, 12) }, '4 May 2024 08:00 – 12:00 UTC (4 h)'],
    [{ to: Date.UTC(2026, 0, 1, 2) }, '31 Dec 2025 22:00 – 1 Jan 02:00 UTC (4 h)'],
    [{ to: Date.UTC(1900, 0, 2), length: DAY, range: DAY }, '1 Jan 1900 00:00 – 2 Jan 1900 00:00 UTC (24 h)'],
    [{ growing: true }, '24 Nov 18:00 UTC – now (72 h)'],
    // While it is played, in steps of its edges.
    [{ playing: true, end: NOW - 5 * HOUR + 7 * MINUTE }, '27 Nov 09:00 – 13:00 UTC (4 h)'],
  ]) assert.equal(w.label(view(more), NOW), words);
});

test('speeds are told in words, and the address may have any from a minute to 30 days a second', () => {
  assert.deepEqual([60, 600, 3600, 86400, 604800, 2592000, 5400].map(pace),
    ['1 min', '10 min', '1 h', '1 d', '7 d', '30 d', '1.5 h'].map((words) => `${words} a second`));
  assert.deepEqual(['1', '59', '5400', '2592000', '9999999'].map((speed) => fromHash(`#speed=${speed}`).speed),
    [undefined, 60, 5400, 2592000, 2592000]);
});

test('a moment that is sought comes into the window, and nothing leads beyond the present', () => {
  for (const ms of [NOW - HOUR, NOW - 20 * HOUR, NOW - 71.9 * HOUR, NOW - 80 * HOUR, NOW - 9000 * DAY, NOW]) {
    const there = { ...view(), ...w.reach(view(), ms, NOW) };
    const { from, to, rangeFrom, rangeTo } = w.frame(there, NOW);
    assert.ok(from <= ms && ms <= to && rangeFrom <= from && to <= rangeTo && rangeTo <= NOW, iso(ms));
  }
  const old = view({ to: NOW - 30 * DAY });
  const { from, to } = w.frame({ ...old, ...w.reach(old, NOW - HOUR, NOW) }, NOW);
  assert.ok(from <= NOW - HOUR && NOW - HOUR <= to);
});

test('all is in the window, whatever its age, and can be played', () => {
  const all = view(w.everything(NOW - 16 * 365 * DAY, NOW));
  assert.equal(w.frame(all, NOW).from, NOW - 16 * 365 * DAY);
  assert.equal(fromHash(toHash(all)).range, all.range);
  // The first event is seldom at a whole hour of now.
  for (const days of [16 * 365, 36499]) {
    const odd = view(w.everything(NOW - days * DAY - 7 * MINUTE, NOW));
    const { range, length } = fromHash(toHash(odd));
    assert.deepEqual([range, length], [odd.range, odd.length]);
  }
  const played = { ...all, ...w.begin(all, NOW) };
  assert.ok(w.frame(played, NOW).to < NOW);
  assert.ok(w.advance(played, 16, NOW).end > played.end);
  // A window that does not fill its range stays as long as it is.
  assert.equal(w.begin(view(), NOW).length, DEFAULTS.length);
  for (const range of [MINUTE, 73 * DAY, 400 * DAY, 36500 * DAY]) assert.ok(w.grain({ range }) >= MINUTE);
  assert.ok(w.roundLength(36500 * DAY / 180) >= 36500 * DAY / 180);
});

test('a fixed view shows the same tomorrow, in whole minutes', () => {
  const shared = { ...view(), ...w.fixed(view(), NOW + 59e3) };
  const again = { ...DEFAULTS, ...fromHash(toHash(shared)) };
  assert.deepEqual(w.frame(again, NOW + DAY), { ...w.frame(view(), NOW), known: Number.MAX_VALUE });
  const past = view({ to: NOW - DAY, end: NOW - 30 * HOUR });
  assert.equal(w.fixed(past, NOW).to, NOW - DAY);
});

test('sources that are late are named with their time, and a stopped daemon comes first', () => {
  const tell = (news, isPast = false) =>
    freshness({ live: true, ageMs: 3000, ...news }, { isPast, zone: 'utc', nowMs: NOW });
  const source = (name, state, hours) => ({ name, state, since: iso(NOW - hours * HOUR) });
  const late = (...all) => ({ upkeep: { state: 'late', since: all[0].since, late: all } });
  const two = late(source('old', 'failing', 5), source('new', 'overdue', 1));
  assert.deepEqual(tell(two), ['warn', 'Late: 2 sources · 5 h',
    'old fails since 27 Nov 13:00\nnew is overdue since 27 Nov 17:00']);
  assert.deepEqual(tell(late(source('part', 'partly_failing', 49))),
    ['warn', 'Late: part · 2 d', 'part fails in part since 25 Nov 17:00']);
  // Of some it is not known since when.
  assert.deepEqual(tell({ upkeep: { state: 'late', late: [{ name: 'x', state: 'partly_failing' }] } }),
    ['warn', 'Late: x', 'x fails in part']);
  assert.deepEqual(tell(two, true).slice(0, 2), ['warn', 'Past']);
  const stopped = { upkeep: {
    state: 'stopped', reason: 'no_daemon', since: iso(NOW - 6 * MINUTE), late: two.upkeep.late,
  } };
  for (const isPast of [false, true]) {
    assert.deepEqual(tell(stopped, isPast), ['bad', 'Not updating · 6 min', 'No daemon runs since 27 Nov 17:54']);
  }
  assert.deepEqual(tell({ upkeep: { state: 'stopped', reason: 'no_source', late: [] } }),
    ['bad', 'Not updating', 'No source is enabled']);
  assert.deepEqual(tell({ upkeep: { state: 'live', late: [] } }).slice(0, 2), ['ok', 'Live · 3 s']);
  assert.deepEqual(tell({}, true).slice(0, 2), ['dim', 'Past']);
  assert.deepEqual(tell({ ageMs: null }).slice(0, 2), ['warn', 'Connecting']);
  assert.deepEqual(tell({ ageMs: null, isClosed: true }).slice(0, 2), ['ok', 'Connected']);
  assert.deepEqual(tell({ live: false }).slice(0, 2), ['bad', 'Not live']);
});
