// The map as a picture with its window, legend and credit; and the page on paper, with the events, too.

import { readColours } from './basemap.js';
import { el, on } from './dom.js';
import { label } from './timewindow.js';
import { categoryOf, count, degrees, timeText } from './words.js';

// Events on paper: the strongest.
const MOST = 60;
const LINE = 20;
const MARGIN = 12;

/** Makes what `print` (an element for paper alone) has, and the picture of the map. */
export function createSnapshot({ print, credit, state, record, map, legend, now }) {
  const words = () => label(state.get(), now());

  function picture() {
    const look = readColours();
    const { canvas: drawn, ratio } = map.picture();
    const { width, height } = drawn;
    const pen = document.createElement('canvas').getContext('2d');
    const font = '13px system-ui, sans-serif', most = width / ratio - 2 * MARGIN;
    pen.font = font;
    const wide = ({ words: text, wide: sign }) => sign + 4 + pen.measureText(`${text}    `).width;
    const lines = [];
    let room = 0;
    for (const part of legend.parts()) {
      room -= wide(part);
      if (room < 0) {
        lines.push([]);
        room = most - wide(part);
      }
      lines.at(-1).push(part);
    }
    const heights = lines.map((parts) => Math.max(LINE, ...parts.map(({ high }) => high)));
    const band = heights.reduce((sum, high) => sum + high, 2 * LINE + 2 * MARGIN);
    Object.assign(pen.canvas, { width, height: height + Math.ceil(band * ratio) });
    pen.drawImage(drawn, 0, 0);
    pen.fillStyle = look.panel;
    pen.fillRect(0, height, width, band * ratio);
    pen.scale(ratio, ratio);
    Object.assign(pen, { font, textBaseline: 'middle' });
    let y = height / ratio + MARGIN + LINE / 2;
    const write = (text, ink, left) => {
      pen.fillStyle = ink;
      pen.fillText(text, left, y, most);
    };
    write(words(), look.text, MARGIN);
    y += LINE / 2;
    lines.forEach((parts, i) => {
      let left = MARGIN;
      y += heights[i] / 2;
      for (const part of parts) {
        pen.save();
        pen.translate(left, y);
        part.draw(pen);
        pen.restore();
        write(part.words, look.text, left + part.wide + 4);
        left += wide(part);
      }
      y += heights[i] / 2;
    });
    y += LINE / 2;
    write(credit.textContent, look.dim, MARGIN);
    return pen.canvas;
  }

  function table(rows) {
    const { zone } = state.get();
    const strength = (row) => record.magnitude[row] || -1;
    const strongest = [...rows].sort((a, b) => strength(b) - strength(a) || b - a).slice(0, MOST);
    const cells = (row) => [
      timeText(record.time[row], zone), categoryOf(record.categoryOf(row)).word,
      Number.isNaN(record.magnitude[row]) ? '' : `M ${record.magnitude[row].toFixed(1)}`,
      Number.isNaN(record.depth[row]) ? '' : `${record.depth[row].toFixed(0)} km`,
      Number.isNaN(record.lon[row]) ? 'no place' : degrees([record.lon[row], record.lat[row]]),
    ];
    return el('table', {},
      el('caption', {}, `${count(strongest.length)} of ${count(rows.length)} events, the strongest first`),
      el('tbody', {}, strongest.map((row) => el('tr', {}, cells(row).map((text) => el('td', { text }))))));
  }

  on(window, 'beforeprint', () => {
    print.replaceChildren(
      el('h2', {}, words()), ...(map.map ? [picture()] : []),
      el('p', {}, legend.parts().flatMap(({ sign, words: text }) => (sign ? `${sign} ${text}` : [])).join('   ')),
      el('p', {}, credit.textContent), table(legend.rows()));
  });
  on(window, 'afterprint', () => print.replaceChildren());

  return { png: () => new Promise((resolve) => { picture().toBlob(resolve, 'image/png'); }) };
}
