// Colours of both schemes: what is drawn stands out from land and sea, and is told apart without red and green.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { DEPTHS } from '../../../page/app/signs.js';
import { CATEGORIES } from '../../../page/app/words.js';

const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
const read = (name) => readFileSync(new URL(`../../../page/${name}.css`, import.meta.url), 'utf8');
const sheet = (name) => Object.fromEntries(
  [...read(name).matchAll(/--([a-z]+): (#[0-9a-f]{6})/g)].map(([, key, value]) => [key, hex(value)]));
const dark = sheet('style'), SCHEMES = { dark, light: { ...dark, ...sheet('light') } };
const NAMES = Object.values(CATEGORIES).map(({ color }) => color);

const linear = (rgb) => rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const luminance = (rgb) => linear(rgb).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);

/** The contrast of WCAG 2.2, 1 to 21. */
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// Machado, Oliveira, Fernandes 2009, severity 1: linear red, green, blue as those see them who lack a kind of cones.
const EYES = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
const XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
const WHITE = [0.9505, 1, 1.089];
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, k, i) => sum + k * vector[i], 0));

/** CIELAB of a colour as an eye sees it. */
function lab(rgb, eye) {
  const seen = times(EYES[eye], linear(rgb)).map((c) => Math.max(0, Math.min(1, c)));
  const [x, y, z] = times(XYZ, seen).map((c, i) => c / WHITE[i])
    .map((t) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The difference of two colours, ΔE*ab. */
const difference = (a, b, eye) => Math.hypot(...lab(a, eye).map((v, i) => v - lab(b, eye)[i]));

/** Fails with all that is below the least value. */
function least(value, found) {
  const low = found.filter(([n]) => !(n >= value));
  assert.deepEqual(low.map(([n, ...words]) => `${words.join(' ')}: ${n.toFixed(2)}`), []);
}

const each = (make) => Object.entries(SCHEMES).flatMap(([scheme, look]) => make(look, scheme));

test('contrast and the eyes are those of the literature', () => {
  assert.equal(contrast([0, 0, 0], [1, 1, 1]), 21);
  assert.ok(Math.abs(contrast(hex('#777777'), [1, 1, 1]) - 4.48) < 0.01);
  // Red and this brown are one colour without the cones for green, and two with them.
  assert.ok(difference(hex('#bf2c1a'), hex('#8a5a00'), 'deuteranopia') < 6);
  assert.ok(difference(hex('#bf2c1a'), hex('#8a5a00'), 'normal') > 40);
  assert.ok(difference([1, 1, 1], [0, 0, 0], 'protanopia') > 99);
});

test('signs have a contrast of 3 to land and to sea', () => {
  least(3, each((look, scheme) => ['land', 'sea'].flatMap((ground) => [
    ...[...NAMES, 'accent'].map((name) => [contrast(look[name], look[ground]), scheme, name, ground]),
    ...DEPTHS.map(([km, colour]) => [contrast(colour, look[ground]), scheme, `${km} km`, ground]),
  ])));
});

test('words have a contrast of 4.5 to what is below them', () => {
  least(4.5, each((look, scheme) => ['text', 'dim'].flatMap((name) => ['panel', 'bg', 'land', 'sea'].map((ground) => (
    [contrast(look[name], look[ground]), scheme, name, ground])))));
});

test('categories differ by 20 for every eye: bars and discs have the same shape in all of them', () => {
  const pairs = NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => [a, b]));
  least(20, each((look, scheme) => Object.keys(EYES).flatMap((eye) => pairs.map(([a, b]) => (
    [difference(look[a], look[b], eye), scheme, eye, a, b])))));
});

test('land and sea, and shallow and deep, differ for every eye', () => {
  for (const eye of Object.keys(EYES)) {
    least(5, each((look, scheme) => [[difference(look.land, look.sea, eye), scheme, eye, 'land and sea']]));
    least(15, DEPTHS.slice(1).map(([km, colour], i) => [difference(colour, DEPTHS[i][1], eye), eye, `${km} km`]));
    least(60, [[difference(DEPTHS[0][1], DEPTHS.at(-1)[1], eye), eye, 'shallow and deep']]);
  }
});
