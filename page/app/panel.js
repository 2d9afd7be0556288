// What the panels and the card share: the frame, requests and their failures, lists and their rows.

import { ITEMS, persist } from './api.js';
import { button, el, on, sign } from './dom.js';
import { timeOf } from './record.js';
import { clock, depthText, forceWords, headline, placeOnce, signals } from './rowwords.js';
import { age, categoryOf, timeText } from './words.js';

const MISSING = {
  waiting: 'it has not been looked up yet', not_found: 'it was not found by its name',
  not_named: 'neither the feed nor the text names one', ambiguous: 'the text names several',
  not_sought: 'its source is not to be located', taken_away: 'the operator has taken it away',
};

export const missingWords = (p) => `No place: ${MISSING[p.location_missing] ?? 'none is known'}`;

/** A link to a feed's address; only http and https become links, the rest stays text. */
export function webLink(address, words) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!/^https?:$/.test(url?.protocol)) return address;
  const rel = 'noopener noreferrer nofollow';
  return el('a', { href: url.href, rel, target: '_blank', text: words ?? url.host });
}

const agoText = (ms, nowMs) => (ms > nowMs ? `in ${age(ms - nowMs)}` : `${age(nowMs - ms)} ago`);

/** How long ago a moment was; the frame around it keeps the words true. */
export const ago = (ms, now, zone) =>
  el('time', { dataset: { ms }, title: timeText(ms, zone), text: agoText(ms, now()) });

/** The nodes of changes, `[name, old, new]` each. */
export const changeNodes = (changes) => changes.map(([name, from, to]) =>
  [`${name} `, el('del', { dir: 'auto', text: from }), ' → ', el('ins', { dir: 'auto', text: to })]);

export const problem = ({ message }) => el('p', { class: 'failure', role: 'alert', text: message });

/** Calls `act` once a node comes into view, unless the signal ends it. */
export function whenSeen(node, signal, act) {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    act();
  });
  seen.observe(node);
  on(signal, 'abort', () => seen.disconnect());
}

// MARK: Controls

/** A choice among `options`, words by value. */
export const choice = (label, options, value, change) => el('label', { class: 'choice' },
  el('span', {}, label),
  el('select', { on: { change: ({ target }) => change(target.value) } },
    Object.entries(options).map(([name, text]) => el('option', { value: name, selected: name === value, text }))));

export const tick = (label, checked, change) => el('label', { class: 'tick' },
  el('input', { type: 'checkbox', checked, on: { change: ({ target }) => change(target.checked) } }),
  el('span', {}, label));

/** The same for a key of the view. */
export const chosen = (state, key, label, options) => choice(label, options, state.get()[key], state.setter(key));
export const ticked = (state, key, label) => tick(label, state.get()[key], state.setter(key));

// MARK: Lists

export const row = (title, words, click, props = {}, before = null) => el('li', { class: 'row', ...props },
  el('button', { type: 'button', on: { click } }, before, el('span', { dir: 'auto', text: title }),
    el('span', { class: 'dim' }, words)));

/**
 * A row of an event, which opens its card: its magnitude, what it is, when and how deep it was, where as far as the
 * title does not say it. `before` are further words, `face` is the author's picture.
 */
export function eventRow(feature, { state, now }, before = [], face = null) {
  const { id, properties: p } = feature;
  const { selected, zone } = state.get();
  const at = timeOf(feature);
  const more = [
    depthText(p.depth_km), ...signals(p), forceWords(p, now()), p.author_name,
    p.location_evidence === 'author' && 'home of the author',
    placeOnce(p), p.location_missing && missingWords(p), p.withdrawn && 'withdrawn',
  ].filter(Boolean).flatMap((text) => [' · ', el('bdi', { text })]);
  const strength = p.magnitude !== undefined && el('b', { class: 'magnitude', text: p.magnitude.toFixed(1) });
  return row(headline(p) || categoryOf(p.category).word,
    [...before, `${clock(at, zone, now())} · `, ago(at, now, zone), ...more],
    () => state.set({ selected: `event:${id}` }),
    { dataset: { event: id }, 'aria-current': selected === `event:${id}` }, [face, sign(p.category), strength]);
}

