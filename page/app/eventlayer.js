/** The events on the map: one WebGL2 layer and one buffer; window and time of knowledge are uniforms. */

import { parts } from './basemap.js';
import { shows } from './filter.js';
import { HOME, POINT, WITHDRAWN } from './record.js';
import { DEPTHS, HEAT, radiusOf, rankOf, scaleAt, SIGN, sizeOf } from './signs.js';
import { CATEGORIES, clamp, RAD } from './words.js';

const STYLES = Object.keys(CATEGORIES);  // each with a colour and a sign; the last one is for all others
const FAR = 1e30;                        // seconds; stands for Infinity in the buffer
const EARTH = 40075.017;                 // km around the equator
const HEAT_SIZE = [480, 320];            // pixels in which the heat is summed up, whatever the canvas has

// A row of the buffer: 32 bytes. Each attribute has a size, a type and an offset.
const STRIDE = 32;
const ATTRIBUTES = [[2, 'FLOAT', 0], [3, 'FLOAT', 8], [1, 'FLOAT', 20],
  [4, 'UNSIGNED_BYTE', 24], [4, 'UNSIGNED_BYTE', 28]];

/** Mercator position of a coordinate, 0…1. */
function mercator(lon, lat) {
  const s = Math.sin(clamp(lat, -85.05, 85.05) * RAD);
  return [lon / 360 + 0.5, 0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI)];
}

// By sign: the distance of p from the edge, in GLSL; negative inside.
const SHAPES = {
  '●': 'length(p) - r',
  '▲': 'polygon(p + vec2(0.0, r * 0.15), 3.0, r * 0.62)',
  '■': 'max(abs(p.x), abs(p.y)) - r * 0.86',
  '◆': '(abs(p.x) + abs(p.y)) * 0.7071 - r * 0.8',
  '⬟': 'polygon(p, 5.0, r * 0.85)',
  '⬢': 'polygon(p, 6.0, r * 0.87)',
};
const CONSTANTS = Object.entries(SIGN).map(([name, n]) => `const float ${name} = ${n.toFixed(3)};`).join('\n');
const glsl = (colour) => `vec3(${colour.map((part) => part.toFixed(3))})`;
const DEPTH_COLOUR = DEPTHS.slice(1).reduce((before, [km, colour], i) => (
  `mix(${before}, ${glsl(colour)}, clamp((km - ${DEPTHS[i][0]}.0) / ${km - DEPTHS[i][0]}.0, 0.0, 1.0))`),
glsl(DEPTHS[0][1]));

const COMMON = `
${CONSTANTS}
layout(location=0) in vec2 a_pos;
layout(location=1) in vec3 a_time;        // of the event, known from, known to: seconds
layout(location=2) in float a_radius;     // of a point in pixels from afar, of a disc in parts of the equator
layout(location=3) in vec4 a_kind;        // category, precision, flags, style
layout(location=4) in vec4 a_size;        // magnitude times ten or NONE, weight, depth in steps or NONE, rank
uniform vec2 u_window, u_origin, u_viewport;
uniform vec3 u_scale;
uniform float u_known, u_zoom, u_world, u_wrap, u_hidden;
uniform int u_shown[8];                   // a bit by category
const vec4 NOWHERE = vec4(0.0, 0.0, 2.0, 1.0);
bool isShown(float most) {                // as EventRecord.shownBy
  return a_kind.y >= 1.0 && a_kind.y <= most && a_time.y <= u_known && u_known < a_time.z
    && (int(a_kind.z) & int(u_hidden)) == 0 && (u_shown[int(a_kind.x) >> 5] >> (int(a_kind.x) & 31) & 1) == 1;
}
vec2 corner() {
  int i = gl_VertexID % 6;
  return vec2(i == 1 || i == 2 || i == 4 ? 1.0 : -1.0, i == 2 || i == 4 || i == 5 ? 1.0 : -1.0);
}
vec2 place() { return a_pos - u_origin + vec2(u_wrap + float(gl_VertexID / 6), 0.0); }
vec4 around(vec2 pixels) {
  vec4 p = projectTile(place());
  return p + vec4(pixels * 2.0 / u_viewport * p.w, 0.0, 0.0);
}`;

