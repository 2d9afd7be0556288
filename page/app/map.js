/** The map: MapLibre with the bundled base map, and the events' own layer. */

import { collection, creditOf, fillBasemap, readColours, styleOf } from './basemap.js';
import { on } from './dom.js';
import { createEventLayer } from './eventlayer.js';
import { createGround } from './ground.js';
import { createAreas } from './areas.js';
import { createHotspots } from './hotspots.js';
import { createLabels } from './labels.js';
import { createPicking } from './picking.js';
import { createPoints } from './points.js';
import { isSame } from './state.js';
import { RAD } from './words.js';

const PROJECTIONS = {
  flat: 'mercator', globe: 'vertical-perspective',
  auto: ['interpolate', ['linear'], ['zoom'], 5, 'vertical-perspective', 5.5, 'mercator'],
};
const STYLED = ['base', 'overlays', 'volcanoes', 'population', 'playing'];
const DRAWN = ['pins', 'heat', 'home', 'colour', 'categories', 'selected', 'volcanoes', 'playing'];

/**
 * Makes the map in `container`; `start` is what the service says of itself, `credit` shows whose data that is, and
 * `other` is the {id, at} of an event that the record may not have.
 */
export function createMap({ container, credit, state, record, api, alerts, start, other, onPick }) {
  const view = state.get(), look = readColours(), layer = createEventLayer({ record, state, look });
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  // By source: the features that it has.
  const drawn = { countries: [], numbers: [] };
  let parts = [], points = null;

  const map = new window.maplibregl.Map({
    container, center: view.center, zoom: view.zoom, minZoom: 0, maxZoom: 18, maxPitch: 0,
    style: { ...styleOf(view, look, start), projection: { type: PROJECTIONS[view.projection] } },
    dragRotate: false, pitchWithRotate: false, touchPitch: false, attributionControl: false, fadeDuration: 0,
    canvasContextAttributes: { contextType: 'webgl2' },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();

  function bounds() {
    const [[west, south], [east, north]] = map.getBounds().toArray();
    const turn = (lon) => ((lon + 180) % 360 + 360) % 360 - 180;
    const sides = east - west < 360 ? [turn(west), turn(east)] : [-180, 180];
    return [sides[0], Math.max(-90, south), sides[1], Math.min(90, north)];
  }

  const seen = () => ({
    center: map.getCenter().toArray().map((degrees) => Number(degrees.toFixed(4))),
    zoom: Number(map.getZoom().toFixed(2)),
  });

  /** Puts features into a source, unless it has the same: no tile is made anew for nothing. */
  function put(source, features) {
    if (!isSame(drawn[source] ?? [], features)) map.getSource(source).setData(collection(features));
    drawn[source] = features;
  }

  function redraw() {
    for (const part of parts) part.follow();
    map.triggerRepaint();
  }

  function restyle() {
    for (const { id, paint = {}, layout = {} } of styleOf(state.get(), look, start).layers) {
      for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, name, value);
      if (layout.visibility) map.setLayoutProperty(id, 'visibility', layout.visibility);
    }
    credit.textContent = `ℹ ${creditOf(state.get(), start)}`;
  }

  /** Tells the style sheet how large the globe is, for the light around it. */
  function rim() {
    const radius = 512 * 2 ** map.getZoom() / (2 * Math.PI * Math.cos(map.getCenter().lat * RAD));
    const far = 1.5 * container.clientHeight;
    const seen = far * radius / Math.sqrt((far + radius) ** 2 - radius ** 2);
    const isGlobe = map.getZoom() < 5 && state.get().projection !== 'flat';
    container.style.setProperty('--globe', `${isGlobe ? seen : 0}px`);
  }

  const ready = new Promise((resolve, reject) => {
    // A tile that does not come is no fault of the map; without its shapes and its graphics there is none.
    map.on('error', ({ error }) => { if (!map.getLayer('events')) reject(error); });
    map.once('style.load', () => {
      map.addLayer(layer, 'dots');
      // What the map misses comes at last.
      const lasting = { ...api, json: api.lasting };
      const shared = {
        container, map, put, drawn, other, state, record, api: lasting, alerts, start, look, layer, bounds, onPick,
      };
      const labels = createLabels(shared), areas = createAreas(shared);
      points = createPoints(shared);
      parts = [areas, points, labels, createPicking({ ...shared, areas }), createHotspots(shared)];
      createGround({ ...shared, credit });
      const recolour = () => {
        Object.assign(look, readColours());
        labels.recolour();
        restyle();
        redraw();
      };
      on(matchMedia('(prefers-color-scheme: light)'), 'change', recolour);
      state.watch(['center', 'zoom'], ({ center, zoom }) => {
        if (!isSame(seen(), { center, zoom })) map.jumpTo({ center, zoom });
      });
      state.watch(['projection'], ({ projection }) => {
        map.setProjection({ type: PROJECTIONS[projection] });
        rim();
      });
      state.watch(['scheme'], () => requestAnimationFrame(recolour));
      state.watch(STYLED, restyle);
      state.watch(DRAWN, redraw);
      restyle();
      redraw();
      const onCountries = (features) => {
        labels.nameCountries(features);
        redraw();
      };
      fillBasemap({ ...shared, onCountries }).then(resolve, reject);
    });
  });

  map.on('moveend', () => state.set(seen()));
  // What the graphics card held is lost.
  map.on('webglcontextrestored', () => location.reload());
  map.on('move', rim);
  map.on('resize', rim);
  rim();
  // Arrow keys move the map while its canvas has the focus from the keyboard, and nothing else then.
  on(container, 'keydown', (event) => {
    if (event.key.startsWith('Arrow')) event.stopPropagation();
  });

  return {
    map, ready, bounds, redraw,

    /** Shows the events from `from` to `to` as they were known at `known`, in ms since 1970: one repaint. */
    setFrame({ from, to, known }) {
      const { frame } = layer;
      if (frame.from === from && frame.to === to && frame.known === known) return;
      layer.frame = { from, to, known };
      redraw();
    },

    /** Moves to a coordinate; `zoom` is kept where it is left out. Motion is short, or none. */
    flyTo({ center, zoom = map.getZoom() }) {
      const { selected, panel } = state.get();
      // On a phone a sheet covers the lower part.
      const isCovered = (selected || panel) && container.clientWidth < 600;
      const offset = [0, isCovered ? -0.28 * container.clientHeight : 0];
      map.easeTo({ center, zoom, offset, duration: still.matches ? 0 : 150 });
    },

    reveal() {
      const center = points?.unseen();
      if (center) this.flyTo({ center });
    },

    /** The map as it is now with the light around it: a canvas, and its pixels in one of the page. */
    picture() {
      // What the graphics card has drawn lasts until this turn of the script ends.
      map.redraw();
      const drawn = map.getCanvas(), { width, height } = drawn, ratio = width / drawn.clientWidth;
      const pen = document.createElement('canvas').getContext('2d');
      const globe = ratio * parseFloat(container.style.getPropertyValue('--globe'));
      Object.assign(pen.canvas, { width, height });
      pen.fillStyle = look.bg;
      pen.fillRect(0, 0, width, height);
      if (globe > 0) {
        const light = pen.createRadialGradient(width / 2, height / 2, globe, width / 2, height / 2, 1.1 * globe);
        light.addColorStop(0, `${look.accent}4d`);
        light.addColorStop(1, `${look.accent}00`);
        pen.fillStyle = light;
        pen.fillRect(0, 0, width, height);
      }
      pen.drawImage(drawn, 0, 0);
      return { canvas: pen.canvas, ratio };
    },
  };
}
