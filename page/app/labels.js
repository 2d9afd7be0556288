/** Names of countries and cities, and the volcanoes' sign: images drawn on a canvas. No glyphs are loaded. */

import { afterFirst, takeTurns } from './api.js';
import { feature, file } from './basemap.js';
import { grid } from './ground.js';
import { fill } from './names.js';
import { middle, POINT } from './record.js';
import { drawnRadius, scaleAt } from './signs.js';
import { countryName } from './words.js';

const RATIO = 2;
// The most signs that names keep clear of, and the most images that are kept.
const SIGNS = 200, IMAGES = 400;
// What is no earthquake weighs as much as one of this magnitude.
const OTHER = 4.5;
const type = (size, letterSpacing = '0px') => ({ font: `${size}px system-ui, sans-serif`, letterSpacing });
const TYPES = { country: type(10, '1px'), city: type(12), grid: type(10), number: type(11) };
const HIGH = 16;

/** The part of a country with the longest border. */
const largest = ({ geometry }) => geometry.coordinates.reduce((a, b) => (b[0].length > a[0].length ? b : a));

const pen = document.createElement('canvas').getContext('2d');
function widthOf(id) {
  const [kind, name] = id.split(/:(.*)/s);
  return TYPES[kind] ? Math.ceil(Object.assign(pen, TYPES[kind]).measureText(name).width) + 6 : HIGH;
}

/** Draws an image by its id: `volcano`, `volcano:active`, or a kind of name and the name, such as `city:Lima`. */
function draw(id, look) {
  const [kind, name] = id.split(/:(.*)/s), width = widthOf(id);
  // Read back at once, so the graphics card would only be waited for.
  const c = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  Object.assign(c.canvas, { width: width * RATIO, height: HIGH * RATIO });
  c.scale(RATIO, RATIO);
  Object.assign(c, TYPES[kind], { textBaseline: 'middle', lineJoin: 'round', lineWidth: 3, strokeStyle: look.land });
  if (kind === 'number') {
    Object.assign(c, { fillStyle: look.land, strokeStyle: look.news, lineWidth: 2 });
    c.roundRect(1, 1, width - 2, HIGH - 2, 6);
    c.stroke();
    c.fill();
    c.strokeStyle = look.land;
  }
  c.fillStyle = /city|number/.test(kind) ? look.text : look.dim;
  if (TYPES[kind]) {
    for (const write of ['strokeText', 'fillText']) c[write](name, 3, 8);
  } else {
    // Hollow, to tell the mountain from its activity, which fills it.
    const [strokeStyle, fillStyle] = name ? [look.volcano, look.volcano] : [look.dim, look.land];
    Object.assign(c, { lineWidth: 4, strokeStyle, fillStyle });
    for (const corner of [[8, 4], [12.5, 12.5], [3.5, 12.5]]) c.lineTo(...corner);
    c.closePath();
    c.stroke();
    c.fill();
  }
  return c.getImageData(0, 0, c.canvas.width, c.canvas.height);
}

/**
 * The cities of the view come from the service, else from the base map. Names keep clear of the strongest signs, of
 * each other and of the globe's edge; `follow()` sees to it four times a second, not while playing.
 */
