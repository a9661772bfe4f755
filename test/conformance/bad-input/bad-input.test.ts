import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RawClient } from '../../transport/support/raw-client.js';
import { HostedServer } from './hosted-server.js';

let server: HostedServer;
/** Watchers of an idle server: those of its controllers. */
let ownWatchers = 0;
beforeAll(async () => {
  server = await HostedServer.start();
  ownWatchers = (await server.holdings()).watchers;
}, 300_000);
afterAll(() => server.stop());

const AUTH = 'Host: localhost\r\nAuthorization: Bearer admin-token\r\n';
const MAPS = '/api/v1/namespaces/default/configmaps';
const BOXES = '/apis/bad.example/v1/namespaces/default/boxes';

interface Answer {
  readonly status: number;
  readonly body: string;
  /** Fields of a Status or of an object; empty if the body is not JSON. */
  readonly json: { readonly [field: string]: unknown };
}

/** One request on its own connection, with its path exactly as given. */
function send(
  method: string,
  path: string,
  options: { body?: string | Uint8Array; type?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer admin-token',
      ...(options.body === undefined
        ? {}
        : {
            'content-type': options.type ?? 'application/json',
            'content-length': String(Buffer.byteLength(options.body)),
          }),
      ...options.headers,
    };
    const outgoing = httpRequest({ host: '127.0.0.1', port: server.port, method, path, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, json: asJson(body) }));
      response.on('error', reject);
    });
    outgoing.end(options.body);
  });
}

function asJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const raw = (): RawClient => new RawClient(server.port);

/** The server still answers, has no open requests or watches, and has logged no internal error. */
async function expectHealthy(): Promise<void> {
  expect((await send('GET', '/api/v1/namespaces/default')).status).toBe(200);
  const failed: string[] = [];
  await expect
    .poll(
      async () => {
        const { watchers, connections, failures } = await server.holdings();
        failed.push(...failures);
        return { watchers: watchers - ownWatchers, connections };
      },
      { interval: 5 },
    )
    .toEqual({ watchers: 0, connections: 0 });
  expect(failed).toEqual([]);
}

afterEach(expectHealthy);

const nested = (depth: number, open: string, close: string, inner = ''): string =>
  open.repeat(depth) + inner + close.repeat(depth);

/** A client error, answered with a Status. */
function expectRefused(answer: Answer, code: number, message: RegExp): void {
  expect([answer.status, answer.json['kind'], answer.json['status'], answer.json['code']]).toEqual([
    code,
    'Status',
    'Failure',
    code,
  ]);
  expect(answer.json['message']).toMatch(message);
}

