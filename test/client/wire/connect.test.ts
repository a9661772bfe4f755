import { createServer, type RequestListener } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  ApiError,
  connect,
  ConnectionLostError,
  type Client,
  type ConnectOptions,
} from '../../../src/entries/client.js';
import { ConfigMap } from '../../../src/entries/index.js';
import { createManualClock, startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { createServingCertificate, listen } from '../../../src/transport/node/index.js';
import { PATIENCE } from '../../support/patience.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0).reverse()) await close();
});

const admin = { token: 'admin-token', user: { username: 'admin', groups: ['system:masters'] } };

async function kubernetes(): Promise<TestServer> {
  const test = await startTestServer({ dialect: 'kubernetes', authentication: { tokens: [admin] } });
  closers.push(() => test.close());
  await test.client
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'a' } });
  return test;
}

async function client(target: Parameters<typeof connect>[0], options?: ConnectOptions): Promise<Client> {
  const made = await connect(target, options);
  closers.push(() => made.close());
  return made;
}

const maps = (of: Client) => of.resource(ConfigMap).namespace('default');

async function serving(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** A plain HTTP server. @returns its URL */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${await serving(server)}`;
}

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('the server of a client', () => {
  test('is that of a kubeconfig: a text, a path, the files of KUBECONFIG', async () => {
    const { server } = await kubernetes();
    const { caPem, certPem, keyPem } = await createServingCertificate();
    const listener = await listen(server, { tls: { key: keyPem, cert: certPem } });
    closers.push(() => listener.close({ grace: 0 }));
    const text = server.kubeConfig({ server: listener.url, certificateAuthority: caPem, namespace: 'shop' });
    const byText = await client({ kubeconfig: text });
    expect((await maps(byText).list()).kind).toBe('ConfigMapList');
    expect(byText.namespace).toBe('shop');

    const folder = mkdtempSync(join(tmpdir(), 'connect-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'config'), text);
    const byPath = await client({ kubeconfig: join(folder, 'config'), context: 'kubernetes' });
    expect((await maps(byPath).list()).items).toHaveLength(1);
    await expect(connect({ kubeconfig: join(folder, 'config'), context: 'other' })).rejects.toThrow(
      'context was not found for specified context: other',
    );

    vi.stubEnv('KUBECONFIG', join(folder, 'config'));
    expect((await maps(await client(undefined)).list()).items).toHaveLength(1);

    vi.stubEnv('KUBECONFIG', join(folder, 'none'));
    const logger = { info: () => undefined, error: () => undefined, warn: vi.fn() };
    await expect(connect({}, { logger })).rejects.toThrow(/no configuration has been provided/);
    expect(logger.warn).toHaveBeenCalledWith(`Config not found: ${join(folder, 'none')}`, undefined);
  });

  test('without TLS gets a token only on this machine', async () => {
    const { server } = await kubernetes();
    const listener = await listen(server);
    closers.push(() => listener.close({ grace: 0 }));
    const local = await client({ kubeconfig: server.kubeConfig({ server: listener.url }) });
    expect((await maps(local).list()).items).toHaveLength(1);
    await expect(connect({ url: 'http://cluster.example', token: 'secret' })).rejects.toThrow(
      new TypeError(
        'connect: a token would be sent to cluster.example in plaintext: use https://, or pass a function fetch that may send it',
      ),
    );
  });

  test.each<[Parameters<typeof connect>[0], ConnectOptions, RegExp]>([
    [{ url: 'ftp://a' }, {}, /^connect: the option url must be the URL of a server/],
    [{ url: 'https://user:secret@a' }, {}, /^connect: the option url must be the URL of a server/],
    [{ url: 'https://a', tokens: 'a' } as never, {}, /unknown option "tokens"; did you mean "token"\?/],
    [{ kubeconfig: 1 } as never, {}, /the option kubeconfig/],
    [{ url: 'https://a', authority: '/ca.crt' }, {}, /the option authority must be the content of a file in PEM/],
    [
      { url: 'https://a', certificate: { certificate: '-----BEGIN CERTIFICATE-----', key: 'tls.key' } },
      {},
      /the option certificate.key must be the content of a file in PEM, not its path/,
    ],
    [{ host: 'https://a' } as never, {}, /^connect: the target needs url, or kubeconfig, or nothing; got "host"$/],
    [{ url: 'http://127.0.0.1', authority: 'x' }, {}, /a certificate is for https/],
    [{ url: 'https://a' }, { dialect: 'other' as 'orch' }, /one of orch, kubernetes/],
    [{ url: 'https://a' }, { retry: { attempts: 0 } }, /retry.attempts must be a whole number/],
    [{ url: 'https://a' }, { at: 3 } as never, /unknown option "at"/],
    [{ url: 'https://a', fetch: 3 as never }, {}, /the option fetch must be a function/],
  ])('is named by valid options: %j %j', async (target, options, message) => {
    await expect(connect(target, options)).rejects.toThrow(TypeError);
    await expect(connect(target, options)).rejects.toThrow(message);
  });
});

describe('a kubeconfig that cannot be used', () => {
  const config = (names: readonly string[], current: string): string =>
    JSON.stringify(
      {
        'current-context': current,
        clusters: [{ name: 'k', cluster: { server: 'https://a' } }],
        contexts: names.map((name) => ({ name, context: { cluster: 'k' } })),
      },
      undefined,
      1,
    );
  test.each<[name: string, text: string, message: RegExp | string]>([
    ['another context', config(['a', 'b'], 'c'), /for specified context: c; the configuration has "a", "b"$/],
    ['no context', config([], 'c'), /for specified context: c; the configuration has none$/],
    ['no choice', config(['a'], ''), 'no context chosen; the configuration has "a"'],
    [
      'many contexts',
      config(
        [...Array(12)].map((_, at) => `c${at}`),
        'c',
      ),
      /"c8", "c9", and 2 more$/,
    ],
    ['an open list', 'a: [b\nc', "yaml: line 2: did not find expected ',' or ']'"],
    ['an open list with a secret', 'a: ["hunter2" "x"\n]', "yaml: line 1: did not find expected ',' or ']'"],
    ['nothing', '\n', 'invalid configuration: the text has neither clusters nor contexts'],
  ])('says why: %s', async (_name, text, message) => {
    await expect(connect({ kubeconfig: text })).rejects.toThrow(message);
  });

  test('is named when the file is empty', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'connect-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'config'), '');
    await expect(connect({ kubeconfig: join(folder, 'config') })).rejects.toThrow(
      `invalid configuration: the file "${join(folder, 'config')}" has neither clusters nor contexts`,
    );
  });
});

describe('a failure of the network', () => {
  test('names the host and the cause, and no secret', async () => {
    const port = await serving(createTcpServer());
    await closers.pop()?.();
    for (const more of [{}, { fetch }]) {
      const target = { url: `http://127.0.0.1:${port}`, token: 'very-secret', ...more };
      const error = await outcomeOf(maps(await client(target, { retry: false })).get('a'));
      expect(error).toBeInstanceOf(ConnectionLostError);
      expect(String(error)).toContain(`GET http://127.0.0.1:${port}/api/v1/namespaces/default/configmaps/a: `);
      expect(String(error)).toContain('ECONNREFUSED');
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('very-secret');
    }
  });

  test('names a certificate that is not trusted', async () => {
    const { server } = await kubernetes();
    const { certPem, keyPem } = await createServingCertificate();
    const listener = await listen(server, { tls: { key: keyPem, cert: certPem } });
    closers.push(() => listener.close({ grace: 0 }));
    const error = await outcomeOf(maps(await client({ url: listener.url, token: 'very-secret' })).list());
    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(String(error)).toMatch(
      /GET https:.*: .*certificate.*: the certificate of the server is of an authority that is not trusted: name it by the option authority, or as certificate-authority in the kubeconfig$/,
    );
  });

  test('is the end of the time for an answer', async () => {
    const url = await answering(() => undefined);
    const clock = createManualClock();
    const hanging = await client({ url }, { clock, timeout: '5s' });
    const outcome = outcomeOf(maps(hanging).get('a'));
    await vi.waitFor(() => expect(clock.pending).toBe(1), PATIENCE);
    await clock.advance('5s');
    expect(String(await outcome)).toMatch(/configmaps\/a: no answer within 5000 ms$/);
  });

  test('is a client that was closed', async () => {
    const url = await answering(() => undefined);
    const closed = await client({ url });
    const outcome = outcomeOf(maps(closed).get('a'));
    await closed.close();
    expect(String(await outcome)).toContain('the client is closed');
    expect(String(await outcomeOf(maps(closed).get('a')))).toContain('the client is closed');
  });
});

