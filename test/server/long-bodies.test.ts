/** Long bodies are decoded, patched and applied in slices, and their memory is reserved before it is allocated. */
import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../../src/entries/index.js';
import { turnsDuring } from '../support/turns.js';
import { ask, jsonOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const MIB = 1024 * 1024;

let server: ApiServer;
afterEach(() => server.close());

async function start(limits: ApiServerOptions['limits'] = {}): Promise<void> {
  server = new ApiServer({
    dialect: 'kubernetes',
    limits,
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        { token: 'ann', user: { username: 'ann', groups: [] } },
      ],
    },
  });
  await server.ready();
}

const data = (count: number, value = 'x'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, key) => [`key-${key}`, value]));

const map = (values: object): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: values });

const patch = (type: string, body: string): Promise<{ status: number }> =>
  ask(server, 'PATCH', `${MAPS}/a?fieldManager=tests`, { body, headers: { 'content-type': `application/${type}` } });

describe('a long body', () => {
  test.each([
    ['create', () => ask(server, 'POST', MAPS, { body: map(data(5_000)) }), 201],
    ['merge patch', () => patch('merge-patch+json', JSON.stringify({ data: data(5_000, 'y') })), 200],
    [
      'strategic merge patch',
      () => patch('strategic-merge-patch+json', JSON.stringify({ data: data(5_000, 'y') })),
      200,
    ],
    [
      'JSON Patch',
      () =>
        patch(
          'json-patch+json',
          JSON.stringify(Object.keys(data(2_000)).map((key) => ({ op: 'add', path: `/data/${key}`, value: 'z' }))),
        ),
      200,
    ],
    ['apply', () => patch('apply-patch+yaml', map(data(5_000, 'z'))), 201],
  ])('is worked on in several turns: %s', async (verb, send, status) => {
    await start();
    if (verb.endsWith('atch')) await ask(server, 'POST', MAPS, { body: map({ first: 'x' }) });
    if (verb === 'apply')
      await patch('apply-patch+yaml', map({ first: 'x' })).then(() => ask(server, 'DELETE', `${MAPS}/a`));
    let answer = 0;
    const turns = await turnsDuring(async () => (answer = (await send()).status));
    expect(answer).toBe(status);
    expect(turns).toBeGreaterThan(5);
    const stored = jsonOf(await ask(server, 'GET', `${MAPS}/a`))['data'] as object;
    expect(Object.keys(stored).length).toBeGreaterThanOrEqual(2_000);
  });

  test('names no more than 100 unknown fields, the first ones, and keeps the order of the text', async () => {
    await start();
    const unknown = Array.from({ length: 20_000 }, (_, key) => `"k${key}":1`).join(',');
    const review = `{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"},"verb":1,"verb":2},${unknown}}`;
    const { status, headers } = await ask(server, 'POST', REVIEWS, { token: 'ann', body: review });
    const warnings = [headers['warning'] ?? []].flat();
    expect([status, warnings.length]).toEqual([201, 100]);
    expect(warnings.slice(0, 3)).toEqual(
      ['299 - "unknown field \"spec.verb\""', '299 - "unknown field \"k0\""', '299 - "unknown field \"k1\""'].map(
        (text) => text.replaceAll(/(?<=field )"|"(?="$)/g, String.raw`\"`),
      ),
    );
  });

  test.each([
    ['JSON', 'POST', MAPS, 'application/json', `{"a":[${'{},'.repeat(1_000)}0]}`],
    [
      'JSON in an apply',
      'PATCH',
      `${MAPS}/a?fieldManager=a`,
      'application/apply-patch+yaml',
      `{"a":[${'{},'.repeat(1_000)}0]}`,
    ],
    ['a patch', 'PATCH', `${MAPS}/a`, 'application/merge-patch+json', `{"a":[${'{},'.repeat(1_000)}0]}`],
  ])(
    'with more objects and lists than limits.bodyContainers is refused with 413: %s',
    async (_name, verb, path, type, body) => {
      await start({ bodyContainers: 1_000 });
      await ask(server, 'POST', MAPS, { body: map({ first: 'x' }) });
      const answer = await ask(server, verb, path, { body, headers: { 'content-type': type } });
      expect([answer.status, jsonOf(answer)['message']]).toEqual([
        413,
        'Request entity too large: the body has more than 1000 objects and lists',
      ]);
    },
  );

  test('that needs more memory than there is, is refused before it is parsed', async () => {
    await start({ memoryBytes: 10 * MIB, bodyBytes: MIB });
    // Less than a megabyte as text, more than 10 as lists.
    const body = `{"spec":{},"a":[${'[[]],'.repeat(99_000)}0],"b":{${Array.from({ length: 40_000 }, (_, key) => `"k${key}":0`).join(',')}}}`;
    const sent = { token: 'ann', body };
    expect(body.length).toBeLessThan(MIB);
    const answer = await ask(server, 'POST', REVIEWS, sent);
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1']);
    expect((await ask(server, 'POST', MAPS, { body: map({ small: 'x' }) })).status).toBe(201);
  });
});
