// The settings: those of the view, and the service's configuration, which a command changes.

import { button, el, h3 } from './dom.js';
import { copyLine } from './menu.js';
import { choice, chosen, show } from './panel.js';

const faultList = (faults) =>
  el('ul', { class: 'faults' }, faults.map(({ words }) => el('li', {}, words)));

export function createSettings({ addPanel, state, api, defaults }) {
  /** Checks an edit of one source; nothing is written from here. */
  function editForm(sources, signal) {
    let [source] = sources;
    const changes = () => edit.value.split('\n').filter((line) => line.trim())
      .map((line) => /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line));
    const edit = el('textarea', {
      rows: 3, required: true, placeholder: 'refresh_interval=10m',
      on: { input: () => edit.setCustomValidity(changes().includes(null) ? 'One key=value a line' : '') },
    });
    const result = el('div', { role: 'status' });

    function check(event) {
      event.preventDefault();
      const params = new URLSearchParams({ source });
      for (const [, key, value] of changes()) params.append(key, value);
      const ask = () => api.json('configuration/check', params, { signal });
      show(result, signal, ask, ({ faults, yaml, command }) => result.replaceChildren(...(faults.length
        ? [faultList(faults)]
        : [el('p', {}, 'Right. To bring it into force:'), copyLine('Command', command),
          // An edit that only takes keys away has no lines.
          yaml && copyLine('YAML of the source', yaml)].filter(Boolean))));
    }

    return el('form', { on: { submit: check } }, h3('Try a change'),
      choice('Source', Object.fromEntries(sources.map((name) => [name, name])), source, (name) => { source = name; }),
      el('label', { class: 'choice' }, el('span', {}, 'Keys, one key=value a line'), edit),
      el('button', {}, 'Check'), result);
  }

  function configuration({ file, values, faults }, signal) {
    const sources = [...new Set(values.map(({ source }) => source).filter(Boolean))];
    const where = (part, line) => [part?.split('/').pop(), `line ${line}`].filter(Boolean).join(', ');
    const rows = values.map(({ key, source, value, file: part, line, accepted }) =>
      el('tr', { dataset: { key }, title: accepted },
        el('th', { scope: 'row', text: source ? `${source}: ${key}` : key }),
        el('td', { text: value ?? 'none' }),
        el('td', { class: 'dim', text: line ? where(part, line) : 'default' })));
    const table = el('table', { class: 'values' }, el('caption', {}, file), el('tbody', {}, rows));
    return faults.length ? [faultList(faults)] : [editForm(sources, signal), table];
  }

  function draw(body, signal) {
    const configured = el('div', {}, 'Reading …');
    body.append(
      chosen(state, 'zone', 'Times', { local: 'Local', utc: 'UTC' }),
      chosen(state, 'units', 'Distances', { km: 'Kilometres', mi: 'Miles' }),
      chosen(state, 'scheme', 'Colours', { auto: 'As the system', dark: 'Dark', light: 'Light' }),
      button('Reset the view', () => state.set(defaults)),
      h3('Configuration'), configured);
    // It is no failure that the operator does not show it; the service says why.
    const read = () => api.json('configuration', {}, { signal }).catch((error) => {
      if (error.status !== 404) throw error;
      return { reason: error.detail };
    });
    show(configured, signal, read, ({ reason, ...answer }) =>
      configured.replaceChildren(...(reason ? [reason] : configuration(answer, signal))));
  }

  addPanel('settings', 'Settings', draw);
}
