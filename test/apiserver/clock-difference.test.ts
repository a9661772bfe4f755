import { afterEach, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';
import { base64, requestPem } from '../support/certificates.js';
import { ask, jsonOf, textOf } from '../server/ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(storage: Storage, aheadMs: number): Promise<ApiServer> {
  const clock = createManualClock();
  await clock.advance(aheadMs);
  const server = new ApiServer({
    ...{ dialect: 'kubernetes', clock, storage },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  servers.push(server);
  await server.settled();
  return server;
}

/** Two servers on a store, of which the first runs the controllers. */
async function startTwo(aheadMs: { readonly first: number; readonly second: number }): Promise<[ApiServer, ApiServer]> {
  const storage = decorateStorage(keptOpenStorage(createManualClock()), { isShared: true });
  return [await start(storage, aheadMs.first), await start(storage, aheadMs.second)];
}

async function post(server: ApiServer, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await ask(server, 'POST', path, { body: JSON.stringify(body) });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${textOf(answer)}`);
  return { ...jsonOf(answer) };
}

async function usernameOf(server: ApiServer, credentials: Parameters<typeof ask>[3]): Promise<unknown> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const answer = await ask(server, 'POST', path, { ...credentials, body: '{}' });
  const { status } = jsonOf(answer) as { status?: { userInfo?: { username?: string } } };
  return status?.userInfo?.username;
}

for (const [name, ahead] of [
  ['is a minute ahead', { first: 60_000, second: 0 }],
  ['is a minute behind', { first: 0, second: 60_000 }],
] as const) {
  test(`a token of a server whose clock ${name} is accepted by the other at once`, async () => {
    const [first, second] = await startTwo(ahead);
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { status } = await post(first, path, { spec: { expirationSeconds: 600 } });
    const { token } = status as { token: string };
    expect(await usernameOf(second, { token })).toBe('system:serviceaccount:default:default');
    expect(await usernameOf(first, { token })).toBe('system:serviceaccount:default:default');
  });

  test(`a certificate of a server whose clock ${name} is accepted by the other at once`, async () => {
    const [first, second] = await startTwo(ahead);
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    await post(second, path, {
      metadata: { name: 'alice' },
      spec: {
        request: base64(await requestPem()),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      },
    });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' }];
    const approved = await ask(second, 'PATCH', `${path}/alice/approval`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status: { conditions } }),
    });
    expect(approved.status, textOf(approved)).toBe(200);
    await first.settled();
    const { status } = jsonOf(await ask(second, 'GET', `${path}/alice`)) as { status: { certificate: string } };
    const pem = Buffer.from(status.certificate, 'base64').toString();
    const chain = [Buffer.from(pem.replaceAll(/-----[^-]*-----|\s/g, ''), 'base64')];
    for (const server of [first, second]) expect(await usernameOf(server, { token: '', chain })).toBe('alice');
  });
}
