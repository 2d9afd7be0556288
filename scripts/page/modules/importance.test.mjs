// How much an event matters, and where the weight of events lies.
import assert from 'node:assert/strict';
import test from 'node:test';

import {
  aviationColour, importance, isInForce, middleOfWeight, pagerColour, ranked,
} from '../../../page/app/importance.js';

const NOW = Date.UTC(2026, 10, 28, 12);
const HOUR = 3600e3;
const ago = (hours) => new Date(NOW - hours * HOUR).toISOString();
const of = (properties, hours = 0) => importance({ time: ago(hours), ...properties }, NOW);
const quake = (magnitude, hours = 0, details = {}) => of({ category: 'earthquake', magnitude, details }, hours);
const close = (found, expected) => assert.ok(Math.abs(found - expected) < 0.005, `${found} for ${expected}`);

test('the table of the documentation', () => {
  for (const [hours, loss] of [[0, 0], [6, 0.5], [24, 1.161], [72, 1.85], [168, 2.429], [720, 3.46]]) {
    close(quake(6, hours), 6 - loss);
  }
});

test('a strong earthquake of yesterday goes before a weak one of now', () => {
  assert.ok(quake(6.3, 24) > quake(4.5) && quake(4.5) > quake(5.5, 24));
  assert.ok(quake(8.8, 71) > quake(6.3, 24));
});

test('losses, tsunami, severity and the colour for aviation count as a magnitude', () => {
  close(quake(5.8, 0, { alert: 'red' }), 8);
  close(quake(5.8, 0, { alert: 'Orange' }), 7);
  close(quake(5.8, 0, { alert: 'green' }), 5.8);
  close(quake(5.9, 0, { tsunami: 1 }), 6.5);
  close(quake(7.9, 0, { tsunami: 1 }), 7.9);
  close(quake(5.9, 0, { tsunami: 0 }), 5.9);
  const alert = (severity, more) => of({ category: 'alert', details: { severity }, ...more });
  assert.ok(alert('Extreme') > alert('Severe') && alert('Severe') > alert('Moderate'));
  assert.ok(alert('Moderate') > alert('Minor') && alert('Minor') >= alert('Unknown'));
  const volcano = (colour) => of({ category: 'volcano', details: { parameters: { 'Aviation Color Code': colour } } });
  assert.ok(volcano('RED') > volcano('ORANGE') && volcano('ORANGE') > volcano('YELLOW'));
  assert.ok(volcano('YELLOW') > volcano('UNASSIGNED'));
});

test('an alert in force does not age, and one that has ended weighs less', () => {
  const alert = (expires, hours) => of({ category: 'alert', expires, details: { severity: 'Severe' } }, hours);
  close(alert(ago(-3), 48), 6);
  close(alert(ago(1), 24), 6 - 2 - 1.161);
  // Without an end it is in force for a day.
  close(alert(undefined, 23), 6);
  close(alert(undefined, 24), 6 - 2 - 1.161);
  assert.deepEqual([-1, 0, 1].map((h) => isInForce({ category: 'alert', time: ago(5), expires: ago(h) }, NOW)),
    [true, false, false]);
  assert.deepEqual([23, 25].map((h) => isInForce({ category: 'alert', time: ago(h) }, NOW)), [true, false]);
  assert.equal(isInForce({ category: 'news', time: ago(1), expires: ago(-1) }, NOW), false);
  assert.equal(isInForce({ category: 'alert', time: ago(1), withdrawn: 'cancelled' }, NOW), false);
});

