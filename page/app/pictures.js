// Kept pictures of authors and volcanoes: they come from the service alone, under the key of their link.

import { el } from './dom.js';

/** The key of a link: base64url without padding. */
const pictureKey = (link) => btoa(String.fromCharCode(...new TextEncoder().encode(link)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const initials = (name) => name.trim().split(/\s+/).slice(0, 2)
  .map((word) => [...word][0]?.toUpperCase() ?? '').join('');

/** What draws pictures; where the service keeps none, it draws nothing. */
export function createPictures({ start, api }) {
  function image(link, name) {
    return el('img', {
      src: api.url(`pictures/${pictureKey(link)}`), class: name, alt: '', decoding: 'async',
      on: { error: ({ target }) => target.remove() },
    });
  }

  return {
    /** The picture of an author; the initials where there is none. */
    face: (link, name) => start.pictures && name && el('span', { class: 'face', 'aria-hidden': true },
      el('span', {}, initials(name)), link && image(link)),
    photo: (link) => start.pictures && link && image(link, 'photo'),
  };
}
