// The histogram: how many events of each category happened when, over the whole range.

import { afterFirst, takeTurns } from './api.js';
import { el } from './dom.js';
import { CATEGORIES, DAY, MINUTE, categoryOf, count, span, timeText } from './words.js';
import { shows, toQuery } from './filter.js';
import { frame, roundLength } from './timewindow.js';

const ORDER = Object.keys(CATEGORIES);
const BINS = 200;
// Pixels below the bars, and what the name of a mark needs.
const FOOT = 14;
const NAME = 56;

const words = ([name, n]) => `${count(n)} ${categoryOf(name)[n === 1 ? 'word' : 'plural']}`;

/** Makes the histogram; `wordsAt` tells what the bin at a time in ms holds, or why there are none. */
export function createHistogram({ state, api, loader, now }) {
  const canvas = el('canvas', { role: 'img' });
  const style = getComputedStyle(document.body);
  const turn = takeTurns();
  let bins = [];
  let problem = '';

  const isShown = ([name]) => shows(state.get(), name);
  const binWords = ({ from, parts }) =>
    [timeText(from, state.get().zone).slice(0, 16), ...parts.filter(isShown).map(words)].join(' · ');

  async function load() {
    const signal = turn();
    const query = toQuery(state.get(), { categories: false, now: now() });
    function put(answer) {
      if (signal.aborted) return;
      bins = answer.bins.map(({ start, categories }) => ({
        from: Date.parse(start), to: Date.parse(start) + answer.bin * 1000,
        parts: Object.entries(categories).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)),
      }));
      problem = '';
      draw();
    }
    function failed({ message }) {
      if (signal.aborted) return;
      problem = `${bins.length ? 'The histogram is old' : 'No histogram'}: ${message}`;
      draw();
    }
    const asked = { ...query, bins: BINS, by: 'category' };
    await api.lasting('summary/histogram', asked, { signal, failed }).then(put, failed);
  }

  function draw() {
    const { range, zone } = state.get();
    const { rangeFrom, rangeTo } = frame(state.get(), now());
    const { clientWidth: width, clientHeight: height } = canvas;
    const x = (ms) => (ms - rangeFrom) / range * width;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    const pen = canvas.getContext('2d');
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.font = `10px ${style.fontFamily}`;
    const paint = (colour) => { pen.fillStyle = style.getPropertyValue(`--${colour}`); };

    // Marks begin at midnight and go by the clock of the zone.
    const utc = zone === 'utc' ? 'UTC' : '';
    const apart = roundLength(NAME / width * range) / MINUTE;
    const at = new Date(rangeFrom);
    at[`set${utc}Hours`](0, 0, 0, 0);
    for (; x(at) + NAME < width; at[`set${utc}Minutes`](at[`get${utc}Minutes`]() + apart)) {
      if (at < rangeFrom) continue;
      const time = timeText(Number(at), zone).slice(11, 16);
      const day = {
        ...(range > 300 * DAY ? { year: 'numeric' } : { day: 'numeric' }), month: 'short', timeZone: utc || undefined,
      };
      paint('line');
      pen.fillRect(Math.round(x(at)), 0, 1, height);
      paint('dim');
      pen.fillText(time === '00:00' ? at.toLocaleDateString('en-GB', day) : time, x(at) + 4, height - 3);
    }

    const inside = bins.filter(({ from, to }) => to > rangeFrom && from < rangeTo);
    const totals = inside.map(({ parts }) => parts.filter(isShown).reduce((sum, [, n]) => sum + n, 0));
    const most = Math.max(1, ...totals);
    pen.globalAlpha = problem ? 0.4 : 1;
    inside.forEach(({ from, to, parts }, i) => {
      const left = Math.max(0, x(from));
      // The root lets quiet hours show beside a swarm.
      const scale = Math.sqrt(totals[i] / most) * (height - FOOT) / totals[i];
      let y = height - FOOT;
      for (const [name, n] of parts.filter(isShown)) {
        paint(categoryOf(name).color);
        pen.fillRect(left, y -= n * scale, Math.max(1, x(to) - left - 1), n * scale);
      }
    });
    const sum = totals.reduce((all, n) => all + n, 0);
    const top = sum ? `; most: ${binWords(inside[totals.indexOf(most)])}` : '';
    canvas.ariaLabel = problem || `${count(sum)} events in ${span(range)}${top}`;
  }

  function wordsAt(ms) {
    const bin = bins.find(({ from, to }) => from <= ms && ms < to);
    return problem || (bin?.parts.some(isShown) ? binWords(bin) : '');
  }

  loader.onRecord(afterFirst(10e3, load));
  // What another search has found does not stay.
  state.watch(['search', 'box'], () => { bins = []; });
  state.watch(['range', 'to', 'search', 'box'], load);
  state.watch(['range', 'to', 'categories', 'zone', 'scheme'], () => requestAnimationFrame(draw));
  new ResizeObserver(draw).observe(canvas);
  load();
  return { canvas, draw, wordsAt };
}
