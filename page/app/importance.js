// How much an event matters: one number for lists, signs and the first sight, and where on Earth it lies.

import { DAY, HOUR } from './words.js';

// All is told as the magnitude of an earthquake that matters as much.
const KINDS = {
  earthquake: 2, tsunami: 6, volcano: 3.5, alert: 3.5, cyclone: 4.5, flood: 4, wildfire: 4, drought: 3,
  news: 2, message: 1.5, other: 2,
};
/** USGS' PAGER: the expected losses by the colour of the alert. */
const PAGER = { green: 4.5, yellow: 6, orange: 7, red: 8 };
/** CAP 1.2 §3.2.2, `severity`. */
const SEVERITY = { extreme: 7, severe: 6, moderate: 4.5, minor: 3.5 };
/** Colours of the ICAO for aviation (Doc 9766); "unassigned" says nothing. */
const AVIATION = { green: 3, yellow: 4.5, orange: 6, red: 7 };
const TSUNAMI = 6.5;
/** What an alert that has ended loses. */
const ENDED = 2;
const FADE = 6 * HOUR;

const word = (value) => (typeof value === 'string' ? value.trim().toLowerCase() : '');
const from = (table, value) => (Object.hasOwn(table, word(value)) ? table[word(value)] : -Infinity);
const clamp = (n, least, most) => Math.max(least, Math.min(n, most));

/** The colour for aviation of a volcano's notice, in lower case; empty where it has none. */
export function aviationColour(details) {
  const { parameters } = details ?? {};
  const named = { ...parameters, ...details };
  const key = Object.keys(named).find((name) => /^(aviation|volcan\w*)?[ _-]*colou?r[ _-]*(code)?$/i.test(name));
  const colour = word([named[key]].flat()[0]);
  return Object.hasOwn(AVIATION, colour) ? colour : '';
}

/** The colour of the alert of PAGER, in lower case; empty where it has none. */
export const pagerColour = (details) => (from(PAGER, details?.alert) > 0 ? word(details.alert) : '');

/** When an alert ends, in ms since 1970; one that does not say so, after a day. */
export const endOf = ({ expires, time, first_seen: seen }) => Date.parse(expires) || Date.parse(time ?? seen) + DAY;

/** Whether an alert is in force: it is one, stands, and does not end before `nowMs`. */
export const isInForce = (event, nowMs) => event.category === 'alert' && !event.withdrawn && nowMs < endOf(event);

/**
 * The weight of an event at a moment, as the magnitude of an earthquake that matters as much and happens now, about
 * -3 to 10. `event` has properties of the interface: category, magnitude, time or first_seen (RFC 3339 or ms since
 * 1970), expires, withdrawn, details; all of them may be missing.
 *
 * What counts is the strongest sign: the magnitude (2 where an earthquake has none, at most 10), PAGER's colour, the
 * flag for a tsunami (6.5), the severity of CAP, the colour for aviation, else the kind of event. An alert whose end
 * has passed loses 2, one that is in force does not age, all others do: half a magnitude each time the age doubles,
 * counted from 6 h.
 *
 *     age      0 h   6 h   24 h   72 h   7 d   30 d
 *     loses    0     0.5   1.2    1.9    2.4   3.5
 *
 * So an M 6.3 of yesterday (5.1) goes before an M 4.5 of now, and that before an M 5.5 of yesterday (4.3). What is
 * withdrawn weighs -Infinity.
 */
export function importance(event, nowMs) {
  const { category, magnitude, withdrawn, details } = event;
  if (withdrawn) return -Infinity;
  const kind = Object.hasOwn(KINDS, category) ? KINDS[category] : KINDS.other;
  const signs = [
    from(PAGER, details?.alert), details?.tsunami === 1 || details?.tsunami === true ? TSUNAMI : -Infinity,
    from(SEVERITY, details?.severity), from(AVIATION, aviationColour(details)),
  ];
  // A small earthquake is less than one of unknown magnitude.
  signs.push(Number.isFinite(magnitude) ? clamp(magnitude, -1, 10) : kind);
  const happened = typeof event.time === 'number' ? event.time : Date.parse(event.time ?? event.first_seen);
  const ageMs = Math.max(0, nowMs - happened) || 0;
  const end = Date.parse(event.expires);
  if (category === 'alert' && end <= nowMs) signs.push(Math.max(...signs.splice(0)) - ENDED);
  const isAged = !isInForce(event, nowMs);
  return Math.max(...signs) - (isAged ? Math.log2(1 + ageMs / FADE) / 2 : 0);
}

/** Features, the one that matters most first; of equal ones the newest. */
export function ranked(features, nowMs) {
  const key = new Map(features.map((feature) => [feature, importance(feature.properties, nowMs)]));
  const time = ({ properties: p }) => Date.parse(p.time ?? p.first_seen) || 0;
  return [...features].sort((a, b) => key.get(b) - key.get(a) || time(b) - time(a));
}

// MARK: Where it lies

const RAD = Math.PI / 180;
// The side of a cell, in degrees; how near is together: the cosine of 40 degrees.
const CELL = 10;
const NEAR = Math.cos(40 * RAD);
// A mean direction of this length has its events within 60 degrees, on average.
const TOGETHER = 0.5;

const sum = (vectors) => vectors.reduce((all, v) => all.map((n, i) => n + v[i]), [0, 0, 0]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * Where the weight of events lies, as [longitude, latitude] in degrees; null without any. `points` are
 * `{lon, lat, importance}`; each pulls by 10^(0.75 importance), half the exponent of an earthquake's energy, so that
 * neither one event alone nor the number of events decides.
 *
 * It is the mean direction on the sphere where that has a length of half or more. Events all over the globe have none:
 * then it is the mean of the 40 degrees that weigh most. Within 70 degrees of the equator, so that no pole faces the
 * eye. Points that are no numbers are left out.
 */
export function middleOfWeight(points) {
  const cells = new Map();
  let total = 0;
  for (const { lon, lat, importance: weight } of points) {
    const pull = 10 ** (0.75 * weight);
    if (!Number.isFinite(lon) || !(Math.abs(lat) <= 90) || !(pull > 0)) continue;
    const [east, north] = [lon * RAD, lat * RAD];
    const at = [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
    const key = `${Math.floor(lon / CELL)} ${Math.floor(lat / CELL)}`;
    cells.set(key, sum([cells.get(key) ?? [0, 0, 0], at.map((n) => n * pull)]));
    total += pull;
  }
  if (total === 0) return null;
  const vectors = [...cells.values()];
  let mean = sum(vectors);
  if (Math.hypot(...mean) < TOGETHER * total) {
    const around = (to) => sum(vectors.filter((v) => dot(v, to) >= NEAR * Math.hypot(...v) * Math.hypot(...to)));
    mean = vectors.map(around).reduce((best, one) => (Math.hypot(...one) > Math.hypot(...best) ? one : best));
  }
  const [x, y, z] = mean;
  const round = (degrees) => Math.round(degrees * 10) / 10;
  return [round(Math.atan2(y, x) / RAD), clamp(round(Math.atan2(z, Math.hypot(x, y)) / RAD), -70, 70)];
}
