/**
 * Mistakes that untyped programs can make outside the server options: each is rejected at once, with a message that
 * says how to fix it.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ApiServer, ConfigMap, type ApiServerOptions } from '../../src/entries/index.js';
import { createSigner, Informer, WorkQueue } from '../../src/entries/controllers.js';
import { createManualClock } from '../../src/entries/testing.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { toHono } from '../../src/transport/hono/hono.js';
import { toExpress } from '../../src/transport/express/express.js';
import { toFastify } from '../../src/transport/fastify/fastify.js';

const server = new ApiServer();
const clock = createManualClock();
/** A call as an untyped program makes it. */
const call = (callee: unknown, ...given: unknown[]): unknown => (callee as (...given: unknown[]) => unknown)(...given);
const make = (made: unknown, options: unknown): unknown => new (made as new (options: unknown) => unknown)(options);
afterEach(() => vi.restoreAllMocks());

test.each<[ApiServerOptions | object, string]>([
  [{ network: { httpClient: { fetch } } }, 'the option network.httpClient must be a function from a request'],
  [{ authentication: { tokenWebhook: {} } }, 'the option authentication.tokenWebhook.post is required'],
  [
    {
      authentication: {
        tokenWebhook: { post: 'https://x' },
      },
    },
    'the option authentication.tokenWebhook.post must be a function that posts a string',
  ],
  [
    {
      authentication: {
        tokenWebhook: { url: 'https://x' },
      },
    },
    'unknown option "authentication.tokenWebhook.url"',
  ],
  [
    { authentication: { tokenWebhook: { post: () => undefined, version: 'v2' } } },
    'the option authentication.tokenWebhook.version must be one of v1, v1beta1, got "v2"',
  ],
  [
    { authentication: { tokenWebhook: { post: () => undefined, retry: { steps: 0 } } } },
    'the option authentication.tokenWebhook.retry.steps must be a whole number of attempts, 1 or more, got 0',
  ],
  [
    {
      authentication: {
        openIdConnect: { issuer: 'https://x' },
      },
    },
    'unknown option "authentication.openIdConnect.issuer"; known options: issuerUrl, ',
  ],
  [
    {
      authentication: {
        openIdConnect: { issuerUrl: 'https://x', clientId: 'a', requiredClaims: { a: 1 } },
      },
    },
    'the option authentication.openIdConnect.requiredClaims["a"] must be a string, got 1',
  ],
  [
    { authentication: { configuration: 'jwt: []' } },
    'the option authentication.configuration must be a configuration, or a file as { text, read }',
  ],
  [{ authentication: { configuration: { text: '' } } }, 'the option authentication.configuration.read is required'],
  [{ authentication: { configuration: { jwts: [] } } }, 'did you mean "jwt"?'],
  [{ authorization: { configuration: {} } }, 'the option authorization.configuration.authorizers is required'],
  [
    { authorization: { modes: ['Webhook'], webhook: { post: () => undefined, failurePolicy: 'Allow' } } },
    'the option authorization.webhook.failurePolicy must be one of NoOpinion, Deny, got "Allow"',
  ],
])('new ApiServer(%j)', (options, message) => {
  expect(() => make(ApiServer, options)).toThrow(message);
});

test.each<[string, () => unknown, string]>([
  ['kubeConfig', () => call(server.kubeConfig.bind(server), 'https://x'), 'kubeConfig: the options must be an object'],
  [
    'kubeConfig',
    () => call(server.kubeConfig.bind(server), { server: 'localhost:6443' }),
    'kubeConfig: the option server must be the URL of a listener',
  ],
  [
    'kubeConfig',
    () => call(server.kubeConfig.bind(server), { certificateAuthority: '/etc/ca.crt' }),
    'kubeConfig: the option certificateAuthority must be a certificate in PEM',
  ],
  ['recordAccess', () => call(server.recordAccess.bind(server), 7), 'recordAccess: user must be an object, got 7'],
  [
    'recordAccess',
    () => call(server.recordAccess.bind(server), 'alice', { names: 'x' }),
    'recordAccess: unknown option "names"; did you mean "name"?',
  ],
  ['Informer', () => make(Informer, {}), 'Informer: the option source is required'],
  ['Informer', () => make(Informer, { source: {}, clock }), 'Informer: the option source must be a source of objects'],
  ['WorkQueue', () => make(WorkQueue, undefined), 'WorkQueue: the options must be an object, got undefined'],
  ['WorkQueue', () => make(WorkQueue, { clock }), 'WorkQueue: the option process is required'],
  [
    'WorkQueue',
    () => make(WorkQueue, { clock, process: () => undefined, concurrency: 0 }),
    'WorkQueue: the option concurrency must be a whole number of keys, 1 or more, got 0',
  ],
  ['createSigner', () => call(createSigner, {}), 'createSigner: the option client is required'],
  [
    'createSigner',
    () => call(createSigner, { client: server, signerName: 'e.x/y', issue: () => undefined }),
    'createSigner: the option client must be a client, such as server.client()',
  ],
  ['toFetchHandler', () => call(toFetchHandler), 'toFetchHandler: the first argument must be a server'],
  [
    'toHono',
    () => call(toHono, server, { prefix: 'k8s' }),
    'toHono: the option prefix must be a path that begins with a slash',
  ],
  ['toExpress', () => call(toExpress, server, { claim: () => true }), 'toExpress: unknown option "claim"; did you'],
  ['toFastify', () => call(toFastify, {}), 'toFastify: the first argument must be a server'],
])('%s', (_what, misuse, message) => {
  expect(misuse).toThrow(message);
});

test.each<[unknown[], string]>([
  [[undefined, 'get', 'pods'], 'explain: user must be an object'],
  [['alice', '', 'pods'], 'explain: verb must be a string that is not empty'],
  [['alice', 'get', undefined], 'explain: resource must be a kind that defineResource returned'],
  [['alice', 'get', 'pods', { nameSpace: 'a' }], 'explain: unknown option "nameSpace"; did you mean "namespace"?'],
])('explain(%j)', async (given, message) => {
  await expect(call(server.explain.bind(server), ...given)).rejects.toThrow(message);
});

describe('without an onError, errors are printed on the console', () => {
  test('of a work queue', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const error = new Error('the work failed');
    const queue = new WorkQueue<string>({ clock, maxRetries: 0, process: () => Promise.reject(error) });
    queue.start();
    queue.add('a');
    await queue.whenIdle();
    expect(said.mock.calls).toEqual([['processing of a queued key failed', { key: 'a', error, willRetry: false }]]);
  });

  test('of an informer', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const error = new Error('the handler failed');
    const maps = server.client().resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'a' } });
    const informer = new Informer({ source: maps, clock });
    informer.subscribe({
      added: ({ metadata }) => {
        if (metadata.name === 'a') throw error;
      },
    });
    informer.start();
    await informer.synced();
    await informer.stop();
    expect(said.mock.calls).toEqual([['informer failed and will retry', { error }]]);
    await server.close();
  });
});
