/** The base map: its style, land and borders from two TopoJSON files, and what the configuration adds. */

import { createApi } from './api.js';
import { SHIFTS } from './names.js';

const COLOURS = 'quake volcano news message alert other accent sea land border text dim bg panel'.split(' ');

/** The present colours by name of their CSS variable, as #rrggbb. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Parts of red, green and blue, 0…1, of #rrggbb. */
export const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);

export const collection = (features = []) => ({ type: 'FeatureCollection', features });

export const feature = (type, coordinates, properties = {}) => (
  { type: 'Feature', geometry: { type, coordinates }, properties });

const files = createApi({ base: new URL('../basemap/', import.meta.url) });

export const file = (name) => files.lasting(name, {}, { cache: 'default' });

/** The countries of a TopoJSON file as GeoJSON features. */
function decode({ transform: { scale, translate }, arcs, objects }) {
  const lines = arcs.map((arc) => {
    const at = [0, 0];
    return arc.map((step) => [0, 1].map((i) => (at[i] += step[i]) * scale[i] + translate[i]));
  });
  const ring = (indexes) => indexes.flatMap((i, n) => {
    const line = i < 0 ? lines[~i].toReversed() : lines[i];
    return n ? line.slice(1) : line;
  });
  return objects.countries.geometries.map(({ type, arcs: shapes, properties: p }) => feature(type,
    shapes.map((rings) => rings.map(ring)), p.name === 'Kosovo' ? { ...p, iso_a2: 'XK' } : p));
}

// By zoom: the radius of a city's circle in pixels, for the root of its people.
const CITY = [[0, 0.0015], [12, 0.014]];

/** The same at a zoom; the area of the circle grows with the people. */
export const cityRadius = (zoom, people) => Math.sqrt(people)
  * (CITY[0][1] + Math.min(1, zoom / CITY[1][0]) * (CITY[1][1] - CITY[0][1]));

