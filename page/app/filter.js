// What the view selects, as parameters of the service and in words.

import { categoryOf, countryCode, iso, minuteOf, span, timeText } from './words.js';

// The least step above a magnitude, since the service's bounds include the number itself.
const STEP = 1e-6;
const shown = (n) => String(Number(n.toFixed(6)));
const tidy = (text) => text.replace(/\s+/g, ' ').trim();

/** The filters of the search field, as one types them. */
export const FILTERS = 'mag>=5, depth>=100, source:NAME, author:"NAME", provider:NAME, country:NAME, cat:NAME';
const FIELD = /\b(source|author|provider|country):(?:"([^"]*)"?|(\S+))/gi;
const BOUND = /\b(magnitude|mag|m|depth)\s*([<>]=?|=)\s*(-?\d+(?:\.\d+)?)(?:\s*km\b)?/gi;
const AT_LEAST = /\bm(\d+(?:\.\d+)?)\+/gi;
/** What looks like a filter: a word, then a sign. */
const LIKE = /(?:^|\s)([\p{L}_]+\s*(?::|[<>]=?|=)[^\s"]*(?:"[^"]*"?)?)/gu;

/** Reads a text of the search field: `found` are parameters of the service, `unknown` looks like a filter. */
function read(text) {
  const found = {};
  const words = text
    .replace(FIELD, (whole, field, quoted, bare) => {
      const name = field.toLowerCase();
      const value = name === 'country' ? countryCode(quoted ?? bare) : quoted ?? bare;
      if (value) found[name] = value;
      return value ? ' ' : whole;
    })
    .replace(AT_LEAST, 'mag>=$1')
    .replace(BOUND, (_, field, bound, number) => {
      const name = field.toLowerCase() === 'depth' ? 'depth' : 'magnitude';
      if (!bound.includes('<')) found[`min_${name}`] = shown(Number(number) + (bound === '>' ? STEP : 0));
      if (!bound.includes('>')) found[`max_${name}`] = shown(number - (bound === '<' ? STEP : 0));
      return ' ';
    });
  found.q = words.match(/[^\s":]+/g)?.join(' ');
  // What stands in quotation marks is meant as words.
  const bare = words.replace(/(^|\s)"[^"]*"?/g, ' ');
  return { found, unknown: [...bare.matchAll(LIKE)].map(([, part]) => part) };
}

/** What looks like a filter and is none: `foo:bar`, `mag>x`, `country:Nowhere`. */
export const notUnderstood = (text) => read(text).unknown;

/** The same in words; empty where all is understood. */
export function misread(text) {
  const unknown = notUnderstood(text).slice(0, 3).map((part) => `“${part}”`);
  const are = unknown.length === 1 ? 'is no filter' : 'are no filters';
  return unknown.length ? `${unknown.join(', ')} ${are} and searched as words. Filters are: ${FILTERS}.` : '';
}

/** The bounds of a text: min_magnitude, max_depth, …, in numbers. */
export const boundsOf = (text) => Object.fromEntries(Object.entries(read(text).found)
  .filter(([name]) => /^(min|max)_/.test(name)).map(([name, value]) => [name, Number(value)]));

/** A text with another bound: of 'mag' or 'depth', '>=' or '<='; null takes it away. */
export function withBound(text, field, bound, value) {
  const isField = (name) => (name.toLowerCase() === 'depth') === (field === 'depth');
  const rest = text.replace(AT_LEAST, 'mag>=$1').replace(BOUND, (whole, name, old) =>
    (isField(name) && (old === '=' || old[0] === bound[0]) ? ' ' : whole));
  return tidy(`${rest} ${value === null ? '' : field + bound + value}`);
}

/**
 * Takes `cat:NAME` and `category:NAME,NAME` out of a text. `categories`, if there, has those of `known` that are named,
 * if only by their plural. What names no category stays in the text.
 */
export function takeCategories(text, known) {
  const named = new Set();
  const search = text.replace(/\bcat(?:egory|egories)?:(?:"([^"]*)"?|(\S+))/gi, (whole, quoted, bare) => {
    const wanted = (quoted ?? bare).toLowerCase().split(',').map((name) => known.find((one) =>
      [one, categoryOf(one).word, categoryOf(one).plural].includes(name.trim())));
    if (wanted.includes(undefined)) return whole;
    for (const name of wanted) named.add(name);
    return ' ';
  });
  return { search: tidy(search), ...(named.size && { categories: [...named] }) };
}

const datetime = ({ range, to }, now) => (to === null ? `${iso(minuteOf(now - range))}/..`
  : `${iso(to - range)}/${iso(to)}`);

export function toQuery(view, { time = true, box = true, categories = true, now = Date.now() } = {}) {
  const query = {
    category: categories && view.categories?.join(),
    ...read(view.search).found,
    bbox: box && view.box?.join(),
    datetime: time && datetime(view, now),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value));
}

/** A time of knowledge as a parameter of the service; none at the present. */
export const asOf = (known) => (known < Number.MAX_VALUE ? { as_of: iso(known) } : {});

export const shows = ({ categories }, name) => categories?.includes(name) ?? true;

/** The view's filter: "earthquakes, news, matching “ash”, in a box, last 72 h". */
export function describe({ categories, search, box, range, to, zone }) {
  return [
    categories ? categories.map((name) => categoryOf(name).plural).join(', ') : 'all events',
    search && `matching “${search}”`,
    box && 'in a box',
    to === null ? `last ${span(range)}` : `${span(range)} up to ${timeText(to, zone)}`,
  ].filter(Boolean).join(', ');
}
