import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { ApiServer, ConfigMap, Namespace, Role } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { createManualClock } from '../../src/entries/testing.js';
import type { Authorizer } from '../../src/security/authz/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { ask, requestOf, textOf } from './ask.js';
import { decodedWords, recordedStorage, recorder, withoutSlash, wordsOf } from './path-oracle.js';

const RBAC = 'apis/rbac.authorization.orch.io/v1';
const RESOURCE_PATHS = [
  'api/v1/configmaps',
  'api/v1/namespaces',
  'api/v1/namespaces/a',
  'api/v1/namespaces/a/status',
  'api/v1/namespaces/a/configmaps',
  'api/v1/namespaces/a/configmaps/one',
  'api/v1/watch/namespaces/a/configmaps',
  'api/v1/watch/namespaces/a/configmaps/one',
  `${RBAC}/clusterroles/one`,
  `${RBAC}/namespaces/a/roles`,
  `${RBAC}/namespaces/a/roles/one`,
].map((path) => path.split('/'));
const OTHER_PATHS = [
  '',
  'api',
  'apis',
  'api/v1',
  RBAC,
  'version',
  'metrics',
  'healthz',
  'healthz/ping',
  'livez',
  'readyz',
  'openapi/v2',
  'openapi/v3',
  'openapi/v3/api/v1',
].map((path) => path.split('/'));
/** Also served with a trailing slash, as in Kubernetes: the same document, and the default roles name both paths. */
const WITH_SLASH = /^\/(api(\/v1)?|apis(\/[^/]+){0,2}|version)\/$/;

