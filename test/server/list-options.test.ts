/** A list or watch parses its selectors once: a selector may be long, and several filters read them. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTestServer } from '../../src/entries/testing.js';
import { FieldSelector, LabelSelector } from '../../src/machinery/index.js';
import { ask } from './ask.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const LABELS = encodeURIComponent('a in (b,c)');

test.each([
  ['a list', '', 200],
  ['a watch', '&watch=true&allowWatchBookmarks=true', 200],
  ['a list that is refused', '%20)', 400],
])('%s', async (_name, rest, status) => {
  const { server, close } = await startTestServer({
    dialect: 'kubernetes',
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  onTestFinished(() => close());
  const labels = vi.spyOn(LabelSelector, 'parse');
  const fields = vi.spyOn(FieldSelector, 'parse');
  onTestFinished(() => void [labels, fields].forEach((spy) => spy.mockRestore()));
  const target = `${PATH}?fieldSelector=${encodeURIComponent('metadata.name!=x')}&labelSelector=${LABELS}${rest}`;
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  expect((await ask(server, 'GET', target, { signal: gone.signal })).status).toBe(status);
  expect(labels).toHaveBeenCalledTimes(1);
  expect(fields).toHaveBeenCalledTimes(1);
});