describe('invalid bodies', () => {
  const JSON_TYPE = 'application/json';
  const YAML = 'application/yaml';
  const PROTO = 'application/vnd.kubernetes.protobuf';
  const MERGE = 'application/merge-patch+json';
  const OBJECT = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}';

  const cases: readonly (readonly [name: string, type: string, body: string | Uint8Array, message: RegExp])[] = [
    ['empty', JSON_TYPE, '', /./],
    ['a JSON object cut off', JSON_TYPE, OBJECT.slice(0, -5), /unexpected end of JSON input|unexpected EOF/],
    ['a JSON string cut off', JSON_TYPE, '{"kind":"Conf', /unexpected end of JSON input|unexpected EOF/],
    ['a trailing value after the object', JSON_TYPE, `${OBJECT}x`, /invalid character 'x' after top-level value/],
    ['two objects', JSON_TYPE, OBJECT + OBJECT, /invalid character '\{' after top-level value/],
    ['a list', JSON_TYPE, '[]', /./],
    ['a number', JSON_TYPE, '5', /./],
    ['null', JSON_TYPE, 'null', /./],
    ['only spaces', JSON_TYPE, '   ', /./],
    ['a byte order mark', JSON_TYPE, `\ufeff${OBJECT}`, /invalid character/],
    ['a list 100,000 deep', JSON_TYPE, nested(100_000, '[', ']'), /exceeded max depth/],
    ['objects 100,000 deep', JSON_TYPE, nested(100_000, '{"a":', '}', '1'), /exceeded max depth/],
    ['objects 100,000 deep and cut off', JSON_TYPE, '{"a":'.repeat(100_000), /exceeded max depth/],
    ['objects 1001 deep', JSON_TYPE, nested(1001, '{"data":', '}', '1'), /exceeded max depth/],
    ['YAML flow lists 100,000 deep', YAML, nested(100_000, '[', ']'), /exceeded max depth/],
    ['YAML flow maps 100,000 deep', YAML, nested(100_000, '{a: ', '}', '1'), /exceeded max depth/],
    ['YAML block lists 5,000 deep', YAML, '- '.repeat(5000), /exceeded max depth/],
    [
      'YAML block maps 1,500 deep',
      YAML,
      Array.from({ length: 1500 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
      /exceeded max depth/,
    ],
    [
      'a YAML alias bomb',
      YAML,
      `a: &a ["x","x","x","x","x","x","x","x","x"]\n${'bcdefghijklm'
        .split('')
        .map(
          (name, index) =>
            `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghijkl'[index]}`).join(',')}]`,
        )
        .join('\n')}\n`,
      /./,
    ],
    ['a recursive YAML alias', YAML, 'a: &a [*a]\n', /./],
    ['YAML that is cut off', YAML, 'kind: "Conf', /./],
    ['protobuf without its magic', PROTO, 'hello', /./],
    ['protobuf cut off', PROTO, Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0a, 0x20, 0x0a])]), /./],
    [
      'protobuf with a length beyond its end',
      PROTO,
      Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f])]),
      /./,
    ],
    ['a merge patch 100,000 deep', MERGE, nested(100_000, '{"a":', '}', '1'), /exceeded max depth/],
    [
      'a JSON patch 100,000 deep',
      'application/json-patch+json',
      `[{"op":"add","path":"/data","value":${nested(100_000, '[', ']')}}]`,
      /exceeded max depth/,
    ],
    [
      'a strategic merge patch 100,000 deep',
      'application/strategic-merge-patch+json',
      nested(100_000, '{"a":', '}', '1'),
      /exceeded max depth/,
    ],
    ['an apply 100,000 deep', 'application/apply-patch+yaml', nested(100_000, '{a: ', '}', '1'), /exceeded max depth/],
    [
      'an apply of an alias bomb',
      'application/apply-patch+yaml',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghijklm'
        .split('')
        .map(
          (name, index) =>
            `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghijkl'[index]}`).join(',')}]`,
        )
        .join('\n')}\n`,
      /./,
    ],
  ];
  test.each(cases)('%s', async (_name, type, body, message) => {
    const patch = type.includes('patch');
    if (patch) await send('POST', MAPS, { body: JSON.stringify({ metadata: { name: 'patched' } }) });
    const answer = patch
      ? await send('PATCH', `${MAPS}/patched?fieldManager=m`, { body, type })
      : await send('POST', MAPS, { body, type });
    expectRefused(answer, answer.status === 422 ? 422 : 400, message);
  });

  test.each([
    ['PUT', `${MAPS}/never`],
    ['DELETE', `${MAPS}/never`],
    ['DELETE', MAPS],
  ])('%s with a body 100,000 deep', async (method, path) => {
    expectRefused(await send(method, path, { body: nested(100_000, '[', ']') }), 400, /exceeded max depth/);
  });

  test('bytes that are not UTF-8 become U+FFFD, as Kubernetes reads them', async () => {
    const body = Buffer.from('{"metadata":{"name":"bytes"},"data":{"k":"\x80\xff"}}', 'latin1');
    const answer = await send('POST', MAPS, { body });
    expect([answer.status, answer.json['data']]).toEqual([201, { k: '\ufffd\ufffd' }]);
    await send('DELETE', `${MAPS}/bytes`);
    expectRefused(
      await send('POST', MAPS, { body: Buffer.from('{"metadata":{"name":"\x80"}}', 'latin1') }),
      422,
      /metadata\.name: Invalid value/,
    );
  });

  test('a body beyond the limit', async () => {
    expectRefused(
      await send('POST', MAPS, {
        body: JSON.stringify({ metadata: { name: 'big' }, data: { k: 'x'.repeat(3 * 1024 * 1024) } }),
      }),
      413,
      /limit is 3145728/,
    );
  });

  test('an unknown encoding of the body', async () => {
    expectRefused(
      await send('POST', MAPS, { body: OBJECT, type: 'text/html' }),
      415,
      /the body of the request was in an unknown format/,
    );
  });

  test('a body just within the depth limit is accepted and returned, in every form', async () => {
    const inner = nested(990, '{"a":', '}', '1');
    const created = await send('POST', BOXES, { body: `{"metadata":{"name":"deep"},"spec":${inner}}` });
    expect(created.status).toBe(201);
    for (const accept of [
      'application/json',
      'application/yaml',
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    ]) {
      expect((await send('GET', `${BOXES}/deep`, { headers: { accept } })).status, accept).toBe(200);
    }
    expect((await send('GET', `${BOXES}?pretty=true`)).status).toBe(200);
    const again = await send('PUT', `${BOXES}/deep`, { body: created.body });
    expect(again.status).toBe(200);
    const patched = await send('PATCH', `${BOXES}/deep`, {
      type: 'application/merge-patch+json',
      body: `{"spec":${inner.replace('1', '2')}}`,
    });
    expect(patched.status).toBe(200);
    expect(
      (
        await send('PATCH', `${BOXES}/deep?fieldManager=m&force=true`, {
          type: 'application/apply-patch+yaml',
          body: `{"apiVersion":"bad.example/v1","kind":"Box","metadata":{"name":"deep"},"spec":${inner}}`,
        })
      ).status,
    ).toBe(200);
    expect((await send('DELETE', `${BOXES}/deep`)).status).toBe(200);
  });

  test('a JSON patch cannot make an object deeper than a body may be', async () => {
    await send('POST', BOXES, { body: '{"metadata":{"name":"digger"},"spec":{"w":{},"x":{}}}' });
    const dig = [
      ...Array.from({ length: 3000 }, () => [
        { op: 'move', from: '/spec/x', path: '/spec/w/x' },
        { op: 'move', from: '/spec/w', path: '/spec/x' },
        { op: 'add', path: '/spec/w', value: {} },
      ]),
    ].flat();
    expectRefused(
      await send('PATCH', `${BOXES}/digger`, { type: 'application/json-patch+json', body: JSON.stringify(dig) }),
      400,
      /exceeded max depth/,
    );
    expect(
      (
        await send('PATCH', `${BOXES}/digger`, {
          type: 'application/json-patch+json',
          body: JSON.stringify(dig.slice(0, 300)),
        })
      ).status,
    ).toBe(200);
    await send('DELETE', `${BOXES}/digger`);
  });

  test('a JSON patch cannot grow an object without bound through copies', async () => {
    await send('POST', BOXES, { body: `{"metadata":{"name":"grower"},"spec":{"a":"${'x'.repeat(1000)}"}}` });
    const grow = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/spec', path: `/spec/c${index}` }));
    const answer = await send('PATCH', `${BOXES}/grower`, {
      type: 'application/json-patch+json',
      body: JSON.stringify(grow),
    });
    expectRefused(answer, 422, /exceeding the limit|./);
    await send('DELETE', `${BOXES}/grower`);
  });
});

describe('JavaScript property names', () => {
  const WORDS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

  test.each(WORDS)('%s as keys of data, labels and annotations are ordinary keys', async (word) => {
    const text = `{"metadata":{"name":"words","labels":{"${word === '__proto__' ? 'x__proto__x' : word}":"l"},"annotations":{"${word === '__proto__' ? 'x__proto__x' : word}":"a"}},"data":{"${word}":"d"}}`;
    const created = await send('POST', MAPS, { body: text });
    expect(created.status).toBe(201);
    expect(created.body).toContain(`"data":{"${word}":"d"}`);
    const read = await send('GET', `${MAPS}/words`);
    expect(read.body).toContain(`"data":{"${word}":"d"}`);
    const replaced = await send('PUT', `${MAPS}/words`, { body: read.body.replace('"d"}', '"e"}') });
    expect(replaced.body).toContain(`"data":{"${word}":"e"}`);
    const merged = await send('PATCH', `${MAPS}/words`, {
      type: 'application/merge-patch+json',
      body: `{"data":{"${word}":"f"}}`,
    });
    expect([merged.status, merged.body.includes(`"data":{"${word}":"f"}`)]).toEqual([200, true]);
    const strategic = await send('PATCH', `${MAPS}/words`, {
      type: 'application/strategic-merge-patch+json',
      body: `{"data":{"${word}":"g"}}`,
    });
    expect([strategic.status, strategic.body.includes(`"data":{"${word}":"g"}`)]).toEqual([200, true]);
    const applied = await send('PATCH', `${MAPS}/words?fieldManager=m&force=true`, {
      type: 'application/apply-patch+yaml',
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: words\ndata:\n  ${word}: h\n`,
    });
    expect([applied.status, applied.body.includes(`"data":{"${word}":"h"}`)]).toEqual([200, true]);
    const json = await send('PATCH', `${MAPS}/words`, {
      type: 'application/json-patch+json',
      body: `[{"op":"replace","path":"/data/${word}","value":"i"}]`,
    });
    expect([json.status, json.body.includes(`"data":{"${word}":"i"}`)]).toEqual([200, true]);
    const removed = await send('PATCH', `${MAPS}/words`, {
      type: 'application/merge-patch+json',
      body: `{"data":{"${word}":null}}`,
    });
    expect(removed.body).not.toContain(`"${word}":"i"`);
    expect((await send('DELETE', `${MAPS}/words`)).status).toBe(200);
  });

  test('__proto__ as a label key is rejected as an invalid name', async () => {
    expectRefused(
      await send('POST', MAPS, { body: '{"metadata":{"name":"words","labels":{"__proto__":"l"}}}' }),
      422,
      /metadata\.labels: Invalid value: "__proto__"/,
    );
  });

  test.each(WORDS)('%s as an unknown field is reported as one', async (word) => {
    const body = `{"${word}":{"polluted":true},"metadata":{"name":"fields","${word}":{"polluted":true}},"data":{"k":"v"}}`;
    expectRefused(
      await send('POST', `${MAPS}?fieldValidation=Strict`, { body }),
      400,
      new RegExp(`unknown field "${word}", unknown field "metadata.${word}"`),
    );
    const created = await send('POST', MAPS, { body });
    expect([created.status, created.body.includes('polluted')]).toEqual([201, false]);
    await send('DELETE', `${MAPS}/fields`);
  });

  test.each(WORDS)('%s as a duplicate key is reported as one', async (word) => {
    expectRefused(
      await send('POST', `${MAPS}?fieldValidation=Strict`, {
        body: `{"metadata":{"name":"a"},"data":{"${word}":"1","${word}":"2"}}`,
      }),
      400,
      new RegExp(`duplicate field "data.${word}"`),
    );
  });

  test.each(WORDS)('%s in a free-form value is kept', async (word) => {
    const spec = `{"${word}":{"deep":[{"${word}":1}]}}`;
    const created = await send('POST', BOXES, { body: `{"metadata":{"name":"free"},"spec":${spec}}` });
    expect([created.status, created.body.includes(`"spec":${spec}`)]).toEqual([201, true]);
    const again = await send('PUT', `${BOXES}/free`, { body: created.body });
    expect([again.status, again.body.includes(`"spec":${spec}`)]).toEqual([200, true]);
    const merged = await send('PATCH', `${BOXES}/free`, {
      type: 'application/merge-patch+json',
      body: `{"spec":{"${word}":{"more":2}}}`,
    });
    expect([merged.status, merged.body.includes(`"${word}":{"deep":[{"${word}":1}],"more":2}`)]).toEqual([200, true]);
    expect((await send('GET', `${BOXES}/free`, { headers: { accept: 'application/yaml' } })).body).toContain(
      `${word}:`,
    );
    await send('DELETE', `${BOXES}/free`);
  });

  test.each(WORDS)('%s in a path, a query and a selector', async (word) => {
    expectRefused(await send('GET', `${MAPS}/${word}`), 404, /not found/);
    expect((await send('GET', `/api/v1/namespaces/${word}/configmaps`)).status).toBe(200);
    expect((await send('GET', `/api/v1/${word}`)).status).toBe(404);
    expect((await send('GET', `/apis/${word}/v1/things`)).status).toBe(404);
    expect((await send('GET', `/apis/${word}`)).status).toBe(404);
    expect((await send('GET', `/openapi/v3/${word}`)).status).toBe(404);
    expect((await send('GET', `/readyz/${word}`)).status).toBe(404);
    expect((await send('GET', `${MAPS}?${word}=1&${word}[x]=2`)).status).toBe(200);
    expect((await send('GET', `${MAPS}?fieldSelector=${word}%3Dx`)).status).toBe(400);
    expect((await send('GET', `${MAPS}/x/${word}`)).status).toBe(404);
    const selected = await send('GET', `${MAPS}?labelSelector=${word === '__proto__' ? 'a' : word}`);
    expect([selected.status, (selected.json['items'] as unknown[]).length]).toEqual([200, 0]);
    expect((await send('GET', MAPS, { headers: { accept: `application/${word}` } })).status).toBe(406);
    expect((await send('POST', MAPS, { body: '{}', type: word })).status).toBe(415);
    expect(
      (await send('GET', MAPS, { headers: { accept: `application/json;as=${word};g=meta.k8s.io;v=v1` } })).status,
    ).toBe(406);
    expect((await send('PATCH', `${MAPS}/x`, { body: '{}', type: `application/${word}` })).status).toBe(415);
    expect((await send('POST', `${MAPS}?fieldValidation=${word}&dryRun=${word}`, { body: '{}' })).status).toBe(422);
    expect(
      (await send('POST', MAPS, { body: `{"kind":"${word}","apiVersion":"${word}","metadata":{"name":"a"}}` })).status,
    ).toBe(400);
  });
});