/** Takes what is gone off a container. Whether an answer is under way, which may still have it. */
export function dropGone(container, changes) {
  const isGone = ({ feature }) => !feature || feature.properties.withdrawn;
  const gone = new Set(changes.filter(isGone).map(({ id }) => id));
  for (const node of container.querySelectorAll('[data-event]')) {
    if (gone.has(node.dataset.event)) node.remove();
  }
  return gone.size > 0 && (container.ariaBusy || container.querySelector('[aria-busy]')) !== null;
}

/** Draws the answer of a request, which is repeated until there is one; `fail` tells of each new failure, once. */
export async function show(node, signal, request, draw, fail = (error) => node.replaceChildren(problem(error))) {
  const unlessEnded = (act) => (value) => { if (!signal.aborted) act(value); };
  let told = '';
  const failOnce = (error) => { if (told !== (told = error.message)) fail(error); };
  node.ariaBusy = 'true';
  await persist(request, signal, failOnce).then(unlessEnded(draw)).catch(unlessEnded(fail));
  unlessEnded(() => node.removeAttribute('aria-busy'))();
}

/**
 * Fills a list by pages: `read` promises [nodes, next], and `next`, if any, reads what follows when its button comes
 * into view, or, where it has `words` for the button, when that is pressed.
 */
export function fill(list, signal, read, empty = 'Nothing with this filter.') {
  function add([nodes, next]) {
    list.append(...nodes.filter(Boolean));
    if (next) list.append(older(next));
    else if (!list.childElementCount) list.append(el('li', { class: 'dim', text: empty }));
  }

  /** The last item, whose button reads the next page. */
  function older(next) {
    const item = el('li', { class: 'more' });
    const go = button(next.words ?? 'Older', () => {
      if (item.ariaBusy) return;
      show(item, signal, next, (page) => {
        const hadFocus = item.contains(document.activeElement);
        item.remove();
        const n = list.childElementCount;
        add(page);
        if (hadFocus) list.querySelector(`:scope > :nth-child(n + ${n + 1}) button`)?.focus();
      });
    });
    if (!next.words) whenSeen(item, signal, () => go.click());
    item.append(go);
    return item;
  }

  return show(list, signal, read, (page) => {
    list.replaceChildren();
    add(page);
  });
}

/** Reads events for `fill`; `draw` makes the node of one, or null for none. */
export const pages = (ask, params, draw) => async () => {
  const { features, links } = await ask(ITEMS, params);
  const next = links.find(({ rel }) => rel === 'next');
  return [features.map(draw), next && pages(ask, new URL(next.href).searchParams, draw)];
};

// MARK: The frame

/**
 * The frame of a panel or the card: a heading with a button to close, and a body, which `open` returns. It takes the
 * focus when it comes, but with the page, and gives it back when it goes.
 */
export function createFrame({ container, now, hide }) {
  let opener = null;
  const hasFocus = () => container.contains(document.activeElement);

  function open(title, content, takesFocus = container.hidden || hasFocus()) {
    if (container.hidden) opener = document.activeElement;
    const heading = el('h2', { tabindex: -1, dir: 'auto', text: title });
    const body = el('div', { class: 'panel-body' }, content);
    container.replaceChildren(el('header', { class: 'panel-head' }, heading,
      button('×', hide, { class: 'close', 'aria-label': `Close ${container.id}` })), body);
    container.hidden = false;
    if (takesFocus) heading.focus({ preventScroll: true });
    return body;
  }

  function close() {
    const hadFocus = hasFocus();
    container.replaceChildren();
    container.hidden = true;
    if (hadFocus) opener?.focus();
  }

  setInterval(() => {
    for (const node of container.querySelectorAll('time')) node.textContent = agoText(node.dataset.ms, now());
  }, 10e3);
  return { open, close };
}

/** Makes what adds a panel, which is there while the state names it. `draw(body, signal)` fills it until it closes. */
export function createPanels({ container, state, now }) {
  const frame = createFrame({ container, now, hide: () => state.set({ panel: null }) });

  return function addPanel(name, title, draw) {
    let ending = null;

    function follow({ panel }, changed) {
      if (panel === name && !ending) {
        ending = new AbortController();
        draw(frame.open(title, [], changed ? undefined : false), ending.signal);
      } else if (panel !== name && ending) {
        ending.abort();
        ending = null;
        // Another panel may have taken the container already.
        if (!panel) frame.close();
      }
    }

    state.follow(['panel'], follow);
  };
}
