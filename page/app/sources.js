// The sources: how fresh each is, when it is polled next, and why one fails.

import { el, note, on } from './dom.js';
import { age, count } from './words.js';
import { ago, show } from './panel.js';

/** The state of a source in words: 'off', 'failing', 'partly failing', 'waiting' or 'well'. */
export function sourceState(source) {
  if (!source.enabled) return 'off';
  if (source.failures > 0) return 'failing';
  if (source.partial_failures?.length) return 'partly failing';
  return source.last_success ? 'well' : 'waiting';
}

export function createSources({ addPanel, state, api, start, now }) {
  function item(source) {
    const condition = sourceState(source);
    const refused = Object.entries(source.refused ?? {}).map(([why, n]) => `${count(n)} left out: ${why}`);
    const reason = source.due_reason === 'interval' ? '' : ` (${source.due_reason})`;
    const times = [
      ['last success', source.last_success], ['last new event', source.last_new],
      ['failing since', source.failing_since], [`next due${reason}`, source.enabled && source.next_due],
    ].filter(([, time]) => time);
    const why = condition === 'failing' && source.last_failure;
    const notes = [why, source.partial_failures, source.remark, refused].flat();
    return el('li', { class: 'source', dataset: { state: condition } },
      el('b', {}, source.name), ` ${source.kind} `,
      el('span', { class: `state-${condition.replace(' ', '-')}`, text: condition }),
      el('ul', { class: 'dim' },
        times.map(([words, time]) => el('li', {}, `${words} `, ago(Date.parse(time), now, state.get().zone))),
        notes.filter(Boolean).map((text) => el('li', { dir: 'auto', text }))));
  }

  function draw(body, signal) {
    let timer = null;
    const ask = () => api.json('status', {}, { signal });
    const load = () => show(body, signal, ask, (status) => {
      timer = setTimeout(load, 30e3);
      const enabled = status.sources.filter((source) => source.enabled);
      const well = enabled.filter((source) => sourceState(source) === 'well');
      const lines = [
        `${well.length} of ${enabled.length} sources are well.`,
        `${count(status.events)} events, ${count(status.located)} with a place.`,
        status.newest_event && `The newest is ${age(now() - Date.parse(status.newest_event))} old.`,
        `City table: ${start.gazetteer ?? 'none'}.`,
        !start.gazetteer && 'visiventd seed cities and visiventd seed volcanoes fill the tables.',
      ];
      body.replaceChildren(
        el('p', {}, lines.filter(Boolean).join(' ')),
        el('ul', {}, status.sources.map(item)),
        ...start.attributions.map((text) => note(text)));
    });
    load();
    on(signal, 'abort', () => clearTimeout(timer));
  }

  addPanel('sources', 'Sources', draw);
}