test('values of any kind from outside have a weight', () => {
  const odd = [null, undefined, NaN, 1e300, '7', [], {}, true, '__proto__', 'constructor'];
  for (const value of odd) {
    for (const key of ['magnitude', 'category', 'expires', 'details']) {
      assert.ok(Number.isFinite(of({ category: 'alert', [key]: value })), `${key} ${value}`);
    }
    for (const key of ['alert', 'tsunami', 'severity', 'parameters', 'colour']) {
      const weight = quake(3, 0, { [key]: value });
      assert.ok(weight >= 3 && weight <= 10, `${key} ${value}`);
    }
  }
  assert.ok(Number.isFinite(importance({}, NOW)));
  close(quake(1e9), 10);
  assert.equal(quake(3, -5), 3);
  assert.equal(of({ category: 'earthquake', magnitude: 9, withdrawn: 'deleted' }), -Infinity);
});

test('colours are told as words, others not at all', () => {
  assert.equal(pagerColour({ alert: 'Yellow' }), 'yellow');
  assert.equal(pagerColour({ alert: 'purple' }), '');
  assert.equal(pagerColour(null), '');
  assert.equal(aviationColour({ parameters: { ColorCode: 'Orange' } }), 'orange');
  assert.equal(aviationColour({ parameters: { 'Aviation Colour Code': ['red', 'green'] } }), 'red');
  assert.equal(aviationColour({ color: '#ff0000' }), '');
  assert.equal(aviationColour('red'), '');
});

test('a list is ordered by weight, equal ones by time', () => {
  const feature = (id, properties) => ({ id, properties: { category: 'news', time: ago(1), ...properties } });
  const list = [feature('old', { time: ago(2) }), feature('new'), feature('strong', { category: 'earthquake', magnitude: 7,
    time: ago(20) }), feature('gone', { withdrawn: 'deleted' })];
  assert.deepEqual(ranked(list, NOW).map(({ id }) => id), ['strong', 'new', 'old', 'gone']);
  const same = ['2026-11-01T00:00:00Z', '2026-11-01T00:00:01Z'].map((time, i) => feature(i, { time, withdrawn: 'x' }));
  assert.deepEqual(ranked(same, NOW).map(({ id }) => id), [1, 0]);
});

// MARK: Where it lies

const at = (lon, lat, weight = 4) => ({ lon, lat, importance: weight });
const near = (found, [lon, lat], by = 6) => {
  const away = Math.abs(((found[0] - lon + 540) % 360) - 180);
  assert.ok(away <= by && Math.abs(found[1] - lat) <= by, `${found} for ${[lon, lat]}`);
};

test('the middle of one event, of a cluster, and across 180 degrees', () => {
  assert.equal(middleOfWeight([]), null);
  assert.deepEqual(middleOfWeight([at(-82.3, 7.2)]), [-82.3, 7.2]);
  near(middleOfWeight([at(10, 40), at(20, 40), at(15, 44)]), [15, 41]);
  near(middleOfWeight([at(170, -20), at(-170, -20)]), [180, -20]);
});

test('one strong earthquake outweighs a swarm of small ones', () => {
  const swarm = Array.from({ length: 200 }, (_, i) => at(-122.8 + i / 1000, 38.8, 1));
  near(middleOfWeight([...swarm, at(-80, 6, 6.3)]), [-80, 6]);
  near(middleOfWeight([...swarm, at(142, 38, 7.5)]), [142, 38], 10);
});

test('events all over the globe: the part that weighs most, never the void between', () => {
  const corners = [at(0, 0), at(90, 0), at(180, 0), at(-90, 0), at(0, 80), at(0, -80)];
  near(middleOfWeight([...corners, at(92, 4)]), [91, 2]);
  near(middleOfWeight([at(-70, -20, 6), at(110, 20, 5)]), [-70, -20]);
  near(middleOfWeight([at(179, 10), at(-178, 12), at(0, -11), at(1, 60, 3)]), [180, 11]);
});

test('no pole faces the eye, and what is no number is left out', () => {
  assert.equal(middleOfWeight([at(5, 89)])[1], 70);
  assert.equal(middleOfWeight([at(5, -90)])[1], -70);
  assert.equal(middleOfWeight([at(NaN, 3), at(3, NaN), at(3, 91), at(3, 3, -Infinity), at(3, 3, NaN)]), null);
});