describe('manipulated paths', () => {
  test.each<[path: string, status: number]>([
    [`${MAPS}/..`, 400],
    [`${MAPS}/.`, 400],
    [`${MAPS}/%2e%2e`, 400],
    [`${MAPS}/%2E`, 400],
    [`${MAPS}/a%2fb`, 400],
    [`${MAPS}/a%00`, 400],
    [`${MAPS}/%25`, 400],
    [`${MAPS}/%zz`, 400],
    [`${MAPS}/%c3`, 400],
    [`${MAPS}/%c0%ae`, 400],
    [`/api/v1/namespaces/../configmaps`, 400],
    [`/api/v1/namespaces/%2e%2e/configmaps`, 400],
    [`/api/v1/namespaces/default%2fconfigmaps/x`, 400],
    [`/api/v1/namespaces/default/../../../version`, 404],
    [`/api/v1/../v1/namespaces`, 404],
    [`/api//v1/namespaces`, 404],
    [`//api/v1/namespaces`, 404],
    [`/api/v1//namespaces`, 404],
    [`${MAPS}//`, 404],
    [`${MAPS}/x//`, 404],
    [`/../etc/passwd`, 404],
    [`/%2e%2e/%2e%2e/etc/passwd`, 404],
    [`/..%2f..%2fetc%2fpasswd`, 400],
    [`/%00`, 400],
    [`/readyz/..`, 404],
    [`/openapi/v3/../v2`, 404],
    [`/apis/%2e%2e`, 404],
    [`/${'a/'.repeat(5000)}`, 404],
    [`/${'%41'.repeat(5000)}`, 404],
  ])('%s', async (path, status) => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(method, path);
      expect(answer.status >= 400 && answer.status < 500, `${method}: ${answer.status}`).toBe(true);
      if (method === 'GET') expect(answer.status).toBe(status);
    }
  });
  afterAll(async () => {
    expect((await send('GET', '/api/v1/namespaces/default')).status).toBe(200);
  });

  test('only a single trailing slash makes a request on the collection', async () => {
    await send('POST', MAPS, { body: '{"metadata":{"name":"kept"}}' });
    for (const path of [`${MAPS}//`, `${MAPS}///`, `${MAPS}/%2e`, `${MAPS}/.`, `${MAPS}/x/..`, `${MAPS}/%20/..`])
      expect((await send('DELETE', path)).status).toBeGreaterThanOrEqual(400);
    expect((await send('GET', `${MAPS}/kept`)).status).toBe(200);
    await send('DELETE', `${MAPS}/kept`);
  });

  test.each(['TRACE', 'OPTIONS', 'PROPFIND', 'LINK', 'HEAD', 'PURGE', 'REPORT'])(
    '%s is an unknown method',
    async (method) => {
      const collection = await send(method, MAPS);
      expect(collection.status).toBe(405);
      expect((await send(method, `${MAPS}/x`)).status).toBe(405);
      expect([404, 405]).toContain((await send(method, '/apis')).status);
    },
  );
});

