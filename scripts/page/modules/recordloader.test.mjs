// The loader: what it tells where a range has more than it reads.
import assert from 'node:assert/strict';
import test from 'node:test';

import { EventRecord } from '../../../page/app/record.js';
import { createLoader } from '../../../page/app/recordloader.js';
import { createState } from '../../../page/app/state.js';
import { count, HOUR, iso } from '../../../page/app/words.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const BINS = 40;
const PER_BIN = 7000;
const ROWS = 10000;

/** An answer of two versions of each event, the second of them known now. */
function answer({ datetime }) {
  const from = Date.parse(datetime.split('/')[0]);
  const rows = Array.from({ length: ROWS }, (_, i) => i);
  const column = (value) => rows.map(value);
  return { seq: 1, truncated: false, columns: {
    id: column((i) => `${from} ${i >> 1}`), time: column((i) => from + (i >> 1)), category: column(() => 'earthquake'),
    known_from: column((i) => from + (i >> 1) + (i % 2)),
    known_to: column((i) => (i % 2 ? null : from + (i >> 1) + 1)),
  } };
}

test('of a range with more than is read the loader counts events, not versions', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const bins = Array.from({ length: BINS }, (_, i) => ({ start: iso(NOW - (BINS - i) * HOUR), count: PER_BIN }));
  const nothing = () => {};
  const loader = createLoader({
    state: createState({ range: BINS * HOUR }), record: new EventRecord(), now: () => NOW,
    stream: { start: nothing, onBatch: nothing, onGap: nothing },
    api: { lasting: async (path, query) => (path === 'summary/histogram' ? { bins, bin: 3600 } : answer(query)) },
  });
  let told = {};
  loader.onProgress((progress) => { told = progress; });
  await loader.load();
  assert.equal(told.error, null);
  assert.equal(told.done, 250e3);
  assert.equal(told.part, `Of ${count(BINS * PER_BIN)} events the newest ${count(125e3)} are on the map. `
    + 'The histogram counts all; choose a shorter range for the others.');
});

test('five slices are asked for at once and taken in order, and the stream begins before them all', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const bins = Array.from({ length: 6 }, (_, i) => ({ start: iso(NOW - (6 - i) * HOUR), count: PER_BIN }));
  const record = new EventRecord(), waiting = [], taken = [], started = [], nothing = () => {};
  for (const name of ['replace', 'append']) {
    const take = record[name].bind(record);
    record[name] = (given) => { taken.push(given.columns.id[0]); take(given); };
  }
  const loader = createLoader({
    state: createState({ range: 6 * HOUR }), record, now: () => NOW,
    stream: { start: (after) => started.push(after), onBatch: nothing, onGap: nothing },
    api: { lasting: (path, { datetime }) => (path === 'summary/histogram' ? { bins, bin: 3600, seq: 7 }
      : new Promise((done) => { waiting.push({ from: Date.parse(datetime.split('/')[0]), done }); })) },
  });
  const loading = loader.load();
  const give = ({ from, done }) => done({ seq: 9, truncated: false, columns: {
    id: [`${from}`], time: [from], category: ['earthquake'], known_from: [from], known_to: [null] } });
  await new Promise(setImmediate);
  assert.equal(waiting.length, 5);
  // The newest, which was asked for first, comes last.
  waiting.splice(0).reverse().forEach(give);
  await new Promise(setImmediate);
  waiting.forEach(give);
  await loading;
  assert.deepEqual(started, [7]);
  // replace() appends.
  assert.deepEqual([...new Set(taken)], [1, 2, 3, 4, 5, 6].map((n) => `${NOW - n * HOUR}`));
  assert.equal(record.count, 6);
});
