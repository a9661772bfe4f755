import { unlinkSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createConnection,
  CredentialError,
  KubeConfigError,
  kubeConfigOfPod,
  parseKubeConfig,
  type Connection,
  type ConnectionOptions,
} from '../../../src/client/kubeconfig/index.js';
import type { JsonObject } from '../../../src/foundation/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { connectionPost } from '../../../src/foundation/outbound/webhook-post.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { nodeHttpClient } from '../../../src/transport/node/outbound/http-client.js';
import { afterTest, base64, clientIdentity, configOf, Folder, startServer, type Identity } from './workshop.js';

let jane: Identity;
let joe: Identity;

beforeAll(() => {
  jane = clientIdentity('jane');
  joe = clientIdentity('joe');
});

type Options = Partial<ConnectionOptions> & { readonly directory?: string };

async function connect(config: JsonObject | string, { directory, ...options }: Options = {}): Promise<Connection> {
  const http = nodeHttpClient();
  afterTest(() => http.close());
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return createConnection(await parseKubeConfig(text, directory === undefined ? {} : { directory }), {
    http,
    ...options,
  });
}

describe('requests', () => {
  test('go to the path of the server, with method, headers, query and body', async () => {
    const { url, ca, seen } = await startServer();
    const connection = await connect(
      configOf(
        { server: `${url}/base/?query=1#part`, 'certificate-authority-data': base64(ca) },
        {},
        { namespace: 'shop' },
      ),
    );
    await connection.request({
      method: 'POST',
      path: '/reviews?timeout=3s',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await connection.request();
    expect(seen.map(({ method, url: path, body }) => `${method} ${path} ${body}`)).toEqual([
      'POST /base/reviews?timeout=3s {}',
      'GET /base ',
    ]);
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    expect(seen[0]?.headers.authorization).toBeUndefined();
    expect(connection.server.href).toBe(`${url}/base`);
    expect(connection.namespace).toBe('shop');
    await expect(connection.request({ path: 'reviews' })).rejects.toThrow(
      new TypeError('the path of a request must begin with a slash'),
    );
  });

  test('a redirect is returned as the answer', async () => {
    const { url, ca, seen } = await startServer(() => ({ status: 307, headers: { location: '/elsewhere' } }));
    const connection = await connect(
      configOf({ server: url, 'certificate-authority-data': base64(ca) }, { token: 'secret' }),
    );
    const response = await connection.request({ method: 'POST', body: 'x' });
    expect([response.status, response.header('location'), seen.length]).toEqual([307, '/elsewhere', 1]);
  });

  test('an answer that is too long is an error', async () => {
    const { url, ca } = await startServer();
    const connection = await connect(configOf({ server: url, 'certificate-authority-data': base64(ca) }), {
      maxResponseBytes: 10,
    });
    await expect(connection.request()).rejects.toThrow('longer than 10 bytes');
    expect((await connection.request({ maxBytes: 1000 })).status).toBe(200);
  });
});

test('a webhook is called through a connection, at exactly the URL of the cluster', async () => {
  const { url, ca, seen } = await startServer();
  const connection = await connect(
    configOf({ server: `${url}/authenticate`, 'certificate-authority-data': base64(ca) }, { token: 'abc' }),
  );
  await connectionPost(connection)('{"kind":"TokenReview"}', new AbortController().signal);
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/authenticate',
    body: '{"kind":"TokenReview"}',
    headers: { authorization: 'Bearer abc', 'content-type': 'application/json' },
  });
});

describe('trust', () => {
  test('the authority in a file, and a server with another name', async () => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    folder.write('ca.crt', ca);
    const connection = await connect(
      configOf({ server: url, 'certificate-authority': 'ca.crt', 'tls-server-name': 'api.example' }),
      { directory: folder.path },
    );
    expect((await connection.request()).status).toBe(200);
    expect(seen[0]?.serverName).toBe('api.example');
  });

  test('a name that does not match the certificate, and an unknown authority, fail the request', async () => {
    const { url, ca, seen } = await startServer();
    const wrongName = await connect(
      configOf(
        { server: url, 'certificate-authority-data': base64(ca), 'tls-server-name': 'other.example' },
        { token: 's3cret' },
      ),
    );
    const unknown = await connect(configOf({ server: url }, { token: 's3cret' }));
    for (const connection of [wrongName, unknown]) {
      const error = await connection.request().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toContain('s3cret');
    }
    expect(seen).toEqual([]);
    expect((await (await connect(configOf({ server: url, 'insecure-skip-tls-verify': true }))).request()).status).toBe(
      200,
    );
  });
});