describe('an answer that is no Status', () => {
  test.each<[number, string, Partial<ApiError>]>([
    [502, '<html>bad gateway</html>', { code: 502, message: expect.stringContaining('an error on the server') }],
    [404, 'no such page', { code: 404, reason: 'NotFound' }],
    [401, '', { code: 401, reason: 'Unauthorized' }],
    [429, '', { code: 429, reason: 'TooManyRequests' }],
  ])('%d %s', async (status, body, expected) => {
    const url = await answering((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '7' }).end(body);
    });
    const error = await outcomeOf(maps(await client({ url }, { retry: false })).get('a'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject(expected);
    // For a path that does not exist, the client looks for the kind.
    if (status !== 404) expect((error as ApiError).status.details).toEqual({ retryAfterSeconds: 7 });
  });

  test('is an error when it should be an object', async () => {
    const url = await answering((_request, response) => void response.end('[1]'));
    await expect(maps(await client({ url })).get('a')).rejects.toThrow('the response is not a JSON object');
    await expect(
      maps(await client({ url }))
        .watch()
        .next(),
    ).rejects.toThrow('a line of the watch is not an event');
  });

  test('has the types of its objects filled in', async () => {
    const url = await answering((_request, response) => {
      response.end(
        JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [{ metadata: {} }] }),
      );
    });
    expect((await maps(await client({ url })).list()).items).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
    ]);
  });
});

