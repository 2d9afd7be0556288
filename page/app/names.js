/** Where names stand: greedily, the most important first. No document needed. */

// The most names at once; what lies between two; how far beyond the window they stand, for when it is moved.
const MOST = 90, APART = 3, BEYOND = 120;
// Steps away from the place in pixels, the nearest first.
const STEPS = [6, 18, 32];

/** By kind: the side of a name that lies so many pixels right of its place and below it. A city has a dot there. */
const SPOTS = {
  country: [0, 14, -14].map((y) => ['center', 0, y]),
  city: STEPS.flatMap((step) => [['left', step, 0], ['right', -step, 0], ['bottom', 0, -step], ['top', 0, step]]),
  grid: [['center', 0, 0]],
};

/** All distances of a side from its place. */
export const SHIFTS = [...SPOTS.country, ...SPOTS.city].map(([, x, y]) => [x, y]);

/** Where the middle of a name is, seen from its place. */
function middleOf({ wide, high }, [anchor, x, y]) {
  const [right, below] = { left: [1, 0], right: [-1, 0], top: [0, 1], bottom: [0, -1], center: [0, 0] }[anchor];
  return [x + right * wide / 2, y + below * high / 2];
}

/**
 * The names that have room, in order, each with its `spot` and the `offset` of its middle. A name is {id, x, y, wide,
 * high}, a sign is [x, y, radius], and `globe` is the radius of the globe in the middle, 0 for a flat map.
 */
export function fill(names, signs, { width, height, globe }) {
  const taken = signs.map(([x, y, r]) => [x - r, y - r, x + r, y + r]);
  const isOnGlobe = ([left, top, right, bottom]) => Math.hypot(
    Math.max(width / 2 - left, right - width / 2), Math.max(height / 2 - top, bottom - height / 2)) <= globe;
  const isFree = (box) => (globe ? isOnGlobe(box)
    : box[0] > -BEYOND && box[1] > -BEYOND && box[2] < width + BEYOND && box[3] < height + BEYOND)
    && taken.every(([left, top, right, bottom]) => (
      box[0] >= right + APART || box[2] <= left - APART || box[1] >= bottom || box[3] <= top));
  const placed = [];
  for (const name of names) {
    const { id, x, y, wide, high } = name;
    const boxOf = ([dx, dy]) => [x + dx - wide / 2, y + dy - high / 2, x + dx + wide / 2, y + dy + high / 2];
    const spot = SPOTS[id.split(':')[0]].find((one) => isFree(boxOf(middleOf(name, one))));
    if (!spot) continue;
    const offset = middleOf(name, spot);
    taken.push(boxOf(offset));
    if (placed.push({ ...name, spot, offset }) === MOST) break;
  }
  return placed;
}
