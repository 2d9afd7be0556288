/** Single things: the volcanoes, a ring round what is selected, the outline of the search's box. */

import { afterFirst } from './api.js';
import { feature } from './basemap.js';
import { el } from './dom.js';
import { kilometres } from './picking.js';
import { COUNTRY } from './record.js';
import { squareAt } from './words.js';

// Volcanic activity within so many kilometres is a volcano's.
const NEAR = 20;

/** `follow()` puts the ring where the selected thing is, as far as it is known in the frame. */
export function createPoints({ map, put, other, state, api, record, layer }) {
  const element = el('div', { class: 'ring', 'aria-hidden': true });
  const ring = new window.maplibregl.Marker({ element, opacityWhenCovered: '0' });
  const volcanoes = new Map();
  const soon = afterFirst(250, mark);
  let isAsked = false;

  /** Where the selected thing is; nothing where only the country or no place is known. */
  function selectedAt() {
    const [, type, id] = /^(\w+):(.+)$/s.exec(state.get().selected ?? '') ?? [];
    if (type === 'volcano') return volcanoes.get(id)?.at;
    const square = squareAt(id);
    if (square) return square;
    if (type === 'event' && !record.rows(id).length) return other.id === id && other.at;
    const row = type === 'event' ? record.version(id, layer.frame.known) : record.place.indexOf(id);
    return record.precision[row] % COUNTRY ? [record.lon[row], record.lat[row]] : null;
  }

  function follow() {
    const at = selectedAt();
    if (at) ring.setLngLat(at);
    if (!at) ring.remove();
    else if (!element.isConnected) ring.addTo(map);
    if (!state.get().playing) soon();
  }

  /** Where the selected thing is if it is out of view, behind the globe, or under a panel. */
  function unseen() {
    const at = selectedAt();
    if (!at) return null;
    // The ring is in the nearest turn of the Earth.
    const point = map.project(ring.getLngLat()), isFront = kilometres(...at, map.unproject(point)) < 100;
    return isFront && document.elementFromPoint(point.x, point.y) === map.getCanvas() ? null : at;
  }

  // MARK: Volcanoes

  /** The volcano of a row of volcanic activity: the one that its place names, else the nearest. */
  function volcanoOf(row) {
    const lat = record.lat[row];
    let nearest, least = record.precision[row] % COUNTRY ? NEAR : 0;
    for (const volcano of volcanoes.values()) {
      if (volcano.key === record.place[row]) return volcano;
      // 20 km are less than 0.2 degrees of latitude.
      const isNear = Math.abs(volcano.at[1] - lat) < 0.2;
      const km = isNear ? kilometres(...volcano.at, { lng: record.lon[row], lat }) : NEAR;
      if (km < least) [nearest, least] = [volcano, km];
    }
    return nearest;
  }

  const signs = (some) => [...some].map(({ id, name, at }) => feature('Point', at, { id, name }));

  /** Puts those with volcanic activity in the window on top, in red. */
  function mark() {
    const active = new Set();
    for (const row of record.shown(state.get(), layer.frame)) {
      if (record.categoryOf(row) === 'volcano') active.add(volcanoOf(row));
    }
    active.delete(undefined);
    put('active', signs(active));
  }

  async function load({ volcanoes: isWanted }) {
    if (isAsked || !isWanted) return;
    isAsked = true;
    // Their texts would be most of the first load.
    const asked = { limit: 10000, properties: 'name,key' };
    const { features } = await api.json('collections/volcanoes/items', asked).catch(() => {
      isAsked = false;
      return { features: [] };
    });
    for (const { id, geometry: { coordinates: at }, properties: { name, key } } of features) {
      volcanoes.set(String(id), { id: String(id), name, key, at });
    }
    put('volcanoes', signs(volcanoes.values()));
    follow();
  }

  function outline({ box }) {
    if (!box) return [];
    const [west, south, , north] = box, east = box[2] < west ? box[2] + 360 : box[2];
    return [feature('LineString', [[west, south], [east, south], [east, north], [west, north], [west, south]])];
  }
  state.follow(['volcanoes'], load);
  state.follow(['box'], (view) => put('box', outline(view)));

  return { follow, unseen };
}
