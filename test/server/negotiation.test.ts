import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { ApiServer, ConfigMap, defineResource } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { createCodec } from '../../src/server/codec/index.js';
import { orch } from '../../src/foundation/dialect/dialect.js';
import type { ApiRequest, ApiResponse } from '../../src/server/requests/http.js';
import { ask, jsonOf, requestOf, streamOf, textOf } from './ask.js';

const PROTOBUF = 'application/vnd.orch.protobuf';
const TABLE = 'application/json;as=Table;v=v1;g=meta.orch.io';
const NAMES = `application/json, application/yaml, ${PROTOBUF}`;
const STREAMS = `application/json;stream=watch, ${PROTOBUF};stream=watch`;

/** A custom kind: it has no field numbers, so it has no protobuf form. */
const Widget = defineResource({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ size: z.number().int() }).optional() }),
});
const WIDGETS = '/apis/shop.example.com/v1/namespaces/default/widgets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const ACCESS = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews';
const REVIEW = JSON.stringify({ spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } });

const codec = createCodec({ dialect: orch });

let server: ApiServer;
beforeAll(async () => {
  server = new ApiServer({
    resources: [Widget],
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await server
    .client()
    .resource(Widget)
    .namespace('default')
    .create({ metadata: { name: 'one' }, spec: { size: 1 } });
  await server
    .client()
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'one' } });
});
afterAll(() => server.close());

