// What the map shows besides the categories: kinds of drawing, base map, overlays, author's homes, shape.

import { afterFirst } from './api.js';
import { el, h3, note, on } from './dom.js';
import { chosen, tick, ticked } from './panel.js';
import { HOME } from './record.js';
import { count } from './words.js';

const DRAWINGS = { pins: 'Pins', heat: 'Heat', hotspots: 'Hotspots', volcanoes: 'Volcanoes' };

export function createLayers({ addPanel, state, start, record, loader, legend }) {
  const homes = () => record.id.filter((_, row) => record.flags[row] & HOME && record.isVisible(row));

  function draw(body, signal) {
    const overlay = ({ name }) => tick(name, state.get().overlays.includes(name), (isOn) => {
      const others = state.get().overlays.filter((other) => other !== name);
      state.set({ overlays: isOn ? [...others, name] : others });
    });
    const home = ticked(state, 'home');
    const tell = () => { home.lastChild.textContent = `By author’s home (${count(homes().length)})`; };
    tell();
    const signs = el('ul', { class: 'legend' });
    const read = () => signs.replaceChildren(...legend.items());
    const soon = afterFirst(500, read);
    read();
    for (const end of [loader.onRecord(soon), loader.onRecord(tell), state.subscribe(soon)]) on(signal, 'abort', end);
    const basemaps = Object.fromEntries(start.basemaps.map(({ name }) => [name, name]));
    body.append(
      ...Object.entries(DRAWINGS).map(([key, label]) => ticked(state, key, label)),
      ...start.gazetteer ? [ticked(state, 'population', 'Cities by population')] : [], home,
      note('A home says where an author lives, not where something happened.'),
      ...start.overlays.map(overlay),
      chosen(state, 'colour', 'Colour of earthquakes', { category: 'Category', depth: 'Depth' }),
      chosen(state, 'base', 'Base map', { plain: 'Plain', ...basemaps }),
      chosen(state, 'projection', 'Shape', { auto: 'Globe, flat when near', globe: 'Globe', flat: 'Flat' }),
      h3('On the map now'), signs);
  }

  addPanel('layers', 'Layers', draw);
}