describe('malformed queries', () => {
  test.each<[query: string, status: number]>([
    ['limit=x', 400],
    ['limit=1e3', 400],
    ['limit=99999999999999999999', 400],
    ['timeoutSeconds=x&watch=1', 400],
    ['resourceVersion=-1', 400],
    ['resourceVersion=1.5', 400],
    ['resourceVersion=%00', 400],
    ['continue=%ff%fe', 400],
    ['continue=' + 'A'.repeat(20_000), 400],
    ['labelSelector=' + encodeURIComponent('a in (' + 'x,'.repeat(5000) + 'x'), 400],
    ['labelSelector=' + encodeURIComponent('!'.repeat(5000)), 400],
    ['labelSelector=' + encodeURIComponent('('.repeat(5000)), 400],
    ['fieldSelector=' + encodeURIComponent('metadata.name=\\'), 400],
    ['fieldSelector=' + encodeURIComponent('a'.repeat(5000)), 400],
    ['resourceVersionMatch=Exact', 422],
  ])('%s', async (query, status) => {
    expectRefused(await send('GET', `${MAPS}?${query}`), status, /./);
  });

  test('broken escapes in a query are ignored', async () => {
    expect((await send('GET', `${MAPS}?%zz=%&&&=&=x&pretty=%ff`)).status).toBe(200);
  });
});

