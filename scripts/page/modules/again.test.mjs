// What is asked for again: how often, until when, and what is told of it.
import assert from 'node:assert/strict';
import test from 'node:test';

import { persist, takeTurns } from '../../../page/app/api.js';
import { show } from '../../../page/app/panel.js';

const failure = (message, isPassing = true) => Object.assign(new Error(message), { isPassing });
const settled = () => new Promise((resolve) => { setImmediate(resolve); });

/** A question that fails by these errors one after another, then has an answer. */
function failing(...errors) {
  const question = async () => {
    question.times += 1;
    if (errors.length) throw errors.shift();
    return 'answer';
  };
  return Object.assign(question, { times: 0 });
}

async function passed(t) {
  await settled();
  t.mock.timers.tick(5000);
  await settled();
}

test('a question is asked again until there is an answer, and not for another failure', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ask = failing(failure('no answer'), failure('no answer'));
  const heard = [];
  const answer = persist(ask, undefined, ({ message }) => heard.push(message));
  await passed(t);
  await passed(t);
  assert.equal(await answer, 'answer');
  assert.deepEqual([ask.times, heard.length], [3, 2]);
  await assert.rejects(persist(failing(failure('refused', false))), /refused/);
});

test('a question that another one has ended is not asked again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turn = takeTurns();
  const ask = failing(failure('no answer'));
  const ended = assert.rejects(persist(ask, turn()), { name: 'AbortError' });
  await settled();
  turn();
  await passed(t);
  await ended;
  assert.equal(ask.times, 1);
});

test('a failure is told once as long as it lasts, another one anew', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const node = { removeAttribute: (name) => { node[name] = 'gone'; } };
  const told = [];
  const ask = failing(failure('no answer'), failure('no answer'), failure('answered 503'), failure('answered 503'));
  const drawn = show(node, takeTurns()(), ask, (answer) => told.push(answer), ({ message }) => told.push(message));
  assert.equal(node.ariaBusy, 'true');
  for (let i = 0; i < 4; i += 1) await passed(t);
  await drawn;
  assert.deepEqual(told, ['no answer', 'answered 503', 'answer']);
  assert.equal(node['aria-busy'], 'gone');
});
