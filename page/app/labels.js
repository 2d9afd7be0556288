/** Names of countries and cities, and the volcanoes' sign: images drawn on a canvas. No glyphs are loaded. */

import { takeTurns } from './api.js';
import { collection, feature, file } from './basemap.js';
import { middle } from './record.js';
import { countryName } from './words.js';

const RATIO = 2;

/** The part of a country with the longest border. */
const largest = ({ geometry }) => geometry.coordinates.reduce((a, b) => (b[0].length > a[0].length ? b : a));

/** Draws an image by its id: `volcano`, `volcano:active`, `city:NAME` with a dot, `country:NAME` in spaced capitals. */
function draw(id, look) {
  const [kind, name = ''] = id.split(/:(.*)/s), isCity = kind === 'city';
  const text = isCity ? name : kind === 'country' ? name.toUpperCase() : '';
  const c = document.createElement('canvas').getContext('2d');
  const type = isCity ? { font: '12px system-ui, sans-serif', letterSpacing: '0px' }
    : { font: '10px system-ui, sans-serif', letterSpacing: '1.5px' };
  Object.assign(c, type);
  const width = text ? Math.ceil(c.measureText(text).width) + 16 : 16;
  Object.assign(c.canvas, { width: width * RATIO, height: (text ? 18 : 16) * RATIO });
  c.scale(RATIO, RATIO);
  Object.assign(c, type, { textBaseline: 'middle', lineJoin: 'round', lineWidth: 3, strokeStyle: look.land });
  if (kind === 'number') {
    Object.assign(c, { fillStyle: look.land, strokeStyle: look.news, lineWidth: 2 });
    c.roundRect(3, 2, width - 6, 15, 6);
    c.stroke();
    c.fill();
    c.beginPath();
    c.strokeStyle = look.land;
  }
  c.fillStyle = kind === 'country' ? look.dim : look.text;
  for (const write of ['strokeText', 'fillText']) c[write](text, isCity ? 12 : 8, 9);
  if (isCity) {
    c.arc(5, 9, 2, 0, 7);
  } else if (kind === 'volcano') {
    // Hollow, to tell the mountain from its activity, which fills it.
    const [strokeStyle, fillStyle] = name ? [look.volcano, look.volcano] : [look.dim, look.land];
    Object.assign(c, { lineWidth: 4, strokeStyle, fillStyle });
    for (const corner of [[8, 4], [12.5, 12.5], [3.5, 12.5]]) c.lineTo(...corner);
    c.closePath();
    c.stroke();
  }
  c.fill();
  return c.getImageData(0, 0, c.canvas.width, c.canvas.height);
}

/** Makes the labels. The cities of the view come from the service, else those of the base map. */
export function createLabels({ map, api, start, look, bounds }) {
  const turn = takeTurns();
  let isSeeded = start.gazetteer !== null;

  map.on('styleimagemissing', ({ id }) => map.addImage(id, draw(id, look), { pixelRatio: RATIO }));

  async function bundled() {
    const places = await file('ne_110m_populated_places.geojson');
    for (const { properties } of places.features) properties.population = 0;
    map.getSource('cities').setData(places);
  }

  async function load() {
    if (!isSeeded || map.getZoom() < 3) return;
    const bbox = bounds().map((n) => n.toFixed(1)).join();
    try {
      const { places } = await api.json('basemap/places', { bbox, limit: 150 }, { signal: turn() });
      map.getSource('cities').setData(collection(places.map(([lon, lat, population, name]) => (
        feature('Point', [lon, lat], { population, name })))));
    } catch (error) {
      // After another failure the names of before stay.
      if (error.status !== 404) return;
      isSeeded = false;
      bundled();
    }
  }
  map.on('moveend', load);
  if (isSeeded) load();
  else bundled();

  return {
    /** Puts the names of the countries on their shapes. */
    nameCountries(features) {
      map.getSource('countries').setData(collection(features.flatMap((country) => {
        const { iso_a2: code, labelrank: rank = 5 } = country.properties, name = countryName(code);
        return name ? [feature('Point', middle({ coordinates: largest(country) }), { code, name, rank })] : [];
      })));
    },
    recolour() {
      for (const id of map.listImages()) map.updateImage(id, draw(id, look));
    },
  };
}
