/** What lies under the pointer: signs, a volcano, a country's number, discs, an alert; hotspots before all. */

import { eventPath, takeTurns } from './api.js';
import { el, on } from './dom.js';
import { asOf } from './filter.js';
import { COUNTRY, POINT } from './record.js';
import { forceWords } from './rowwords.js';
import { drawnRadius, radiusOf, rankOf, scaleAt, SIGN } from './signs.js';
import { RAD } from './words.js';

const PAUSE = 150;
// By how many pixels a hand misses a sign, and how many events a list of those under a click has.
const MISS = 6;
export const PILE = 30;

export function kilometres(lon, lat, to) {
  const a = Math.sin((to.lat - lat) / 2 * RAD) ** 2
    + Math.cos(lat * RAD) * Math.cos(to.lat * RAD) * Math.sin((to.lng - lon) / 2 * RAD) ** 2;
  return 12742 * Math.asin(Math.sqrt(a));
}

/**
 * Calls `onPick({type, id})` for each click; type is event, volcano, place, country, nothing, or pile, with the escaped
 * ids of several events and commas between. A mouse that rests on something sees its title.
 */
export function createPicking({ container, map, state, record, api, layer, areas, onPick }) {
  const canvas = map.getCanvas();
  const tip = el('p', { class: 'tip', role: 'tooltip', hidden: true });
  container.append(tip);

  /** The signs near a point and the discs that hold it, the one on top first. */
  function near(point, at) {
    const view = state.get(), zoom = map.getZoom(), scale = scaleAt(zoom), found = [];
    for (const row of view.pins ? record.shown(view, layer.frame) : []) {
      const precision = record.precision[row], km = radiusOf(record, row), lon = record.lon[row];
      if (!(precision % COUNTRY)) continue;
      const away = kilometres(lon, record.lat[row], at);
      if (away > km + 8e3 / 2 ** zoom) continue;
      const p = map.project([lon + 360 * Math.round((at.lng - lon) / 360), record.lat[row]]);
      const isSign = precision === POINT;
      const r = isSign ? drawnRadius(record.magnitude[row], scale) : precision === 2 ? SIGN.CITY : SIGN.REGION;
      if (isSign || away <= km || p.dist(point) <= r) found.push({ row, p, r, isSign, rank: rankOf(record, row) });
    }
    return found.sort((a, b) => b.rank - a.rank || b.row - a.row);
  }

  /**
   * Of the signs near a point those that hold it, and those wholly beneath the one on top, which no click could reach.
   * A point that just misses a sign means its middle.
   */
  function under(point, signs) {
    const miss = ({ p, r }) => p.dist(point) - r;
    const nearest = signs.toSorted((a, b) => miss(a) - miss(b))[0];
    if (!nearest || miss(nearest) > MISS) return [];
    const at = miss(nearest) > 0 ? nearest.p : point, top = signs.find(({ p, r }) => p.dist(at) <= r);
    return signs.filter(({ p, r }) => p.dist(at) <= r || p.dist(top.p) + r <= top.r);
  }

  /** What a click on events means; nothing of none. */
  function events(some) {
    const ids = [...new Set(some.map(({ row }) => record.id[row]))].slice(0, PILE);
    if (ids.length > 1) return { type: 'pile', id: ids.map(encodeURIComponent).join(), ids };
    return ids.length && { type: 'event', id: ids[0], ids };
  }

  function pick(point) {
    const at = map.unproject(point), back = map.project(at);
    if (Math.hypot(back.x - point.x, back.y - point.y) > 3) return { type: 'nothing' };  // beside the globe
    const all = near(point, at), { volcanoes, playing } = state.get();
    const found = (margin, ...layers) => map.queryRenderedFeatures([[point.x - margin, point.y - margin],
      [point.x + margin, point.y + margin]], { layers })
      .find(({ source, state: { is } }) => source !== 'alerts' || is)?.properties;
    const typed = (type, it) => it && { type, ...it };
    return typed('place', !playing && found(1, 'hotspots'))
      || events(under(point, all.filter(({ isSign }) => isSign)))
      || typed('volcano', volcanoes && !playing && found(3, 'active', 'volcanoes'))
      || typed('country', !playing && found(2, 'numbers'))
      || events(all.filter(({ isSign }) => !isSign))
      || typed('event', found(0, 'alerts')) || { type: 'nothing' };
  }

  const turn = takeTurns();
  let shown = null, waiting = null;

  function hide() {
    turn();
    shown = null;
    tip.hidden = true;
    tip.textContent = '';
    canvas.style.cursor = '';
    areas.point();
  }

  async function titleOf({ type, id, ids = [id], name }, signal) {
    if (!/event|pile/.test(type)) return name;
    const { properties: p } = await api.json(eventPath(ids[0]), asOf(layer.frame.known), { signal });
    const others = ids.length > 1 && `and ${ids.length - 1} more`;
    return [p.title, forceWords(p, Date.now()), others].filter(Boolean).join(' · ');
  }

  /** Shows what the pointer rests on: at once by the cursor, after a pause by its title. */
  async function point(at) {
    const picked = pick(at);
    if (picked.type === shown?.type && picked.id === shown.id) return;
    hide();
    if (picked.type === 'nothing') return;
    canvas.style.cursor = 'pointer';
    shown = picked;
    areas.point(picked);
    const signal = turn();
    await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    const title = signal.aborted ? null : await titleOf(picked, signal).catch(() => null);
    if (signal.aborted || !title) return;
    tip.textContent = title;
    tip.hidden = false;
    tip.style.left = `${Math.max(8, Math.min(at.x + 8, container.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(8, at.y - tip.offsetHeight - 8)}px`;
  }

  on(canvas, 'pointermove', ({ offsetX: x, offsetY: y, pointerType, buttons }) => {
    if (pointerType !== 'mouse' || buttons || state.get().playing) return;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => point({ x, y }));
  });
  on(canvas, 'pointerleave', hide);
  map.on('movestart', hide);
  map.on('click', ({ point: at }) => {
    onPick(pick(at));
    // The focus of a mouse must not keep the page's keys from working.
    if (!canvas.matches(':focus-visible')) canvas.blur();
  });

  /** Takes the title away when playing begins and when its event is gone. */
  function follow() {
    const isGone = /event|pile/.test(shown?.type)
      && (shown.ids ?? [shown.id]).some((id) => record.version(id, layer.frame.known) < 0);
    if (isGone || state.get().playing) hide();
  }
  return { follow };
}
