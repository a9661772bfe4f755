import { expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { withPage, type PageOptions } from '../../src/ui/index.js';
import { authority, client, CN, DAY, NOW, O } from '../security/pki/support/issue.js';
import { jsonOf, requestOf, type Asked } from '../server/ask.js';

const root = authority('root', { notAfter: NOW + 100 * DAY });
const chain = [client([O('system:masters'), CN('alice')], root, { notAfter: NOW + DAY }).der];
const stranger = [client([CN('alice')], authority('other', { notAfter: NOW + DAY }), { notAfter: NOW + DAY }).der];

function served(options: PageOptions = {}) {
  const server = new ApiServer({
    dialect: 'kubernetes',
    clock: createManualClock(NOW),
    authentication: { clientCertificates: { certificateAuthorities: root.pem } },
  });
  const { handle, handleWebSocket } = withPage(server.target, options);
  const send = (method: string, path: string, asked: Asked = {}) =>
    handle(requestOf(method, path, { token: '', chain, ...asked }));
  return { server, send, handleWebSocket };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const body = JSON.stringify({ metadata: { name: 'a' } });
const own = { 'sec-fetch-site': 'same-origin', origin: 'https://h', host: 'h' };

test('a client certificate of the browser identifies its user to the page, without a session', async () => {
  const { server, send } = served();
  await using _server = server;
  expect(jsonOf(await send('GET', '/ui/v1/info', { headers: own }))).toMatchObject({
    signIn: { certificate: true },
    user: { username: 'alice', groups: expect.arrayContaining(['system:masters']) },
  });
  expect((await send('POST', MAPS, { headers: own, body })).status).toBe(201);
  // One of another authority identifies nobody, and the page learns how to sign in.
  const info = jsonOf(await send('GET', '/ui/v1/info', { headers: own, chain: stranger }));
  expect([info['user'], info['signIn']]).toEqual([undefined, { token: true, certificate: true }]);
});

test('a page elsewhere gets nothing by the certificate that the browser sends with its requests', async () => {
  const { server, send, handleWebSocket } = served();
  await using _server = server;
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', host: 'h' },
    { origin: 'null', host: 'h' },
  ] satisfies Record<string, string>[]) {
    expect((await send('GET', '/ui/v1/info', { headers })).status).toBe(403);
    expect((await send('POST', MAPS, { headers: { ...headers, 'content-type': 'text/plain' }, body })).status).toBe(
      403,
    );
    const upgrade = await handleWebSocket?.(requestOf('GET', `${MAPS}?watch=1`, { token: '', chain, headers }));
    expect(upgrade).toMatchObject({ refuse: { status: 403 } });
  }
});

test('a page that can only read cannot write by it either', async () => {
  const { server, send } = served({ readOnly: true });
  await using _server = server;
  expect((await send('GET', MAPS, { headers: own })).status).toBe(200);
  expect((await send('POST', MAPS, { headers: own, body })).status).toBe(403);
  // A program with the same certificate may.
  expect((await send('POST', MAPS, { body })).status).toBe(201);
});
