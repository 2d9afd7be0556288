/** What lies under the pointer: the nearest sign, then a volcano or hotspot, a country's number, a disc, an alert. */

import { takeTurns } from './api.js';
import { el } from './dom.js';
import { radiusOf } from './eventlayer.js';
import { asOf } from './filter.js';
import { COUNTRY, POINT } from './record.js';
import { forceWords } from './rowwords.js';

const RAD = Math.PI / 180;
const PAUSE = 150;

/** Distance of two coordinates in kilometres. */
export function kilometres(lon, lat, to) {
  const a = Math.sin((to.lat - lat) / 2 * RAD) ** 2
    + Math.cos(lat * RAD) * Math.cos(to.lat * RAD) * Math.sin((to.lng - lon) / 2 * RAD) ** 2;
  return 12742 * Math.asin(Math.sqrt(a));
}

/**
 * Calls `onPick({type, id})` for each click; type is event, volcano, place, country or nothing. A mouse that
 * rests on something sees its title.
 */
export function createPicking({ container, map, state, record, api, layer, areas, onPick }) {
  const canvas = map.getCanvas();
  const tip = el('p', { class: 'tip', role: 'tooltip', hidden: true });
  container.append(tip);

  /** The events whose sign and whose disc hold the point: the nearest of each. */
  function eventsAt(point, at) {
    const view = state.get(), { known } = layer.frame, isShown = record.shownBy(view, known);
    const [start, end] = view.pins ? layer.span() : [0, 0], wide = 5e6 / (512 * 2 ** map.getZoom());
    const best = { sign: { away: Infinity }, disc: { away: Infinity } };
    for (let row = end - 1; row >= start; row -= 1) {
      const precision = record.precision[row], radius = radiusOf(record, row);
      if (!precision || precision === COUNTRY || !isShown(row)) continue;
      const km = kilometres(record.lon[row], record.lat[row], at);
      if (km > radius + wide) continue;
      const turns = Math.round((at.lng - record.lon[row]) / 360);
      const p = map.project([record.lon[row] + 360 * turns, record.lat[row]]);
      const away = Math.hypot(p.x - point.x, p.y - point.y), kind = precision === POINT ? 'sign' : 'disc';
      const reach = precision === POINT ? 8 + 1.5 * (record.magnitude[row] || 0) : 14;
      const isHit = (away <= reach || km <= radius) && away < best[kind].away;
      if (isHit) best[kind] = { away, id: record.id[row] };
    }
    return best;
  }

  function pick(point) {
    const at = map.unproject(point), back = map.project(at);
    if (Math.hypot(back.x - point.x, back.y - point.y) > 3) return { type: 'nothing' };  // beside the globe
    const { sign, disc } = eventsAt(point, at), { volcanoes, playing } = state.get();
    const found = (id, margin) => map.queryRenderedFeatures([[point.x - margin, point.y - margin],
      [point.x + margin, point.y + margin]], { layers: [id] })
      .find(({ source, state: { is } }) => source !== 'alerts' || is)?.properties;
    const place = found('hotspots', 1);
    if (place) return { type: 'place', ...place };
    if (sign.id) return { type: 'event', id: sign.id };
    const volcano = volcanoes && !playing && found('volcanoes', 3);
    if (volcano) return { type: 'volcano', ...volcano };
    const country = !playing && found('numbers', 2);
    if (country) return { type: 'country', ...country };
    const event = disc.id ? disc : found('alerts', 0);
    return event ? { type: 'event', id: event.id } : { type: 'nothing' };
  }

  const turn = takeTurns();
  let shown = null, waiting = null;

  function hide() {
    turn();
    shown = null;
    tip.hidden = true;
    canvas.style.cursor = '';
    areas.point();
  }

  async function titleOf({ type, id, name }, signal) {
    if (type !== 'event') return name;
    const path = `collections/events/items/${encodeURIComponent(id)}`;
    const { properties: p } = await api.json(path, asOf(layer.frame.known), { signal });
    return [p.title, forceWords(p, Date.now())].filter(Boolean).join(' · ');
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
    const isGone = shown?.type === 'event' && record.version(shown.id, layer.frame.known) < 0;
    if (isGone || state.get().playing) hide();
  }
  return { follow };
}
