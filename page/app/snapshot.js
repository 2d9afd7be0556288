// The map as a picture with its window, legend and credit; and the page on paper, with the events, too.

import { el, on } from './dom.js';
import { frame, label } from './timewindow.js';
import { categoryOf, count, degrees, timeText } from './words.js';

// Events on paper: the strongest.
const MOST = 60;
const LINE = 20;
const MARGIN = 12;

/** Makes what `print` (an element for paper alone) has, and the picture of the map. */
export function createSnapshot({ print, credit, state, record, map, now }) {
  const words = () => label(state.get(), now());

  /** The rows in the window, and by category their sign, colour and number. */
  function seen() {
    const view = state.get();
    const { from, to, known } = frame(view, now());
    const isShown = record.shownBy(view, known);
    const [start, end] = record.range(from, to);
    const rows = [];
    for (let row = start; row < end; row += 1) if (isShown(row)) rows.push(row);
    const numbers = new Map();
    for (const row of rows) {
      const name = record.categories[record.category[row]];
      numbers.set(name, (numbers.get(name) ?? 0) + 1);
    }
    const legend = [...numbers].map(([name, n]) => ({ ...categoryOf(name), n }));
    return { rows, legend };
  }

  /** The canvas of the picture. */
  function picture() {
    const style = getComputedStyle(document.body);
    const colour = (name) => style.getPropertyValue(name);
    const { canvas: drawn, ratio } = map.picture();
    const { width, height } = drawn;
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `13px ${style.fontFamily}`;
    const most = width / ratio - 2 * MARGIN;
    const lines = [[[words(), colour('--text')]], []];
    let x = 0;
    for (const { sign, plural, color, n } of seen().legend) {
      const part = [[`${sign} `, colour(color)], [`${plural} ${count(n)}    `, colour('--text')]];
      const long = part.reduce((sum, [text]) => sum + pen.measureText(text).width, 0);
      if (x > 0 && x + long > most) {
        lines.push([]);
        x = 0;
      }
      lines.at(-1).push(...part);
      x += long;
    }
    lines.push([[credit.textContent, colour('--dim')]]);

    const band = lines.length * LINE + 2 * MARGIN;
    Object.assign(pen.canvas, { width, height: height + Math.ceil(band * ratio) });
    pen.drawImage(drawn, 0, 0);
    pen.fillStyle = colour('--panel');
    pen.fillRect(0, height, width, band * ratio);
    pen.scale(ratio, ratio);
    Object.assign(pen, { font: `13px ${style.fontFamily}`, textBaseline: 'middle' });
    lines.forEach((parts, i) => {
      let left = MARGIN;
      for (const [text, ink] of parts) {
        pen.fillStyle = ink;
        pen.fillText(text, left, height / ratio + MARGIN + (i + 0.5) * LINE, most);
        left += pen.measureText(text).width;
      }
    });
    return pen.canvas;
  }

  function table(rows) {
    const { zone } = state.get();
    const strength = (row) => record.magnitude[row] || -1;
    const strongest = [...rows].sort((a, b) => strength(b) - strength(a) || b - a).slice(0, MOST);
    const cells = (row) => [
      timeText(record.time[row], zone), categoryOf(record.categories[record.category[row]]).word,
      Number.isNaN(record.magnitude[row]) ? '' : `M ${record.magnitude[row].toFixed(1)}`,
      Number.isNaN(record.depth[row]) ? '' : `${record.depth[row].toFixed(0)} km`,
      Number.isNaN(record.lon[row]) ? 'no place' : degrees([record.lon[row], record.lat[row]]),
    ];
    return el('table', {},
      el('caption', { text: `${count(strongest.length)} of ${count(rows.length)} events, the strongest first` }),
      el('tbody', {}, strongest.map((row) => el('tr', {}, cells(row).map((text) => el('td', { text }))))));
  }

  on(window, 'beforeprint', () => {
    const { rows, legend } = seen();
    print.replaceChildren(
      el('h2', { text: words() }), ...(map.map ? [picture()] : []),
      el('p', { text: legend.map(({ sign, plural, n }) => `${sign} ${plural} ${count(n)}`).join('   ') }),
      el('p', { text: credit.textContent }), table(rows));
  });
  on(window, 'afterprint', () => print.replaceChildren());

  return { png: () => new Promise((resolve) => { picture().toBlob(resolve, 'image/png'); }) };
}
