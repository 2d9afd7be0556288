// The versions of all events of a range, as columns in the order of time. No text of an event is kept here.

import { shows } from './filter.js';

const NUMBERS = {
  time: Float64Array, lon: Float32Array, lat: Float32Array, weight: Float32Array, magnitude: Float32Array,
  depth: Float32Array, radius: Float32Array, category: Uint8Array, precision: Uint8Array, flags: Uint8Array,
  knownFrom: Float64Array, knownTo: Float64Array, revision: Int32Array,
};
const TEXTS = ['id', 'country', 'place'];
const PRECISIONS = ['point', 'city', 'region', 'country'];
/** In the column `precision`. */
export const POINT = 1;
export const COUNTRY = 4;
/** In the column `flags`. */
export const HOME = 1;
export const WITHDRAWN = 4;
// From this bit on: the precision that a sign had as a disc.
const DISC = 4;
const FLAGS = { author: HOME, dateline: 2 };
// As many versions of an event as the service keeps: the first, and the latest nineteen.
const MOST_VERSIONS = 20;

/** When an event happened or was first seen, in milliseconds since 1970. */
export const timeOf = ({ properties }) => Date.parse(properties.time ?? properties.first_seen);

/** The middle of the box of a geometry's first shape as [longitude, latitude]; null without one. */
export function middle(geometry) {
  let part = (geometry?.geometries?.[0] ?? geometry)?.coordinates;
  if (!part?.length) return null;
  while (Array.isArray(part[0]?.[0])) [part] = part;
  const corners = Array.isArray(part[0]) ? part : [part];
  return [0, 1].map((axis) => {
    const values = corners.map((corner) => corner[axis]);
    return (Math.min(...values) + Math.max(...values)) / 2;
  });
}

export class EventRecord {
  count = 0;
  /** Their names; the column `category` has indexes into it. */
  categories = [];
  /** Rises with each change. */
  generation = 0;
  /** The first row that has changed since `takeDirty`; Infinity: none. */
  dirtyFrom = Infinity;
  #capacity = 0;
  // By id: the times of its rows. Rows move, times do not.
  #times = new Map();
  // By id: what it has been merged into.
  #merged = new Map();

  constructor() {
    for (const name of TEXTS) this[name] = [];
    this.#grow(1024);
  }

  /** Replaces all by an answer of `f=columns&versions=true`. */
  replace(answer) {
    this.prune(Infinity);
    this.append(answer);
  }

