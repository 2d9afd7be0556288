// The alerts with their areas: what is asked for, what is held, and how much of it.
import assert from 'node:assert/strict';
import test from 'node:test';

import { createAlerts, phase } from '../../../page/app/alerts.js';
import { alertFacts } from '../../../page/app/facts.js';
import { forceWords } from '../../../page/app/rowwords.js';
import { createSignal, createState } from '../../../page/app/state.js';
import { DAY, HOUR, iso } from '../../../page/app/words.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const at = (hours) => iso(NOW + hours * HOUR);
const square = { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] };
const alert = (id, more = {}, geometry = square) => ({ id, geometry, properties: {
  category: 'alert', revision: 1, time: at(-2), first_seen: at(-2), expires: at(3), severity: 'Severe', ...more } });

/** Alerts whose requests wait until `answer(features)` or `fail()`; `passed()` lets the timer of the next question run. */
function made(view = {}) {
  const asked = [];
  const waiting = [];
  const [record, batch, gap] = [createSignal(), createSignal(), createSignal()];
  const state = createState(view);
  const api = { json: (path, query, { signal }) => {
    asked.push(query);
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      waiting.push({ resolve, reject });
    });
  } };
  const alerts = createAlerts({
    state, api, loader: { onRecord: record.on },
    stream: { onBatch: batch.on, onGap: gap.on }, now: () => NOW,
  });
  const settled = () => new Promise((resolve) => { setImmediate(resolve); });
  return {
    alerts, asked, state, batch, gap, record,
    ids: () => [...alerts.all()].map(({ id }) => id),
    async passed(t) { t.mock.timers.tick(250); await settled(); },
    async answer(features) { waiting.pop().resolve({ features }); await settled(); },
    async fail() { waiting.pop().reject(new Error('offline')); await settled(); },
  };
}

test('one question brings what is there, changes bring the rest', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { alerts, asked, batch, gap, record, ids, passed, answer } = made();
  record.tell();
  await passed(t);
  assert.equal(asked.length, 1);
  assert.equal(asked[0].datetime, `${iso(NOW - 72 * HOUR - 30 * DAY)}/..`);
  await answer([alert('new'), alert('old', { expires: at(-1) })]);
  assert.deepEqual(ids(), ['old', 'new']);
  assert.equal(alerts.inForce(), 1);
  const [, { level, area }] = alerts.all();
  assert.deepEqual([level, area], [3, square]);
  batch.tell([{ id: 'c', feature: alert('c', { severity: undefined, details: { severity: 'Extreme' } }) },
    { id: 'new', feature: alert('new', { withdrawn: 'cancelled' }) }, { id: 'old', feature: null },
    { id: 'q', feature: { id: 'q', geometry: null, properties: { category: 'earthquake' } } }]);
  assert.deepEqual([...alerts.all()].map(({ id, level: severity }) => [id, severity]), [['c', 4]]);
  record.tell();
  await passed(t);
  assert.equal(asked.length, 1);
  gap.tell();
  await passed(t);
  assert.equal(asked.length, 2);
});

test('what has changed since the question is newer than the answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { alerts, batch, record, ids, passed, answer } = made();
  record.tell();
  await passed(t);
  batch.tell([{ id: 'erased', feature: null }, { id: 'a', feature: alert('a', { revision: 2 }) }]);
  await answer([alert('erased'), alert('a'), alert('b')]);
  assert.deepEqual(ids(), ['a', 'b']);
  assert.equal([...alerts.all()][0].revision, 2);
});