/** The map's style for a view: all that is drawn but the events. */
export function styleOf(view, look, { basemaps, overlays }) {
  const visible = (is) => ({ visibility: is ? 'visible' : 'none' });
  const address = (url) => decodeURI(new URL(url, document.baseURI));
  const sources = Object.fromEntries(['disputed', 'countries', 'numbers', 'names', 'cities', 'grid', 'hotspots',
    'volcanoes', 'active', 'box', ...overlays.map(({ name }) => `overlay:${name}`)]
    .map((id) => [id, { type: 'geojson', data: collection() }]));
  sources.world = { ...sources.disputed, promoteId: 'iso_a2' };
  sources.alerts = { ...sources.disputed, promoteId: 'key' };
  for (const { name, tiles, maxzoom = 19 } of basemaps) {
    sources[`base:${name}`] = { type: 'raster', tiles: tiles.map(address), tileSize: 256, maxzoom };
  }
  // The state of a shape: 2 is an alert in force, 1 one that ended or the chosen country; others are not seen.
  const when = (is, value) => ['match', ['coalesce', ['feature-state', 'is'], 0], is, value, 0];
  const level = ['get', 'level'];
  const line = (id, colour, width, more = {}, layout = {}) => ({ id, type: 'line', source: id, layout,
    paint: { 'line-color': colour, 'line-width': width, ...more } });
  const volcanoes = (id, image, sizes, minzoom) => ({ id, type: 'symbol', source: id, minzoom,
    layout: { 'icon-image': image, 'icon-allow-overlap': true, 'icon-ignore-placement': true,
      'icon-size': ['interpolate', ['linear'], ['zoom'], ...sizes] },
    // Hidden by its opacity, the layer loads no tile when playing begins and ends.
    paint: { 'icon-opacity': view.volcanoes && !view.playing ? 0.85 : 0 } });
  return {
    version: 8, sources, transition: { duration: 0 },
    light: { anchor: 'viewport', position: [1.5, 0, 0], intensity: 0.25 },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': look.sea } },
      { id: 'land', type: 'fill', source: 'world',
        layout: visible(basemaps.every(({ name }) => name !== view.base)),
        paint: { 'fill-color': look.land, 'fill-antialias': false } },
      ...basemaps.map(({ name }) => ({ id: `base:${name}`, type: 'raster', source: `base:${name}`,
        layout: visible(name === view.base), paint: { 'raster-fade-duration': 0 } })),
      { ...line('borders', look.border, 0.8), source: 'world' },
      line('disputed', look.land, 1.6, { 'line-dasharray': [2, 2] }),
      ...overlays.map(({ name }) => line(`overlay:${name}`, look.accent, 1.2, { 'line-opacity': 0.7 },
        visible(view.overlays.includes(name)))),
      line('grid', look.border, 0.5),
      { id: 'population', type: 'circle', source: 'cities', filter: ['>', ['get', 'population'], 0],
        layout: visible(view.population), paint: { 'circle-radius': ['interpolate', ['linear'], ['zoom'],
          ...CITY.flatMap(([zoom, size]) => [zoom, ['*', size, ['sqrt', ['get', 'population']]]])],
        'circle-color': look.dim, 'circle-opacity': 0.3 } },
      // The more severe, the fuller and the wider its edge, which tells them apart without a hue.
      { id: 'alerts', type: 'fill', source: 'alerts', layout: { 'fill-sort-key': level },
        paint: { 'fill-color': look.alert, 'fill-antialias': false, 'fill-opacity': when(2, ['*', 0.09, level]) } },
      { ...line('alerts-ended', look.alert, 1.2, { 'line-opacity': when(1, 0.5), 'line-dasharray': [3, 3] }),
        source: 'alerts' },
      { ...line('chosen', look.news, 2, { 'line-opacity': when(1, 1) }), source: 'world' },
      { id: 'numbers', type: 'symbol', source: 'numbers', paint: { 'icon-opacity': view.playing ? 0 : 1 },
        layout: { 'icon-offset': [0, 16], 'icon-padding': 0, 'symbol-sort-key': ['-', 0, ['get', 'events']],
          'icon-image': ['concat', 'number:', ['case', ['>', ['get', 'events'], 99], '99+',
            ['to-string', ['get', 'events']]]] } },
      volcanoes('volcanoes', 'volcano', [3, 0.45, 8, 0.8], 3),
      volcanoes('active', 'volcano:active', [1, 0.7, 6, 1], 0),
      { id: 'hotspots', type: 'fill-extrusion', source: 'hotspots', paint: {
        'fill-extrusion-color': ['get', 'colour'], 'fill-extrusion-opacity': view.playing ? 0 : 0.9,
        'fill-extrusion-base': ['get', 'base'], 'fill-extrusion-height': ['get', 'top'],
        'fill-extrusion-vertical-gradient': false } },
      line('box', look.accent, 2),
      // The events come here, below the names.
      { id: 'dots', type: 'circle', source: 'names', filter: ['get', 'isCity'], paint: { 'circle-radius': 2,
        'circle-color': look.text, 'circle-stroke-color': look.land, 'circle-stroke-width': 1 } },
      // A strong sign must not hide the area that is warned.
      { ...line('alert-edges', look.alert, ['max', 1, ['*', 1.2, level]], { 'line-opacity': when(2, 1) },
        { 'line-sort-key': level, 'line-join': 'round' }), source: 'alerts' },
      { id: 'names', type: 'symbol', source: 'names', layout: { 'icon-image': ['get', 'id'],
        // A tile may have an array as text only.
        'icon-anchor': ['get', 'anchor'], 'icon-offset': ['match', ['get', 'shift'],
          ...SHIFTS.flatMap((shift) => [shift.join(), ['literal', shift]]), ['literal', [0, 0]]],
        'icon-allow-overlap': true, 'icon-ignore-placement': true } },
    ],
  };
}

/**
 * Fills the base map: 110m at once, 50m when idle or from zoom 3, an overlay when it is first wanted. Nothing comes
 * while playing, since it makes tiles anew. The answer settles when there is land.
 */
export function fillBasemap({ map, state, api, start, onCountries }) {
  const asked = new Set();
  let isFine = false;

  function take(topology) {
    const features = decode(topology);
    map.getSource('world').setData(collection(features));
    onCountries(features);
  }

  async function refine() {
    if (isFine || state.get().playing) return;
    isFine = true;
    const [world, disputed] = await Promise.all(
      ['ne_50m_countries.topo.json', 'ne_10m_disputed_borders.geojson'].map(file));
    isFine = !state.get().playing;
    if (!isFine) return;
    take(world);
    map.getSource('disputed').setData(disputed);
  }

  function follow(view) {
    for (const { name, url } of start.overlays) {
      if (!view.overlays.includes(name) || asked.has(name)) continue;
      asked.add(name);
      api.json(url, {}, { cache: 'default' })
        .then((data) => map.getSource(`overlay:${name}`).setData(data), () => asked.delete(name));
    }
  }
  state.follow(['overlays'], follow);
  state.watch(['playing'], refine);
  map.on('zoomend', () => { if (map.getZoom() >= 3) refine(); });
  return file('ne_110m_countries.topo.json').then((world) => {
    if (!isFine) take(world);
    map.once('idle', () => setTimeout(refine, 500));
  });
}

export function creditOf(view, { attributions, basemaps, overlays }) {
  const shown = [...basemaps.filter(({ name }) => name === view.base),
    ...overlays.filter(({ name }) => view.overlays.includes(name))];
  const all = ['Natural Earth', ...attributions, ...shown.map(({ attribution }) => attribution)];
  return [...new Set(all)].filter(Boolean).join(' · ');
}