/** Words to insert before a word or to put in its place. */
const TRICKS: readonly ((word: string) => string)[] = [
  () => '..',
  () => '.',
  () => '...',
  () => '%2e',
  () => '%2E',
  () => '%2e%2e',
  () => '.%2e',
  () => '%2e.',
  () => '',
  () => '%2f',
  () => '%2F%2F',
  (word) => `${word}%2f`,
  (word) => `${word}%2f..`,
  (word) => `..%2f${word}`,
  (word) => `x%2f..%2f${word}`,
  (word) => `%2f${word}`,
  (word) => `${word}%2fb`,
  () => '%5c',
  () => '\\',
  () => '..\\..',
  () => '..%5c..',
  (word) => `${word}\\`,
  (word) => `b%5c..%5c${word}`,
  () => '%00',
  (word) => `${word}%00`,
  (word) => `${word}\0`,
  (word) => `%00${word}`,
  (word) => `${word}%00.json`,
  (word) => `${word}%0a`,
  (word) => `${word}%0d%0aX:%20y`,
  (word) => `${word}%09`,
  () => '%252e%252e',
  () => '%252e',
  (word) => `${word}%252f..`,
  (word) => `${word}%2500`,
  (word) => `%25${word}`,
  (word) => `${word}%25`,
  () => '%25252e',
  (word) => `${word};x=1`,
  (word) => `${word};`,
  () => ';',
  () => '..;',
  () => '..;/..',
  (word) => `;${word}`,
  (word) => `${word}%3bx`,
  (word) => `${word},b`,
  (word) => `${word}#`,
  (word) => `${word}#/../b`,
  (word) => `${word}%23`,
  (word) => `${word}%3f`,
  (word) => `${word}%3Fwatch=1`,
  (word) => `${word}&b`,
  (word) => `${word}=`,
  () => '%c0%ae%c0%ae',
  () => '%c0%af',
  () => '%e0%80%af',
  () => '%f0%80%80%ae',
  () => '%c0%80',
  () => '%ff',
  () => '%ed%a0%80',
  () => '%e2%82',
  (word) => `${word}%c1%a1`,
  () => '%',
  () => '%2',
  () => '%zz',
  () => '%u002e%u002e',
  (word) => `${word}%`,
  (word) => `${word}%2`,
  () => '%%32%65',
  () => '%-1',
  () => '．．',
  () => '／',
  () => '․․',
  () => '‥',
  () => '∕',
  () => '%ef%bc%8e%ef%bc%8e',
  () => '%ef%bc%8f',
  () => '%e2%81%84',
  (word) => `${word}\u0301`,
  (word) => `${word}%cc%81`,
  (word) => `${word}%e2%80%8b`,
  (word) => `${word}%c2%ad`,
  (word) => `${word}%ef%bb%bf`,
  (word) => word.replace(/[ao]/, (letter) => (letter === 'a' ? 'а' : 'о')),
  () => 'ａ',
  () => 'ｏｎｅ',
  (word) => word.toUpperCase(),
  (word) => `${word} `,
  (word) => `${word}%20`,
  (word) => `${word}+`,
  (word) => `%20${word}`,
  (word) => `${word}.`,
  (word) => `.${word}`,
  (word) => `${word}*`,
  () => '*',
  () => '%2a',
  () => '~',
  () => '-',
  () => '_',
  () => 'x'.repeat(5_000),
  (word) => `${word}${'%61'.repeat(2_000)}`,
  () => '%2e'.repeat(1_000),
  () => '__proto__',
  () => 'constructor',
  () => 'toString',
];
/** Other spellings of the same words: legitimate, and the same request. */
const SPELLINGS: readonly ((word: string) => string)[] = [
  (word) => Array.from(word, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  (word) => word.replace(/^./, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  encodeURIComponent,
];
/** The position: a word is replaced, preceded by another one, or followed by one at the end. */
const PLACES: readonly ((
  words: readonly string[],
  at: number,
  trick: (word: string) => string,
) => readonly string[])[] = [
  (words, at, trick) => words.with(at, trick(words[at] ?? '')),
  (words, at, trick) => words.toSpliced(at, 0, trick(words[at] ?? '')),
  (words, at, trick) => words.toSpliced(at + 1, 0, trick(words[at] ?? '')),
  (words, at, trick) => words.toSpliced(at + 1, 0, trick('x'), words[at] ?? ''),
];

const { asked, authorize } = recorder();
/** Stands still: nothing that the server does from time to time is among the keys that a request touches. */
const clock = createManualClock();
const memory = recordedStorage(createMemoryStorage({ clock }));
let server: ApiServer;
let plain: ReadonlyMap<string, number>;

beforeAll(async () => {
  server = new ApiServer({
    authorization: { authorizer: authorize },
    storage: memory.storage,
    clock,
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'admin', user: { username: 'somebody', groups: [] } }] },
  });
  const client = server.client();
  for (const name of ['a', 'b']) {
    await client.resource(Namespace).create({ metadata: { name } });
    for (const object of ['one', 'two'])
      await client
        .resource(ConfigMap)
        .namespace(name)
        .create({ metadata: { name: object }, data: { which: `CANARY ${name} ${object}` } });
    await client
      .resource(Role)
      .namespace(name)
      .create({ metadata: { name: 'one', annotations: { which: `CANARY ${name} role` } } });
  }
  plain = new Map(
    await Promise.all(
      [...RESOURCE_PATHS, ...OTHER_PATHS].map(
        async (words) => [`/${words.join('/')}`, (await get(`/${words.join('/')}`)).status] as const,
      ),
    ),
  );
});
afterAll(() => server.close());
beforeEach(() => void asked.splice(0));

/** Sends a request, and cancels a watch at once. */
async function get(
  path: string,
  method = 'GET',
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const gone = new AbortController();
  // Not split at a question mark: these paths contain none.
  const response = await ask(server, method, path, { signal: gone.signal, ...(body === undefined ? {} : { body }) });
  const isStream = typeof response.body === 'object' && 'stream' in response.body;
  const text = isStream ? '' : textOf(response);
  gone.abort();
  return { status: response.status, text };
}

