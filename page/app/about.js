// About: version, whose data is shown, licences, keys.

import { el, h3 } from './dom.js';

const KEYS = {
  '/': 'search', space: 'play or pause', '← →': 'one window', 'shift ← →': 'one day',
  'j k': 'next, previous event', Esc: 'close', '?': 'these keys',
};

export function createAbout({ addPanel, start }) {
  const link = (href, text) => el('p', {}, el('a', { href, target: '_blank', text }));

  function draw(body) {
    const owners = ['Natural Earth (public domain)', ...start.attributions,
      ...[...start.basemaps, ...start.overlays].map(({ attribution }) => attribution)];
    body.append(
      el('p', {}, `visiventd ${start.version ?? ''}`),
      h3('Attributions'),
      el('ul', {}, owners.filter(Boolean).map((text) => el('li', { text }))),
      h3('More'),
      link(new URL('../basemap/LICENCES.md', import.meta.url), 'Licences of the map library and shapes'),
      link('api?f=html', 'The reading interface'),
      link('collections/events/items?f=html', 'Events as a table'),
      h3('Keys'),
      el('dl', { class: 'facts' }, Object.entries(KEYS).flatMap(([key, text]) =>
        [el('dt', {}, el('kbd', {}, key)), el('dd', { text })])));
  }

  addPanel('about', 'About', draw);
}
