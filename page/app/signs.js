// How large the sign of an event is, and which lies on top: for the shader, for picking and for the legend.

import { importance } from './importance.js';
import { POINT } from './record.js';
import { clamp } from './words.js';

/** Constants of the shader, too; lengths in CSS pixels. */
export const SIGN = {
  // The radius of magnitude 0 from afar and of a sign without a magnitude, and their bounds.
  SCALE: 0.5, PLAIN: 5, LEAST: 3, MOST: 36,
  // From which radius on a number fits in, and how far the glow of what is fresh reaches.
  FITS: 8.8, GLOW: 14,
  // The least radius of the disc of a city and of a region.
  CITY: 7, REGION: 14,
  // Bytes of the buffer: no value, kilometres of depth a step, steps of a magnitude's rank.
  NONE: 255, DEPTH: 2.8, RANK: 23,
};

/** By depth in kilometres: red, green and blue, 0…1, between which colours go over. */
export const DEPTHS = [
  [0, [0.82, 0.29, 0.02]], [70, [0.81, 0.25, 0.35]], [300, [0.71, 0.29, 0.63]], [650, [0.18, 0.45, 0.87]],
];

/** The same of heat, from little to much. */
export const HEAT = [[0.25, 0.2, 0.75], [0.85, 0.2, 0.55], [1, 0.65, 0.15], [1, 1, 0.8]];

/** The radius of the sign of a magnitude seen from afar: its area grows with 10^(M/2). NaN is no magnitude. */
export const sizeOf = (magnitude) => (Number.isNaN(magnitude) ? SIGN.PLAIN
  : Math.min(SIGN.MOST, SIGN.SCALE * 10 ** (magnitude / 4)));

/** What signs grow by at a zoom, and the bounds of their radius. From zoom 6 on the least ones grow, too. */
export const scaleAt = (zoom) =>
  [clamp(0.6 + zoom / 10, 1, 1.6), clamp(zoom - 3, SIGN.LEAST, SIGN.FITS), SIGN.MOST];

/** The radius of a sign as it is drawn; the shader has the same. */
export const drawnRadius = (magnitude, [grown, least, most]) => clamp(sizeOf(magnitude) * grown, least, most);

/** The radius in km of the disc of a row; 0 for an exact point. */
export const radiusOf = ({ precision, radius }, row) => (precision[row] <= POINT ? 0
  : Math.min(1500, radius[row] || (precision[row] === 2 ? 10 : 100)));

/** Which sign lies on top, 0 to 255: the one that matters more, whatever its age. */
export function rankOf(record, row) {
  const magnitude = record.magnitude[row];
  const weight = Number.isNaN(magnitude) ? importance({ category: record.categoryOf(row) }, 0) : magnitude;
  return clamp(Math.round(SIGN.RANK * (1 + weight)), 0, 255);
}
