/** Requests for the API group of another server: who makes them there, how they are passed on, and how they fail. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { APIService, Namespace } from '../../../src/entries/kinds.js';
import { createServingCertificate } from '../../../src/transport/node/index.js';
import { ask, jsonOf, received, streamOf, textOf, type Asked } from '../ask.js';
import { API_SERVICE, FERRIES, GROUP, VERSION_PATH, World } from './world.js';
import { PATIENCE } from '../../support/patience.js';

const send = async (world: World, method: string, path: string, asked: Asked = {}) => {
  const answer = await received(await ask(world.main, method, path, asked));
  return { code: answer.status, headers: answer.headers, text: textOf(answer) };
};
const ferry = (name: string, spec: object = {}): Asked => ({
  body: JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'Ferry', metadata: { name }, spec }),
});

describe('a group that another server serves', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await world.register();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('is read and written there', async () => {
    expect((await send(world, 'POST', FERRIES, ferry('one', { seats: 7 }))).code).toBe(201);
    const { code, text } = await send(world, 'GET', `${FERRIES}/one`);
    expect([code, JSON.parse(text)]).toMatchObject([200, { spec: { seats: 7 } }]);
    const patch = { body: '{"spec":{"seats":8}}', headers: { 'content-type': 'application/merge-patch+json' } };
    expect((await send(world, 'PATCH', `${FERRIES}/one?fieldManager=me`, patch)).text).toContain('"manager":"me"');
    expect((await send(world, 'GET', VERSION_PATH)).text).toContain('"name":"ferries"');
    expect((await send(world, 'GET', `${FERRIES}/none`)).code).toBe(404);
    expect((await send(world, 'DELETE', `${FERRIES}/one`)).code).toBe(200);
  });

  test('sees the user of the request, and nothing that the client says about one', async () => {
    world.seen.length = 0;
    const headers = {
      'x-remote-user': 'root',
      'x-remote-group': 'system:masters',
      'x-remote-extra-scopes': 'all',
      'x-remote-uid': '0',
      'content-type': 'application/json',
    };
    await send(world, 'POST', FERRIES, { ...ferry('two'), headers, token: 'alice' });
    expect(world.seen).toEqual([
      {
        username: 'älice',
        groups: ['dev', 'system:masters', 'system:authenticated'],
        extra: { 'example.com/team': ['red', 'blau ü'] },
      },
    ]);
  });

  test('keeps the versions of this server here', async () => {
    world.seen.length = 0;
    for (const name of ['v1.', 'v1.apps']) {
      const service = { namespace: 'default', name: 'ferries' };
      const apis = world.main.client().resource(APIService);
      await apis.patch(name, { spec: { service, insecureSkipTLSVerify: true } }, { type: 'merge' });
    }
    await world.main.settled();
    await world.main
      .client()
      .resource(Namespace)
      .create({ metadata: { name: 'here' } });
    expect((await send(world, 'GET', '/api/v1/namespaces/here')).code).toBe(200);
    expect((await send(world, 'GET', '/apis/apps/v1/namespaces/here/deployments')).text).toContain('DeploymentList');
    expect(world.seen).toEqual([]);
  });

  test('sees the user who is impersonated', async () => {
    world.seen.length = 0;
    const headers = {
      'impersonate-user': 'carol',
      'impersonate-group': 'system:masters',
      'content-type': 'application/json',
    };
    await send(world, 'POST', FERRIES, { ...ferry('three'), headers });
    expect(world.seen.map(({ username }) => username)).toEqual(['carol']);
  });

  test('gets no request that this server does not allow', async () => {
    world.seen.length = 0;
    const { code, text } = await send(world, 'POST', FERRIES, { ...ferry('four'), token: 'bob' });
    expect([code, text]).toEqual([403, expect.stringContaining('User \\"bob\\" cannot create resource \\"ferries\\"')]);
    expect((await send(world, 'POST', FERRIES, { ...ferry('four'), token: 'wrong' })).code).toBe(401);
    expect(world.seen).toEqual([]);
  });

  test.each(['%2e%2e', '.', 'one%2fstatus'])('gets no path with the segment %s', async (segment) => {
    expect((await send(world, 'GET', `${FERRIES}/${segment}`)).code).toBe(400);
  });

  test.each([
    ['a%5c..%5cb', 'a\\..\\b'],
    ['%C3%BC%3Fx%23', 'ü?x#'],
  ])('gets the name of the path %s', async (segment, name) => {
    const { code, text } = await send(world, 'GET', `${FERRIES}/${segment}`);
    expect([code, JSON.parse(text)]).toMatchObject([404, { details: { name } }]);
  });

  test('sends the events of a watch as they happen, until the client leaves', async () => {
    const leaving = new AbortController();
    const answer = await ask(world.main, 'GET', `${FERRIES}?watch=true&resourceVersion=0`, { signal: leaving.signal });
    const events = streamOf(answer);
    await send(world, 'POST', FERRIES, ferry('five'));
    let text = '';
    while (!text.includes('"five"')) text += new TextDecoder().decode((await events.next()).value as Uint8Array);
    expect(text).toContain('"type":"ADDED"');
    expect(await watchesOf(world)).toBe(1);
    leaving.abort();
    await expect(events.next()).rejects.toThrow();
    await vi.waitFor(async () => expect(await watchesOf(world)).toBe(0), PATIENCE);
  });

  test('ends a watch that the client stops to read', async () => {
    const events = streamOf(await ask(world.main, 'GET', `${FERRIES}?watch=true`));
    await events.return?.();
    await vi.waitFor(async () => expect(await watchesOf(world)).toBe(0), PATIENCE);
  });

  test('is not this server’s after its APIService is deleted', async () => {
    await world.client.resource(APIService).delete(API_SERVICE);
    await world.main.settled();
    expect((await send(world, 'GET', FERRIES)).code).toBe(404);
    await world.register();
    expect((await send(world, 'GET', FERRIES)).code).toBe(200);
  });
});

/** The number of watches that the other server has open. */
async function watchesOf({ other }: World): Promise<number> {
  const text = textOf(await ask(other, 'GET', '/metrics', { token: 'admin' }));
  const lines = text.split('\n').filter((line) => /^apiserver_longrunning_requests\{.*resource="ferries"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('a server that cannot be reached', () => {
  test('with another authority, is available, and requests to it fail', async () => {
    await using world = await World.start();
    const { caPem } = await createServingCertificate();
    await world.register({ caBundle: Buffer.from(caPem).toString('base64') });
    expect(await world.condition()).toMatchObject({ status: 'True', reason: 'Passed', message: 'all checks passed' });
    const { code, text, headers } = await send(world, 'GET', FERRIES);
    expect([code, text]).toEqual([
      503,
      'error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority\n',
    ]);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('with an expired certificate, or one for another name', async () => {
    const clock = {
      ...(await import('../../../src/foundation/index.js')).systemClock,
      now: () => Date.parse('2020-01-01'),
    };
    const expired = await createServingCertificate({ names: ['ferries.default.svc'], duration: '1h', clock });
    for (const [certificate, reason] of [
      [expired, 'x509: certificate has expired or is not yet valid'],
      [await createServingCertificate({ names: ['b.default.svc'] }), 'x509: certificate is valid for b.default.svc'],
    ] as const) {
      await using world = await World.start({ certificate });
      await world.register();
      const { code, text } = await send(world, 'GET', FERRIES);
      expect([code, text]).toEqual([503, expect.stringContaining(reason)]);
    }
  });

  test('with a bundle that is not PEM', async () => {
    await using world = await World.start();
    await world.register({ caBundle: Buffer.from('none').toString('base64') });
    const { code, text } = await send(world, 'GET', FERRIES);
    expect([code, text]).toEqual([500, 'unable to load root certificates: unable to parse bytes as PEM block\n']);
  });

  test('does not matter without a check of its certificate', async () => {
    await using world = await World.start({ certificate: await createServingCertificate() });
    await world.register({ caBundle: undefined, insecureSkipTLSVerify: true });
    expect((await send(world, 'GET', FERRIES)).code).toBe(200);
  });

  test('because it has ended, is not available', async () => {
    await using world = await World.start();
    const { port } = new URL(world.listener.url);
    await world.listener.close();
    await world.register();
    const url = `https://127.0.0.1:${port}${VERSION_PATH}`;
    expect(await world.condition()).toEqual({
      type: 'Available',
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message: `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
    const { code, text } = await send(world, 'GET', FERRIES);
    expect([code, text]).toEqual([503, 'service unavailable\n']);
    expect(jsonOf(await ask(world.main, 'GET', '/api/v1/namespaces'))).toMatchObject({ kind: 'NamespaceList' });
  });

  test('after its check, is reported', async () => {
    await using world = await World.start();
    await world.register();
    const { port } = new URL(world.listener.url);
    await world.listener.close();
    const { code, text } = await send(world, 'GET', FERRIES);
    expect([code, text]).toEqual([
      503,
      `error trying to reach service: dial tcp 127.0.0.1:${port}: connect: connection refused\n`,
    ]);
  });
});
