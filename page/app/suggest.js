// What the search field suggests without asking the service: filters, categories, sources, countries.

import { allCountries, categoryOf, countryCode, fold } from './words.js';

const quoted = (name) => (/[\s"]/.test(name) ? `"${name.replaceAll('"', '')}"` : name);

/** The filters that a beginning may mean, with what each does. */
const OFFERS = [
  ['magnitude', 'mag>=5', 'magnitude 5 and more'], ['depth', 'depth>=100', 'deeper than 100 km'],
  ['depth', 'depth<=70', 'at most 70 km deep'],
];

/** The countries whose names, or a word of them, begin so: pairs of code and name, at most three. */
export function countriesLike(text) {
  const begin = fold(text);
  if (begin.length < 2) return [];
  const rank = (name) => (name.startsWith(begin) ? 0 : name.includes(` ${begin}`) ? 1 : 2);
  return allCountries().map(([code, name]) => [code, name, rank(fold(name))])
    .filter(([, , order]) => order < 2).sort((a, b) => a[2] - b[2] || a[1].localeCompare(b[1]))
    .slice(0, 3).map(([code, name]) => [code, name]);
}

/**
 * At most six filters that the last word of a text may become: `{search, words}` with the whole text, or `{search,
 * categories, words}` with the categories that it chooses. `sources` and `categories` are the known names.
 */
export function filtersLike(text, { sources, categories }) {
  const [, before, last] = /^(.*?)(\S*)$/s.exec(text);
  const begin = fold(last);
  const found = [];
  const offer = (part, words) => found.push({ search: `${before}${part}`.trim(), words: `${part}: ${words}` });
  const number = /^m(\d(?:\.\d)?)$/.exec(begin)?.[1];
  if (number) offer(`mag>=${number}`, `magnitude ${number} and more`);
  for (const [name, part, words] of OFFERS) if (begin.length > 1 && name.startsWith(begin)) offer(part, words);
  const source = /^source:(.*)$/.exec(begin)?.[1];
  const wanted = source ?? (begin.length > 1 ? begin : null);
  for (const name of sources) {
    if (wanted !== null && fold(name).startsWith(wanted)) offer(`source:${quoted(name)}`, 'only this source');
  }
  const country = /^country:"?(.+)$/.exec(begin)?.[1];
  for (const [code, name] of country ? countriesLike(country) : []) {
    if (countryCode(last.slice(8)) !== code) offer(`country:${quoted(name)}`, 'places found by name there');
  }
  const category = /^cat(?:egory)?:(.*)$/.exec(begin)?.[1] ?? (begin.length > 2 ? begin : null);
  for (const name of categories) {
    const { plural } = categoryOf(name);
    if (category === null || ![name, plural].some((one) => fold(one).startsWith(category))) continue;
    found.push({ search: before.trim(), categories: [name], words: `only ${plural}` });
  }
  return found.slice(0, 6);
}
