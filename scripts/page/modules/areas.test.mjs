// The areas of alerts on the map: what is a sign for them, and what is kept of them.
import assert from 'node:assert/strict';
import test from 'node:test';

import { createAreas } from '../../../page/app/areas.js';
import { EventRecord } from '../../../page/app/record.js';
import { createState } from '../../../page/app/state.js';
import { HOUR } from '../../../page/app/words.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const REGION = 3;
const area = { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] };
const alert = (id, more = {}) => ({ id, revision: 1, begin: NOW - HOUR, end: NOW + HOUR, level: 3, area, ...more });

/** Areas over a record of alerts that are known by region; `follow(…alerts)` brings them up to date. */
function made(t, ...ids) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const record = new EventRecord();
  const column = (value) => ids.map(() => value);
  record.replace({ columns: {
    id: ids, time: column(NOW - HOUR), known_from: column(NOW - HOUR), category: column('alert'), revision: column(1),
    longitude: column(1), latitude: column(1), location_precision: column('region'),
  } });
  const states = new Map();
  const name = ({ source, id }) => `${source} ${id}`;
  const map = {
    setFeatureState: (feature, { is }) => states.set(name(feature), is),
    removeFeatureState: (feature) => states.delete(name(feature)),
    getSource: () => ({ setData() {} }), triggerRepaint() {},
  };
  let held = [];
  const state = createState({});
  const areas = createAreas({
    map, state, record, put() {}, drawn: { countries: [] }, alerts: { all: () => held },
    layer: { frame: { from: NOW - 4 * HOUR, to: NOW, known: Number.MAX_VALUE } },
  });
  return {
    areas, state, states, precision: (id) => record.precision[record.version(id)],
    follow(...alerts) {
      held = alerts;
      areas.follow();
      t.mock.timers.tick(250);
    },
  };
}

test('an alert with an area is a sign, and a disc again once its area gives way to newer ones', (t) => {
  const { follow, precision } = made(t, 'a b', 'c');
  follow(alert('a b'), alert('c'));
  assert.deepEqual(['a b', 'c'].map(precision), [1, 1]);
  follow(alert('a b', { area: null }), alert('c'));
  assert.deepEqual(['a b', 'c'].map(precision), [REGION, 1]);
  follow(alert('a b'), alert('c', { area: null }));
  assert.deepEqual(['a b', 'c'].map(precision), [1, REGION]);
});

test('of alerts that are gone, and of countries that are chosen no more, no state is kept', (t) => {
  const { follow, areas, state, states } = made(t, 'a', 'b');
  follow(alert('a'), alert('b', { end: NOW - HOUR / 2 }));
  assert.deepEqual([...states], [['alerts a 1', 2], ['alerts b 1', 1]]);
  areas.point({ type: 'country', id: 'KE' });
  t.mock.timers.tick(250);
  assert.equal(states.get('world KE'), 1);
  areas.point();
  state.set({ pins: false });
  follow(alert('a'), alert('b'));
  assert.deepEqual([...states], []);
});
