/** What lies under the pointer: signs, then a volcano, discs, a country's shape; hotspots before all. */

import { takeTurns } from './api.js';
import { el } from './dom.js';
import { asOf } from './filter.js';
import { COUNTRY, POINT } from './record.js';
import { drawnRadius, radiusOf, rankOf, scaleAt, SIGN } from './signs.js';
import { countryName } from './words.js';

const RAD = Math.PI / 180;
const PAUSE = 150;
// A hand misses a sign by so many pixels, and a list has so many events.
const MISS = 6;
const MOST = 50;

/** Distance of two coordinates in kilometres. */
export function kilometres(lon, lat, to) {
  const a = Math.sin((to.lat - lat) / 2 * RAD) ** 2
    + Math.cos(lat * RAD) * Math.cos(to.lat * RAD) * Math.sin((to.lng - lon) / 2 * RAD) ** 2;
  return 12742 * Math.asin(Math.sqrt(a));
}

/**
 * Calls `onPick({type, id})` for each click; type is event, volcano, place, country, nothing, or pile: its id has those
 * of several events, escaped and with commas between, the one on top first. A mouse that rests on something sees its
 * title.
 */
export function createPicking({ container, map, state, record, api, layer, areas, onPick }) {
  const canvas = map.getCanvas();
  const tip = el('p', { class: 'tip', role: 'tooltip', hidden: true });
  container.append(tip);

  /** The rows of the signs and discs near a point, each with the pixels from its middle and those of its radius. */
  function near(point, at) {
    const view = state.get(), { known } = layer.frame, isShown = record.shownBy(view, known);
    const [start, end] = view.pins ? layer.span() : [0, 0], zoom = map.getZoom(), scale = scaleAt(zoom);
    const wide = 4e6 / (512 * 2 ** zoom), signs = [], discs = [];
    for (let row = start; row < end; row += 1) {
      const precision = record.precision[row], radius = radiusOf(record, row);
      if (!precision || precision === COUNTRY || !isShown(row)) continue;
      const km = kilometres(record.lon[row], record.lat[row], at);
      if (km > radius + wide) continue;
      const turns = Math.round((at.lng - record.lon[row]) / 360);
      const { x, y } = map.project([record.lon[row] + 360 * turns, record.lat[row]]);
      const one = { row, x, y, away: Math.hypot(x - point.x, y - point.y), rank: rankOf(record, row) };
      if (precision === POINT) signs.push({ ...one, r: drawnRadius(record.magnitude[row], scale) });
      else if (km <= radius || one.away <= (precision === COUNTRY - 1 ? SIGN.REGION : SIGN.CITY)) discs.push(one);
    }
    return { signs, discs };
  }

  /**
   * The signs under a point, the one on top first: those that hold it, and those that lie beneath the topmost as a
   * whole, which no click could reach. A point that just misses a sign means its middle.
   */
  function under(point, signs) {
    const [nearest] = signs.toSorted((a, b) => (a.away - a.r) - (b.away - b.r));
    if (!nearest || nearest.away > nearest.r + MISS) return [];
    const at = nearest.away > nearest.r ? nearest : point;
    const away = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
    const held = topFirst(signs.filter((one) => away(one, at) <= one.r));
    return topFirst(signs.filter((one) => held.includes(one) || away(one, held[0]) + one.r <= held[0].r));
  }

  const topFirst = (some) => some.sort((a, b) => b.rank - a.rank || b.row - a.row);

  /** What a click on one or several events means; nothing of none. */
  function events(some) {
    const ids = [...new Set(some.map(({ row }) => record.id[row]))].slice(0, MOST);
    if (ids.length < 2) return ids.length && { type: 'event', id: ids[0], ids };
    return { type: 'pile', id: ids.map(encodeURIComponent).join(), ids };
  }

  function pick(point) {
    const at = map.unproject(point), back = map.project(at);
    if (Math.hypot(back.x - point.x, back.y - point.y) > 3) return { type: 'nothing' };  // beside the globe
    const { signs, discs } = near(point, at), { volcanoes, playing } = state.get();
    const found = (margin, ...layers) => map.queryRenderedFeatures([[point.x - margin, point.y - margin],
      [point.x + margin, point.y + margin]], { layers })[0]?.properties;
    const place = !playing && found(1, 'hotspots');
    if (place) return { type: 'place', ...place };
    const volcano = () => volcanoes && !playing && found(3, 'active', 'volcanoes');
    const isVolcano = (one) => one && { type: 'volcano', ...one };
    const picked = events(under(point, signs)) || isVolcano(volcano()) || events(topFirst(discs));
    if (picked) return picked;
    const country = found(0, 'areas')?.iso_a2;
    return areas.counts().get(country) ? { type: 'country', id: country, name: countryName(country) }
      : { type: 'nothing' };
  }

  const turn = takeTurns();
  let shown = null, waiting = null;

  function hide() {
    turn();
    shown = null;
    tip.hidden = true;
    canvas.style.cursor = '';
  }

  async function titleOf({ ids, name }, signal) {
    if (!ids) return name;
    const path = `collections/events/items/${encodeURIComponent(ids[0])}`;
    const { properties: { title } } = await api.json(path, asOf(layer.frame.known), { signal });
    return ids.length > 1 ? `${title}, and ${ids.length - 1} more` : title;
  }

  /** Shows what the pointer rests on: at once by the cursor, after a pause by its title. */
  async function point(at) {
    const picked = pick(at);
    if (picked.type === shown?.type && picked.id === shown.id) return;
    hide();
    if (picked.type === 'nothing') return;
    canvas.style.cursor = 'pointer';
    shown = picked;
    const signal = turn();
    await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    const title = signal.aborted ? null : await titleOf(picked, signal).catch(() => null);
    if (signal.aborted || !title) return;
    tip.textContent = title;
    tip.hidden = false;
    tip.style.left = `${Math.max(8, Math.min(at.x + 8, container.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(8, at.y - tip.offsetHeight - 8)}px`;
  }

  canvas.addEventListener('pointermove', ({ offsetX: x, offsetY: y, pointerType, buttons }) => {
    if (pointerType !== 'mouse' || buttons || state.get().playing) return;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => point({ x, y }));
  });
  canvas.addEventListener('pointerleave', hide);
  map.on('movestart', hide);
  map.on('click', ({ point: at }) => {
    onPick(pick(at));
    // The focus of a mouse must not keep the page's keys from working.
    if (!canvas.matches(':focus-visible')) canvas.blur();
  });

  /** Takes the title away when playing begins and when its event is gone. */
  function follow() {
    const isGone = shown?.ids?.some((id) => record.version(id, layer.frame.known) < 0);
    if (isGone || state.get().playing) hide();
  }
  return { follow };
}