export function createLabels({ container, map, put, drawn, state, record, api, start, look, layer, bounds }) {
  const turn = takeTurns();
  const isSeeded = start.gazetteer !== null;
  let countries = [], cities = [];

  map.on('styleimagemissing', ({ id }) => map.addImage(id, draw(id, look), { pixelRatio: RATIO }));

  /** Where a coordinate is in the window; nothing behind the globe. */
  function project(lon, lat) {
    const at = { lng: lon + 360 * Math.round((map.getCenter().lng - lon) / 360), lat };
    return map.transform.isLocationOccluded(at) ? null : map.project(at);
  }

  /** The strongest signs in view: [x, y, radius]. */
  function signs() {
    const view = state.get(), least = map.getZoom() < 4 ? OTHER : 2.5;
    const strength = (row) => (Number.isNaN(record.magnitude[row]) ? OTHER : record.magnitude[row]);
    const rows = [...view.pins ? record.shown(view, layer.frame) : []]
      .filter((row) => record.precision[row] === POINT && strength(row) >= least)
      .sort((a, b) => strength(b) - strength(a));
    const scale = scaleAt(map.getZoom()), { clientWidth: width, clientHeight: height } = container;
    const found = drawn.numbers.map(({ geometry }) => project(...geometry.coordinates)).filter(Boolean)
      .map(({ x, y }) => [x, y + 16, 8]);
    for (const row of rows) {
      const { x, y } = project(record.lon[row], record.lat[row]) ?? {};
      if (x > 0 && y > 0 && x < width && y < height) found.push([x, y, 2 + drawnRadius(record.magnitude[row], scale)]);
      if (found.length === SIGNS) break;
    }
    return found;
  }

  function place() {
    const zoom = map.getZoom(), { clientWidth: width, clientHeight: height } = container;
    const names = [
      ...grid(state.get(), bounds(), zoom).names,
      ...zoom < 7 ? countries.filter(({ rank }) => rank <= 2 + 0.6 * zoom) : [], ...zoom < 3 ? [] : cities,
    ].flatMap((name) => {
      const p = project(...name.at);
      return p ? [{ ...name, x: p.x, y: p.y, wide: widthOf(name.id), high: HIGH }] : [];
    });
    const globe = parseFloat(container.style.getPropertyValue('--globe'));
    const shown = fill(names, signs(), { width, height, globe }).map(({ id, at, offset, spot: [anchor, ...shift] }) => (
      feature('Point', at, { id, offset, anchor, shift: shift.join(), isCity: id.startsWith('city:') })));
    put('names', shown);
    const used = new Set(shown.map(({ properties: { id } }) => id));
    const kept = map.listImages().filter((id) => TYPES[id.split(':')[0]]);
    for (const id of kept.length > IMAGES ? kept : []) if (!used.has(id)) map.removeImage(id);
  }

  function placeUnlessPlaying() {
    if (!state.get().playing) place();
  }
  const follow = afterFirst(250, placeUnlessPlaying);

  function take(places) {
    cities = places.map(([lon, lat, population, name]) => ({ id: `city:${name}`, at: [lon, lat], population }));
    put('cities', cities.map(({ at, ...city }) => feature('Point', at, city)));
    follow();
  }

  async function bundled() {
    const { features } = await file('ne_110m_populated_places.geojson');
    take(features.map(({ geometry, properties: { name } }) => [...geometry.coordinates, 0, name]));
  }

  async function load() {
    follow();
    const { population } = state.get();
    if (!isSeeded || (map.getZoom() < 3 && !population)) return;
    const bbox = bounds().map((n) => n.toFixed(1)).join();
    try {
      take((await api.json('basemap/places', { bbox, limit: population ? 1000 : 150 }, { signal: turn() })).places);
    } catch ({ status }) {
      // After another failure the names of before stay.
      if (status === 404) bundled();
    }
  }
  map.on('moveend', load);
  state.watch(['population'], load);
  state.watch(['base'], follow);
  // At once, so that the last frame of playing is on its way while the names are laid out.
  state.watch(['playing'], placeUnlessPlaying);
  load();
  if (!isSeeded) bundled();

  return {
    follow,
    nameCountries(features) {
      countries = features.flatMap((country) => {
        const { iso_a2: code, labelrank: rank = 5 } = country.properties, name = countryName(code);
        const part = largest(country), at = middle({ coordinates: part });
        return name ? [{ id: `country:${name.toUpperCase()}`, at, rank, size: part[0].length, code, name }] : [];
      }).sort((a, b) => a.rank - b.rank || b.size - a.size);
      put('countries', countries.map(({ at, code, name }) => feature('Point', at, { code, name })));
      follow();
    },
    recolour() {
      for (const id of map.listImages()) map.updateImage(id, draw(id, look));
    },
  };
}
