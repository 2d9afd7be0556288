// The view as the hash of the page's address, which is all that is needed to share it.

import { DEFAULTS, isSame } from './state.js';
import { clamp, DAY, HOUR, iso, LONGEST, MINUTE } from './words.js';

// The slowest and the fastest: a minute and 30 days a second.
const SPEEDS = [60, 2592000];
const UNITS = { s: 1e3, m: MINUTE, h: HOUR, d: DAY };
const NUMBER = '(-?\\d+(?:\\.\\d+)?)';

/** A kind of value: what its text looks like, how it is read, and how it is written. */
const kind = (pattern, read = String, write = String) => ({ pattern, read, write });
const flag = kind(/^[01]$/, (text) => text === '1', Number);
const text = kind(/./s);
const names = kind(/./, (list) => list.split(',').map(decodeURIComponent),
  (list) => list.map(encodeURIComponent).join());
const length = kind(/^[1-9]\d{0,7}[smhd]$/,
  (part) => Math.min(LONGEST, parseInt(part, 10) * UNITS[part.at(-1)]),
  (ms) => (ms % HOUR ? `${Math.round(ms / MINUTE)}m` : `${ms / HOUR}h`));
const time = kind(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/, Date.parse, (ms) => `${iso(ms).slice(0, 16)}Z`);

/** By key of the view: the kind of its value, with its name in the hash where that is another one. */
const PARTS = Object.entries({
  projection: ['proj', kind(/^(auto|globe|flat)$/)],
  range: length, to: time,
  length: ['window', length],
  end: time,
  speed: kind(/^\d{2,7}$/, (number) => clamp(number, ...SPEEDS)),
  growing: ['grow', flag],
  loop: flag, then: flag, pins: flag, heat: flag,
  hotspots: ['hot', flag],
  volcanoes: ['volc', flag],
  population: ['pop', flag],
  home: flag,
  colour: kind(/^(category|depth)$/),
  base: text,
  overlays: ['over', names],
  categories: ['cat', names],
  search: ['q', text],
  box: kind(RegExp(`^${Array(4).fill(NUMBER)}$`), (list) => list.split(',').map(Number)),
  selected: ['sel', kind(/^(event|volcano|place|country|pile):./)],
  panel: kind(/^(layers|list|sources|menu|settings|about)$/),
  listBy: ['by', kind(/^(events|places|authors|changed|unplaced)$/)],
  sort: kind(/^(weight|time|-magnitude)$/),
  inView: ['in', flag],
  zone: kind(/^(local|utc)$/),
  units: kind(/^(km|mi)$/),
  scheme: kind(/^(auto|dark|light)$/),
}).map(([key, part]) => [key, ...[key, part].flat().slice(-2)]);

// A hash may hold all but these; spaces and what ends an address in running text are escaped.
const escaped = (value) => encodeURIComponent(value).replace(/%(2C|2F|3A|40|3D)/g, decodeURIComponent);

/** The hash of a view: only what differs from `defaults`; empty if nothing does. */
export function toHash(view, defaults = DEFAULTS) {
  const differs = (key) => !isSame(view[key], defaults[key]) && view[key] !== null;
  const parts = [];
  if (differs('zoom') || differs('center')) parts.push(`${view.zoom}/${view.center[1]}/${view.center[0]}`);
  for (const [key, label, { write }] of PARTS) {
    if (differs(key)) parts.push(`${label}=${escaped(write(view[key]))}`);
  }
  return parts.length ? `#${parts.join('&')}` : '';
}

/** What a hash says of the view, as a patch; parts that are unknown or bad are left out. */
export function fromHash(hash) {
  const patch = {};
  const parts = hash.replace(/^#/, '').split('&');
  const [, zoom, lat, lon] = RegExp(`^${NUMBER}/${NUMBER}/${NUMBER}$`).exec(parts[0])?.map(Number) ?? [];
  if (zoom >= 0 && zoom <= 22 && Math.abs(lat) <= 90) Object.assign(patch, { zoom, center: [lon, lat] });
  const values = new Map(parts.map((part) => part.split(/=(.*)/s)));
  for (const [key, label, { pattern, read }] of PARTS) {
    try {
      const value = decodeURIComponent(values.get(label) ?? '');
      if (pattern.test(value) && !Number.isNaN(read(value))) patch[key] = read(value);
    } catch { /* A bad escape. */ }
  }
  return patch;
}
