// How large signs are and which lies on top; removal from a record.
import assert from 'node:assert/strict';
import test from 'node:test';

import { EventRecord } from '../../../page/app/record.js';
import { drawnRadius, rankOf, scaleAt, SIGN, sizeOf } from '../../../page/app/signs.js';

test('the area of a sign grows with 10^(M/2) between its bounds', () => {
  const area = (magnitude) => drawnRadius(magnitude, scaleAt(2)) ** 2;
  assert.ok(Math.abs(area(6) / area(5) - Math.sqrt(10)) < 1e-9);
  assert.ok(Math.abs(area(7) / area(5) - 10) < 1e-9);
  assert.equal(drawnRadius(0, scaleAt(2)), SIGN.LEAST);
  assert.equal(drawnRadius(-1, scaleAt(2)), SIGN.LEAST);
  assert.equal(drawnRadius(9.5, scaleAt(2)), SIGN.MOST);
  assert.equal(drawnRadius(9.5, scaleAt(18)), SIGN.MOST);
  assert.ok(drawnRadius(8.8, scaleAt(2)) > 10 * drawnRadius(2, scaleAt(2)));
  assert.equal(sizeOf(NaN), SIGN.PLAIN);
});

test('below magnitude 2.5 there are dots without a number until zoom 6, and no stronger one is smaller', () => {
  for (let zoom = 0; zoom <= 18; zoom += 0.5) {
    let before = 0;
    for (let magnitude = -1; magnitude <= 9.9; magnitude += 0.1) {
      const r = drawnRadius(magnitude, scaleAt(zoom));
      if (zoom <= 6 && magnitude < 2.5) assert.ok(r < 4 && r < SIGN.FITS, `${zoom} ${magnitude} ${r}`);
      assert.ok(r >= before);
      before = r;
    }
    assert.ok(drawnRadius(5, scaleAt(zoom)) >= SIGN.FITS);
  }
  assert.ok(drawnRadius(1, scaleAt(12)) >= SIGN.FITS);
});

const names = ['id', 'time', 'longitude', 'latitude', 'category', 'magnitude', 'location_precision', 'location_country',
  'location_place_id', 'known_from', 'known_to'];
function recordOf(rows) {
  const record = new EventRecord();
  const whole = rows.map((row, i) => ({ id: `e${i}`, time: i, category: 'earthquake', known_from: i, ...row }));
  record.replace({ columns: Object.fromEntries(names.map((name) => [name, whole.map((row) => row[name] ?? null)])) });
  return record;
}

test('the one that matters more lies on top', () => {
  const kinds = [{ magnitude: -2 }, { magnitude: 1.9 }, { category: 'news' }, { category: 'volcano' }, { magnitude: 4 },
    { category: 'tsunami' }, { magnitude: 6.3 }, { magnitude: 6.4 }, { magnitude: 8.8 }];
  const record = recordOf(kinds);
  const ranks = kinds.map((_, row) => rankOf(record, row));
  assert.deepEqual(ranks.toSorted((a, b) => a - b), ranks);
  assert.equal(new Set(ranks).size, ranks.length);
  assert.ok(ranks[0] >= 0 && ranks.at(-1) <= 255);
});

test('what is removed goes from all columns alike', () => {
  const record = recordOf(Array.from({ length: 3000 }, (_, i) => ({
    location_country: `c${i}`, location_place_id: `p${i}`, magnitude: i % 90 / 10, longitude: i % 180 })));
  for (let i = 7; i < 3000; i += 7) record.applyChange({ kind: 'merged', id: `e${i}`, at: 1e6, into: 'e1000' }, null);
  record.erase('e1000');
  record.prune(100);
  const left = Array.from({ length: 2900 }, (_, i) => i + 100).filter((i) => i % 7 && i !== 1000);
  assert.deepEqual(record.id, left.map((i) => `e${i}`));
  assert.deepEqual(record.country, left.map((i) => `c${i}`));
  assert.deepEqual(record.place, left.map((i) => `p${i}`));
  assert.deepEqual([...record.time.slice(0, record.count)], left);
  assert.deepEqual([...record.lon.slice(0, record.count)], left.map((i) => i % 180));
  assert.ok(record.time.slice(record.count).every((n) => n === 0));
});

test('a record tells 256 categories apart, and keeps no more names', () => {
  const record = recordOf(Array.from({ length: 300 }, (_, i) => ({ category: `k${i}` })));
  assert.equal(record.categories.length, 256);
  assert.equal(record.categories[record.category[254]], 'k254');
  assert.equal(record.category[299], 255);
});
