// What a card tells of an earthquake, a volcano, and the people around.
import assert from 'node:assert/strict';
import test from 'node:test';

import { nearWords, peopleFacts, quakeFacts, volcanoFacts } from '../../../page/app/facts.js';

const told = (rows) => Object.fromEntries(rows.filter(([, words]) => words));
const quake = (details, magnitude_error) => told(quakeFacts({ details, magnitude_error }));

test('an earthquake tells felt reports, shaking, PAGER, tsunami flag and quality', () => {
  assert.deepEqual(quake({
    felt: 1234, cdi: 5.9, mmi: 7.12, alert: 'yellow', tsunami: 1, nst: 87, gap: 41.6, dmin: 0.5, rms: 0.789,
  }, 0.041), {
    Felt: '1\u2009234 reports, intensity up to VI (5.9)', Shaking: 'intensity VII (7.1), estimated',
    PAGER: 'yellow: some losses possible, local response',
    Tsunami: 'flagged: strong and at sea. Only the warning centres say whether there is one',
    Quality: 'magnitude ± 0.04, 87 stations, nearest at 56 km, gap 42°, residual 0.79 s',
  });
  assert.deepEqual(quake({ felt: 1, nst: 4 }), { Felt: '1 report', Quality: '4 stations' });
});

test('what is not known is not told', () => {
  for (const details of [undefined, null, {}, { felt: 0, cdi: 0, mmi: 0, tsunami: 0, alert: null }, 7, 'text', []]) {
    assert.deepEqual(quake(details), {});
  }
  for (const value of [NaN, Infinity, '7', [], {}, true, '__proto__', 'constructor', -1e300]) {
    for (const key of ['felt', 'cdi', 'mmi', 'alert', 'tsunami']) {
      assert.deepEqual(quake({ [key]: value }), {}, `${key} ${value}`);
    }
  }
  assert.equal(quake({ mmi: 1e9 }).Shaking.slice(0, 13), 'intensity XII');
});

test('a volcano tells type, elevation and last eruption', () => {
  const volcano = (details) => told(volcanoFacts(details));
  assert.deepEqual(volcano({ type: 'Stratovolcano', elevation_m: 3357, last_eruption_year: 2024 }),
    { Type: 'Stratovolcano', Elevation: '3\u2009357 m', 'Last eruption': '2024' });
  assert.deepEqual(volcano({ elevation_m: -1500, last_eruption_year: -650 }),
    { Elevation: '−1\u2009500 m', 'Last eruption': '650 BCE' });
  for (const details of [undefined, {}, { type: {}, elevation_m: '7', last_eruption_year: null }]) {
    assert.deepEqual(volcano(details), {});
  }
});

test('the people around are the least number, and a place is told by the service', () => {
  assert.deepEqual(peopleFacts({ exposure: { within_50_km: 6000, within_100_km: 1197000 } }),
    [['People',
      'at least 6\u2009000 within 50 km, 1\u2009197\u2009000 within 100 km, in the cities of the seeded table']]);
  assert.match(peopleFacts({ exposure: { within_50_km: 0, within_100_km: 0 } })[0][1], /^none known/);
  assert.deepEqual(peopleFacts({}), []);
  assert.deepEqual(nearWords({ nearest_cities: [{ words: '34 km SW of Pica, Chile' }] }), ['34 km SW of Pica, Chile']);
  assert.deepEqual(nearWords({}), []);
  const far = { derived_place: 'Banda Sea', nearest_cities: [{ words: '340 km S of Ambon, Indonesia' }] };
  assert.deepEqual(nearWords(far), ['Banda Sea', '340 km S of Ambon, Indonesia']);
  const near = '34 km SW of Pica, Chile';
  assert.deepEqual(nearWords({ derived_place: near, nearest_cities: [{ words: near }] }), [near]);
});
