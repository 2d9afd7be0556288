// What the map shows besides the categories: kinds of drawing, base map, overlays, author's homes, shape.

import { el, on } from './dom.js';
import { choice, tick } from './panel.js';
import { HOME } from './record.js';
import { afterFirst } from './timing.js';
import { count } from './words.js';

/** The panel of layers; `start` has the configured base maps and overlays. */
export function createLayers({ addPanel, state, start, record, loader, legend }) {
  const homes = () => record.id.filter((_, row) => record.flags[row] & HOME && record.isVisible(row));

  function draw(body, signal) {
    const view = state.get();
    const ticked = (words, key) => tick(words, view[key], state.setter(key));
    const chosen = (words, key, options) => choice(words, Object.entries(options), view[key],
      state.setter(key));
    const overlay = ({ name }) => tick(name, view.overlays.includes(name), (isOn) => {
      const others = state.get().overlays.filter((other) => other !== name);
      state.set({ overlays: isOn ? [...others, name] : others });
    });
    const home = ticked('', 'home');
    const tell = () => { home.lastChild.textContent = `By author’s home (${count(homes().length)})`; };
    tell();
    const signs = el('ul', { class: 'legend' });
    const read = () => signs.replaceChildren(...legend.items());
    const soon = afterFirst(500, read);
    read();
    for (const end of [loader.onRecord(soon), loader.onRecord(tell), state.subscribe(soon)]) on(signal, 'abort', end);
    const basemaps = Object.fromEntries(start.basemaps.map(({ name }) => [name, name]));
    body.append(
      ticked('Pins', 'pins'), ticked('Heat', 'heat'), ticked('Hotspots', 'hotspots'),
      ticked('Volcanoes', 'volcanoes'), ...start.gazetteer ? [ticked('Cities by population', 'population')] : [], home,
      el('p', { class: 'dim', text: 'A home says where an author lives, not where something happened.' }),
      ...start.overlays.map(overlay),
      chosen('Colour of earthquakes', 'colour', { category: 'Category', depth: 'Depth' }),
      chosen('Base map', 'base', { plain: 'Plain', ...basemaps }),
      chosen('Shape', 'projection', { auto: 'Globe, flat when near', globe: 'Globe', flat: 'Flat' }),
      el('h3', { text: 'On the map now' }), signs);
  }

  addPanel('layers', 'Layers', draw);
}
