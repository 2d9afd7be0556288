// How much an event matters: one number for lists, signs and the first sight, and where on Earth it lies.

import { clamp, DAY, HOUR, RAD } from './words.js';

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

/** A word of a table in lower case; empty for what is none. */
const known = (table, value) => {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return Object.hasOwn(table, word) ? word : '';
};
const timeOf = ({ time, first_seen: seen }) => Number(new Date(time ?? seen));

/** The colour for aviation of a volcano's notice, in lower case; empty where it has none. */
export function aviationColour(details) {
  const named = { ...details?.parameters, ...details };
  const key = Object.keys(named).find((name) => /^(aviation|volcan\w*)?[ _-]*colou?r[ _-]*(code)?$/i.test(name));
  return known(AVIATION, [named[key]].flat()[0]);
}

export const pagerColour = (details) => known(PAGER, details?.alert);
export const severityOf = (details) => known(SEVERITY, details?.severity);
export const hasTsunamiFlag = (details) => details?.tsunami === 1 || details?.tsunami === true;

/** When an alert ends, in ms since 1970; one that does not say so, after a day. */
export const endOf = (event) => Date.parse(event.expires) || timeOf(event) + DAY;

/** Whether an alert is in force: it is one, stands, and does not end before `nowMs`. */
export const isInForce = (event, nowMs) => event.category === 'alert' && !event.withdrawn && nowMs < endOf(event);

/**
 * The weight of an event at a moment, about -3 to 10, by the rule of docs/map.md. Any of its properties may be missing,
 * and its time may be ms since 1970, too. What is withdrawn weighs -Infinity.
 */
export function importance(event, nowMs) {
  const { category, magnitude, withdrawn, details } = event;
  if (withdrawn) return -Infinity;
  const kind = Object.hasOwn(KINDS, category) ? KINDS[category] : KINDS.other;
  const signs = [
    // A small earthquake is less than one of unknown magnitude.
    Number.isFinite(magnitude) ? clamp(magnitude, -1, 10) : kind, PAGER[pagerColour(details)],
    hasTsunamiFlag(details) && TSUNAMI, SEVERITY[severityOf(details)], AVIATION[aviationColour(details)],
  ].filter(Number.isFinite);
  const ended = category === 'alert' && endOf(event) <= nowMs ? ENDED : 0;
  const ageMs = isInForce(event, nowMs) ? 0 : Math.max(0, nowMs - timeOf(event)) || 0;
  return Math.max(...signs) - ended - Math.log2(1 + ageMs / FADE) / 2;
}

/** Features, the one that matters most first; of equal ones the newest. */
export function ranked(features, nowMs) {
  const rows = features.map((feature) => {
    const { properties: p } = feature;
    return { feature, weight: importance(p, nowMs), time: timeOf(p) || 0 };
  });
  return rows.sort((a, b) => b.weight - a.weight || b.time - a.time).map(({ feature }) => feature);
}

// MARK: Where it lies

// The side of a cell, in degrees; how near is together: the cosine of 40 degrees.
const CELL = 10;
const NEAR = Math.cos(40 * RAD);
// A mean direction of this length has its events within 60 degrees, on average.
const TOGETHER = 0.5;

const sum = (vectors) => vectors.reduce((all, v) => all.map((n, i) => n + v[i]), [0, 0, 0]);
const cosine = (a, b) => (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / Math.hypot(...a) / Math.hypot(...b);

/**
 * Where the weight of events lies, as [longitude, latitude]; null without any. `points` are `{lon, lat, importance}`;
 * each pulls by 10^(0.75 importance), half the exponent of an earthquake's energy, so that neither one event alone nor
 * the number of events decides.
 *
 * It is the mean direction on the sphere. Events all over the globe have none: then it is that of the 40 degrees that
 * weigh most. It is within 70 degrees of the equator, so that no pole faces the eye.
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
    const around = (to) => sum(vectors.filter((v) => cosine(v, to) >= NEAR));
    mean = vectors.map(around).reduce((best, one) => (Math.hypot(...one) > Math.hypot(...best) ? one : best));
  }
  const [x, y, z] = mean;
  const round = (radians) => Math.round(radians / RAD * 10) / 10;
  return [round(Math.atan2(y, x)), clamp(round(Math.atan2(z, Math.hypot(x, y))), -70, 70)];
}