/** Requests a manipulated path, and compares the answer with the correct one. */
async function check(path: string, method = 'GET', body?: string): Promise<void> {
  asked.splice(0);
  memory.keys.splice(0);
  const before = await server.client().resource(Namespace).list({ limit: 1 });
  memory.keys.splice(0);
  const { status, text } = await get(path, method, body);
  const shown = `${method} ${path.slice(0, 200)} → ${status} ${text.slice(0, 200)}`;
  const words = decodedWords(path);
  expectQuestions(words, shown);
  const another = plainPath(words);
  if (another !== undefined && method === 'GET') return expect(status, shown).toBe(plain.get(another));
  if (method !== 'GET') {
    const after = await server.client().resource(Namespace).list({ limit: 1 });
    expect(after.metadata.resourceVersion, `${shown}: something was written`).toBe(before.metadata.resourceVersion);
    // Deleting an empty collection succeeds.
    if (status !== 200 || !text.includes('"items":[]')) expect([400, 404, 405], shown).toContain(status);
    return;
  }
  if (status >= 300) return expect([400, 404], shown).toContain(status);
  expect(text, shown).not.toContain('CANARY');
  if (WITH_SLASH.test(words === undefined ? '' : `/${words.join('/')}`)) return;
  // A missing namespace has an empty collection, which can be watched; the authorizer was asked about exactly that
  // name.
  const question = words === undefined ? undefined : wordsOf(words);
  expect(
    asked.map(({ verb }) => verb).filter((verb) => verb === 'list' || verb === 'watch'),
    shown,
  ).toHaveLength(1);
  if (question?.namespace === 'a') expect(question.name, shown).not.toMatch(/^(one|two)?$/);
  if (text !== '') expect(text, shown).toContain('"items":[]');
}

/** The plain path with these words; undefined for all others. */
function plainPath(words: readonly string[] | undefined): string | undefined {
  if (words === undefined || words.some((word) => word.includes('/'))) return undefined;
  const path = `/${withoutSlash(words).join('/')}`;
  return plain.has(path) ? path : undefined;
}

/** The authorizer was asked about the words of the path and nothing else, and the engine about the same words. */
function expectQuestions(words: readonly string[] | undefined, shown: string): void {
  expect(asked.length, shown).toBeLessThanOrEqual(1);
  const [question] = asked;
  if (question === undefined) return expect(memory.keys, shown).toEqual([]);
  expect(question.path, shown).toBe(`/${(words ?? ['?']).join('/')}`);
  if (!question.isResource) return expect(memory.keys, shown).toEqual([]);
  const { apiGroup, namespace, resource, name, subresource } = question;
  expect({ apiGroup, namespace, resource, name, subresource }, shown).toEqual(wordsOf(words ?? []));
  for (const word of [namespace, resource, name, subresource]) expect(word, shown).not.toMatch(/[/%\0]|^\.\.?$/);
  const place = resource === 'namespaces' || namespace === '' ? name : `${namespace}/${name}`;
  for (const key of memory.keys.filter(
    (touched) =>
      touched.includes(`/${resource}/`) && !(resource !== 'namespaces' && touched.startsWith('/registry/namespaces/')),
  )) {
    // The log of a kind reads all of it once, on its first request.
    if (!key.endsWith(`/${resource}/`))
      expect(key.endsWith(`/${resource}/${place}`), `${shown} read ${key}`).toBe(true);
  }
}

function* table(paths: readonly (readonly string[])[], tricks: typeof TRICKS): Generator<string> {
  for (const words of paths)
    for (const trick of tricks)
      for (const place of PLACES)
        for (let at = 0; at < words.length; at += 1) {
          yield `/${place(words, at, trick).join('/')}`;
        }
}

