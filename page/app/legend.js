// What is on the map now, in signs and words: for the panel of layers, the picture and paper.

import { cityRadius, readColours } from './basemap.js';
import { el } from './dom.js';
import { HOTSPOTS } from './hotspots.js';
import { COUNTRY, POINT } from './record.js';
import { DEPTHS, drawnRadius, HEAT, scaleAt } from './signs.js';
import { frame } from './timewindow.js';
import { categoryOf, count } from './words.js';

// Each part of the legend has words and draws what they tell of, from the left at half its height.

const glyph = (sign, colour, words) => ({ sign, words, wide: 20, high: 20, draw(pen) {
  pen.fillStyle = colour;
  pen.fillText(`${sign} `, 2, 0);
} });

/** Colours that go over into each other. */
const bar = (colours, words) => ({ words, wide: 60, high: 20, draw(pen) {
  const over = pen.createLinearGradient(0, 0, 60, 0);
  colours.forEach((colour, i) => over.addColorStop(i / (colours.length - 1), colour));
  pen.fillStyle = over;
  pen.fillRect(0, -5, 60, 10);
} });

/** Circles by their radius, the largest last. */
const circles = (sizes, colour, words) => ({
  words, wide: sizes.reduce((sum, r) => sum + 2 * r + 2, 0), high: Math.max(20, 2 * sizes.at(-1)), draw(pen) {
    pen.fillStyle = colour;
    let x = 0;
    for (const r of sizes) {
      pen.beginPath();
      pen.arc(x + r, 0, r, 0, 7);
      pen.fill();
      x += 2 * r + 2;
    }
  },
});

/** Makes the legend; `rows()` are the events in the window, and `parts()` what is on the map of them and besides. */
export function createLegend({ state, record, map, start, now }) {
  const rows = () => [...record.shown(state.get(), frame(state.get(), now()))];

  function parts() {
    const view = state.get(), look = readColours(), { zoom } = view;
    const numbers = record.counts(view, frame(view, now()));
    const precisions = new Set(rows().map((row) => record.precision[row]));
    const has = (precision) => view.pins && precisions.has(precision);
    const hasQuakes = has(POINT) && numbers.earthquake, hasVolcanoes = view.volcanoes && !view.playing;
    const hex = (rgb) => `rgb(${rgb.map((part) => Math.round(255 * part))})`;
    const sizes = [3, 5, 6].map((magnitude) => drawnRadius(magnitude, scaleAt(zoom)));
    const found = Object.entries(numbers).map(([name, n]) => {
      const { sign, plural, color } = categoryOf(name);
      return glyph(sign, look[color], `${plural} ${count(n)}`);
    });
    return !map.canDraw ? found : [
      ...found,
      hasQuakes && circles(sizes, look.quake, 'magnitude 3, 5, 6'),
      hasQuakes && view.colour === 'depth'
        && bar(DEPTHS.map(([, rgb]) => hex(rgb)), `depth 0 to ${DEPTHS.at(-1)[0]} km`),
      has(POINT) && glyph('◉', look.quake, 'fresh'),
      has(POINT) && bar([look.quake, look.dim], 'the greyer, the older in the window'),
      has(2) && glyph('○', look.news, 'around a city'),
      has(3) && glyph('◌', look.news, 'around a region'),
      numbers.alert && bar([`${look.alert}17`, look.alert], 'area of an alert: the fuller, the more severe'),
      numbers.alert && glyph('╌', look.alert, 'area of an alert that has ended'),
      has(COUNTRY) && glyph('3', look.text, 'events known only to be in the country'),
      view.heat && bar(HEAT.map(hex), 'few or weak to many or strong events'),
      view.hotspots && !view.playing && bar(HOTSPOTS, 'hotspots of 1, to 100, more events'),
      hasVolcanoes && zoom >= 3 && glyph('△', look.dim, 'volcano'),
      hasVolcanoes && numbers.volcano && glyph('△', look.volcano, 'volcano with activity'),
      view.population && start.gazetteer
        && circles([1e6, 1e7].map((people) => cityRadius(zoom, people)), `${look.dim}80`, 'city of 1, of 10 million'),
      ...view.overlays.map((name) => glyph('━', look.accent, name)),
    ].filter(Boolean);
  }

  const items = () => parts().map(({ words, wide, high, draw }) => {
    const ratio = devicePixelRatio;
    const canvas = el('canvas', { width: wide * ratio, height: high * ratio, 'aria-hidden': true });
    const pen = canvas.getContext('2d');
    Object.assign(canvas.style, { width: `${wide}px`, height: `${high}px` });
    pen.scale(ratio, ratio);
    pen.translate(0, high / 2);
    Object.assign(pen, { font: '14px system-ui, sans-serif', textBaseline: 'middle' });
    draw(pen);
    return el('li', {}, canvas, el('span', {}, words));
  });

  return { rows, parts, items };
}