test('another search or time of knowledge asks anew, playing does not, and a failure asks again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { asked, state, record, ids, passed, answer, fail } = made();
  record.tell();
  await passed(t);
  await answer([alert('a')]);
  state.set({ search: 'flood' });
  await passed(t);
  assert.equal(asked[1].q, 'flood');
  // What the other search had found is not shown meanwhile, nor without an answer.
  assert.deepEqual(ids(), []);
  await fail();
  assert.deepEqual(ids(), []);
  t.mock.timers.tick(10e3);
  await passed(t);
  assert.equal(asked.length, 3);
  await answer([alert('b')]);
  // While it is played no other area may be seen than those that the search asks for.
  state.set({ playing: true, search: 'storm' });
  await passed(t);
  assert.deepEqual([ids(), asked.length], [[], 3]);
  state.set({ search: 'flood' });
  await passed(t);
  // The search of before is asked for again, since nothing of it is held.
  state.set({ playing: false });
  await passed(t);
  assert.deepEqual([asked.length, asked[3].q], [4, 'flood']);
  // An answer to another search comes too late.
  state.set({ playing: true, search: 'ash' });
  await passed(t);
  await answer([alert('late')]);
  assert.deepEqual(ids(), []);
  state.set({ playing: true, then: true, end: NOW - 5 * HOUR });
  await passed(t);
  assert.equal(asked.length, 4);
  state.set({ playing: false });
  await passed(t);
  assert.equal(asked[4].as_of, at(-5));
});

test('number and corners are bounded', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { alerts, batch, record, ids, passed, answer } = made();
  record.tell();
  await passed(t);
  await answer([alert('0')]);
  const ring = Array.from({ length: 60e3 }, (_, i) => [100 + i / 1e5, 40.123456]);
  const large = { type: 'Polygon', coordinates: [ring] };
  batch.tell([...Array(5).keys()].map((i) => ({ id: `large${i}`, feature: alert(`large${i}`, {}, large) })));
  const areas = () => [...alerts.all()].filter(({ area }) => area).map(({ id }) => id);
  // The newest keep theirs.
  assert.deepEqual(areas(), ['large2', 'large3', 'large4']);
  // What goes makes room.
  batch.tell([{ id: 'large3', feature: null }, { id: 'large0', feature: alert('large0', {}, large) }]);
  assert.deepEqual(areas(), ['large2', 'large4', 'large0']);
  batch.tell([...Array(1200).keys()].map((i) => ({ id: `n${i}`, feature: alert(`n${i}`) })));
  assert.equal(ids().length, 1000);
  assert.deepEqual([ids()[0], ids().at(-1)], ['n200', 'n1199']);
  batch.tell([{ id: 'point', feature: alert('point', {}, { type: 'Point', coordinates: [0, 0] }) }]);
  assert.equal([...alerts.all()].at(-1).area, null);
});

test('of an answer, too, the newest keep their areas', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { alerts, record, passed, answer } = made();
  record.tell();
  await passed(t);
  const ring = Array.from({ length: 60e3 }, (_, i) => [100 + i / 1e5, 40.123456]);
  const large = { type: 'Polygon', coordinates: [ring] };
  // The newest come first.
  await answer([...Array(5).keys()].map((i) => alert(`age${i}`, {}, large)));
  assert.deepEqual([...alerts.all()].filter(({ area }) => area).map(({ id }) => id), ['age2', 'age1', 'age0']);
});

test('an alert is in force, has ended in the window, or is not of it', () => {
  for (const [begin, end, wanted] of [[-2, 3, 2], [-30, 3, 2], [-2, -1, 1], [-30, -23, 1], [-30, -25, 0], [1, 3, 0],
    [-2, 0, 1], [-2, -3, 1]]) {
    assert.equal(phase({ begin, end }, -24, 0), wanted, `${begin} ${end}`);
  }
});

test('its words say until when, and what to do', () => {
  const words = (more) => forceWords(alert('a', more).properties, NOW);
  assert.equal(words({}), 'in force, expires in 3 h');
  assert.equal(words({ expires: at(-50) }), 'ended 2 d ago');
  assert.equal(words({ expires: undefined }), 'in force, end not known');
  assert.equal(words({ expires: undefined, time: at(-30) }), 'ended 6 h ago');
  assert.equal(words({ time: at(1) }), 'begins in 1 h');
  assert.equal(words({ category: 'news' }), '');
  assert.equal(words({ withdrawn: 'cancelled' }), '');
  const told = (details) => alertFacts({ details }).filter(([, text]) => text);
  assert.deepEqual(told({ severity: 'Severe', urgency: 7, responseType: ['Evacuate', {}, 'Shelter'],
    instruction: 'Go.', certainty: null }),
  [['Severity', 'Severe'], ['Response', 'Evacuate, Shelter'], ['Instruction', 'Go.']]);
  for (const details of [undefined, null, 7, 'text', []]) assert.deepEqual(told(details), []);
});