describe('connections', () => {
  test('of HTTP/2 carry all requests; a further one is opened when the server admits no more streams', async () => {
    const { caPem, certPem, keyPem } = await createServingCertificate();
    let sessions = 0;
    const server = createSecureServer({ key: keyPem, cert: certPem, settings: { maxConcurrentStreams: 3 } });
    const open: ServerHttp2Stream[] = [];
    server.on('session', (session) => {
      sessions += 1;
      closers.push(() => session.destroy());
    });
    server.on('stream', (stream) => {
      open.push(stream);
      stream.respond({ ':status': 200 });
    });
    const port = await serving(server as unknown as Server);
    const many = await client({ url: `https://127.0.0.1:${port}`, authority: caPem });
    const watches = Array.from({ length: 5 }, () => maps(many).watch());
    const first = watches.map((watch) => watch.next());
    await vi.waitFor(() => expect(open).toHaveLength(5), PATIENCE);
    expect(sessions).toBe(2);
    for (const stream of open) stream.write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n');
    for (const next of first) expect((await next).value).toMatchObject({ type: 'BOOKMARK' });
    for (const watch of watches) await watch.return();
    await vi.waitFor(() => expect(open.every(({ closed }) => closed)).toBe(true), PATIENCE);
  });

  test('of watches do not take those of other requests, and leave no socket', async () => {
    const { server } = await kubernetes();
    const listener = await listen(server);
    closers.push(() => listener.close({ grace: 0 }));
    const one = await client({ url: listener.url, token: 'admin-token' }, { limit: { connections: 1 } });
    const abort = new AbortController();
    const watches = Array.from({ length: 50 }, async () => {
      for await (const _event of maps(one).watch({ signal: abort.signal }));
    });
    await vi.waitFor(() => expect(listener.connections).toBe(50), PATIENCE);
    expect((await maps(one).list()).items).toHaveLength(1);
    abort.abort();
    await Promise.all(watches);
    await vi.waitFor(() => expect(listener.connections).toBeLessThanOrEqual(1), PATIENCE);
  });

  test('go through the proxy of the environment', async () => {
    const { server } = await kubernetes();
    const { caPem, certPem, keyPem } = await createServingCertificate({ names: ['cluster.example'] });
    const listener = await listen(server, { tls: { key: keyPem, cert: certPem } });
    closers.push(() => listener.close({ grace: 0 }));
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const upstream = connectTcp(listener.address.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => undefined);
      upstream.on('close', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
      closers.push(() => upstream.destroy());
    });
    const port = await serving(proxy);
    vi.stubEnv('HTTPS_PROXY', `http://me:pass%20word@127.0.0.1:${port}`);
    const target = { url: 'https://cluster.example:6443', authority: caPem, token: 'admin-token' };
    expect((await maps(await client(target)).list()).items).toHaveLength(1);
    const basic = Buffer.from('me:pass word').toString('base64');
    expect(new Set(asked)).toEqual(new Set([`cluster.example:6443 Basic ${basic}`]));
    vi.stubEnv('NO_PROXY', 'other.example,.example');
    await expect(maps(await client(target, { retry: false })).list()).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('HTTPS_PROXY', `http://me:secret@127.0.0.1:1`);
    const refused = await outcomeOf(maps(await client(target, { retry: false })).list());
    expect(String(refused)).toContain('the proxy 127.0.0.1:1 cannot be reached: connect ECONNREFUSED');
    expect(String(refused)).not.toContain('secret');
  });
});