describe('manipulated paths', () => {
  it.each([
    ['resources', RESOURCE_PATHS],
    ['everything else', OTHER_PATHS],
  ] as const)(
    'are not served, at every position of the paths of %s',
    async (_, paths) => {
      for (const path of table(paths, TRICKS)) await check(path);
    },
    60_000,
  );

  it('write nothing', async () => {
    const named = RESOURCE_PATHS.filter(
      (words) => !words.includes('watch') && ['one', 'a', 'configmaps'].includes(words.at(-1) ?? ''),
    );
    const odd = TRICKS.filter((_, index) => index % 2 === 0);
    for (const path of table(named, odd)) if (plainPath(decodedWords(path)) === undefined) await check(path, 'DELETE');
  }, 300_000);

  it('equal the plain path if only their characters are encoded differently, and are authorized as it is', async () => {
    for (const words of [...RESOURCE_PATHS, ...OTHER_PATHS])
      for (const spell of SPELLINGS) {
        asked.splice(0);
        const path = `/${words.map((word) => (word === '' ? '' : spell(word))).join('/')}`;
        expect((await get(path)).status, path).toBe(plain.get(`/${words.join('/')}`));
        expect(asked.map((question) => question.path)).toEqual([`/${words.join('/')}`]);
      }
  });

  it('are not served with several manipulations at once', async () => {
    const edit = fc.record({
      at: fc.nat(12),
      trick: fc.constantFrom(...TRICKS, ...SPELLINGS),
      place: fc.constantFrom(...PLACES),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...RESOURCE_PATHS, ...OTHER_PATHS),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        async (words, edits) => {
          const made = edits.reduce<readonly string[]>(
            (present, { at, trick, place }) => place(present, at % present.length, trick),
            words,
          );
          const path = `/${made.join('/')}`;
          await check(path);
        },
      ),
      { numRuns: 1_500 },
    );
  }, 300_000);

  it.each([
    '/API/V1/configmaps',
    '/Api/v1/configmaps',
    '/api/V1/configmaps',
    '/APIS/',
    '/api/v1/ConfigMaps',
    '/api/v1/Namespaces/a/configmaps',
    '/HEALTHZ',
    '/Metrics',
    '/api/v1/WATCH/configmaps',
  ])('%s differs from the lower-case path', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it.each([
    '/api/v1/namespaces/a/namespaces',
    '/api/v1/namespaces/a/namespaces/a',
    '/api/v1/namespaces/a/namespaces/b',
    '/api/v1/namespaces/a/namespaces/b/status',
    '/api/v1/watch/namespaces/a/namespaces/b',
    '/api/v1/watch/namespaces/a/namespaces',
  ])('%s does not lead from one namespace to another', async (path) => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'POST'])
      expect((await get(path, method, '{"metadata":{"name":"c"}}')).status, method).toBe(404);
  });
});

test('rights on the paths below another grant neither that path nor its siblings', async () => {
  const below: Authorizer = ({ path, isResource }) => ({
    decision: !isResource && /^\/(healthz|metrics|readyz|openapi\/v2)\//.test(path) ? 'Allow' : 'NoOpinion',
    reason: '',
  });
  await using other = new ApiServer({
    authorization: { authorizer: below },
    authentication: { tokens: [{ token: 'admin', user: { username: 'somebody', groups: [] } }] },
  });
  for (const path of [
    '/healthz/',
    '/metrics/',
    '/readyz/',
    '/openapi/v2/',
    '/healthz//',
    '/healthz/..',
    '/healthz/../metrics',
    '/healthz/%2e%2e/metrics',
    '/healthz/..%2fmetrics',
    '/healthz/%2e%2e%2fmetrics',
    '/healthz/../api/v1/secrets',
    '/metrics/.',
    '/metrics/;',
    '/metrics/%20',
    '/readyz/%00',
  ]) {
    expect([400, 403, 404], path).toContain((await ask(other, 'GET', path)).status);
  }
  for (const path of ['/metrics', '/healthz', '/%6detrics', '/api/v1/configmaps', '//metrics'])
    expect((await ask(other, 'GET', path)).status, path).toBe(403);
  expect((await ask(other, 'GET', '/healthz/ping')).status).toBe(200);
});

