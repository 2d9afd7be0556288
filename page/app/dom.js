// Making of elements. No text of a feed ever becomes markup.

import { categoryOf } from './words.js';

export const on = (node, event, fn) => node.addEventListener(event, fn);

/**
 * Makes an element. `props`: `class`, `text`, `dataset`, `on: {event: function}`, and attributes: true sets an empty
 * one, false, null and undefined none; `aria-…` take true and false as words.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (name === 'class') node.className = value;
    else if (name === 'text') node.textContent = value;
    else if (name === 'dataset') Object.assign(node.dataset, value);
    else if (name === 'on') for (const [event, fn] of Object.entries(value)) on(node, event, fn);
    else if (typeof value !== 'boolean' || name.startsWith('aria-')) node.setAttribute(name, value);
    else if (value) node.setAttribute(name, '');
  }
  node.append(...children.flat().filter(Boolean));
  return node;
}

export const h3 = (text) => el('h3', { text });
export const note = (...words) => el('p', { class: 'dim' }, words);

export const button = (text, click, props) => el('button', { type: 'button', text, on: { click }, ...props });

export function sign(name) {
  const { sign: text, color } = categoryOf(name);
  const node = el('span', { class: 'sign', 'aria-hidden': true, text });
  node.style.color = `var(--${color})`;
  return node;
}