  /** Adds the versions of an answer that are not there yet. */
  append({ columns }) {
    const rows = columns.id.map((id, i) => {
      const value = (name) => columns[name]?.[i];
      return this.#row(value, {
        id, time: value('time'), lon: value('longitude') ?? NaN, lat: value('latitude') ?? NaN,
        knownFrom: value('known_from') ?? Date.parse(value('first_seen')),
        knownTo: value('known_to') ?? Infinity,
      });
    });
    const isNew = ({ id, knownFrom }) => this.rows(id).every((row) => this.knownFrom[row] !== knownFrom);
    this.#insert(rows.filter(isNew).sort((a, b) => a.time - b.time));
  }

  /**
   * Takes up a change, of which answers may know already. `feature` is the event after it; null: its row ends. The
   * stream has `withdrawn=include`, so that a withdrawal without its event erases it.
   */
  applyChange({ id, kind, at, into }, feature) {
    const properties = feature?.properties;
    if (kind === 'truncated' || (kind === 'withdrawn' && !properties)) {
      this.erase(id);
      return;
    }
    if (into) this.#merged.set(id, into);
    const knownFrom = Date.parse(at);
    const rows = this.rows(id);
    const before = rows.filter((row) => this.knownFrom[row] < knownFrom);
    for (const row of before) if (this.knownTo[row] > knownFrom) this.#end(row, knownFrom);
    if (!properties || properties.withdrawn || rows.length > before.length) return;
    const [lon, lat] = middle(feature.geometry) ?? [NaN, NaN];
    const others = { id, time: timeOf(feature), lon, lat, knownFrom, knownTo: Infinity };
    this.#insert([this.#row((name) => properties[name], others)]);
    if (rows.length < MOST_VERSIONS) return;
    // Without the second version the first seems to have lasted longer.
    const [first, second, third] = this.rows(id);
    this.#end(first, this.knownFrom[third]);
    this.#remove([second]);
  }

  /** Makes a row a sign where it is a disc, or such a sign a disc again. */
  sign(row, is) {
    const { precision, flags } = this, disc = flags[row] >> DISC;
    if (is ? precision[row] === POINT : !disc) return;
    flags[row] ^= (disc || precision[row]) << DISC;
    precision[row] = disc || POINT;
    this.#touch(row);
  }

  /** Removes all versions of an event and of those merged into it. */
  erase(id) {
    const ids = new Set([id]);
    // What an event was merged into was merged later.
    for (const [from, into] of [...this.#merged].reverse()) if (ids.has(into)) ids.add(from);
    this.#remove([...ids].flatMap((one) => this.rows(one)).sort((a, b) => a - b));
  }

  /** Removes what happened before a time, in milliseconds since 1970. */
  prune(beforeMs) {
    const first = this.#bound(beforeMs);
    this.filter((row) => row >= first);
    // What has been merged counts as long as rows of it are there.
    const held = new Set(this.#times.keys());
    for (const [from, into] of this.#merged) {
      if (held.has(from)) held.add(into);
      else this.#merged.delete(from);
    }
  }

  filter(isWanted) {
    this.#remove([...Array(this.count).keys()].filter((row) => !isWanted(row)));
  }

  /** The row of an event as known at a time, by default now; -1: there was none. */
  version(id, knownMs) {
    return this.rows(id).find((row) => this.isVisible(row, knownMs)) ?? -1;
  }

  /** The rows of all versions of an event, oldest first. */
  rows(id) {
    const rows = [];
    for (const time of new Set(this.#times.get(id))) {
      for (let row = this.#bound(time); row < this.count && this.time[row] === time; row += 1) {
        if (this.id[row] === id) rows.push(row);
      }
    }
    return rows.sort((a, b) => this.knownFrom[a] - this.knownFrom[b]);
  }

  /** The rows that a view shows in a frame of time, by default all that is known now. */
  * shown(view, { from, to, known }) {
    const isShown = this.shownBy(view, known);
    const [start, end] = this.range(from, to);
    for (let row = start; row < end; row += 1) if (isShown(row)) yield row;
  }

  /** The rows of a span of time, both ends included, as [first, last + 1]. */
  range(fromMs, toMs) {
    const start = this.#bound(fromMs);
    return [start, Math.max(start, this.#bound(toMs, true))];
  }

  /** The number of rows that a view shows in a frame of time, by category or what else `nameOf` tells of a row. */
  counts(view, frame, nameOf = (row) => this.categoryOf(row)) {
    const counts = {};
    for (const row of this.shown(view, frame)) counts[nameOf(row)] = (counts[nameOf(row)] ?? 0) + 1;
    return counts;
  }

  categoryOf(row) {
    return this.categories[this.category[row]];
  }

  /** Whether a row is what was known of its event at a time, by default now. */
  isVisible(row, knownMs = Number.MAX_VALUE) {
    return this.knownFrom[row] <= knownMs && knownMs < this.knownTo[row] && !(this.flags[row] & WITHDRAWN);
  }

  shownBy(view, knownMs) {
    const isWanted = this.categories.map((name) => shows(view, name));
    return (row) => isWanted[this.category[row]] && (view.home || !(this.flags[row] & HOME))
      && this.isVisible(row, knownMs);
  }

  takeDirty() {
    const first = this.dirtyFrom;
    this.dirtyFrom = Infinity;
    return first;
  }

  #touch(row) {
    this.generation += 1;
    this.dirtyFrom = Math.min(this.dirtyFrom, row);
  }

  /** The first row before `high` at a time or later, or after it. */
  #bound(ms, isAfter = false, high = this.count) {
    let low = 0;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.time[mid] < ms || (isAfter && this.time[mid] === ms)) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  /** A row: what answers and features name alike, and `others`. */
  #row(value, others) {
    let category = this.categories.indexOf(value('category'));
    // The column tells 256 apart; what comes after them shares the last.
    if (category < 0) category = this.categories.length < 256 ? this.categories.push(value('category')) - 1 : 255;
    const radius = value('location_radius_km') ?? NaN;
    return {
      category, weight: value('weight') ?? 0, magnitude: value('magnitude') ?? NaN,
      depth: value('depth_km') ?? NaN, radius,
      // A point with a radius is a disc, as a city is.
      precision: Math.max(radius ? 2 : 0, 1 + PRECISIONS.indexOf(value('location_precision'))),
      flags: (FLAGS[value('location_evidence')] ?? 0) | (value('withdrawn') ? WITHDRAWN : 0),
      country: value('location_country') ?? '', place: value('location_place_id') ?? '',
      revision: value('revision') ?? 0, ...others,
    };
  }

  #end(row, knownTo) {
    this.knownTo[row] = knownTo;
    this.#touch(row);
  }

  #grow(least) {
    if (least <= this.#capacity) return;
    this.#capacity = Math.max(least, this.#capacity * 2);
    for (const [name, Kind] of Object.entries(NUMBERS)) {
      const wider = new Kind(this.#capacity);
      wider.set(this[name] ?? []);
      this[name] = wider;
    }
  }

  /** Puts rows in the order of time among the others; each stretch of old rows moves once. */
  #insert(rows) {
    if (rows.length === 0) return;
    this.#grow(this.count + rows.length);
    let end = this.count;
    for (let last = rows.length, first = last - 1; last > 0; last = first, first -= 1) {
      const at = this.#bound(rows[first].time, true, end);
      while (first > 0 && this.#bound(rows[first - 1].time, true, at) === at) first -= 1;
      const stretch = rows.slice(first, last);
      for (const name of Object.keys(NUMBERS)) {
        this[name].copyWithin(at + last, at, end);
        this[name].set(stretch.map((row) => row[name]), at + first);
      }
      for (const name of TEXTS) this[name].splice(at, 0, ...stretch.map((row) => row[name]));
      end = at;
    }
    for (const { id, time } of rows) {
      if (this.#times.has(id)) this.#times.get(id).push(time);
      else this.#times.set(id, [time]);
    }
    this.count += rows.length;
    this.#touch(end);
  }

  /** Removes rows in their order; each stretch between them moves once. Arrays end with zeros. */
  #remove(rows) {
    if (rows.length === 0) return;
    for (const row of rows) {
      const times = this.#times.get(this.id[row]);
      times.splice(times.indexOf(this.time[row]), 1);
      if (times.length === 0) this.#times.delete(this.id[row]);
    }
    const [first] = rows;
    const count = this.count - rows.length;
    for (const name of Object.keys(NUMBERS)) {
      rows.forEach((row, i) => this[name].copyWithin(row - i, row + 1, rows[i + 1] ?? this.count));
      this[name].fill(0, count, this.count);
    }
    for (const name of TEXTS) {
      let [to, gone] = [first, 0];
      for (let row = first; row < this.count; row += 1) {
        if (row === rows[gone]) gone += 1;
        else this[name][to++] = this[name][row];
      }
      this[name].length = count;
    }
    this.count = count;
    this.#touch(first);
  }
}
