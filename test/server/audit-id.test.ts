import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import WebSocket from 'ws';
import { ApiServer } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { startTestServer } from '../../src/entries/testing.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { createServingCertificate, listen, type Listener } from '../../src/transport/node/index.js';
import { ask, requestOf, type Asked } from './ask.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAPS = '/api/v1/namespaces/default/configmaps';
const tokens = [
  { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
  { token: 'alice', user: { username: 'alice', groups: [] } },
];

let server: ApiServer;
beforeAll(
  () => void (server = new ApiServer({ controllers: { disable: controllerNames }, authentication: { tokens } })),
);
afterAll(() => server.close());

/** Kinds of answers: method, path, status, and the parts of the request. */
const ANSWERS: [string, string, number, Asked?][] = [
  ['GET', MAPS, 200],
  ['POST', MAPS, 201, { body: '{"metadata":{"name":"made"}}' }],
  ['POST', MAPS, 409, { body: '{"metadata":{"name":"made"}}' }],
  ['POST', MAPS, 422, { body: '{}' }],
  ['POST', MAPS, 400, { body: '{' }],
  ['GET', `${MAPS}?watch=1`, 200],
  ['GET', `${MAPS}/absent`, 404],
  ['GET', '/nowhere', 404],
  ['GET', `${MAPS}/%zz`, 400],
  ['GET', `${MAPS}/one`, 406, { headers: { accept: 'image/png' } }],
  ['OPTIONS', MAPS, 405],
  ['HEAD', `${MAPS}/one`, 405],
  ['GET', MAPS, 401, { token: 'wrong' }],
  ['GET', MAPS, 403, { token: 'alice' }],
  ['GET', '/healthz', 200],
  ['GET', '/readyz/absent', 404],
  ['GET', '/metrics', 200],
  ['GET', '/version', 200],
  [
    'GET',
    '/apis',
    200,
    { headers: { accept: 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList' } },
  ],
  ['GET', '/openapi/v2', 200],
];

describe('the Audit-Id of an answer', () => {
  it.each<[string, string, number, Asked?]>(ANSWERS)('is present: %s %s %i', async (method, path, status, asked) => {
    const gone = new AbortController();
    const answer = await ask(server, method, path, { ...asked, signal: gone.signal });
    gone.abort();
    expect([answer.status, answer.headers['audit-id']]).toEqual([status, expect.stringMatching(UUID)]);
  });

  it.each<[string, string, number, Asked?]>(ANSWERS.filter(([method]) => method !== 'POST'))(
    "is the client's own: %s %s %i",
    async (method, path, status, asked) => {
      const gone = new AbortController();
      const answer = await ask(server, method, path, {
        ...asked,
        headers: { ...asked?.headers, 'audit-id': 'mine' },
        signal: gone.signal,
      });
      gone.abort();
      expect([answer.status, answer.headers['audit-id']]).toEqual([status, 'mine']);
    },
  );

  it('differs for each request; an empty one counts as absent', async () => {
    const ids = await Promise.all(
      ['', ''].map(
        async (given) => (await ask(server, 'GET', '/version', { headers: { 'audit-id': given } })).headers['audit-id'],
      ),
    );
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(2);
  });

  it('may have any length; the first of several is used', async () => {
    const long = 'x'.repeat(500);
    expect((await ask(server, 'GET', '/version', { headers: { 'audit-id': long } })).headers['audit-id']).toBe(long);
    const request = requestOf('GET', '/version');
    const twice = {
      ...request,
      headers: {
        ...request.headers,
        get: (name: string) => (name === 'audit-id' ? 'one, two' : request.headers.get(name)),
        getAll: (name: string) => (name === 'audit-id' ? ['one', 'two'] : request.headers.getAll(name)),
      },
    };
    expect((await server.target.handle(twice)).headers['audit-id']).toBe('one');
  });

  it('comes from the injected entropy', async () => {
    const first = async (seed: string): Promise<unknown> => {
      await using running = await startTestServer({ seed, authentication: { tokens } });
      return (await ask(running.server, 'GET', '/version')).headers['audit-id'];
    };
    expect(await first('a')).toBe(await first('a'));
    expect(await first('a')).not.toBe(await first('b'));
  });

  it('is present when a request fails inside the server', async () => {
    const failures: unknown[] = [];
    const logger = { info: () => undefined, error: (_text: string, fields?: object) => void failures.push(fields) };
    await using broken = new ApiServer({
      authentication: { tokens },
      observability: { logger },
      authorization: {
        authorizer: () => {
          throw new Error('no');
        },
      },
    });
    const answer = await ask(broken, 'GET', '/version', { headers: { 'audit-id': 'lost' } });
    expect([answer.status, answer.headers['audit-id']]).toEqual([500, 'lost']);
    expect(failures, 'and the log names it').toEqual([expect.objectContaining({ auditId: 'lost' })]);
  });
});

describe('over a transport', () => {
  let plain: Listener;
  let secure: Listener;
  beforeAll(async () => {
    plain = await listen(server, { port: 0 });
    const { keyPem: key, certPem: cert } = await createServingCertificate();
    secure = await listen(server, { port: 0, tls: { key, cert } });
  });
  afterAll(async () => void (await Promise.all([plain.close({ grace: 0 }), secure.close({ grace: 0 })])));

  const over1 = (headers: Readonly<Record<string, string>>): Promise<IncomingHttpHeaders> =>
    new Promise((resolve, reject) => {
      httpRequest(`${plain.url}/version`, { headers: { authorization: 'Bearer admin', ...headers } }, (response) => {
        response.resume();
        resolve(response.headers);
      })
        .on('error', reject)
        .end();
    });

  test('HTTP/1.1, byte for byte', async () => {
    expect((await over1({}))['audit-id']).toMatch(UUID);
    expect((await over1({ 'audit-id': 'a b;c' }))['audit-id']).toBe('a b;c');
    const octets = Buffer.from('größe').toString('latin1');
    expect((await over1({ 'audit-id': octets }))['audit-id']).toBe(octets);
  });

  test('HTTP/2', async () => {
    const session = connectHttp2(secure.url, { rejectUnauthorized: false });
    const id = await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':path': '/version', authorization: 'Bearer admin', 'audit-id': 'over two' });
      stream
        .on('response', (headers) => resolve(headers['audit-id']))
        .on('error', reject)
        .resume();
    });
    expect(id).toBe('over two');
    session.destroy();
  });

  test('fetch', async () => {
    const answer = await toFetchHandler(server)(
      new Request(`http://x${MAPS}`, { headers: { authorization: 'Bearer admin', 'audit-id': 'fetched' } }),
    );
    expect([answer.status, answer.headers.get('audit-id')]).toEqual([200, 'fetched']);
  });

  test.each([
    ['accepted', `${MAPS}?watch=1`, 101],
    ['refused', `${MAPS}/x`, 400],
    ['a path that is refused', `${MAPS}/%zz?watch=1`, 400],
  ])('a WebSocket that is %s', async (_, path, status) => {
    const client = new WebSocket(plain.url.replace('http', 'ws') + path, {
      headers: { authorization: 'Bearer admin', 'audit-id': Buffer.from('größe').toString('latin1') },
    });
    const received = await new Promise<readonly unknown[]>((resolve, reject) => {
      client.on('upgrade', (response) => resolve([response.statusCode, response.headers['audit-id']]));
      client.on('unexpected-response', (_request, response) =>
        resolve([response.statusCode, response.headers['audit-id']]),
      );
      client.on('error', reject);
    });
    client.on('error', () => undefined).terminate();
    expect(received).toEqual([status, expect.any(String)]);
    expect(Buffer.from(String(received[1]), 'latin1').toString()).toBe('größe');
  });
});