describe("one trailing slash on a resource's path", () => {
  const SLASHED: [string, string, string, number, string?][] = [
    ['GET', '/api/v1/namespaces/a/configmaps', 'list a configmaps - -', 200],
    ['GET', '/api/v1/configmaps', 'list - configmaps - -', 200],
    ['GET', '/api/v1/namespaces', 'list - namespaces - -', 200],
    ['GET', '/api/v1/namespaces/a', 'get a namespaces a -', 200],
    ['GET', '/api/v1/namespaces/a/status', 'get a namespaces a status', 200],
    ['GET', '/api/v1/namespaces/a/configmaps/one', 'get a configmaps one -', 200],
    ['GET', `/${RBAC}/namespaces/a/roles/one`, 'get a roles one -', 200],
    ['POST', '/api/v1/namespaces/a/configmaps', 'create a configmaps - -', 201, '{"metadata":{"name":"posted"}}'],
    [
      'PUT',
      '/api/v1/namespaces/a/configmaps/posted',
      'update a configmaps posted -',
      200,
      '{"metadata":{"name":"posted"}}',
    ],
    ['DELETE', '/api/v1/namespaces/a/configmaps/posted', 'delete a configmaps posted -', 200],
    ['DELETE', '/api/v1/namespaces', 'deletecollection - namespaces - -', 405],
    ['DELETE', '/api/v1/configmaps', 'deletecollection - configmaps - -', 405],
    [
      'POST',
      '/api/v1/namespaces/a/serviceaccounts/default/token',
      'create a serviceaccounts default token',
      404,
      '{"spec":{}}',
    ],
  ];

  it.each<[string, string, string, number, string?]>(SLASHED)(
    '%s %s/ is authorized as without it: %s',
    async (method, path, question, status, body) => {
      const answer = await get(`${path}/`, method, body);
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      expect(
        asked.map(({ verb, namespace, resource, name, subresource }) =>
          [verb, namespace, resource, name, subresource].map((word) => word || '-').join(' '),
        ),
      ).toEqual([question]);
      expect(asked[0]?.path).toBe(`${path}/`);
      expect((await get(`${path}//`, method, body)).status, 'two slashes are not served').toBe(404);
    },
  );

  it('deletes a collection only for users who may delete collections', async () => {
    const allowed = new Set(['delete']);
    const verbs: Authorizer = ({ verb }) => ({ decision: allowed.has(verb) ? 'Allow' : 'NoOpinion', reason: '' });
    await using other = new ApiServer({
      authorization: { authorizer: verbs },
      controllers: { disable: controllerNames },
      authentication: { tokens: [{ token: 'admin', user: { username: 'somebody', groups: [] } }] },
    });
    const maps = other.client().resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'kept' } });
    expect((await ask(other, 'DELETE', '/api/v1/namespaces/default/configmaps/')).status).toBe(403);
    expect((await maps.list()).items).toHaveLength(1);
    allowed.add('deletecollection');
    expect((await ask(other, 'DELETE', '/api/v1/namespaces/default/configmaps/')).status).toBe(200);
    expect((await maps.list()).items).toHaveLength(0);
  });

  it('is a watch if the path without it is one', async () => {
    for (const path of [
      '/api/v1/namespaces/a/configmaps/?watch=1',
      '/api/v1/watch/namespaces/a/configmaps/',
      '/api/v1/namespaces/a/configmaps/one/?watch=1',
    ]) {
      const gone = new AbortController();
      const { body } = await ask(server, 'GET', path, { signal: gone.signal });
      expect(typeof body === 'object' && 'stream' in body, path).toBe(true);
      gone.abort();
      const left = new AbortController();
      const outcome = await server.target.handleWebSocket(requestOf('GET', path, { signal: left.signal }));
      expect(Object.keys(outcome), path).toEqual(['accept']);
      left.abort();
    }
  });
});