describe('malformed HTTP', () => {
  test.each<[name: string, sent: string, answer: RegExp]>([
    [
      'two different lengths',
      `POST ${MAPS} HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a length and chunked encoding',
      `POST ${MAPS} HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    ['an invalid length', `POST ${MAPS} HTTP/1.1\r\n${AUTH}Content-Length: -1\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ['a line feed in a header', `GET ${MAPS} HTTP/1.1\r\n${AUTH}X: a\n b\r\n\r\n`, /^HTTP\/1\.1 4\d\d /],
    ['a NUL in a header', `GET ${MAPS} HTTP/1.1\r\n${AUTH}X: a\0b\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [
      'headers beyond the limit',
      `GET ${MAPS} HTTP/1.1\r\n${AUTH}${`X-Pad: ${'x'.repeat(1000)}\r\n`.repeat(100)}\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'one header beyond the limit',
      `GET ${MAPS} HTTP/1.1\r\n${AUTH}X-Pad: ${'x'.repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'a URL beyond the limit',
      `GET ${MAPS}?${'x'.repeat(40_000)} HTTP/1.1\r\nConnection: close\r\n${AUTH}\r\n`,
      /^HTTP\/1\.1 414 /,
    ],
    ['a huge URL', `GET ${MAPS}?${'x'.repeat(400_000)} HTTP/1.1\r\n${AUTH}\r\n`, /^HTTP\/1\.1 (414|431) /],
    ['an invalid method', `GE\0T ${MAPS} HTTP/1.1\r\n${AUTH}\r\n`, /^HTTP\/1\.1 400 /],
    [
      'a body that never ends',
      `POST ${MAPS} HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"meta`,
      /^HTTP\/1\.1 408 /,
    ],
    ['headers that never end', `GET ${MAPS} HTTP/1.1\r\n${AUTH}X-Slow: `, /^HTTP\/1\.1 408 /],
    [
      'chunks that never end',
      `POST ${MAPS} HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"met\r\n`,
      /^HTTP\/1\.1 408 /,
    ],
  ])('%s', async (_name, sent, answer) => {
    const client = raw();
    client.write(sent);
    await client.closed;
    expect(client.received).toMatch(answer);
  });

  test('an Authorization header that is long, duplicated or binary', async () => {
    for (const value of [
      'Bearer ' + 'x'.repeat(30_000),
      'Bearer',
      'Bearer  ',
      'Basic ' + 'x'.repeat(100),
      'Bearer \x80\xff',
      'Bearer admin-token, Bearer admin-token',
    ]) {
      expect(
        (await send('GET', MAPS, { headers: { authorization: value } })).status,
        value.slice(0, 20),
      ).toBeGreaterThanOrEqual(401);
    }
    expect((await send('GET', MAPS, { headers: { accept: 'a/b,'.repeat(5000) } })).status).toBe(406);
  });
});

describe('clients that disconnect', () => {
  test('in the middle of a body: nothing is stored', async () => {
    for (const how of ['destroy', 'resetAndDestroy'] as const) {
      const client = raw();
      client.write(
        `POST ${MAPS} HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"metadata":{"name":"half"}`,
      );
      await expect.poll(async () => (await server.holdings()).connections).toBe(1);
      client.socket[how]();
    }
    expect((await send('GET', `${MAPS}/half`)).status).toBe(404);
  });

  test('in the middle of many watches', async () => {
    const clients = Array.from({ length: 50 }, () => raw());
    clients.forEach((client, index) =>
      client.write(
        `GET ${MAPS}?watch=1${index % 2 === 0 ? '' : '&allowWatchBookmarks=1&fieldSelector=metadata.name%3Dx'} HTTP/1.1\r\n${AUTH}\r\n`,
      ),
    );
    await Promise.all(clients.map((client) => client.until('HTTP/1.1 200')));
    await expect.poll(async () => (await server.holdings()).watchers - ownWatchers).toBe(50);
    clients.forEach((client, index) => (index % 2 === 0 ? client.socket.destroy() : client.socket.resetAndDestroy()));
  });

  test('before the answer of a watch', async () => {
    for (let turn = 0; turn < 30; turn += 1) {
      const client = raw();
      client.socket.end(`GET ${MAPS}?watch=1 HTTP/1.1\r\n${AUTH}\r\n`);
      client.socket.resetAndDestroy();
    }
  });

  test('without reading the events of a watch: the server does not buffer them', async () => {
    const client = raw();
    client.write(`GET ${MAPS}?watch=1 HTTP/1.1\r\n${AUTH}\r\n`);
    await client.until('HTTP/1.1 200');
    client.socket.pause();
    const body = JSON.stringify({ metadata: { name: 'flood' }, data: { k: 'x'.repeat(500_000) } });
    expect((await send('POST', MAPS, { body })).status).toBe(201);
    for (let turn = 0; turn < 20; turn += 1)
      expect(
        (await send('PUT', `${MAPS}/flood`, { body: body.replace('xx', String(turn).padStart(2, '0')) })).status,
      ).toBe(200);
    client.socket.destroy();
    await send('DELETE', `${MAPS}/flood`);
  });

  test('in the middle of a long answer', async () => {
    for (let index = 0; index < 30; index += 1)
      await send('POST', MAPS, {
        body: JSON.stringify({ metadata: { name: `long-${index}` }, data: { k: 'x'.repeat(200_000) } }),
      });
    const client = raw();
    client.socket.pause();
    client.write(`GET ${MAPS} HTTP/1.1\r\n${AUTH}\r\n`);
    await expect.poll(async () => (await server.holdings()).connections).toBe(1);
    client.socket.resetAndDestroy();
    for (let index = 0; index < 30; index += 1) await send('DELETE', `${MAPS}/long-${index}`);
  });

  test('while waiting for a future version', async () => {
    const client = raw();
    client.write(`GET ${MAPS}?resourceVersion=999999999 HTTP/1.1\r\n${AUTH}\r\n`);
    await expect.poll(async () => (await server.holdings()).connections).toBe(1);
    client.socket.destroy();
  });
});

test('a thousand bad requests leave the heap as it was', { timeout: 300_000 }, async () => {
  const round = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) {
      await send('POST', MAPS, { body: nested(50_000, '[', ']') });
      await send('POST', MAPS, { body: '{"metadata":{"name":"'.padEnd(200_000, 'x') });
      await send('POST', MAPS, {
        body: `{"metadata":{"name":"BAD NAME ${turn}"},"data":{"k":"${'y'.repeat(100_000)}"}}`,
      });
      await send('GET', `${MAPS}?labelSelector=${encodeURIComponent(`a${turn} in (`)}&continue=${'Z'.repeat(5000)}`);
      await send('GET', `${MAPS}/none-${turn}-${Math.floor(performance.now() * 1000)}`);
      await send('GET', MAPS, {
        headers: {
          accept: `application/x-${turn}-${Math.floor(performance.now() * 1000)}`,
          authorization: 'Bearer admin-token',
        },
      });
      const client = raw();
      client.write(`GET ${MAPS}?watch=1 HTTP/1.1\r\n${AUTH}\r\n`);
      await client.until('HTTP/1.1 200');
      client.socket.resetAndDestroy();
    }
  };
  for (let warm = 0; warm < 4; warm += 1) await round();
  const before = await server.heapBytes();
  for (let turn = 0; turn < 15; turn += 1) await round();
  const after = await server.heapBytes();
  expect(after - before).toBeLessThan(2 * 1024 * 1024);
});
