// Where the window lies in the range of time, and how it moves. Times are in ms since 1970, lengths in ms.

import { clamp, DAY, dateClock, LONGEST, MINUTE, minuteOf, roughly, timeText } from './words.js';

const ROUND = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080, 43200, 129600];

export const wholeMinutes = (ms) => Math.ceil(ms / MINUTE) * MINUTE;

/** The least round length of at least `ms`; beyond 90 days a multiple of that. */
export function roundLength(ms) {
  const most = ROUND.at(-1) * MINUTE;
  return ms > most ? Math.ceil(ms / most) * most : MINUTE * ROUND.find((minutes) => minutes * MINUTE >= ms);
}

/** The step of the edges of the window. */
export const grain = ({ range }) => roundLength(range / 720);

/** The keys of the view that move the window. */
export const MOVES = ['range', 'to', 'length', 'end', 'growing', 'then'];

const lengthOf = (view) => Math.min(view.length, view.range);
const firstEnd = (view, rangeFrom) => rangeFrom + (view.growing ? 0 : lengthOf(view));

/** The range, the window and the time of knowledge; `known` is MAX_VALUE for what is known now. */
export function frame(view, nowMs) {
  const rangeTo = view.to ?? nowMs;
  const rangeFrom = rangeTo - view.range;
  const to = clamp(view.end ?? rangeTo, firstEnd(view, rangeFrom), rangeTo);
  const from = view.growing ? rangeFrom : to - lengthOf(view);
  // At the present the service's clock counts, not the browser's.
  return { rangeFrom, rangeTo, from, to, known: view.then && !isPresent(view) ? to : Number.MAX_VALUE };
}

/** The usual window of a range, an 18th: 4 h of 72 h. */
const usual = (range) => wholeMinutes(range / 18);

/** Begins to play where the window is; if it is the last, with the first that reaches `first`. */
export function begin(view, nowMs, first = 0) {
  // A window that fills the range could not move.
  const fills = !view.growing && view.length >= view.range;
  const length = fills ? usual(view.range) : view.length;
  const { rangeFrom, rangeTo, to } = frame({ ...view, length }, nowMs);
  const end = to < rangeTo ? to : Math.max(first, firstEnd({ ...view, length }, rangeFrom));
  return { playing: true, end, length };
}

/** Plays on by some ms of real time. At the end of the range it stops, or begins again with `loop`. */
export function advance(view, elapsedMs, nowMs) {
  const { rangeFrom, rangeTo, to } = frame(view, nowMs);
  const end = to + elapsedMs * view.speed;
  if (end < rangeTo) return { end };
  return view.loop ? { end: firstEnd(view, rangeFrom) } : { end: null, playing: false };
}

/** Moves an edge of the window, 'left' or 'right', or its 'body' by its right edge, to `ms`. */
export function drag(view, handle, ms, nowMs) {
  const { rangeFrom, rangeTo, from, to } = frame(view, nowMs);
  const step = grain(view);
  const round = (n) => Math.max(1, Math.round(n / step)) * step;
  // Close to the end of the range the window sticks to it, so that it follows the present.
  const settled = (end) => (end >= rangeTo - step / 2 ? null : end);
  if (handle === 'left') return { growing: false, length: Math.min(round(to - ms), to - rangeFrom) };
  if (handle === 'body' || view.growing) return { end: settled(clamp(round(ms), rangeFrom, rangeTo)) };
  const end = settled(from + round(ms - from));
  return { end, length: wholeMinutes((end ?? rangeTo) - from) };
}

/** Moves the window by `n` of its lengths or days; at its ends the range moves along, up to the present. */
export function step(view, n, nowMs, unit = 'window') {
  const { rangeFrom, rangeTo, to } = frame(view, nowMs);
  const end = to + n * (unit === 'day' ? DAY : lengthOf(view));
  const missing = firstEnd(view, rangeFrom) - end;
  if (missing > 0) return { end, to: rangeTo - missing };
  if (end < rangeTo) return { end };
  return { end: null, to: view.to === null || end >= nowMs ? null : end };
}

export function recent(ms) {
  const range = clamp(ms, MINUTE, LONGEST);
  return { range, to: null, end: null, length: usual(range) };
}

/** All since `firstMs`, in the window, too. */
export function everything(firstMs, nowMs) {
  const range = clamp(wholeMinutes(nowMs - firstMs), MINUTE, LONGEST);
  return { range, to: null, end: null, length: range };
}

export const isPresent = ({ end, to }) => end === null && to === null;

export const PRESENT = { playing: false, end: null, to: null };

/** Moves the window to a past moment, which is then in its middle; the range comes along where it must. */
export function reach(view, ms, nowMs) {
  const { rangeFrom, rangeTo } = frame(view, nowMs);
  const end = ms + Math.ceil(lengthOf(view) / 2);
  const isIn = ms >= rangeFrom && ms <= rangeTo;
  if (isIn) return { playing: false, end: end < rangeTo ? Math.max(end, firstEnd(view, rangeFrom)) : null };
  return end < nowMs ? { playing: false, end: null, to: end } : PRESENT;
}

/** What fixes the time of a view, in whole minutes, as the address has them. */
export const fixed = (view, nowMs) => ({ to: view.to ?? minuteOf(nowMs), playing: false });

export const dateText = (ms, zone) => timeText(ms, zone).slice(0, 10);

/** The date `n` days later; empty if there is none. */
export const shiftDate = (date, n) => dateText(Date.parse(date) + n * DAY, 'utc');

/** The range of a date, or of today up to the present; empty for what is no past date. */
export function day(date, zone, nowMs) {
  const midnight = (text) => Date.parse(`${text}T00:00${zone === 'utc' ? 'Z' : ''}`);
  const from = midnight(date);
  const to = midnight(shiftDate(date, 1));
  if (to <= nowMs) return { range: to - from, to, end: null };
  return from < nowMs ? { range: wholeMinutes(nowMs - from), to: null, end: null } : {};
}

/** The window in words: "27 Nov 14:00 – 18:00 (4 h)", at the present "27 Nov 14:00 – now (4 h)". While it is played,
 * times go by the steps of its edges. */
export function label(view, nowMs) {
  const { zone } = view;
  const step = view.playing ? grain(view) : 1;
  const { from, to } = frame(view, nowMs);
  const times = [from, to].map((ms) => Math.floor(ms / step) * step);
  const [begins, ends] = times.map((ms) => dateClock(ms, zone, nowMs));
  const [day, other] = [begins, ends].map((words) => words.slice(0, -6));
  const utc = zone === 'utc' ? ' UTC' : '';
  const dates = isPresent(view) ? `${begins}${utc} – now`
    : `${begins} – ${day === other ? ends.slice(-5) : ends}${utc}`;
  return `${dates} (${roughly(times[1] - times[0])})`;
}