describe('manipulated requests over a socket', () => {
  let listener: Listener;
  beforeAll(async () => void (listener = await listen(server, { port: 0, acceptHosts: ['*'] })));
  afterAll(() => listener.close());

  /** The status of the answer to a request line and the fields after it. Bytes are sent as they are. */
  const send = (target: Buffer | string, fields = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(listener.url);
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(
          Buffer.concat([
            Buffer.from('GET '),
            Buffer.from(target),
            Buffer.from(
              ` HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin\r\nConnection: close\r\n${fields}\r\n`,
            ),
          ]),
        ),
      );
      const chunks: Buffer[] = [];
      socket
        .on('data', (chunk: Buffer) => void chunks.push(chunk))
        .on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
        .on('error', reject);
    });
  const status = (answer: string): number => Number(answer.split(' ')[1]);

  it.each([
    '/api/v1/namespaces/a/../b/configmaps/two',
    '/api/v1/namespaces/a/%2e%2e/b/configmaps/two',
    '/api/v1/namespaces/a%2f..%2fb/configmaps/two',
    '/api/v1/namespaces/a/configmaps/..',
    '/api/v1/namespaces/a/configmaps//',
    '/api/v1//configmaps',
    '//api/v1/configmaps',
    '///metrics',
    '/api/v1/namespaces/a/configmaps/one%00',
    '/api/v1/namespaces/a/configmaps/%c0%ae%c0%ae',
    '/api/v1/namespaces/a/configmaps/one#',
    '/api/v1/configmaps#x',
    '/api/v1/namespaces/a;x/configmaps/one',
    '/api\\v1\\configmaps',
    '/..\\api/v1/configmaps',
    '/./api/v1/configmaps',
    '/x/../api/v1/configmaps',
    '/API/V1/configmaps',
    'http://x/../api/v1/configmaps',
    'http://x//api/v1/configmaps',
    'http://x/api/v1/namespaces/a/../b/configmaps/two',
    'http://x/api/v1/namespaces/b%2fconfigmaps%2ftwo',
    '/api/v1/namespaces/a/configmaps/one%',
    '*',
    'api/v1/configmaps',
    '/metrics/',
    Buffer.from([0x2f, 0xc0, 0xae, 0x2f, 0x61]),
    Buffer.from('/api/v1/namespaces/a/configmaps/oné'),
    Buffer.from('/api/v1/namespaces/a/configmaps/one\0'),
    '/api/v1/namespaces/a/configmaps/one x',
  ])('%s is rejected', async (target) => {
    const answer = await send(target);
    expect([400, 404], answer.slice(0, 300)).toContain(status(answer));
    expect(answer).not.toContain('CANARY');
  });

  it('a path that is too long is rejected', async () => {
    const answer = await send(`/api/v1/namespaces/a/configmaps/${'x'.repeat(200_000)}`).catch(
      () => 'HTTP/1.1 431 reset',
    );
    expect([400, 404, 414, 431]).toContain(status(answer));
  });

  it.each([
    ['absolute form', 'http://elsewhere/api/v1/namespaces/a/configmaps/one'],
    ['other letters', '/api/v1/namespaces/a/configmaps/%6fne'],
    ['absolute form, of another scheme', 'ftp://x:1/api/v1/namespaces/a/configmaps/one'],
  ])('a target in %s is the plain path', async (_, target) => {
    const answer = await send(target);
    expect(status(answer)).toBe(200);
    expect(answer).toContain('CANARY a one');
    expect(asked.map(({ namespace, resource, name }) => [namespace, resource, name])).toEqual([
      ['a', 'configmaps', 'one'],
    ]);
  });

  it.each([
    'X-Original-URL: /api/v1/namespaces/b/configmaps/two',
    'X-Rewrite-URL: /metrics',
    'X-HTTP-Method-Override: DELETE',
    'X-Forwarded-Prefix: /api',
  ])('a field %s changes nothing', async (field) => {
    expect(await send('/api/v1/namespaces/a/configmaps/one', `${field}\r\n`)).toContain('CANARY a one');
    expect(asked.map(({ verb, name }) => [verb, name])).toEqual([['get', 'one']]);
  });
});