// By name of what is drawn: the vertex shader and the fragment shader.
const SHADERS = {
  pins: [`${COMMON}
out vec2 v_p;
flat out vec4 v_size;                     // radius, magnitude to write times ten or -1, age, whether it is fresh
flat out ivec3 v_kind;                    // style, precision, depth
flat out float v_depth;                   // what is nearest, near 0, lies on top
void main() {
  if (!isShown(3.0)) { gl_Position = NOWHERE; return; }
  float since = u_window.y - a_time.x, span = max(u_window.y - u_window.x, 1.0);
  v_size = vec4(0.0, -1.0, clamp(since / span, 0.0, 1.0), since <= min(3600.0, span / 4.0) ? 1.0 : 0.0);
  v_kind = ivec3(a_kind.w, a_kind.y, a_size.z);
  if (a_kind.y == 1.0) {
    float r = clamp(a_radius * u_scale.x, u_scale.y, u_scale.z);
    if (a_size.x < NONE && r >= FITS) v_size.y = a_size.x;
    v_size.x = r;
    v_depth = 0.9 - 0.003 * (a_size.w + 0.9 - 0.9 * v_size.z);
    v_p = corner() * (r + 2.0 + v_size.w * GLOW);
    gl_Position = around(v_p);
  } else {
    float scale = u_world;                // CSS pixels of one Mercator unit here: the globe does not enlarge
#ifdef GLOBE
    scale /= cosh(PI * (1.0 - 2.0 * a_pos.y));
#endif
    v_size.x = max(a_radius * scale, a_kind.y == 2.0 ? CITY : REGION);
    v_depth = 0.94 + 0.01 * v_size.z;
    v_p = corner() * (v_size.x + 1.5);
    gl_Position = projectTile(place() + vec2(v_p.x, -v_p.y) / scale);
  }
}`, `${CONSTANTS}
in vec2 v_p;
flat in vec4 v_size;
flat in ivec3 v_kind;
flat in float v_depth;
uniform vec3 u_colours[${STYLES.length}], u_edge;
uniform float u_depth;
uniform sampler2D u_image;
out vec4 colour;
vec3 depthColour(float km) { return ${DEPTH_COLOUR}; }
float polygon(vec2 p, float n, float r) { // distance to a polygon of n sides
  float a = atan(p.x, -p.y), s = 6.2831853 / n;
  return cos(floor(0.5 + a / s) * s - a) * length(p) - r;
}
float shape(vec2 p, float r) {
${STYLES.map((name, i) => `  if (v_kind.x == ${i}) return ${SHAPES[CATEGORIES[name].sign]};`).join('\n')}
  return length(p) - r;
}
void main() {
  float r = v_size.x, d = length(v_p), fresh = v_size.w;
  bool isByDepth = u_depth == 1.0 && v_kind.x == ${STYLES.indexOf('earthquake')} && float(v_kind.z) < NONE;
  vec3 fill = isByDepth ? depthColour(float(v_kind.z) * DEPTH) : u_colours[v_kind.x];
  // With age the hue goes, the lightness stays.
  fill = mix(fill, vec3(dot(fill, vec3(0.3, 0.59, 0.11))), 0.6 * v_size.z);
  gl_FragDepth = v_depth;
  if (v_kind.y == 1) {
    float s = shape(v_p, r), inside = clamp(0.5 - s, 0.0, 1.0);
    // A dark edge; round what is fresh a ring in its colour, and a glow, which lies beneath all.
    float k = clamp(r / 9.0, 0.5, 1.0), ring = fresh * clamp(s - 1.5 * k, 0.0, 1.0);
    float whole = clamp(0.5 + mix(1.2, 4.0 * k, fresh) - s, 0.0, 1.0);
    vec4 glow = vec4(fill, 1.0) * 0.5 * fresh * k * clamp(1.0 - (d - r) / GLOW, 0.0, 1.0);
    colour = mix(vec4(u_edge, 1.0), vec4(fill, 1.0), max(inside, ring)) * whole + glow * (1.0 - whole);
    if (whole < 0.5) gl_FragDepth = 0.99;
    vec2 t = v_p / 20.0 / min(r / 10.0, 1.4) + 0.5;
    if (v_size.y >= 0.0 && t == clamp(t, 0.0, 1.0)) {
      vec2 cell = vec2(mod(v_size.y, 10.0), floor(v_size.y / 10.0));
      float ink = texture(u_image, (cell + vec2(t.x, 1.0 - t.y)) / 10.0).a;
      colour = mix(colour, vec4(u_edge, 1.0), ink * inside);
    }
  } else {
    // A ring, of a region in dashes. The wash in it is drawn once, however many lie over each other.
    float inside = clamp(r - d + 0.5, 0.0, 1.0), rim = inside * clamp(d - r + 2.0, 0.0, 1.0);
    if (v_kind.y == 3) rim *= step(0.0, sin(atan(v_p.y, v_p.x) * floor(4.0 + r / 4.0)));
    colour = vec4(fill, 1.0) * max(rim * 0.9, inside * mix(0.16, 0.05, min(1.0, r / 200.0)));
    if (rim < 0.3) gl_FragDepth = 0.96;
  }
  if (colour.a < 0.004) discard;
}`],
  heat: [`${COMMON}
out vec3 v_p;
void main() {
  if (!isShown(2.0)) { gl_Position = NOWHERE; return; }
  v_p = vec3(corner(), a_size.y / 255.0);
  gl_Position = around(v_p.xy * (14.0 + 3.0 * u_zoom));
}`, `
in vec3 v_p;
out vec4 colour;
void main() {
  float f = max(0.0, 1.0 - dot(v_p.xy, v_p.xy));
  colour = vec4(v_p.z * f * f);
}`],
  sum: [`
out vec2 v_uv;
void main() {
  v_uv = vec2(gl_VertexID << 1 & 2, gl_VertexID & 2);
  gl_Position = vec4(v_uv * 2.0 - 1.0, 0.0, 1.0);
}`, `
in vec2 v_uv;
uniform sampler2D u_image;
out vec4 colour;
void main() {
  float v = 1.0 - exp(-0.9 * texture(u_image, v_uv).r);
  vec3 a = ${glsl(HEAT[0])}, b = ${glsl(HEAT[1])};
  vec3 c = ${glsl(HEAT[2])}, d = ${glsl(HEAT[3])};
  vec3 hue = v < 0.35 ? mix(a, b, v / 0.35) : v < 0.7 ? mix(b, c, v / 0.35 - 1.0)
    : mix(c, d, (v - 0.7) / 0.3);
  colour = vec4(hue, 1.0) * smoothstep(0.02, 0.45, v) * 0.85;
}`],
};

