// The menu: own position, sharing, picture, the same data for other programs, settings, about.

import { button, el, h3, note } from './dom.js';
import { toQuery, describe } from './filter.js';
import { toHash } from './hash.js';
import { DEFAULTS } from './state.js';
import { fixed, isPresent } from './timewindow.js';
import { iso } from './words.js';

/** A line for a program, with a button that copies it. */
export function copyLine(words, text) {
  const copy = button('Copy', async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = 'Copied';
  }, { 'aria-label': `Copy: ${words}` });
  return el('div', { class: 'line' }, el('span', {}, words), copy, el('pre', { tabindex: 0, text }));
}

export function createMenu({ addPanel, state, api, map, snapshot, now }) {
  const nearOnly = /^(localhost|127\.|\[::1)/.test(location.hostname)
    ? `${location.hostname} is this machine: no other reaches these addresses.` : '';
  let marker = null;
  const named = (ending) => `visiventd-${iso(now()).slice(0, 10)}.${ending}`;

  function locate(say) {
    say('Asking for the position …');
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      const center = [coords.longitude, coords.latitude];
      const element = el('div', { class: 'me', role: 'img' });
      marker?.remove();
      marker = new globalThis.maplibregl.Marker({ element }).setLngLat(center).addTo(map.map);
      // The map's library names each marker itself.
      element.ariaLabel = 'Own position';
      map.flyTo({ center, zoom: Math.max(6, state.get().zoom) });
      say('');
    }, (error) => say(`No position: ${error.message}`));
  }

  async function save() {
    const href = URL.createObjectURL(await snapshot.png());
    el('a', { href, download: named('png') }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10e3);
  }

  function draw(body) {
    const said = el('p', { role: 'status' });
    const say = (text) => { said.textContent = text; };
    /** Copies the address of a view without this panel; windows of another size have another usual zoom. */
    async function share(view) {
      const address = new URL(toHash({ ...view, panel: null }, { ...DEFAULTS, zoom: null }), location.href).href;
      try {
        await navigator.clipboard.writeText(address);
        say(`The address of this view is copied. ${nearOnly}`);
      } catch {
        // Without https there is no clipboard.
        say(address);
      }
    }
    const open = (panel) => () => state.set({ panel });

    const view = state.get();
    const query = toQuery(view, { now: now() });
    // As many as an answer of that form may have.
    const items = (f) => api.url('collections/events/items', { ...query, limit: f === 'geojson' ? 10000 : 1000, f });
    const files = {
      GeoJSON: items('geojson'), CSV: items('csv'), ndjson: items('ndjson'),
      KML: api.url('events.kml', query), Atom: api.url('feed.atom', query),
    };
    const [starttime, end] = query.datetime.split('/');
    const quakes = { starttime, endtime: end === '..' ? null : end, minmagnitude: query.min_magnitude };
    const python = Object.keys(quakes).filter((key) => quakes[key]).map((key) => `${key}="${quakes[key]}"`);

    body.append(
      el('div', { class: 'actions' },
        map.map && [button('My position', () => locate(say)), button('Save picture (PNG)', save)],
        button('Copy link to this view', () => share({ ...state.get(), ...fixed(state.get(), now()) })),
        isPresent(view) && button('Copy link that stays at the present', () => share(state.get())),
        button('Settings', open('settings')), button('About', open('about'))),
      said,
      h3('Download'), note(`The newest: ${describe(view)}`),
      el('p', { class: 'tools' },
        Object.entries(files).map(([text, href]) => el('a', { href, download: named(text.toLowerCase()), text }))),
      h3('For other programs'), note(nearOnly),
      copyLine('curl', `curl -o events.csv '${items('csv')}'`),
      copyLine('QGIS: Layer, Add Layer, Add WFS / OGC API - Features', api.url('.')),
      copyLine('ObsPy', 'from obspy.clients.fdsn import Client\n'
        + `Client("${api.url('.').replace(/\/$/, '')}").get_events(${python.join(', ')})`),
      copyLine('Home Assistant, integration GeoJSON feed (set its radius, too)',
        api.url('earthquakes/feed/v1.0/summary/all_day.geojson')),
      copyLine('Feed reader (Atom)', files.Atom));
  }

  addPanel('menu', 'More', draw);
}
