/** Hotspots of the window. One event: a low pale cylinder; to 100: a rose one, by height; more: a dark half-sphere. */

import { afterLast, takeTurns } from './api.js';
import { feature } from './basemap.js';
import { toQuery } from './filter.js';
import { wholeMinutes } from './timewindow.js';
import { clamp, iso, RAD } from './words.js';

const RINGS = 8;
// No category has these.
export const HOTSPOTS = ['#f2a6cc', '#dd5a9f', '#b0286f'];
const [ONE, SEVERAL, MANY] = HOTSPOTS;
const KEYS = ['hotspots', 'categories', 'search', 'box', 'home'];

/** A polygon of 24 corners around a coordinate; radius in degrees of latitude. */
const around = ([lon, lat], radius) => [Array.from({ length: 25 }, (_, i) => {
  const a = (i / 12) * Math.PI, narrow = Math.max(0.05, Math.cos(lat * RAD));
  return [lon + Math.cos(a) * radius / narrow, clamp(lat + Math.sin(a) * radius, -89, 89)];
})];

/** The solids of a hotspot; `size` is the radius of one in degrees of latitude. */
function solids({ id, geometry, properties: { count, name = '' } }, size) {
  const solid = (radius, base, top, colour) => feature('Polygon', around(geometry.coordinates, radius * size),
    { id, name, colour, base: base * size * 111e3, top: top * size * 111e3 });
  if (count === 1) return [solid(0.6, 0, 1, ONE)];
  if (count <= 100) return [solid(1, 0, 1 + 3 * Math.log10(count), SEVERAL)];
  const angle = (i) => (i / RINGS) * Math.PI / 2;
  return Array.from({ length: RINGS }, (_, i) => solid(
    2.4 * Math.cos(angle(i)), 2.4 * Math.sin(angle(i)), 2.4 * Math.sin(angle(i + 1)), MANY));
}

/** Shows the top 200 hotspots of view, window and filter, while state.hotspots is on and nothing plays. */
export function createHotspots({ map, put, state, api, layer, bounds }) {
  const turn = takeTurns();
  let counted = '';
  const isOn = () => state.get().hotspots && !state.get().playing;

  const span = () => [layer.frame.from, layer.frame.to].map((ms) => iso(wholeMinutes(ms))).join('/');

  async function load() {
    const signal = turn(), view = state.get();
    counted = span();
    const query = { ...toQuery(view, { time: false }), datetime: counted, limit: 200 };
    query.bbox ??= bounds().map((n) => n.toFixed(2)).join();
    if (view.home) query.home = 'include';
    const none = { features: [] };
    const { features } = isOn() ? await api.json('summary/hotspots', query, { signal }).catch(() => none) : none;
    const size = 9 * 360 / (512 * 2 ** map.getZoom());
    if (!signal.aborted) put('hotspots', features.flatMap((one) => solids(one, size)));
  }
  const soon = afterLast(150, load);
  state.watch(KEYS, soon);
  map.on('moveend', () => { if (isOn()) soon(); });

  function follow() {
    if (isOn() && span() !== counted) soon();
  }
  return { follow };
}