describe('credentials', () => {
  async function seenWith(user: JsonObject, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
    const { url, ca, seen } = await startServer();
    await (
      await connect(configOf({ server: url, 'certificate-authority-data': base64(ca) }, user))
    ).request({ headers });
    return { ...seen[0]?.headers, commonName: seen[0]?.commonName };
  }

  test('a token', async () => {
    expect(await seenWith({ token: 'abc' })).toMatchObject({ authorization: 'Bearer abc' });
  });

  test('user name and password, in UTF-8', async () => {
    expect(await seenWith({ username: 'jörg', password: 'a:ß' })).toMatchObject({
      authorization: `Basic ${base64('jörg:a:ß')}`,
    });
    expect(await seenWith({ username: 'a' })).toMatchObject({ authorization: `Basic ${base64('a:')}` });
  });

  test('a client certificate, alone and beside a token', async () => {
    const pair = { 'client-certificate-data': base64(jane.certificate), 'client-key-data': base64(jane.key) };
    expect(await seenWith(pair)).toMatchObject({ commonName: 'jane' });
    expect(await seenWith({ ...pair, token: 'abc' })).toMatchObject({
      commonName: 'jane',
      authorization: 'Bearer abc',
    });
  });

  test("the request's own headers take precedence", async () => {
    const pair = { 'client-certificate-data': base64(jane.certificate), 'client-key-data': base64(jane.key) };
    expect(
      await seenWith(
        { ...pair, token: 'abc', as: 'x', 'as-uid': '1' },
        { authorization: 'Bearer own', 'impersonate-user': 'own' },
      ),
    ).toMatchObject({ commonName: 'jane', authorization: 'Bearer own', 'impersonate-user': 'own' });
    expect(await seenWith({ token: 'abc', as: 'x', 'as-uid': '1' }, { 'impersonate-user': 'own' })).not.toHaveProperty(
      'impersonate-uid',
    );
  });

  test('impersonation, percent-encoded and in UTF-8', async () => {
    const headers = await seenWith({
      token: 'abc',
      as: 'jörg',
      'as-uid': '7',
      'as-groups': ['dev', 'ops'],
      'as-user-extra': { 'acme.example/scopes %': ['read'] },
    });
    expect(headers).toMatchObject({
      authorization: 'Bearer abc',
      'impersonate-uid': '7',
      'impersonate-group': 'dev, ops',
      'impersonate-extra-acme.example%2fscopes%20%25': 'read',
    });
    expect(Buffer.from(String(headers['impersonate-user']), 'latin1').toString()).toBe('jörg');
  });

  test('plain http requests carry only impersonation headers', async () => {
    const sent: unknown[] = [];
    const http: ConnectionOptions['http'] = (request) => {
      sent.push(request);
      return Promise.resolve({ status: 401, header: () => undefined, body: new Uint8Array() });
    };
    const exec = { apiVersion: 'client.authentication.orch.io/v1', command: '/none', interactiveMode: 'Never' };
    for (const server of ['http://one.example/a', 'one.example:8080'])
      await (await connect(configOf({ server }, { token: 'abc', as: 'jane', exec }), { http })).request();
    expect(sent).toEqual([
      { url: 'http://one.example/a', headers: { 'impersonate-user': ['jane'] }, maxBytes: 10_485_760 },
      { url: 'http://one.example:8080', headers: { 'impersonate-user': ['jane'] }, maxBytes: 10_485_760 },
    ]);
  });

  test('a 401 for a token in the file is an ordinary answer', async () => {
    const { url, ca, seen } = await startServer(() => 401);
    const connection = await connect(
      configOf({ server: url, 'certificate-authority-data': base64(ca) }, { token: 'abc' }),
    );
    expect((await connection.request()).status).toBe(401);
    expect(seen).toHaveLength(1);
  });
});

