// Where names stand, and the lines of degrees.
import assert from 'node:assert/strict';
import test from 'node:test';

import { grid, stepAt } from '../../../page/app/ground.js';
import { fill } from '../../../page/app/names.js';
import { distance, inUnits, useUnits } from '../../../page/app/words.js';

const FLAT = { width: 400, height: 300, globe: 0 };
const name = (id, x, y, wide = 40) => ({ id, x, y, wide, high: 16 });
const offsets = (names, signs = [], view = FLAT) => fill(names, signs, view).map(({ id, offset }) => [id, ...offset]);

test('a city has its name to the right of its dot, a country in its middle', () => {
  assert.deepEqual(offsets([name('country:PERU', 100, 100), name('city:Lima', 200, 200)]),
    [['country:PERU', 0, 0], ['city:Lima', 26, 0]]);
});

test('a name moves away from a sign and from names before it', () => {
  // To the right of the city is a sign, so the name stands to the left.
  assert.deepEqual(offsets([name('city:San Jose', 200, 100)], [[220, 100, 12]]), [['city:San Jose', -26, 0]]);
  // On the city is a sign, so the name stands farther off.
  assert.deepEqual(offsets([name('city:Tokyo', 200, 100)], [[200, 100, 14]]), [['city:Tokyo', 38, 0]]);
  assert.deepEqual(offsets([name('country:ITALY', 200, 100), name('country:MALTA', 200, 104)]),
    [['country:ITALY', 0, 0], ['country:MALTA', 0, 14]]);
});

test('a name without room is left out, and those after it are not', () => {
  assert.deepEqual(offsets([name('country:ITALY', 200, 100), name('country:CHAD', 20, 20)], [[200, 100, 40]]),
    [['country:CHAD', 0, 0]]);
});

test('no name hangs outside the globe', () => {
  const globe = { width: 400, height: 300, globe: 100 };
  const names = [name('country:PERU', 200, 150), name('country:NIUE', 290, 150), name('city:Lima', 270, 150)];
  assert.deepEqual(offsets(names, [], globe), [['country:PERU', 0, 0], ['city:Lima', -26, 0]]);
});

test('names are bounded, whatever there is', () => {
  const many = Array.from({ length: 5000 }, (_, i) => name(`city:${i}`, (i % 100) * 60, Math.floor(i / 100) * 20));
  assert.equal(fill(many, [], { width: 6000, height: 1000, globe: 0 }).length, 90);
});

test('degrees are told near by on the plain map alone', () => {
  const box = [138.2, 35.1, 140.9, 36.2], plain = { base: 'plain' };
  assert.deepEqual(grid(plain, box, 5.9), { lines: [], names: [] });
  assert.deepEqual(grid({ base: 'streets' }, box, 8).lines, []);
  assert.equal(stepAt(8), 0.5);
  assert.equal(grid(plain, box, 8).lines.length, 5 + 2);
  assert.deepEqual(grid(plain, box, 8).names.map(({ id }) => id), ['grid:35.5° N', 'grid:36.0° N', 'grid:138.5° E',
    'grid:139.0° E', 'grid:139.5° E', 'grid:140.0° E', 'grid:140.5° E']);
  // Across 180° and the equator.
  assert.deepEqual(grid(plain, [179.2, -0.4, -179.1, 0.4], 8).names.map(({ id }) => id),
    ['grid:0.0° N', 'grid:179.5° E', 'grid:180.0° W', 'grid:179.5° W']);
  for (const zoom of [6, 9.5, 12, 18, 22]) {
    const half = 2000 * 360 / (512 * 2 ** zoom);
    const { lines } = grid(plain, [10 - half, 20 - half, 10 + half, 20 + half], zoom);
    assert.ok(lines.length > 8 && lines.length < 80, `${zoom}: ${lines.length}`);
  }
});

test('distances are told in kilometres, or in miles', () => {
  const words = 'at least 6 within 50 km, 1\u2009000 km SW, depth_km';
  assert.deepEqual([distance(3.44), distance(1200), inUnits(words)], ['3.4 km', '1\u2009200 km', words]);
  useUnits('mi');
  assert.deepEqual([distance(3.44), distance(1200), inUnits(words)],
    ['2.1 mi', '746 mi', 'at least 6 within 31 mi, 621 mi SW, depth_km']);
  useUnits('km');
});