const get = (path: string, accept: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  ask(server, 'GET', path, { headers: { accept, ...headers } });
const typeOf = ({ headers }: ApiResponse): unknown => headers['content-type'];
const revision = async (): Promise<string> =>
  (await server.client().resource(ConfigMap).list({ limit: 1 })).metadata.resourceVersion ?? '';

describe('the media types of Accept are tried in order', () => {
  const goClient = `${PROTOBUF}, */*`;

  it.each([
    '/version',
    '/api',
    '/api/',
    '/api/v1',
    '/apis',
    '/apis/shop.example.com',
    '/apis/shop.example.com/v1',
    '/',
    WIDGETS,
    `${WIDGETS}/one`,
  ])('%s has no protobuf and answers */* in JSON', async (path) => {
    const answer = await get(path, goClient);
    expect([answer.status, typeOf(answer)]).toEqual([200, 'application/json']);
    expect(jsonOf(answer)).toEqual(expect.any(Object));
  });

  it.each([
    [MAPS, PROTOBUF],
    [`${MAPS}/one`, PROTOBUF],
  ])('%s has protobuf', async (path, type) => {
    expect(typeOf(await get(path, goClient))).toBe(type);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'a %s of a kind without field numbers is answered in JSON',
    async (method) => {
      const name = `written-by-${method.toLowerCase()}`;
      if (method !== 'POST') await server.client().resource(Widget).namespace('default').create({ metadata: { name } });
      const answer = await ask(server, method, method === 'POST' ? WIDGETS : `${WIDGETS}/${name}`, {
        headers: {
          accept: goClient,
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
        ...(method === 'DELETE' ? {} : { body: JSON.stringify({ metadata: { name }, spec: { size: 3 } }) }),
      });
      expect([answer.status, typeOf(answer)]).toEqual([method === 'POST' ? 201 : 200, 'application/json']);
    },
  );

  it('a watch of such a kind is answered in JSON', async () => {
    const gone = new AbortController();
    const answer = await ask(server, 'GET', `${WIDGETS}?watch=1`, {
      headers: { accept: `${PROTOBUF};stream=watch, */*` },
      signal: gone.signal,
    });
    expect([answer.status, typeOf(answer)]).toEqual([200, 'application/json']);
    const { value } = (await streamOf(answer).next()) as { value: Uint8Array };
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ type: 'ADDED', object: { kind: 'Widget' } });
    gone.abort();
  });

  it('a review has no Table, and is answered in another accepted form', async () => {
    const answer = await ask(server, 'POST', ACCESS, {
      headers: { accept: `${TABLE},application/json` },
      body: REVIEW,
    });
    expect([answer.status, jsonOf(answer)['kind']]).toEqual([201, 'SelfSubjectAccessReview']);
  });
});

describe('406', () => {
  const refused = async (answer: Promise<ApiResponse>): Promise<readonly [number, unknown, unknown]> => {
    const { status, headers, body } = await answer;
    // A Status uses the requested form, if it has that form.
    const serializer = codec.serializerFor(headers['content-type'] as string);
    const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(textOf({ status, headers, body }));
    const { value } = await serializer.decode(bytes, { kind: 'Status', schema: undefined, schemaFor: () => undefined });
    const { message, details } = value as { message?: string; details?: object };
    return [status, message, details];
  };
  const routed = (types: string): readonly unknown[] => [
    406,
    `406: Not Acceptable\n\nAvailable representations: ${types}`,
    {},
  ];
  const negotiated = (types: string): readonly unknown[] => [
    406,
    `only the following media types are accepted: ${types}`,
    undefined,
  ];

  it.each([
    ['a collection, which may be streamed', MAPS, 'image/png', routed(`${NAMES}, ${STREAMS}`)],
    ['all namespaces', '/api/v1/configmaps', 'image/png', routed(`${NAMES}, ${STREAMS}`)],
    ['a watch', `${MAPS}?watch=1`, 'image/png', routed(`${NAMES}, ${STREAMS}`)],
    [
      'a watch on the old path',
      '/api/v1/watch/namespaces/default/configmaps',
      'image/png',
      routed(`${NAMES}, ${STREAMS}`),
    ],
    ['one object', `${MAPS}/one`, 'image/png', routed(NAMES)],
    ['a document of discovery', '/api/v1', 'image/png', routed(NAMES)],
    ['the version', '/version', 'application/yaml', routed('application/json')],
    ['a custom resource', `${WIDGETS}/one`, 'image/png', negotiated(NAMES)],
    ['a custom resource in protobuf', WIDGETS, PROTOBUF, negotiated(NAMES)],
    ['a watch of a custom resource in protobuf', `${WIDGETS}?watch=1`, `${PROTOBUF};stream=watch`, negotiated(NAMES)],
    ['a watch in YAML', `${WIDGETS}?watch=1`, 'application/yaml', negotiated(STREAMS)],
    ['discovery in protobuf', '/apis', PROTOBUF, negotiated(NAMES)],
    ['a Table of discovery', '/apis', TABLE, negotiated(NAMES)],
  ])('of %s', async (_, path, accept, expected) => {
    expect(await refused(get(path, accept))).toEqual(expected);
  });

  it.each([
    ['POST', WIDGETS],
    ['PUT', `${WIDGETS}/one`],
    ['PUT', `${WIDGETS}/other`],
    ['PATCH', `${WIDGETS}/one`],
    ['DELETE', `${WIDGETS}/one`],
    ['DELETE', WIDGETS],
  ])('of a %s to %s changes nothing', async (method, path) => {
    for (const type of method === 'PATCH'
      ? ['application/merge-patch+json', 'application/json-patch+json', 'application/apply-patch+yaml']
      : ['application/json']) {
      for (const accept of [PROTOBUF, 'image/png', 'application/json;as=Poem;v=v1;g=meta.orch.io']) {
        const before = await revision();
        const answer = await ask(server, method, path, {
          headers: { accept, 'content-type': type },
          body:
            type === 'application/json-patch+json'
              ? '[]'
              : JSON.stringify({ metadata: { name: 'other' }, spec: { size: 2 } }),
        });
        expect([answer.status, type, accept]).toEqual([406, type, accept]);
        expect(await revision()).toBe(before);
      }
    }
  });

  it.each([
    [ACCESS, REVIEW],
    ['/api/v1/namespaces/default/serviceaccounts/default/token', '{"spec":{}}'],
    ['/apis/authentication.orch.io/v1/tokenreviews', '{"spec":{"token":"x"}}'],
  ])('of a Table after a POST to %s, which has none', async (path, body) => {
    expect(await refused(ask(server, 'POST', path, { headers: { accept: TABLE }, body }))).toEqual(negotiated(NAMES));
  });

  it('a Table with invalid options for its rows is rejected before any write', async () => {
    const answer = await ask(server, 'POST', `${MAPS}?includeObject=Half`, {
      headers: { accept: TABLE },
      body: '{"metadata":{"name":"half"}}',
    });
    expect(answer.status).toBe(400);
    expect((await get(`${MAPS}/half`, '*/*')).status).toBe(404);
  });

  it('a watch over WebSocket that cannot be encoded is rejected', async () => {
    const request = (accept: string): ApiRequest => requestOf('GET', `${WIDGETS}?watch=1`, { headers: { accept } });
    const outcome = await server.target.handleWebSocket(request(PROTOBUF));
    expect('refuse' in outcome && outcome.refuse.status).toBe(406);
    expect(Object.keys(await server.target.handleWebSocket(request(`${PROTOBUF}, */*`)))).toEqual(['accept']);
  });
});

test('PATCH with a type that is no patch is answered with 415: by the router for a built-in kind, by the handler for a custom one', async () => {
  const patch = async (path: string, type: string): Promise<unknown> => {
    const { status, message, details, reason } = jsonOf(
      await ask(server, 'PATCH', path, { headers: { 'content-type': type, accept: 'image/png' }, body: '{}' }),
    );
    return { status, message, details, reason };
  };
  const known = 'application/json-patch+json, application/merge-patch+json';
  const refusal = { status: 'Failure', reason: 'UnsupportedMediaType' };
  for (const type of ['application/json', '', 'application/json-patch'])
    expect(await patch(`${MAPS}/one`, type)).toEqual({
      ...refusal,
      message: '415: Unsupported Media Type',
      details: {},
    });
  expect(await patch(`${MAPS}/one`, 'text/csv, application/merge-patch+json')).toEqual({
    ...refusal,
    message: `the body of the request was in an unknown format - accepted media types include: ${known}, application/strategic-merge-patch+json, application/apply-patch+yaml`,
  });
  expect(await patch(`${WIDGETS}/one`, 'application/json')).toEqual({
    ...refusal,
    message: `the body of the request was in an unknown format - accepted media types include: ${known}, application/apply-patch+yaml`,
  });
});

describe('the form of an answer', () => {
  const curl = { 'user-agent': 'curl/8.5.0' };

  it.each([
    ['an object', `${MAPS}/one`, 200],
    ['a list', MAPS, 200],
    ['a Table', MAPS, 200, TABLE],
    ['discovery', '/api/v1', 200],
    ['a missing object', `${MAPS}/absent`, 404],
    ['a missing resource', '/api/v1/namespaces/default/poems', 404],
    ['a broken path', `${MAPS}/%zz`, 400],
    ['a wrong option', `${MAPS}?limit=x`, 400],
    ['a forbidden request', MAPS, 401, 'application/json', 'wrong'],
  ])(
    '%s ends in a newline, and is indented for readers',
    async (_, path, status, accept = 'application/json', token = 'admin') => {
      const text = async (headers: Readonly<Record<string, string>>, query = ''): Promise<string> => {
        const answer = await ask(
          server,
          'GET',
          `${path}${query === '' ? '' : `${path.includes('?') ? '&' : '?'}${query}`}`,
          { headers: { accept, ...headers }, token },
        );
        expect(answer.status).toBe(status);
        return textOf(answer);
      };
      const plain = await text({});
      expect(plain).toBe(`${JSON.stringify(JSON.parse(plain))}\n`);
      const indented = JSON.stringify(JSON.parse(plain), undefined, 2);
      const same = (made: string): string => JSON.stringify(JSON.parse(made), undefined, 2);
      for (const made of [
        await text(curl),
        await text({}, 'pretty=true'),
        await text({ accept: `${accept};pretty=1` }),
      ])
        expect(made).toBe(same(made));
      expect((await text(curl)).length).toBe(indented.length);
      expect(await text(curl, 'pretty=false')).toMatch(/^\{.*\}\n$/);
      if (accept === TABLE) return;
      const yaml = await text({ accept: 'application/yaml', ...curl });
      expect(yaml).toMatch(/^apiVersion: [^]*[^\n]\n$|^groupVersion: [^]*[^\n]\n$/);
    },
  );

  it('an error in an unsupported form is indented JSON', async () => {
    const answer = await get(`${MAPS}/absent`, 'image/png');
    expect([answer.status, typeOf(answer)]).toEqual([406, 'application/json']);
    expect(textOf(answer)).toBe(JSON.stringify(jsonOf(answer), undefined, 2));
  });

  it.each(['/version', '/'])('%s is always indented', async (path) => {
    for (const accept of ['application/json', '*/*']) expect(textOf(await get(path, accept))).toMatch(/^\{\n {2}"/);
  });
});
