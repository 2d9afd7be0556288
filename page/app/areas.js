/** What has a shape: alerts with their areas, and countries, each with the number of events known only to be in it. */

import { phase } from './alerts.js';
import { collection, feature } from './basemap.js';
import { shows } from './filter.js';
import { COUNTRY } from './record.js';

const PAUSE = 250;

/** `follow()` brings them up to date, four times a second at most; `point(picked)` outlines a country. */
export function createAreas({ map, put, drawn, state, record, layer, alerts }) {
  let timer = null, last = 0, areas = '', pointed = '';
  // By source and id: the state of a shape.
  const states = { alerts: new Map(), world: new Map() };

  function mark(source, found) {
    const before = states[source];
    states[source] = found;
    for (const id of before.keys()) if (!found.has(id)) map.removeFeatureState({ source, id });
    for (const [id, is] of found) if (is !== before.get(id)) map.setFeatureState({ source, id }, { is });
  }

  function followCountries(view) {
    const codes = [view.selected, pointed].map((one) => /^country:(.+)/.exec(one)?.[1]);
    mark('world', new Map(codes.filter(Boolean).map((code) => [code, 1])));
    // While playing they are out of sight, and no tile is made anew.
    if (view.playing) return;
    const countryOf = (row) => (record.precision[row] === COUNTRY ? record.country[row] : '');
    const counts = view.pins ? record.counts(view, layer.frame, countryOf) : {};
    const named = drawn.countries.filter(({ properties: { code } }) => counts[code]);
    put('numbers', named.map(({ geometry: { coordinates }, properties: { code: id, name } }) => (
      feature('Point', coordinates, { id, name: `${name}: ${counts[id]}`, events: counts[id] }))));
  }

  function followAlerts(view) {
    const { from, to, known } = layer.frame, found = new Map(), isShown = record.shownBy(view, known);
    const all = [...alerts.all()], held = all.filter(({ area }) => area);
    const keyOf = ({ id, revision }) => `${id} ${revision}`;
    for (const alert of all) {
      const row = record.version(alert.id, known);
      // One that began before all that the record has is of the present.
      const is = row < 0 ? known === Number.MAX_VALUE && alert.begin < record.time[0] && shows(view, 'alert')
        : record.revision[row] === alert.revision && isShown(row);
      if (is && view.pins && alert.area) found.set(keyOf(alert), phase(alert, from, to));
      // The sign is in the middle of the area; without one there is a disc.
      if (is && row >= 0) record.sign(row, alert.area);
    }
    mark('alerts', found);
    if (areas === (areas = held.map(keyOf).join())) return;
    map.getSource('alerts').setData(collection(held.map((alert) => ({ type: 'Feature', geometry: alert.area,
      properties: { id: alert.id, key: keyOf(alert), level: alert.level } }))));
  }

  function update() {
    last = performance.now();
    followCountries(state.get());
    followAlerts(state.get());
    map.triggerRepaint();
  }

  function follow() {
    clearTimeout(timer);
    const wait = last + PAUSE - performance.now();
    if (wait <= 0) update();
    else timer = setTimeout(update, wait);
  }

  return {
    follow,
    point(picked) {
      pointed = picked && `${picked.type}:${picked.id}`;
      follow();
    },
  };
}
