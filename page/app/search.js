// The search field: what is typed filters everything; the name of a place flies there.

import { takeTurns } from './api.js';
import { button, el, on } from './dom.js';

/** Makes the search field in `container`. */
export function createSearch({ container, state, api, map }) {
  const turn = takeTurns();
  let timer = null;
  let hasPlaces = true;

  const input = el('input', {
    type: 'search', 'aria-label': 'Search', maxlength: 200, autocomplete: 'off', spellcheck: 'false',
    placeholder: 'Search words, mag>=5, a place',
    title: 'Words, source:NAME, author:"NAME", provider:NAME, mag>=5. Key: /',
  });
  const list = el('ul', { id: 'places', 'aria-label': 'Places', 'aria-live': 'polite', hidden: true });
  container.append(input, list);

  function offer(places) {
    list.hidden = places.length === 0;
    list.replaceChildren(...places.map(([lon, lat, , name, country]) => el('li', {},
      button(`→ ${country ? `${name}, ${country}` : name}`, () => {
        map.flyTo({ center: [lon, lat], zoom: 8 });
        show();
      }))));
  }

  function close() {
    clearTimeout(timer);
    turn();
    offer([]);
  }

  function show() {
    close();
    input.value = state.get().search;
    container.classList.toggle('is-filtered', input.value !== '');
  }

  function commit(text) {
    state.set({ search: text.trim() });
    show();
  }

  async function ask(q) {
    try {
      offer((await api.json('basemap/places', { q, limit: 6 }, { signal: turn() })).places);
    } catch (error) {
      // There is no city table.
      if (error.status === 404) hasPlaces = false;
    }
  }

  on(input, 'input', () => {
    close();
    const text = input.value.trim();
    if (!text) commit('');
    else if (hasPlaces && text.length > 1 && !/[:<>="]/.test(text)) timer = setTimeout(ask, 200, text);
  });
  on(container, 'keydown', (event) => {
    const fields = [input, ...list.querySelectorAll('button')];
    const at = fields.indexOf(event.target);
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way) fields[(at + way + fields.length) % fields.length].focus();
    else if (event.key === 'Enter' && event.target === input) commit(input.value);
    else if (event.key === 'Escape' && !list.hidden) {
      input.focus();
      close();
    } else if (event.key === 'Escape' && input.value) commit('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  on(container, 'focusout', ({ relatedTarget }) => { if (!container.contains(relatedTarget)) close(); });
  // Not all browsers focus a button that is pressed.
  on(list, 'mousedown', (event) => event.preventDefault());
  on(document, 'keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.target.closest('input, select, textarea')) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  state.watch(['search'], show);
  show();
}
