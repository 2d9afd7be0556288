// The words of a list's rows: headline, place, clock, distance from a town, and what a revision has changed.

import { aviationColour, endOf, pagerColour } from './importance.js';
import { age, count, countryName, distance, timeText } from './words.js';

const MAGNITUDE = /^\s*m[a-z]{0,3}\s*-?\d+(?:\.\d+)?\s*(?:[-–—:,]+\s*)?/i;

/** Whether a text has another one in it, without regard to case. Accents count: "ändå" is not Anda. */
const has = (text, part) => text.toLowerCase().includes(part.toLowerCase());

/** The title of an event without the magnitude, where that is told beside it; empty where it has none. */
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
export function clock(ms, zone, nowMs) {
  const text = timeText(ms, zone);
  const isToday = text.slice(0, 10) === timeText(nowMs, zone).slice(0, 10);
  return isToday ? text.slice(11, 16) : `${dayText(ms, zone)} ${text.slice(11, 16)}`;
}

/** The day of a moment: "27 Nov"; with the year where `nowMs` is in another one. */
export function dayText(ms, zone, nowMs = ms) {
  const date = timeText(ms, zone).slice(0, 10);
  const isYear = date.slice(0, 4) !== timeText(nowMs, zone).slice(0, 4);
  return new Date(`${date}T12:00Z`).toLocaleDateString('en-GB',
    { day: 'numeric', month: 'short', timeZone: 'UTC', year: isYear ? 'numeric' : undefined });
}

/** A depth in kilometres as a row tells it: "35 km deep". */
export const depthText = (km) => (km === undefined ? '' : `${Math.round(km)} km deep`);

/** What makes an event weigh more than its magnitude: "PAGER orange", "tsunami", "severe", "aviation red". */
export function signals({ details }) {
  const pager = pagerColour(details);
  const aviation = aviationColour(details);
  const severity = typeof details?.severity === 'string' ? details.severity.toLowerCase() : '';
  return [
    pager && pager !== 'green' && `PAGER ${pager}`, (details?.tsunami === 1 || details?.tsunami === true) && 'tsunami',
    /^(extreme|severe|moderate|minor)$/.test(severity) && severity, aviation && `aviation ${aviation}`,
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

const RAD = Math.PI / 180;
const WINDS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/**
 * Where a coordinate lies from the nearest of some cities, `[lon, lat, inhabitants, name, country]` as the interface
 * gives them: "34 km SW of Lisboa, Portugal", "Lisboa, Portugal" within 5 km, empty without a city.
 */
export function fromTown([lon, lat], cities) {
  // Within a few degrees the Earth is flat enough.
  const ways = cities.map(([east, north, , name, country]) => {
    const x = (((lon - east + 540) % 360) - 180) * Math.cos((lat + north) / 2 * RAD);
    const y = lat - north;
    return { km: Math.hypot(x, y) * 111.19, wind: Math.atan2(x, y) / RAD, name, country };
  });
  if (ways.length === 0) return '';
  const { km, wind, name, country } = ways.reduce((a, b) => (b.km < a.km ? b : a));
  const town = cityText(name, country);
  return km < 5 ? town : `${distance(Math.round(km))} ${WINDS[Math.round(wind / 45 + 8) % 8]} of ${town}`;
}

/** A city with its country, by name or ISO 3166-1 code, if it is known: "Lisboa, Portugal". */
export const cityText = (name, country) =>
  (country ? `${name}, ${countryName(country) ?? country}` : name);

// MARK: What has changed

const plain = (digits, unit = '') => (value) => (Number.isFinite(value) ? value.toFixed(digits) + unit : value);
const FIELDS = {
  magnitude: ['M', plain(1)], depth_km: ['depth', plain(0, ' km')], latitude: ['latitude', plain(2, '°')],
  longitude: ['longitude', plain(2, '°')], time: ['time', null], category: ['category', String],
  status: ['status', String], title: ['title', String], place_text: ['place', String],
  location_name: ['place', String], withdrawn: ['withdrawn', String],
};

/**
 * The changes of a revision in words, `[name, old, new]` of each field that is told, at most `most`; old is "not known"
 * where the service has left it out. What reads alike before and after is no change.
 */
export function changeWords(changes, zone, most = 3) {
  const rows = [];
  for (const [field, [name, form]] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(changes, field)) continue;
    const words = (value) => {
      if (value === undefined) return 'not known';
      if (value === null) return '–';
      return String(form ? form(value) : timeText(Date.parse(value), zone).slice(11, 19) || value);
    };
    const { from, to } = changes[field];
    // The place that was found has a name.
    if (from === null && /tude$/.test(name)) continue;
    if (words(from) !== words(to)) rows.push([name, words(from), words(to)]);
  }
  return rows.slice(0, most);
}

/** The revision of an event's history that a change of the log tells of: the last one until then; null without any. */
export function revisionAt(history, at) {
  const moment = Date.parse(at);
  return history.filter((one) => Date.parse(one.at) <= moment).at(-1) ?? null;
}

// MARK: The line of the first sight

/**
 * What the page shows, in parts: "412 events in 24 h", "strongest M 6.3 south of Panama", "3 alerts in force".
 * `strongest` is its magnitude and where it was, if that is known; null: none.
 */
export const sightWords = ({ events, length, strongest, alerts }) => [
  `${events === 0 ? 'no events' : events === 1 ? '1 event' : `${count(events)} events`} in ${length}`,
  strongest && `strongest M ${strongest.magnitude.toFixed(1)} ${strongest.where}`.trim(),
  alerts > 0 && (alerts === 1 ? '1 alert in force' : `${count(alerts)} alerts in force`),
].filter(Boolean);