test('a response that is not JSON is an error that names the server, and shows nothing of the response', async () => {
  const port = await serving(createServer((_request, response) => response.end('secret page')));
  const other = await client({ url: `http://127.0.0.1:${port}` });
  const words = `http://127.0.0.1:${port}: the response is not JSON`;
  const failures = [await outcomeOf(maps(other).list()), await outcomeOf(maps(other).watch().next())];
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(ConnectionLostError);
    expect(failure).toMatchObject({ message: words });
    expect(inspect(failure)).not.toContain('secret');
  }
});

test('a proxy that is not one is refused before the first call, without its value', async () => {
  const kubeconfig = `
clusters: [{ name: c, cluster: { server: "https://cluster.example", proxy-url: "socks5://me:secret@proxy.example" } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
users: [{ name: u, user: {} }]
current-context: c
`;
  await expect(connect({ kubeconfig })).rejects.toThrow(
    'invalid configuration: proxy-url of cluster "c" must be the URL of a proxy, http:// or https://',
  );
});

describe('credentials', () => {
  test('that a function returns are asked for again once when the server refuses them', async () => {
    const { server } = await kubernetes();
    const listener = await listen(server);
    closers.push(() => listener.close({ grace: 0 }));
    const tokens = ['expired', 'admin-token', 'expired', 'expired', 'admin-token'];
    const token = vi.fn(() => tokens.shift() ?? '');
    const renewed = await client({ url: listener.url, token });
    expect((await maps(renewed).list()).items).toHaveLength(1);
    expect(token).toHaveBeenCalledTimes(2);
    expect(await outcomeOf(maps(renewed).list())).toMatchObject({ code: 401 });
    expect(token).toHaveBeenCalledTimes(4);
    await expect(maps(await client({ url: listener.url, token: () => '' })).list()).rejects.toThrow(
      'getting credentials: the function token returned no token',
    );
  });

  test('of a plugin are asked for with the first call, and again when the server refuses them', async () => {
    const { server } = await kubernetes();
    const { caPem, certPem, keyPem } = await createServingCertificate();
    const listener = await listen(server, { tls: { key: keyPem, cert: certPem } });
    closers.push(() => listener.close({ grace: 0 }));
    const folder = mkdtempSync(join(tmpdir(), 'plugin-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    const runs = join(folder, 'runs');
    const apiVersion = 'client.authentication.k8s.io/v1';
    // The first run gives a token that the server refuses.
    const plugin = `
      const { appendFileSync, readFileSync } = require('node:fs');
      appendFileSync(${JSON.stringify(runs)}, '+');
      const token = readFileSync(${JSON.stringify(runs)}, 'utf8') === '+' ? 'old' : 'admin-token';
      console.log(JSON.stringify({ apiVersion: '${apiVersion}', kind: 'ExecCredential', status: { token } }));`;
    const exec = { apiVersion, command: process.execPath, args: ['-e', plugin], interactiveMode: 'Never' };
    const cluster = { server: listener.url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
    const file = join(folder, 'config');
    writeFileSync(file, text);
    const plugged = await client({ kubeconfig: file });
    expect(existsSync(runs)).toBe(false);
    expect((await maps(plugged).list()).items).toHaveLength(1);
    expect((await maps(plugged).list()).items).toHaveLength(1);
    expect(readFileSync(runs, 'utf8')).toBe('++');
  });

  test('of a pod are its service account, whose token is read again', async () => {
    const { server } = await kubernetes();
    const { caPem, certPem, keyPem } = await createServingCertificate();
    const listener = await listen(server, { tls: { key: keyPem, cert: certPem } });
    closers.push(() => listener.close({ grace: 0 }));
    const folder = mkdtempSync(join(tmpdir(), 'pod-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of [
      ['ca.crt', caPem],
      ['token', 'old'],
      ['namespace', 'shop\n'],
    ] as const)
      writeFileSync(join(folder, name), text);
    const { kubeConfigOfPod } = await import('../../../src/entries/kubeconfig.js');
    const { kubernetes: dialect } = await import('../../../src/foundation/index.js');
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(listener.address.port) };
    const clock = createManualClock();
    const pod = await client({ kubeconfig: await kubeConfigOfPod({ env, dialect, folder }) }, { clock });
    expect(pod.namespace).toBe('shop');
    expect(await outcomeOf(maps(pod).list())).toMatchObject({ code: 401 });
    writeFileSync(join(folder, 'token'), 'admin-token');
    await clock.advance('1m');
    expect((await maps(pod).list()).items).toHaveLength(1);
  });
});
