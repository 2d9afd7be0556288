// The words and units that more than one part shows.

export const MINUTE = 60e3;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The longest range of time. */
export const LONGEST = 36500 * DAY;

const category = (sign, color, word, plural = word) => ({ word, plural, sign, color });

/** By name of a category: its sign, its colour by the name of the CSS variable, and its words. */
export const CATEGORIES = {
  earthquake: category('●', 'quake', 'earthquake', 'earthquakes'),
  volcano: category('▲', 'volcano', 'volcanic activity'),
  news: category('■', 'news', 'news'),
  message: category('◆', 'message', 'message', 'messages'),
  alert: category('⬟', 'alert', 'alert', 'alerts'),
  other: category('⬢', 'other', 'other'),
};

/** The words, sign and colour of any category; one that has none of its own looks as `other`. */
export function categoryOf(name) {
  if (Object.hasOwn(CATEGORIES, name)) return CATEGORIES[name];
  const word = name.replaceAll('_', ' ');
  return { ...CATEGORIES.other, word, plural: word };
}

export const precisionWords = {
  point: 'a point', city: 'a city', region: 'a region', country: 'a country', none: 'no place',
};
export const evidenceWords = {
  place: 'named by the feed', dateline: 'named in the dateline: where it was written',
  author: 'the home of the author', title: 'named in the title', summary: 'named in the text',
  distance: 'measured from a town',
};

/** A number, thin spaces between thousands. */
export const count = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');

/** A number of things: "1 event", "412 events". */
export const counted = (n, thing) => `${count(n)} ${thing}${n === 1 ? '' : 's'}`;

/** How old something is, in one unit: "3 s", "12 min", "2 h", "5 d"; negative milliseconds count as 0. */
export function age(ms) {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${count(Math.floor(ms / DAY))} d`;
}

/** A length of time in the largest unit with at most one decimal: "30 min", "4 h", "1.5 h", "72 h", "7 d". */
export function span(ms) {
  for (const [unit, length, least] of [['d', DAY, 4], ['h', HOUR, 1], ['min', MINUTE, 1]]) {
    const tenths = (ms / length) * 10;
    const round = Math.round(tenths);
    if (tenths >= least * 10 && Math.abs(tenths - round) < 1e-5) return `${count(round / 10)} ${unit}`;
  }
  return age(ms);
}

/** A length of time to the minute, from two hours on to the hour. */
export function roughly(ms) {
  const unit = ms < 2 * HOUR ? MINUTE : HOUR;
  return span(Math.round(ms / unit) * unit);
}

export const iso = (ms) => new Date(ms).toISOString();

/** The begin of a moment's minute. Whole minutes in a request let caches know it again. */
export const minuteOf = (ms) => Math.floor(ms / MINUTE) * MINUTE;

/** A degree in radians. */
export const RAD = Math.PI / 180;
export const clamp = (n, least, most) => Math.max(least, Math.min(n, most));

const local = new Intl.DateTimeFormat('sv-SE', {
  year: 'numeric', month: '2-digit', day: '2-digit',
  hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'shortOffset',
});

/** A moment with its zone, to the second; `zone` is 'local' or 'utc'. */
export function timeText(ms, zone) {
  if (!Number.isFinite(ms)) return '';
  return zone === 'utc' ? `${iso(ms).slice(0, 19).replace('T', ' ')} UTC` : local.format(ms);
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The day of a moment, "27 Nov"; with its year unless that is the year of `nowMs`. */
export function dayText(ms, zone, nowMs) {
  const [year, month, day] = timeText(ms, zone).slice(0, 10).split('-');
  const isSameYear = timeText(nowMs, zone).startsWith(`${year}-`);
  return `${Number(day)} ${MONTHS[month - 1]}${isSameYear ? '' : ` ${year}`}`;
}

/** The clock of a moment: "14:32". */
export const clockText = (ms, zone) => timeText(ms, zone).slice(11, 16);

/** A moment by day and clock: "27 Nov 14:00". */
export const dateClock = (ms, zone, nowMs) => `${dayText(ms, zone, nowMs)} ${clockText(ms, zone)}`;

/** A speed as multiple of real time in words: "10 min a second", "1 h a second", "7 d a second". */
export const pace = (speed) =>
  `${speed % 86400 ? span(speed * 1000) : `${count(speed / 86400)} d`} a second`;

/** A coordinate as latitude and longitude: "37.750° N, 14.990° E". */
export const degrees = ([lon, lat]) =>
  `${Math.abs(lat).toFixed(3)}° ${lat < 0 ? 'S' : 'N'}, ${Math.abs(lon).toFixed(3)}° ${lon < 0 ? 'W' : 'E'}`;

/** The coordinate in the id of a place without a name, "square:LON,LAT"; undefined of another. */
export const squareAt = (id) => /^square:(.+),(.+)/.exec(id)?.slice(1).map(Number);

const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** The name of a country by its ISO 3166-1 code; undefined without one. */
export const countryName = (code) => (/^[A-Z]{2}$/.test(code) ? countries.of(code) : undefined);

let named = null;

/** The countries as pairs of code and English name, in the order of their codes. */
export function allCountries() {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  // Groups and pseudo-regions are no countries, and a former code stands for another one now.
  const isOne = (code) => countries.of(code) && !/^(EU|EZ|UN|XA|XB|QO|ZZ)$/.test(code)
    && new Intl.Locale(`und-${code}`).region === code;
  named ??= letters.flatMap((a) => letters.map((b) => a + b)).filter(isOne).map((code) => [code, countries.of(code)]);
  return named;
}

/** A text without case, accents and spaces around it, for comparing. */
export const fold = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

/** The ISO 3166-1 code of a country by its code or English name; undefined without one. */
export const countryCode = (text) => allCountries()
  .find(([code, name]) => code === text.toUpperCase() || fold(name) === fold(text))?.[0];

const rounded = (n) => (n < 10 ? Math.round(n * 10) / 10 : count(Math.round(n)));
let isMiles = false;

/** Chooses the unit of distances, 'km' or 'mi'. */
export function useUnits(units) {
  isMiles = units === 'mi';
}

/** A text whose kilometres are told in the unit chosen. */
export const inUnits = (text) => (isMiles ? text.replace(/(\d[\d\u2009]*(?:\.\d+)?) km\b/g,
  (_, n) => `${rounded(n.replaceAll('\u2009', '') / 1.609344)} mi`) : text);

/** A distance of kilometres: "3.4 km", "120 km", "1 200 km", "75 mi". */
export const distance = (km) => inUnits(`${rounded(km)} km`);
