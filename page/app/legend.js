// What is on the map now, in signs and words: for the panel of layers, the picture and paper.

import { cityRadius, readColours } from './basemap.js';
import { el } from './dom.js';
import { HOTSPOTS } from './hotspots.js';
import { COUNTRY, POINT } from './record.js';
import { DEPTHS, drawnRadius, HEAT, scaleAt } from './signs.js';
import { frame } from './timewindow.js';
import { categoryOf, count } from './words.js';

const LINE = 20;
const hex = (rgb) => `rgb(${rgb.map((part) => Math.round(255 * part))})`;

/** A circle at x: filled, or an edge with `dash`. */
function circle(pen, x, r, { fill, edge, dash = [], width = 2 }) {
  pen.beginPath();
  pen.arc(x, 0, r, 0, 7);
  Object.assign(pen, { fillStyle: fill, strokeStyle: edge, lineWidth: width });
  if (fill) pen.fill();
  pen.setLineDash(dash);
  if (edge) pen.stroke();
}

/** Circles beside each other, by their radius. */
function circles(sizes, look) {
  const wide = sizes.reduce((sum, r) => sum + 2 * r + 4, 0);
  return { wide, high: 2 * Math.max(...sizes) + 4, draw(pen) {
    let x = 0;
    for (const r of sizes) {
      circle(pen, x + r + 2, r, look);
      x += 2 * r + 4;
    }
  } };
}

/** A bar whose colour goes over from one to the next. */
const bar = (colours) => ({ wide: 64, draw(pen) {
  const over = pen.createLinearGradient(0, 0, 60, 0);
  colours.forEach((colour, i) => over.addColorStop(i / (colours.length - 1), colour));
  pen.fillStyle = over;
  pen.fillRect(0, -5, 60, 10);
} });

/** A triangle, as volcanoes have it. */
const mountain = (colour, land) => ({ draw(pen) {
  Object.assign(pen, { strokeStyle: colour, fillStyle: land, lineWidth: 3 });
  pen.setLineDash([]);
  pen.beginPath();
  for (const corner of [[10, -5], [15, 4], [5, 4]]) pen.lineTo(...corner);
  pen.closePath();
  pen.stroke();
  pen.fill();
} });

/** A line of a width. */
const stroke = (edge, width, dash = []) => ({ draw(pen) {
  Object.assign(pen, { strokeStyle: edge, lineWidth: width });
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(1, 0);
  pen.lineTo(17, 0);
  pen.stroke();
} });

/** Makes the legend; `rows()` are the events in the window, and `parts()` what is on the map of them and besides. */
export function createLegend({ state, record, map, start, now }) {
  function rows() {
    const view = state.get(), { from, to, known } = frame(view, now());
    const isShown = record.shownBy(view, known), [first, end] = record.range(from, to), found = [];
    for (let row = first; row < end; row += 1) if (isShown(row)) found.push(row);
    return found;
  }

  /** A part has words, and draws its sign of {wide, high} from the left at the height of its middle. */
  function parts(shown = rows()) {
    const view = state.get(), look = readColours(), zoom = map.map?.getZoom() ?? 0, scale = scaleAt(zoom);
    const numbers = new Map(), precisions = new Set();
    for (const row of shown) {
      const name = record.categories[record.category[row]];
      numbers.set(name, (numbers.get(name) ?? 0) + 1);
      precisions.add(record.precision[row]);
    }
    const found = [...numbers].map(([name, n]) => {
      const { sign, plural, color } = categoryOf(name), colour = look[color.slice(2)];
      return { sign, words: `${plural} ${count(n)}`, draw(pen) {
        pen.fillStyle = colour;
        pen.fillText(`${sign} `, 2, 0);
      } };
    });
    if (!map.map) return found;
    const add = (is, words, part) => { if (is) found.push({ words, ...part }); };
    const fill = look.quake, { pins, playing } = view, edge = look.news, has = (precision) => pins && precisions.has(precision);
    const quakes = pins && numbers.has('earthquake');
    add(quakes, 'magnitude 3, 5, 7', circles([3, 5, 7].map((m) => drawnRadius(m, scale)), { fill }));
    add(quakes && view.colour === 'depth', `depth 0 to ${DEPTHS.at(-1)[0]} km`, bar(DEPTHS.map(([, rgb]) => hex(rgb))));
    add(has(POINT), 'with a ring: fresh', { draw(pen) {
      circle(pen, 10, 4, { fill });
      circle(pen, 10, 7.5, { edge: fill });
    } });
    add(has(POINT), 'the greyer, the older in the window', bar([fill, look.dim]));
    add(has(2), 'around a city', circles([7], { edge }));
    add(has(3), 'around a region', circles([7], { edge, dash: [3, 3] }));
    add(has(COUNTRY), 'number of events known only to be in the country', { draw(pen) {
      circle(pen, 10, 7, { edge, fill: look.land });
      pen.fillStyle = look.text;
      pen.fillText('3', 6, 1);
    } });
    add(view.heat, 'many or strong events', bar(HEAT.map(hex)));
    add(view.hotspots && !playing, 'hotspot of 1, to 100, more events', { wide: 44, draw(pen) {
      HOTSPOTS.forEach((colour, i) => circle(pen, 8 + 14 * i, 5 + i, { fill: colour }));
    } });
    add(view.volcanoes && !playing && zoom >= 3, 'volcano', mountain(look.dim, look.land));
    add(view.volcanoes && !playing && numbers.has('volcano'), 'volcano with activity', mountain(look.volcano, look.land));
    add(view.population && start.gazetteer, 'city of 1 and 10 million', circles(
      [1e6, 1e7].map((people) => cityRadius(zoom, people)), { fill: `${look.dim}40`, edge: look.dim, width: 0.5 }));
    for (const name of view.overlays) add(true, name, stroke(look.accent, 1.5));
    return found.map((part) => ({ wide: LINE, high: LINE, ...part }));
  }

  /** The legend as a list. */
  function list() {
    const ratio = devicePixelRatio;
    return el('ul', { class: 'legend' }, parts().map((part) => {
      const canvas = el('canvas', { width: part.wide * ratio, height: part.high * ratio, 'aria-hidden': 'true' });
      Object.assign(canvas.style, { width: `${part.wide}px`, height: `${part.high}px` });
      const pen = canvas.getContext('2d');
      pen.scale(ratio, ratio);
      pen.translate(0, part.high / 2);
      Object.assign(pen, { font: `14px ${getComputedStyle(document.body).fontFamily}`, textBaseline: 'middle' });
      part.draw(pen);
      return el('li', {}, canvas, el('span', { text: part.words }));
    }));
  }

  return { rows, parts, list };
}