/** The magnitudes 0.0 to 9.9 as ten rows of ten cells of 40 pixels. */
function drawDigits() {
  const c = document.createElement('canvas').getContext('2d');
  c.canvas.width = c.canvas.height = 400;
  Object.assign(c, { font: '600 26px system-ui, sans-serif', textAlign: 'center', textBaseline: 'middle' });
  for (let i = 0; i < 100; i += 1) {
    c.fillText((i / 10).toFixed(1), (i % 10) * 40 + 20, Math.floor(i / 10) * 40 + 21, 36);
  }
  return c.canvas;
}

/** Makes the layer of the events. Its `frame` is {from, to, known} in ms since 1970. */
export function createEventLayer({ record, state, look }) {
  let map, gl, programs, vao, digits, heat, rows, held, generation, base;
  const seconds = (ms) => clamp((ms - base) / 1000, -FAR, FAR);

  /** The program of a name for the present projection; MapLibre hands over the start of its vertex shader. */
  function program(name, { variantName, vertexShaderPrelude, define }) {
    const key = `${name} ${variantName}`;
    if (programs[key]) return programs[key];
    const [vertex, fragment] = SHADERS[name];
    const made = gl.createProgram();
    for (const [type, start, source] of [
      [gl.VERTEX_SHADER, `${vertexShaderPrelude}\n${define}`, vertex],
      [gl.FRAGMENT_SHADER, 'precision highp float;', fragment],
    ]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, `#version 300 es\n${start}\n${source}`);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    return programs[key] = { made, places: {} };
  }

  /** Sets uniforms of a program; those that it does without are passed over. */
  function set({ made, places }, values) {
    for (const [name, value] of Object.entries(values)) {
      if (!(name in places)) places[name] = gl.getUniformLocation(made, name);
      const at = places[name], { length } = value;
      if (length === undefined) gl.uniform1f(at, value);
      else if (length === 16) gl.uniformMatrix4fv(at, false, value);
      else if (value instanceof Int32Array) gl.uniform1iv(at, value);
      else gl[`uniform${length > 4 ? 3 : length}fv`](at, value);
    }
  }

  function writeRow(floats, bytes, i) {
    const { time, lon, lat, knownFrom, knownTo, category, precision, flags } = record;
    const { magnitude, weight, depth } = record;
    floats.set([
      ...mercator(lon[i], lat[i]), seconds(time[i]), seconds(knownFrom[i]), seconds(knownTo[i]),
      precision[i] === POINT ? sizeOf(magnitude[i]) : radiusOf(record, i) / EARTH / Math.cos(lat[i] * RAD),
    ], i * STRIDE / 4);
    const style = STYLES.indexOf(record.categories[category[i]]);
    bytes.set([
      category[i], precision[i], flags[i], style < 0 ? STYLES.length - 1 : style,
      Number.isNaN(magnitude[i]) ? SIGN.NONE : Math.min(99, magnitude[i] * 10), weight[i] * 255,
      Number.isNaN(depth[i]) ? SIGN.NONE : Math.min(SIGN.NONE - 1, depth[i] / SIGN.DEPTH), rankOf(record, i),
    ], i * STRIDE + 24);
  }

  /** Brings what has changed in the record into the buffer; zeros overwrite rows that are gone. */
  function upload() {
    if (record.generation === generation) return;
    generation = record.generation;
    const { count } = record;
    let first = Math.min(record.takeDirty(), held);
    if (!held) base = count ? record.time[count - 1] : 0;
    const isFull = count * STRIDE > rows.byteLength;
    if (isFull) {
      rows = new ArrayBuffer(STRIDE * 2 ** Math.max(10, Math.ceil(Math.log2(count))));
      first = 0;
    }
    const floats = new Float32Array(rows), bytes = new Uint8ClampedArray(rows);
    for (let i = first; i < count; i += 1) writeRow(floats, bytes, i);
    const begin = first * STRIDE, end = Math.max(held, count) * STRIDE;
    bytes.fill(0, count * STRIDE, end);
    gl.bindBuffer(gl.ARRAY_BUFFER, layer.buffer);
    if (isFull) gl.bufferData(gl.ARRAY_BUFFER, rows, gl.DYNAMIC_DRAW);
    else gl.bufferSubData(gl.ARRAY_BUFFER, begin, bytes, begin, end - begin);
    held = count;
  }

  /** The uniforms of the frame, the view and the projection; how many copies of the world are in view. */
  function uniforms({ defaultProjectionData: data, shaderData }) {
    const { from, to, known } = layer.frame, view = state.get();
    // The canvas's own size in CSS pixels would have the browser lay out the page in each frame.
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight].map((n) => n / map.getPixelRatio());
    const { lng, lat } = map.getCenter(), zoom = map.getZoom(), world = 512 * 2 ** zoom;
    const isFlat = shaderData.variantName === 'mercator';
    const matrix = Array.from(data.mainMatrix), shown = new Int32Array(8);
    record.categories.forEach((name, i) => { shown[i >> 5] |= shows(view, name) << (i & 31); });
    let origin = [0, 0], wrap = 0, copies = 1;
    if (isFlat) {                          // positions relative to the centre stay exact at any zoom
      origin = mercator(lng, lat).map(Math.fround);
      for (let i = 0; i < 4; i += 1) matrix[12 + i] += matrix[i] * origin[0] + matrix[4 + i] * origin[1];
      const half = width / world / 2, x = lng / 360 + 0.5;
      wrap = Math.floor(x - half);
      copies = Math.min(4, Math.floor(x + half) - wrap + 1);
    }
    return { copies, common: {
      u_projection_matrix: matrix, u_projection_fallback_matrix: data.fallbackMatrix,
      u_projection_transition: data.projectionTransition, u_projection_clipping_plane: data.clippingPlane,
      u_projection_tile_mercator_coords: data.tileMercatorCoords,
      u_window: [seconds(from), seconds(to)], u_known: Math.min(FAR / 2, seconds(known)),
      u_origin: origin, u_wrap: wrap, u_viewport: [width, height], u_zoom: zoom,
      u_world: isFlat ? world : world / Math.cos(lat * RAD),
      u_scale: scaleAt(zoom), u_shown: shown,
      u_hidden: WITHDRAWN | (view.home ? 0 : HOME),
    } };
  }

  /** Draws once: the rows of the frame with their uniforms, or for `sum` one triangle over the canvas. */
  function draw(name, args, { image = null, blend = gl.ONE_MINUS_SRC_ALPHA, values = {} }) {
    const used = program(name, args.shaderData);
    gl.useProgram(used.made);
    gl.bindTexture(gl.TEXTURE_2D, image);
    gl.enable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.STENCIL_TEST);
    gl.blendFunc(gl.ONE, blend);
    set(used, values);
    if (name === 'sum') {
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    } else {
      const [start, end] = record.range(layer.frame.from, layer.frame.to), { copies, common } = uniforms(args);
      set(used, common);
      gl.bindVertexArray(vao);
      gl.bindBuffer(gl.ARRAY_BUFFER, layer.buffer);
      ATTRIBUTES.forEach(([size, type, offset], i) => (
        gl.vertexAttribPointer(i, size, gl[type], false, STRIDE, start * STRIDE + offset)));
      if (name === 'pins') {               // other layers' depths mean nothing here, and these nothing there
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.LESS);
        gl.depthMask(true);
        gl.depthRange(0, 1);
        gl.clear(gl.DEPTH_BUFFER_BIT);
      }
      gl.drawArraysInstanced(gl.TRIANGLES, 0, 6 * copies, end - start);
      if (name === 'pins') gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.bindVertexArray(null);
    }
  }

  /** A texture without smaller copies, bound. */
  function texture() {
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    return made;
  }

  const layer = {
    id: 'events', type: 'custom',
    frame: { from: 0, to: 0, known: Number.MAX_VALUE },

    onAdd(map_, gl_) {
      map = map_;
      gl = gl_;
      programs = {};
      rows = new ArrayBuffer(0);
      held = 0;
      generation = -1;
      layer.buffer = gl.createBuffer();
      vao = gl.createVertexArray();
      gl.bindVertexArray(vao);
      ATTRIBUTES.forEach((_, i) => {
        gl.enableVertexAttribArray(i);
        gl.vertexAttribDivisor(i, 1);
      });
      gl.bindVertexArray(null);
      for (const size of ['float', 'half_float']) gl.getExtension(`EXT_color_buffer_${size}`);
      heat = { image: texture(), target: gl.createFramebuffer() };
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA16F, ...HEAT_SIZE);
      gl.bindFramebuffer(gl.FRAMEBUFFER, heat.target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, heat.image, 0);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      digits = texture();
      gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, drawDigits());
    },

    prerender(_, args) {
      upload();
      if (!state.get().heat) return;
      gl.bindFramebuffer(gl.FRAMEBUFFER, heat.target);
      gl.viewport(0, 0, ...HEAT_SIZE);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      draw('heat', args, { blend: gl.ONE });
    },

    render(_, args) {
      const view = state.get();
      if (view.heat) draw('sum', args, { image: heat.image });
      if (!view.pins) return;
      draw('pins', args, { image: digits, values: {
        u_edge: parts(look.bg), u_depth: view.colour === 'depth' ? 1 : 0,
        u_colours: STYLES.flatMap((name) => parts(look[CATEGORIES[name].color])),
      } });
    },
  };
  return layer;
}
