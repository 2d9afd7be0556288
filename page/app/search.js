// The search field: what is typed filters everything; what is suggested filters, flies there, or opens a card.

import { takeTurns } from './api.js';
import { button, el, on } from './dom.js';
import { boundsOf, FILTERS, misread, takeCategories, withBound } from './filter.js';
import { cityText } from './rowwords.js';
import { countriesLike, filtersLike } from './suggest.js';
import { CATEGORIES } from './words.js';

/** The sliders: field, bound, parameter of the service, words, the least and the most, step. One end means no bound. */
const SLIDERS = [
  ['mag', '>=', 'min_magnitude', 'Magnitude at least', 0, 9, 0.5],
  ['depth', '>=', 'min_depth', 'Depth at least, km', 0, 700, 10],
  ['depth', '<=', 'max_depth', 'Depth at most, km', 0, 700, 10],
];

/** Makes the search field in `container`; what hangs from it is seen while it has the focus. */
export function createSearch({ container, state, api, map, record, loader, start }) {
  const turn = takeTurns();
  let timer = null;
  let sources = [];
  let isEmpty = false;

  const said = el('p', { id: 'search-said', role: 'status' });
  const list = el('ul', { id: 'places', 'aria-label': 'Suggestions', 'aria-live': 'polite' });
  const input = el('input', {
    type: 'search', 'aria-label': 'Search', 'aria-describedby': 'search-said', maxlength: 200, autocomplete: 'off',
    spellcheck: 'false', placeholder: 'Search: words, a place, mag>=5', title: `Words, ${FILTERS}. Key: /`,
  });
  const here = button('', () => commit(input.value, {
    box: state.get().box ? null : map.bounds().map((n) => Number(n.toFixed(2))),
  }));
  state.follow(['box'], ({ box }) => { here.textContent = box ? 'Search everywhere' : 'Search this view'; });
  container.append(input, el('div', { class: 'drop' }, said, list,
    el('div', { class: 'sliders', role: 'group', 'aria-label': 'Bounds' }, SLIDERS.map(slider), here)));

  /** A slider that writes its bound into the search; at its open end it takes the bound away. */
  function slider([field, bound, parameter, words, min, max, step]) {
    const open = bound === '>=' ? min : max;
    const output = el('output');
    const value = () => (Number(range.value) === open ? null : Number(range.value));
    const tell = () => { output.textContent = value() ?? 'any'; };
    const change = () => commit(withBound(input.value, field, bound, value()));
    const range = el('input', { type: 'range', min, max, step, 'aria-label': words, on: { input: tell, change } });
    const follow = ({ search }) => {
      range.value = boundsOf(search)[parameter] ?? open;
      tell();
    };
    state.follow(['search'], follow);
    return el('label', {}, el('span', {}, words), range, output);
  }

  const categories = () => [...new Set([...Object.keys(CATEGORIES), ...record.categories])];

  /** Says what of the text is no filter, or that nothing matches. */
  function say() {
    const text = input.value.trim();
    const unknown = misread(text);
    const isVain = text && text === state.get().search && isEmpty;
    said.textContent = unknown || (isVain ? `Nothing of this range matches “${text}”.` : '');
    input.ariaInvalid = unknown !== '';
  }

  // MARK: What is suggested

  const offer = (items) => list.append(...items.map(([words, act]) => el('li', {}, button(words, act))));

  function close() {
    clearTimeout(timer);
    turn();
    list.replaceChildren();
  }

  function show() {
    close();
    const { search } = state.get();
    input.value = search;
    container.classList.toggle('is-filtered', search !== '');
    say();
  }

  const choose = (patch) => {
    state.set(patch);
    show();
  };

  const commit = (text, more) => choose({ ...takeCategories(text, categories()), ...more });

  const fly = (center, zoom, more = {}) => () => {
    choose(more);
    map.flyTo({ center, zoom });
  };

  const known = (text) => [
    ...filtersLike(text, { sources, categories: categories() }).map(({ words, search, ...more }) =>
      [words, () => commit(search, more)]),
    ...countriesLike(text).map(([code, name]) => [`Country: ${name}`, () => choose({ selected: `country:${code}` })]),
  ];

  async function volcanoes(text, signal) {
    const words = text.match(/[\p{L}\p{N}]+/gu);
    if (!words) return [];
    const query = { q: `${words.join(' ')}*`, limit: 4 };
    const { features } = await api.json('collections/volcanoes/items', query, { signal });
    return features.map(({ id, geometry, properties: { name, country } }) =>
      [`▲ ${cityText(name, country)}`, fly(geometry.coordinates, 7, { selected: `volcano:${id}` })]);
  }

  async function cities(q, signal) {
    if (start.gazetteer === null) return [];
    const { places } = await api.json('basemap/places', { q, limit: 6 }, { signal });
    return places.map(([lon, lat, , name, country]) => [`→ ${cityText(name, country)}`, fly([lon, lat], 8)]);
  }

  async function ask(text) {
    const signal = turn();
    const found = await Promise.all([volcanoes, cities].map((find) => find(text, signal).catch(() => [])));
    if (!signal.aborted) offer(found.flat());
  }

  on(input, 'focus', async () => {
    say();
    if (sources.length) return;
    const status = await api.json('status').catch(() => ({ sources: [] }));
    sources = status.sources.map(({ name }) => name);
  });
  on(input, 'input', () => {
    close();
    const text = input.value.trim();
    if (!text) {
      commit('');
      return;
    }
    // A word that is still being typed may become a filter.
    said.textContent = '';
    offer(known(text));
    timer = setTimeout(() => {
      say();
      if (text.length > 1 && !/[:<>="]/.test(text)) ask(text);
    }, 200);
  });
  on(container, 'keydown', (event) => {
    if (event.target.type === 'range') return;
    const fields = [input, ...list.querySelectorAll('button')];
    const at = Math.max(0, fields.indexOf(event.target));
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way) fields[(at + way + fields.length) % fields.length].focus();
    else if (event.key === 'Enter' && event.target === input) commit(input.value);
    else if (event.key === 'Escape' && list.hasChildNodes()) {
      input.focus();
      close();
    } else if (event.key === 'Escape' && input.value) commit('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  on(container, 'focusout', ({ relatedTarget }) => { if (!container.contains(relatedTarget)) close(); });
  // Not all browsers focus a button that is pressed.
  on(container, 'mousedown', (event) => event.target.closest('button') && event.preventDefault());
  on(document, 'keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.target.closest('input, select, textarea')) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  loader.onProgress(({ done, total, error }) => {
    isEmpty = !error && total === 0 && done === 0;
    say();
  });
  state.watch(['search'], () => {
    isEmpty = false;
    show();
  });
  show();
}
