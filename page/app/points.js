/** Single things: the volcanoes, a ring round what is selected, the outline of the search's box. */

import { collection, feature } from './basemap.js';
import { el } from './dom.js';
import { asOf } from './filter.js';
import { kilometres } from './picking.js';
import { COUNTRY, middle } from './record.js';
import { squareAt } from './words.js';

const PAUSE = 250;
// Volcanic activity within so many kilometres is a volcano's, and those are less than so many degrees of latitude.
const NEAR = 20;
const BAND = 0.2;

/** Makes them; `follow()` puts the ring where the selected thing is, as far as it is known in the frame. */
export function createPoints({ map, state, api, record, layer }) {
  const element = el('div', { class: 'ring', 'aria-hidden': true });
  const ring = new window.maplibregl.Marker({ element, opacityWhenCovered: '0' });
  // By id, and by the id of their place.
  const volcanoes = new Map(), places = new Map();
  let isAsked = false, timer = null, marked = '';
  // The selected event, if it is not of the range; `at` is where it is, once the service has said so.
  let other = {};

  function seek(id) {
    const asked = { id, erasures: record.erasures, at: null };
    other = asked;
    const path = `collections/events/items/${encodeURIComponent(id)}`;
    asked.answer = api.json(path, asOf(layer.frame.known)).then(({ geometry, properties: p }) => {
      asked.at = p.location_precision === 'country' ? null : middle(geometry);
      follow();
    }).catch(() => {});
  }

  /** Where the selected thing is; nothing where only the country or no place is known. */
  function selectedAt() {
    const [, type, id] = /^(\w+):(.+)$/s.exec(state.get().selected ?? '') ?? [];
    if (type === 'volcano') return volcanoes.get(id)?.at;
    const square = squareAt(id);
    if (square) return square;
    if (type === 'event' && !record.rows(id).length) {
      if (other.id !== id || other.erasures !== record.erasures) seek(id);
      return other.at;
    }
    const row = type === 'event' ? record.version(id, layer.frame.known) : record.place.indexOf(id);
    return record.precision[row] % COUNTRY ? [record.lon[row], record.lat[row]] : null;
  }

  function follow() {
    const at = selectedAt();
    if (!at) ring.remove();
    else if (!element.isConnected) ring.setLngLat(at).addTo(map);
    else ring.setLngLat(at);
    if (!state.get().playing) timer ??= setTimeout(mark, PAUSE);
  }

  /** Where the selected thing is if it is out of view, behind the globe, or under a panel. */
  async function unseen() {
    if (!selectedAt()) await other.answer;
    const at = selectedAt();
    if (!at) return null;
    // The ring is in the nearest turn of the Earth.
    const point = map.project(ring.getLngLat()), isFront = kilometres(...at, map.unproject(point)) < 100;
    return isFront && document.elementFromPoint(point.x, point.y) === map.getCanvas() ? null : at;
  }

  // MARK: Volcanoes

  /** The volcano of a row of volcanic activity: the one that its place names, else the nearest. */
  function volcanoOf(row) {
    const named = places.get(record.place[row]), lon = record.lon[row], lat = record.lat[row];
    if (named || !(record.precision[row] % COUNTRY)) return named;
    const near = [...volcanoes.values()].filter(({ at }) => Math.abs(at[1] - lat) < BAND)
      .map((volcano) => ({ volcano, km: kilometres(lon, lat, { lng: volcano.at[0], lat: volcano.at[1] }) }));
    return near.filter(({ km }) => km <= NEAR).sort((a, b) => a.km - b.km)[0]?.volcano;
  }

  const sign = ({ id, name, at }) => feature('Point', at, { id, name });

  /** Puts those with volcanic activity in the window on top, in red. */
  function mark() {
    timer = null;
    const isShown = record.shownBy(state.get(), layer.frame.known), kind = record.categories.indexOf('volcano');
    const [start, end] = layer.span(), active = new Set();
    for (let row = start; row < end; row += 1) {
      if (record.category[row] === kind && isShown(row)) active.add(volcanoOf(row));
    }
    active.delete(undefined);
    const ids = [...active].map(({ id }) => id).join();
    if (ids === marked) return;
    marked = ids;
    map.getSource('active').setData(collection([...active].map(sign)));
  }

  async function load() {
    if (isAsked || !state.get().volcanoes) return;
    isAsked = true;
    // Their texts would be most of the first load.
    const asked = { limit: 10000, properties: 'name,key' };
    const { features } = await api.json('collections/volcanoes/items', asked).catch(() => {
      isAsked = false;
      return { features: [] };
    });
    for (const { id, geometry: { coordinates: at }, properties: { name, key } } of features) {
      const volcano = { id: String(id), name, at };
      volcanoes.set(volcano.id, volcano);
      places.set(key, volcano);
    }
    map.getSource('volcanoes').setData(collection([...volcanoes.values()].map(sign)));
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
