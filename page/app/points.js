/** Single things: the volcanoes, a ring round what is selected, the outline of the search's box. */

import { collection, feature } from './basemap.js';
import { el } from './dom.js';
import { kilometres } from './picking.js';
import { COUNTRY } from './record.js';

/** Makes them; `follow()` puts the ring where the selected thing is, as far as it is known in the frame. */
export function createPoints({ map, state, api, record, layer }) {
  const element = el('div', { class: 'ring', 'aria-hidden': true });
  const ring = new window.maplibregl.Marker({ element, opacityWhenCovered: '0' });
  const volcanoes = new Map();
  let isAsked = false;

  /** Where the selected thing is; nothing where only the country or no place is known. */
  function selectedAt() {
    const [, type, id] = /^(\w+):(.+)$/s.exec(state.get().selected ?? '') ?? [];
    if (type === 'volcano') return volcanoes.get(id);
    const square = /^square:(.+),(.+)/.exec(id)?.slice(1).map(Number);
    if (square) return square;
    const row = type === 'event' ? record.version(id, layer.frame.known) : record.place.indexOf(id);
    return record.precision[row] % COUNTRY ? [record.lon[row], record.lat[row]] : null;
  }

  function follow() {
    const at = selectedAt();
    if (!at) ring.remove();
    else if (!element.isConnected) ring.setLngLat(at).addTo(map);
    else ring.setLngLat(at);
  }

  /** Where the selected thing is if it is out of view, behind the globe, or under a panel. */
  function unseen() {
    const at = selectedAt();
    if (!at) return null;
    // The ring is in the nearest turn of the Earth.
    const point = map.project(ring.getLngLat()), isFront = kilometres(...at, map.unproject(point)) < 100;
    return isFront && document.elementFromPoint(point.x, point.y) === map.getCanvas() ? null : at;
  }

  async function load() {
    if (isAsked || !state.get().volcanoes) return;
    isAsked = true;
    // Their texts would be most of the first load.
    const asked = { limit: 10000, properties: 'name' };
    const { features } = await api.json('collections/volcanoes/items', asked).catch(() => {
      isAsked = false;
      return { features: [] };
    });
    for (const { id, geometry } of features) volcanoes.set(String(id), geometry.coordinates);
    map.getSource('volcanoes').setData(collection(features.map(({ id, geometry, properties: { name } }) => (
      feature('Point', geometry.coordinates, { id: String(id), name })))));
    follow();
  }

  function outline({ box }) {
    if (!box) return collection();
    const [west, south, , north] = box, east = box[2] < west ? box[2] + 360 : box[2];
    return feature('LineString', [[west, south], [east, south], [east, north], [west, north], [west, south]]);
  }
  const drawBox = (view) => map.getSource('box').setData(outline(view));

  load();
  drawBox(state.get());
  state.watch(['volcanoes'], load);
  state.watch(['box'], drawBox);
  return { follow, unseen };
}
