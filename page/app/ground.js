/** What shows where one is beyond the detail of the plain map's shapes: degrees, a scale, and where more is. */

import { feature } from './basemap.js';
import { el } from './dom.js';

// From this zoom on there is no more detail; between two lines there are so many pixels at least.
const DETAIL = 6, APART = 150;

/** Degrees between two lines at a zoom: 1, 2 or 5 times a power of ten. */
export function stepAt(zoom) {
  const least = APART * 360 / (512 * 2 ** zoom), ten = 10 ** Math.floor(Math.log10(least));
  return ten * [1, 2, 5, 10].find((n) => n * ten >= least);
}

/** The lines of the view, and their degrees as names: latitudes at its left, longitudes at its top. */
export function grid({ base }, [west, south, east, north], zoom) {
  if (base !== 'plain' || zoom < DETAIL) return { lines: [], names: [] };
  const step = stepAt(zoom), end = east < west ? east + 360 : east, digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const stops = (from, to) => Array.from({ length: Math.min(60, Math.floor(to / step) - Math.ceil(from / step) + 1) },
    (_, i) => (Math.ceil(from / step) + i) * step);
  const name = (n, [plus, minus], at) => (
    { id: `grid:${Math.abs(n).toFixed(digits)}° ${n < 0 ? minus : plus}`, at });
  const [left, top] = [west + 0.03 * (end - west), north - 0.13 * (north - south)];
  const lats = stops(south, north), lons = stops(west, end);
  return {
    lines: [...lons.map((lon) => [[lon, south], [lon, north]]), ...lats.map((lat) => [[west, lat], [end, lat]])],
    names: [...lats.map((lat) => name(lat, 'NS', [left, lat])),
      ...lons.map((lon) => name((lon + 540) % 360 - 180, 'EW', [lon, top]))],
  };
}

export function createGround({ map, put, state, start, bounds, credit }) {
  const scale = new window.maplibregl.ScaleControl({ maxWidth: 96 });
  const words = el('span', {}, start.basemaps.length ? 'Layers has base maps with more detail.'
    : 'No more detail here. A base map can be configured: docs/map.md, Layers.');
  const ground = el('div', { id: 'ground' }, scale.onAdd(map), words);
  credit.before(ground);

  function follow() {
    const view = state.get(), zoom = map.getZoom(), { lines } = grid(view, bounds(), zoom);
    scale.setUnit(view.units === 'mi' ? 'imperial' : 'metric');
    ground.hidden = zoom < DETAIL;
    words.hidden = view.base !== 'plain';
    put('grid', lines.map((line) => feature('LineString', line)));
  }
  map.on('moveend', follow);
  state.follow(['base', 'units'], follow);
}
