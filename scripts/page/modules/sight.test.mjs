// Where the globe turns to, from a record.
import assert from 'node:assert/strict';
import test from 'node:test';

import { EventRecord } from '../../../page/app/record.js';
import { weightiest } from '../../../page/app/sight.js';

const NOW = Date.UTC(2026, 10, 28, 12);
const HOUR = 3600e3;

function recordOf(...rows) {
  const record = new EventRecord();
  const names = ['id', 'time', 'longitude', 'latitude', 'category', 'magnitude', 'location_precision',
    'location_evidence', 'known_from', 'known_to'];
  const whole = rows.map(([hours, lon, lat, more], i) => ({
    id: `e${i}`, time: NOW - hours * HOUR, longitude: lon, latitude: lat, category: 'earthquake', magnitude: 5,
    location_precision: 'point', known_from: NOW - hours * HOUR, ...more,
  }));
  record.replace({ columns: Object.fromEntries(names.map((name) => [name, whole.map((row) => row[name] ?? null)])) });
  return record;
}

test('the globe turns to the events of the last day', () => {
  assert.deepEqual(weightiest(recordOf([2, -80, 6], [30, 140, 38, { magnitude: 9 }]), NOW), [-80, 6]);
  assert.equal(weightiest(recordOf([25, 10, 10]), NOW), null);
  assert.equal(weightiest(recordOf(), NOW), null);
});

test('a country, a home, and what has no place turn it nowhere', () => {
  assert.equal(weightiest(recordOf([1, 10, 50, { location_precision: 'country' }],
    [1, 10, 50, { location_precision: 'city', location_evidence: 'author' }],
    [1, null, null, { location_precision: null }]), NOW), null);
  assert.deepEqual(weightiest(recordOf([1, 10, 50, { location_precision: 'country', magnitude: 8 }],
    [1, 20, 20, { location_precision: 'city', category: 'news', magnitude: null }]), NOW), [20, 20]);
});

test('a version that is past does not count', () => {
  const past = { id: 'a', known_to: NOW - HOUR };
  assert.deepEqual(weightiest(recordOf([2, 150, 40, past], [2, -70, -20, { id: 'a', known_from: NOW - HOUR }]), NOW),
    [-70, -20]);
});
