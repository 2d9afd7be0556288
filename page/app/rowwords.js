// The words of a list's rows: headline, place, clock, distance from a town, and what a revision has changed.

import { aviationColour, endOf, hasTsunamiFlag, pagerColour, severityOf } from './importance.js';
import { age, clockText, counted, countryName, dateClock, dayText, distance, RAD, timeText } from './words.js';

const MAGNITUDE = /^\s*m[a-z]{0,3}\s*-?\d+(?:\.\d+)?\s*(?:[-–—:,]+\s*)?/i;

/** Whether a text has another one in it, without regard to case. Accents count: "ändå" is not Anda. */
const has = (text, part) => text.toLowerCase().includes(part.toLowerCase());

/** The title of an event without the magnitude, where that is told beside it. */
export function headline({ title = '', magnitude }) {
  return (magnitude === undefined ? title : title.replace(MAGNITUDE, '')) || title;
}

/**
 * The place of an event as far as its title does not say it: "Lisboa, Portugal", the country alone where the title
 * names the town, empty where it says all. By default the place is what the words mean, else the words.
 */
export function placeOnce({ title = '', location_name: name, location_matched_text: words, place_text: feeds }) {
  const place = name ?? words ?? feeds ?? '';
  if (!place || has(title, place)) return '';
  const [first, ...rest] = place.split(', ');
  if (!has(title, first)) return place;
  const country = rest.at(-1) ?? '';
  return has(title, country) ? '' : country;
}

/** The clock of a moment, "14:32"; with its date where that is another day than `nowMs`, "27 Nov 14:32". */
export const clock = (ms, zone, nowMs) => (dayText(ms, zone, nowMs) === dayText(nowMs, zone, nowMs)
  ? clockText : dateClock)(ms, zone, nowMs);

export const depthText = (km) => (km === undefined ? '' : `${Math.round(km)} km deep`);

/** What makes an event weigh more than its magnitude: "PAGER orange", "tsunami", "severe", "aviation red". */
export function signals({ details }) {
  const pager = pagerColour(details);
  const aviation = aviationColour(details);
  return [
    pager && pager !== 'green' && `PAGER ${pager}`, hasTsunamiFlag(details) && 'tsunami', severityOf(details),
    aviation && `aviation ${aviation}`,
  ].filter(Boolean);
}

/** Whether an alert is in force, in words: "in force, expires in 3 h", "ended 2 d ago"; empty for other events. */
export function forceWords(event, nowMs) {
  if (event.category !== 'alert' || event.withdrawn) return '';
  const begin = Date.parse(event.time ?? event.first_seen);
  const end = endOf(event);
  if (end <= nowMs) return `ended ${age(nowMs - end)} ago`;
  if (begin > nowMs) return `begins in ${age(begin - nowMs)}`;
  return event.expires ? `in force, expires in ${age(end - nowMs)}` : 'in force, end not known';
}

// MARK: From a town

const WINDS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/** Where a coordinate lies from the nearest city: "34 km SW of Lisboa, Portugal", within 5 km "Lisboa, Portugal". */
export function fromTown([lon, lat], cities) {
  // Within a few degrees the Earth is flat enough.
  const ways = cities.map(([east, north, , name, country]) => {
    const x = (((lon - east + 540) % 360) - 180) * Math.cos((lat + north) / 2 * RAD);
    const y = lat - north;
    return { km: Math.hypot(x, y) * 111.19, wind: Math.atan2(x, y) / RAD, town: cityText(name, country) };
  });
  if (ways.length === 0) return '';
  const { km, wind, town } = ways.reduce((a, b) => (b.km < a.km ? b : a));
  return km < 5 ? town : `${distance(Math.round(km))} ${WINDS[Math.round(wind / 45 + 8) % 8]} of ${town}`;
}

/** A city with its country, by name or ISO 3166-1 code, if it is known: "Lisboa, Portugal". */
export const cityText = (name, country) =>
  (country ? `${name}, ${countryName(country) ?? country}` : name);

// MARK: What has changed

const plain = (digits, unit = '') => (value) => (Number.isFinite(value) ? value.toFixed(digits) + unit : value);

/** A time beside another one, as far as they differ: with its day, by the clock, or to the millisecond. */
function moment(value, other, zone) {
  const [text, beside] = [value, other].map((one) => timeText(Date.parse(one), zone));
  if (text.slice(0, 10) !== beside.slice(0, 10)) return text;
  const ms = String(Date.parse(value) % 1000).padStart(3, '0');
  return text.slice(11, 19) + (text === beside ? `.${ms}` : '');
}

const FIELDS = {
  magnitude: ['M', plain(1)], depth_km: ['depth', plain(0, ' km')], latitude: ['latitude', plain(2, '°')],
  longitude: ['longitude', plain(2, '°')], time: ['time', moment], category: ['category', String],
  status: ['status', String], title: ['title', String], place_text: ['place', String],
  location_name: ['place', String], withdrawn: ['withdrawn', String], summary: ['summary', String],
};

/** The changes of a revision in words, `[name, old, new]` each. What reads alike before and after is no change. */
export function changeWords(changes, zone) {
  const words = (form, value, other) => {
    if (value === undefined) return 'not known';
    return value === null ? '–' : String(form(value, other, zone));
  };
  return Object.entries(FIELDS).flatMap(([field, [name, form]]) => {
    const { from, to } = Object.hasOwn(changes, field) ? changes[field] : {};
    const [before, after] = [words(form, from, to), words(form, to, from)];
    // The place that was found has a name.
    const isFound = from === null && /^(lat|long)itude$/.test(field);
    return before === after || isFound ? [] : [[name, before, after]];
  });
}

/** The revision of a history that a change of the log tells of: the last one until then; null without any. */
export function revisionAt(history, at) {
  const moment = Date.parse(at);
  return history.findLast((one) => Date.parse(one.at) <= moment) ?? null;
}

// MARK: The line of the first sight

/** What the page shows, in parts: "412 events in 24 h", "strongest M 6.3 south of Panama", "3 alerts in force". */
export const sightWords = ({ events, length, strongest, alerts }) => [
  `${events === 0 ? 'no events' : counted(events, 'event')} in ${length}`,
  strongest && `strongest M ${strongest.magnitude.toFixed(1)} ${strongest.where}`.trim(),
  alerts > 0 && `${counted(alerts, 'alert')} in force`,
].filter(Boolean);
