// Kept pictures of authors and volcanoes: they come from the service alone, under the key of their link.

import { el, on } from './dom.js';

/** The key of a link: base64url without padding. */
export const pictureKey = (link) => btoa(String.fromCharCode(...new TextEncoder().encode(link)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const initials = (name) => name.trim().split(/\s+/).slice(0, 2)
  .map((word) => [...word][0]?.toUpperCase() ?? '').join('');

/** What draws pictures; where the service keeps none, it draws nothing. */
export function createPictures({ start, api }) {
  function image(link, missing) {
    const node = el('img', { src: api.url(`pictures/${pictureKey(link)}`), alt: '', decoding: 'async' });
    on(node, 'error', missing);
    return node;
  }

  /** The picture of an author; the initials where there is none. */
  function face(link, name) {
    if (!start.pictures || !name) return null;
    const node = el('span', { class: 'face', 'aria-hidden': 'true' }, el('span', { text: initials(name) }));
    if (link) {
      const picture = image(link, () => picture.remove());
      node.append(picture);
    }
    return node;
  }

  /** A photograph, which goes where there is none. */
  function photo(link) {
    if (!start.pictures || !link) return null;
    const picture = image(link, () => picture.remove());
    picture.className = 'photo';
    return picture;
  }

  return { face, photo };
}
