// What a card tells of an earthquake, an alert, a volcano, and the people around: rows of a name and words, which are
// false or empty where nothing is known. No document needed.

import { pagerColour } from './importance.js';
import { count, counted, distance, inUnits } from './words.js';

const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'];
const PAGER = {
  green: 'few or no losses expected', yellow: 'some losses possible, local response',
  orange: 'losses likely, regional response', red: 'heavy losses likely, national response',
};
// CAP 1.2 §3.2.2, by the name of the row.
const ALERT = {
  Severity: 'severity', Urgency: 'urgency', Certainty: 'certainty', Response: 'responseType',
  Instruction: 'instruction',
};
const KM_PER_DEGREE = 111.195;

const isNumber = Number.isFinite;
const some = (...words) => words.filter(Boolean).join(', ');

/** An intensity on the scale of Mercalli: "VI (5.9)". */
const intensity = (n) => `${ROMAN[Math.min(12, Math.max(1, Math.round(n))) - 1]} (${n.toFixed(1)})`;

export function quakeFacts({ details, magnitude_error: error }) {
  const { felt, cdi, mmi, tsunami, nst, gap, dmin, rms } = details ?? {};
  const pager = pagerColour(details);
  return [
    ['Felt', some(isNumber(felt) && felt > 0 && counted(felt, 'report'),
      isNumber(cdi) && cdi > 0 && `intensity up to ${intensity(cdi)}`)],
    ['Shaking', isNumber(mmi) && mmi > 0 && `intensity ${intensity(mmi)}, estimated`],
    ['PAGER', pager && `${pager}: ${PAGER[pager]}`],
    ['Tsunami', tsunami === 1 && 'flagged: strong and at sea. Only the warning centres say whether there is one'],
    ['Quality', some(isNumber(error) && `magnitude ± ${error.toFixed(2)}`, isNumber(nst) && `${nst} stations`,
      isNumber(dmin) && `nearest at ${distance(dmin * KM_PER_DEGREE)}`, isNumber(gap) && `gap ${Math.round(gap)}°`,
      isNumber(rms) && `residual ${rms.toFixed(2)} s`)],
  ];
}

export const alertFacts = ({ details }) => Object.entries(ALERT).map(([name, key]) =>
  [name, some(...[details?.[key]].flat().filter((value) => typeof value === 'string'))]);

export function volcanoFacts(details) {
  const { type, elevation_m: elevation, last_eruption_year: last } = details ?? {};
  return [
    ['Type', typeof type === 'string' && type],
    ['Elevation', isNumber(elevation) && `${elevation < 0 ? '−' : ''}${count(Math.abs(elevation))} m`],
    ['Last eruption', isNumber(last) && (last < 0 ? `${-last} BCE` : String(last))],
  ];
}

/** The place in the service's words, unless they are those of a city, then the cities. */
export function nearWords({ derived_place: place, nearest_cities: cities = [] }) {
  const words = cities.map((city) => city.words);
  return [...(place && !words.includes(place) ? [place] : []), ...words].map(inUnits);
}

export function peopleFacts({ exposure }) {
  if (!exposure) return [];
  const { within_50_km: near, within_100_km: far } = exposure;
  return [['People', inUnits(far > 0
    ? `at least ${count(near)} within 50 km, ${count(far)} within 100 km, in the cities of the seeded table`
    : 'none known within 100 km, in the cities of the seeded table')]];
}
