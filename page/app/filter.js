// What the view selects, as parameters of the service and in words.

import { categoryOf, iso, MINUTE, span, timeText } from './words.js';

// The least step above a magnitude, since the service's bounds include the number itself.
const STEP = 1e-6;
const shown = (n) => String(Number(n.toFixed(6)));

/**
 * Reads the text of the search field as parameters: `source:x`, `author:"A B"`, `provider:usgs`, `mag>5`,
 * `mag>=4.5`, `mag<3`, `M5+`; all else are words that must occur.
 */
function parseSearch(text) {
  const found = {};
  const words = text
    .replace(/\b(source|author|provider):(?:"([^"]*)"?|(\S+))/gi, (_, name, quoted, bare) => {
      found[name.toLowerCase()] = quoted ?? bare;
      return ' ';
    })
    .replace(/\bm(\d+(?:\.\d+)?)\+/gi, 'mag>=$1')
    .replace(/\b(?:mag|m)\s*([<>]=?|=)\s*(\d+(?:\.\d+)?)/gi, (_, bound, number) => {
      if (!bound.includes('<')) found.min_magnitude = shown(Number(number) + (bound === '>' ? STEP : 0));
      if (!bound.includes('>')) found.max_magnitude = shown(number - (bound === '<' ? STEP : 0));
      return ' ';
    });
  found.q = words.match(/[^\s":]+/g)?.join(' ');
  return found;
}

function datetime({ range, to }, now) {
  if (to !== null) return `${iso(to - range)}/${iso(to)}`;
  // Whole minutes let caches know the request again.
  return `${iso(Math.floor((now - range) / MINUTE) * MINUTE)}/..`;
}

/** The view's filter as parameters of the service; what is false stays out. `now` in ms since 1970. */
export function toQuery(view, { time = true, box = true, categories = true, now = Date.now() } = {}) {
  const query = {
    category: categories && view.categories?.join(),
    ...parseSearch(view.search),
    bbox: box && view.box?.join(),
    datetime: time && datetime(view, now),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value));
}

/** A time of knowledge as a parameter of the service; none at the present. */
export const asOf = (known) => (known < Number.MAX_VALUE ? { as_of: iso(known) } : {});

/** Whether a view shows a category. */
export const shows = ({ categories }, name) => categories?.includes(name) ?? true;

/** The view's filter in words: "earthquakes, news, matching “ash”, in a box, last 72 h". */
export function describe({ categories, search, box, range, to, zone }) {
  return [
    categories ? categories.map((name) => categoryOf(name).plural).join(', ') : 'all events',
    search && `matching “${search}”`,
    box && 'in a box',
    to === null ? `last ${span(range)}` : `${span(range)} up to ${timeText(to, zone)}`,
  ].filter(Boolean).join(', ');
}