describe('replaced files', () => {
  test('a token file is read again after fifty seconds; if it is gone, its last token is used', async () => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    const clock = createManualClock();
    const reported: string[] = [];
    const path = folder.write('token', ' one\n');
    const connection = await connect(
      configOf({ server: url, 'certificate-authority-data': base64(ca) }, { tokenFile: path }),
      { clock, warn: ({ message }) => reported.push(message) },
    );
    const tokenAfter = async (ms: number): Promise<string | undefined> => {
      await clock.advance(ms);
      await connection.request();
      return seen.at(-1)?.headers.authorization;
    };
    expect(await tokenAfter(0)).toBe('Bearer one');
    folder.write('token', 'two');
    expect(await tokenAfter(49_999)).toBe('Bearer one');
    expect(await tokenAfter(1)).toBe('Bearer two');
    unlinkSync(path);
    expect(await tokenAfter(60_000)).toBe('Bearer two');
    expect(reported).toEqual([`unable to rotate token: open ${path}: no such file or directory`]);
    folder.write('token', '');
    expect(await tokenAfter(0)).toBe('Bearer two');
    folder.write('token', 'three');
    expect(await tokenAfter(0)).toBe('Bearer three');
  });

  test('a token file takes precedence over a token, which is used if the file cannot be read', async () => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    const cluster = { server: url, 'certificate-authority-data': base64(ca) };
    const both = await connect(configOf(cluster, { token: 'inline', tokenFile: folder.join('token') }));
    await both.request();
    folder.write('token', 'file');
    await both.request();
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer inline', 'Bearer file']);
  });

  test('a client certificate is read again after a minute; a pair that does not match is ignored', async () => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    const clock = createManualClock();
    const reported: string[] = [];
    folder.write('tls.crt', jane.certificate);
    folder.write('tls.key', jane.key);
    const user = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };
    const connection = await connect(configOf({ server: url, 'certificate-authority-data': base64(ca) }, user), {
      clock,
      directory: folder.path,
      warn: ({ message }) => reported.push(message),
    });
    const nameAfter = async (ms: number): Promise<string | undefined> => {
      await clock.advance(ms);
      await connection.request();
      return seen.at(-1)?.commonName;
    };
    expect(await nameAfter(0)).toBe('jane');
    folder.write('tls.crt', joe.certificate);
    expect(await nameAfter(60_000)).toBe('jane');
    expect(reported).toEqual(['unable to rotate client certificate: tls: private key does not match public key']);
    folder.write('tls.key', joe.key);
    expect(await nameAfter(0)).toBe('joe');
  });

  test('in a pod', async () => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    folder.write('ca.crt', ca);
    folder.write('token', 'pod');
    const { hostname, port } = new URL(url);
    const config = await kubeConfigOfPod({
      env: { ORCH_SERVICE_HOST: hostname, ORCH_SERVICE_PORT: port },
      folder: folder.path,
    });
    const http = nodeHttpClient();
    afterTest(() => http.close());
    await (await createConnection(config, { http })).request({ path: '/version' });
    expect(seen[0]).toMatchObject({ url: '/version', headers: { authorization: 'Bearer pod' } });
  });
});

