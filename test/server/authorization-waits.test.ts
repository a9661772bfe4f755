/** An authorizer that does not answer holds a request only as long as its client waits. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../src/entries/testing.js';
import { ask } from './ask.js';

test('a request whose client has gone does not wait for an authorizer', async () => {
  let asked = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  await using test = await startTestServer({
    dialect: 'kubernetes',
    authentication: { tokens: [{ token: 'a', user: { username: 'alice', groups: [] } }] },
    authorization: {
      authorizer: ({ user }) => {
        if (user.username !== 'alice') return { decision: 'NoOpinion', reason: '' };
        asked();
        return new Promise(() => undefined);
      },
    },
  });
  const client = new AbortController();
  const answer = ask(test.server, 'GET', '/api/v1/namespaces', { token: 'a', signal: client.signal });
  await isAsked;
  client.abort(new Error('the client has disconnected'));
  const { status } = await answer;
  expect(status).toBe(504);
});
