// The words of a list's rows and of the line of the first sight.
import assert from 'node:assert/strict';
import test from 'node:test';

import {
  changeWords, cityText, clock, fromTown, headline, placeOnce, revisionAt, sightWords, signals,
} from '../../../page/app/rowwords.js';
import { dayText } from '../../../page/app/words.js';

const at = Date.UTC(2026, 10, 28, 14, 32, 5);

test('the magnitude is told beside the headline, not in it', () => {
  const cases = {
    'M 6.3 - 88 km SSW of Nikolski, Alaska': '88 km SSW of Nikolski, Alaska', 'M5.1, Panama': 'Panama',
    'Mww 7.0: Chile': 'Chile', 'mb 4.4 Fiji region': 'Fiji region', 'Magnitude 5 in Peru': 'Magnitude 5 in Peru',
    'M 4.0': 'M 4.0', Quake: 'Quake', '': '',
  };
  for (const [title, words] of Object.entries(cases)) assert.equal(headline({ title, magnitude: 5 }), words);
  assert.equal(headline({ title: 'M 6.3 - Panama' }), 'M 6.3 - Panama');
  assert.equal(headline({}), '');
});

test('a place is told once', () => {
  assert.equal(placeOnce({ title: 'M 5 - 9 km N of Etna', place_text: '9 km N of Etna' }), '');
  assert.equal(placeOnce({ title: 'Smoke', place_text: 'Atlantis' }), 'Atlantis');
  assert.equal(placeOnce({ title: 'Floods in MÁLAGA', location_matched_text: 'Málaga', location_name: 'Málaga, Spain' }),
    'Spain');
  assert.equal(placeOnce({ title: 'Nu är det ändå slut', location_matched_text: 'ändå',
    location_name: 'Anda, Heilongjiang, China' }), 'Anda, Heilongjiang, China');
  assert.equal(placeOnce({ title: 'Feuer in Lisboa, Portugal', location_name: 'Lisboa, Portugal' }), '');
  assert.equal(placeOnce({ title: 'Ash' }), '');
});

test('the clock has the date of another day, a day the year of another year', () => {
  assert.equal(clock(at, 'utc', at + 3600e3), '14:32');
  assert.equal(clock(at, 'utc', at + 86400e3), '28 Nov 14:32');
  assert.equal(dayText(at, 'utc', at + 40 * 86400e3), '28 Nov 2026');
});

test('what makes an event weigh more is said', () => {
  assert.deepEqual(signals({ details: { alert: 'red', tsunami: 1 } }), ['PAGER red', 'tsunami']);
  assert.deepEqual(signals({ details: { alert: 'green', severity: 'Severe' } }), ['severe']);
  assert.deepEqual(signals({ details: { parameters: { ColorCode: 'ORANGE' } } }), ['aviation orange']);
  assert.deepEqual(signals({ details: { severity: '<b>' } }), []);
  assert.deepEqual(signals({}), []);
});

test('from the nearest town, with bearing and country', () => {
  const cities = [[-9.139, 38.722, 500000, 'Lisboa', 'PT'], [15.087, 37.502, 290000, 'Catania', 'IT']];
  assert.equal(fromTown([-9.139, 38.722], cities), 'Lisboa, Portugal');
  assert.equal(fromTown([15.087, 37.952], cities), '50 km N of Catania, Italy');
  assert.equal(fromTown([-9.55, 38.4], cities), '51 km SW of Lisboa, Portugal');
  assert.equal(fromTown([-179.5, 0], [[179.5, 0, 1, 'Far']]), '111 km E of Far');
  assert.equal(fromTown([0, 0], []), '');
  assert.equal(cityText('Oslo', 'Norway'), 'Oslo, Norway');
  assert.equal(cityText('Oslo'), 'Oslo');
});

test('a revision says old and new', () => {
  assert.deepEqual(changeWords({ magnitude: { from: 4.8, to: 5.4 }, depth_km: { from: 10, to: 34.6 } }, 'utc'),
    [['M', '4.8', '5.4'], ['depth', '10 km', '35 km']]);
  assert.deepEqual(changeWords({ status: { from: null, to: 'reviewed' }, magnitude: { to: 5 } }, 'utc'),
    [['M', 'not known', '5.0'], ['status', '–', 'reviewed']]);
  assert.deepEqual(changeWords({ latitude: { from: 1.001, to: 1.002 }, details: { from: {}, to: {} } }, 'utc'), []);
  assert.deepEqual(changeWords({ time: { from: '2026-11-28T14:32:05.120Z', to: '2026-11-28T14:33:00Z' } }, 'utc'),
    [['time', '14:32:05', '14:33:00']]);
  assert.deepEqual(changeWords({ time: { from: '2026-11-28T14:32:05.120Z', to: '2026-11-28T14:32:05.56Z' } }, 'utc'),
    [['time', '14:32:05.120', '14:32:05.560']]);
  assert.deepEqual(changeWords({ time: { from: '2026-11-27T14:32:05Z', to: '2026-11-28T14:32:05Z' } }, 'utc'),
    [['time', '2026-11-27 14:32:05 UTC', '2026-11-28 14:32:05 UTC']]);
});

test('a place that was found has no old coordinate', () => {
  assert.deepEqual(changeWords({ latitude: { from: null, to: 26.1339377 }, longitude: { from: null, to: 1 } }, 'utc'), []);
  assert.deepEqual(changeWords({ latitude: { from: 26.1, to: null } }, 'utc'), [['latitude', '26.10°', '–']]);
});

test('a change is told by the revision made then', () => {
  const history = ['2026-11-28T10:00:00.000Z', '2026-11-28T11:00:00Z', '2026-11-28T12:00:00.500Z'].map((time) => ({ at: time }));
  assert.equal(revisionAt(history, '2026-11-28T11:00:00.000Z'), history[1]);
  assert.equal(revisionAt(history, '2026-11-28T12:00:00.600Z'), history[2]);
  assert.equal(revisionAt(history, '2026-11-28T09:00:00Z'), null);
});

test('the line of the first sight', () => {
  assert.deepEqual(sightWords({ events: 412, length: '24 h', strongest: { magnitude: 6.3, where: 'south of Panama' },
    alerts: 3 }), ['412 events in 24 h', 'strongest M 6.3 south of Panama', '3 alerts in force']);
  assert.deepEqual(sightWords({ events: 1, length: '4 h', strongest: { magnitude: 2, where: '' }, alerts: 1 }),
    ['1 event in 4 h', 'strongest M 2.0', '1 alert in force']);
  assert.deepEqual(sightWords({ events: 0, length: '7 d', strongest: null, alerts: 0 }), ['no events in 7 d']);
});