describe('an invalid configuration', () => {
  const server = 'https://127.0.0.1:6443';
  const exec = { apiVersion: 'client.authentication.orch.io/v1', command: 'c', interactiveMode: 'Never' };
  const invalid = (problem: string): string => `invalid configuration: ${problem}`;
  const cases: readonly (readonly [name: string, config: JsonObject, message: string])[] = [
    [
      'an empty configuration',
      {},
      invalid('no configuration has been provided, try setting ORCHCONFIG environment variable'),
    ],
    [
      'no context',
      { ...configOf({ server }), 'current-context': '' },
      'no context chosen; the configuration has "one"',
    ],
    [
      'a missing context',
      { ...configOf({ server }), 'current-context': 'two' },
      invalid('context was not found for specified context: two; the configuration has "one"'),
    ],
    [
      'a missing cluster and user',
      { ...configOf({}), clusters: [], users: [] },
      invalid(
        '[user "one" was not found for context "one", cluster "one" was not found for context "one", cluster has no server defined]',
      ),
    ],
    [
      'a cluster without a server',
      configOf({ 'insecure-skip-tls-verify': true }),
      invalid('no server found for cluster "one"'),
    ],
    ['an empty cluster', configOf({}), invalid('cluster has no server defined')],
    [
      'an invalid namespace',
      configOf({ server }, {}, { namespace: 'A' }),
      invalid('namespace "A" for context "one" does not conform to the orch DNS_LABEL rules'),
    ],
    [
      'an authority as file and as data',
      configOf({ server, 'certificate-authority': '/dev/null', 'certificate-authority-data': 'eA==' }),
      invalid(
        'certificate-authority-data and certificate-authority are both specified for one. certificate-authority-data will override.',
      ),
    ],
    [
      'a missing authority file',
      configOf({ server, 'certificate-authority': '/none/ca' }),
      invalid('unable to read certificate-authority /none/ca for one due to open /none/ca: no such file or directory'),
    ],
    [
      'an invalid authority',
      configOf({ server, 'certificate-authority-data': base64('hello') }),
      'unable to load root certificates: unable to parse bytes as PEM block',
    ],
    [
      'an authority that would not be used',
      configOf({ server, 'certificate-authority-data': 'eA==', 'insecure-skip-tls-verify': true }),
      'specifying a root certificates file with the insecure flag is not allowed',
    ],
    [
      'a proxy',
      configOf({ server, 'proxy-url': 'http://proxy:s3cret@proxy.example' }),
      'proxy-url of cluster "one" is not supported',
    ],
    [
      'an auth provider',
      configOf({ server }, { 'auth-provider': { name: 'gcp' } }),
      'no Auth Provider found for name "gcp"',
    ],
    [
      'an auth provider without an issuer',
      configOf({ server }, { 'auth-provider': { name: 'oidc' } }),
      'Must provide idp-issuer-url',
    ],
    [
      'an auth provider without a client',
      configOf({ server }, { 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://id.example' } } }),
      'Must provide client-id',
    ],
    [
      'an auth provider beside a plugin',
      configOf({ server }, { 'auth-provider': { name: 'oidc' }, exec }),
      invalid('authProvider cannot be provided in combination with an exec plugin for one'),
    ],
    [
      'two authentication methods',
      configOf({ server }, { token: 's3cret', password: 's3cret' }),
      invalid('more than one authentication method found for one; found [token basicAuth], only one is allowed'),
    ],
    [
      'a token file and a password',
      configOf({ server }, { tokenFile: '/none', username: 'a' }),
      'username/password or bearer token may be set, but not both',
    ],
    [
      'a certificate without a key',
      configOf({ server }, { 'client-certificate-data': 'eA==' }),
      invalid('client-key-data or client-key must be specified for one to use the clientCert authentication method.'),
    ],
    [
      'certificate and key as files and as data',
      configOf(
        { server },
        {
          'client-certificate-data': 'eA==',
          'client-certificate': '/dev/null',
          'client-key-data': 'eA==',
          'client-key': '/none',
        },
      ),
      invalid(
        '[client-cert-data and client-cert are both specified for one. client-cert-data will override., client-key-data and client-key are both specified for one; client-key-data will override, unable to read client-key /none for one due to open /none: no such file or directory]',
      ),
    ],
    [
      'an invalid certificate',
      configOf({ server }, { 'client-certificate-data': 'eA==', 'client-key-data': 'eA==' }),
      'tls: failed to find any PEM data in certificate input',
    ],
    [
      'groups without a user',
      configOf({ server }, { 'as-groups': ['a'] }),
      invalid('requesting uid, groups or user-extra for one without impersonating a user'),
    ],
    [
      'a plugin without a command',
      configOf({ server }, { exec: { env: [{ value: 'a' }] } }),
      invalid(
        `[${['command', 'apiVersion', 'env variable name', 'interactiveMode'].map((what) => `${what} must be specified for one to use exec authentication plugin`).join(', ')}]`,
      ),
    ],
    [
      'an invalid interactive mode',
      configOf({ server }, { exec: { ...exec, interactiveMode: 'Perhaps' } }),
      invalid('invalid interactiveMode for one: "Perhaps"'),
    ],
    [
      'an invalid version of plugins',
      configOf({ server }, { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1' } }),
      'exec plugin: invalid apiVersion "client.authentication.k8s.io/v1"',
    ],
    [
      'a missing token file',
      configOf({ server }, { tokenFile: '/none/token' }),
      'failed to read token file "/none/token": open /none/token: no such file or directory',
    ],
    ['an empty token file', configOf({ server }, { tokenFile: '/dev/null' }), 'read empty token from file "/dev/null"'],
    [
      'a server of another protocol',
      configOf({ server: 'ftp://a' }),
      'the server of cluster "one" must begin with https:// or http://',
    ],
    [
      'a host with a path',
      configOf({ server: 'a/b' }),
      'the server of cluster "one" must be a URL or a host:port pair',
    ],
    [
      'a password in the URL',
      configOf({ server: 'https://a:s3cret@b' }),
      'the server of cluster "one" must not have a user name or password in its URL',
    ],
  ];
  test.each(cases)('%s', async (_, config, message) => {
    const error: unknown = await connect(config).catch((caught: unknown) => caught);
    expect(error instanceof KubeConfigError || error instanceof CredentialError).toBe(true);
    expect((error as Error).message).toBe(message);
    expect((error as Error).message).not.toContain('s3cret');
  });

  test('errors in other contexts are ignored', async () => {
    const config = {
      ...configOf({ server }),
      contexts: [
        { name: 'one', context: { cluster: 'one' } },
        { name: 'two', context: { cluster: 'none', user: 'none' } },
      ],
    };
    expect((await connect(config)).server.href).toBe(`${server}/`);
    await expect(connect(config, { context: 'two', dialect: kubernetes })).rejects.toThrow(
      'cluster "none" was not found for context "two"',
    );
  });
});
