/** What shows where one is beyond the detail of the shipped shapes: degrees and a scale. */

import { collection, feature } from './basemap.js';
import { el } from './dom.js';

/** From this zoom on the shapes of the plain map have nothing more to show. */
const DETAIL = 6;
// Pixels between two lines at least, and from the edges of the window to the degrees.
const APART = 150;

export const isBare = ({ base }, zoom) => base === 'plain' && zoom >= DETAIL;

/** Degrees between two lines: 1, 2 or 5 times a power of ten. */
export function stepAt(zoom) {
  const least = APART * 360 / (512 * 2 ** zoom), ten = 10 ** Math.floor(Math.log10(least));
  return ten * [1, 2, 5, 10].find((n) => n * ten >= least);
}

/** The multiples of the step from one degree to another. */
function stops(from, to, step) {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.min(60, Math.floor(to / step) - first + 1)) }, (_, i) => (first + i) * step);
}

function lines([west, south, east, north], zoom) {
  const step = stepAt(zoom), end = east < west ? east + 360 : east;
  return { lons: stops(west, end, step), lats: stops(south, north, step), end, digits: Math.max(0, Math.ceil(-Math.log10(step))) };
}

/** The lines of the view as GeoJSON features. */
export function gridLines(view, box, zoom) {
  if (!isBare(view, zoom)) return [];
  const { lons, lats, end } = lines(box, zoom), [west, south, , north] = box;
  return [...lons.map((lon) => feature('LineString', [[lon, south], [lon, north]])),
    ...lats.map((lat) => feature('LineString', [[west, lat], [end, lat]]))];
}

/** The degrees of the lines, as names: latitudes at the left, longitudes at the top of the view. */
export function gridNames(view, box, zoom) {
  if (!isBare(view, zoom)) return [];
  const { lons, lats, end, digits } = lines(box, zoom), [west, south, , north] = box;
  const name = (n, [plus, minus]) => `grid:${Math.abs(n).toFixed(digits)}° ${n < 0 ? minus : plus}`;
  const turned = (lon) => ((lon + 540) % 360) - 180;
  return [...lats.map((lat) => ({ id: name(lat, 'NS'), at: [west + (end - west) * 0.03, lat] })),
    ...lons.map((lon) => ({ id: name(turned(lon), 'EW'), at: [lon, north - (north - south) * 0.13] }))];
}

/** Makes the lines, the scale, and the line that says where more detail is. */
export function createGround({ map, state, start, bounds, credit }) {
  const scale = new window.maplibregl.ScaleControl({ maxWidth: 96 });
  const words = el('span', { text: start.basemaps.length ? 'Layers has base maps with more detail.'
    : 'No more detail here. A base map can be configured: docs/map.md, Layers.' });
  const ground = el('div', { id: 'ground', hidden: true }, scale.onAdd(map), words);
  let isDrawn = false;
  credit.before(ground);

  function follow() {
    const view = state.get(), zoom = map.getZoom();
    scale.setUnit(view.units === 'mi' ? 'imperial' : 'metric');
    words.hidden = !isBare(view, zoom);
    ground.hidden = zoom < DETAIL;
    const lines = gridLines(view, bounds(), zoom);
    if (lines.length || isDrawn) map.getSource('grid').setData(collection(lines));
    isDrawn = lines.length > 0;
  }
  map.on('moveend', follow);
  state.watch(['base', 'units'], follow);
  follow();
}
