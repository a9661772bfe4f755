import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import { run } from '../../src/cli/run.js';
import { RawClient } from '../transport/support/raw-client.js';
import { END_HEADERS, END_STREAM, fields, frame, opening, RawHttp2Client } from '../transport/support/raw-http2.js';
import { createFakeHost } from './fake-host.js';
import { plain, ServingTests, stop, today, userOfToken } from './serving.js';

const tests = new ServingTests();
const start: ServingTests['start'] = (words, host) => tests.start(words, host);

/** Status of an answer over TLS. */
async function secureStatus(url: string, ca: string): Promise<number> {
  const send = http1Fetch({ ca });
  try {
    return (await send(url)).status;
  } finally {
    send.close();
  }
}

describe('serving', () => {
  it("writes a kubeconfig that only its owner can read, with an administrator's token", async () => {
    const server = await start(plain);
    expect((await stat(server.path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(tests.directory, 'orch'))).mode & 0o777).toBe(0o700);
    expect(server.kubeconfig.clusters[0]?.cluster.server).toBe(server.http);
    const answer = await fetch(`${server.http}/api/v1/namespaces/default`, { headers: server.authorization });
    expect(answer.status).toBe(200);
    expect((await fetch(`${server.http}/api/v1/namespaces/default`)).status).toBe(403);
    expect(server.host.err()).toContain('kubectl sends no token to a plaintext address');
    expect(await stop(server)).toBe(0);
  });

  it('restricts the mode of an existing kubeconfig', async () => {
    await mkdir(join(tests.directory, 'orch'));
    await writeFile(join(tests.directory, 'orch', 'kubeconfig'), 'old');
    await chmod(join(tests.directory, 'orch', 'kubeconfig'), 0o644);
    const server = await start(plain);
    expect((await stat(server.path)).mode & 0o777).toBe(0o600);
    await stop(server);
  });

  it.each<[what: string, flags: string[]]>([
    ['HTTPS', ['--secure-port=auto']],
    ['plaintext', plain],
    ['HTTPS and another dialect', ['--secure-port=auto', '--dialect=kubernetes']],
  ])('never replaces the kubeconfig of another running server: %s', async (_what, flags) => {
    const first = await start(['--secure-port=auto'], today());
    const content = await readFile(first.path, 'utf8');
    const second = await start(flags, today());
    expect(second.path).toBe(`${first.path}-${new URL(second.urls[0] ?? '').port}`);
    expect(second.host.log()).toContainEqual(
      expect.objectContaining({
        message: `${first.path} belongs to another running server, so the kubeconfig of this one is beside it`,
        kubeconfig: second.path,
      }),
    );
    expect(await readFile(first.path, 'utf8')).toBe(content);
    expect(await userOfToken(second.http, second.token)).not.toBe(401);
    await stop(first);
    const third = await start(plain);
    expect(third.path).toBe(first.path);
    expect(await readFile(third.path, 'utf8')).not.toBe(content);
  });

  it('replaces the kubeconfig of a server that has another token by now', async () => {
    const first = await start(plain);
    const content = await readFile(first.path, 'utf8');
    await writeFile(first.path, content.replace(first.token, 'f'.repeat(64)));
    expect((await start(plain)).path).toBe(first.path);
  });

  it('serves HTTPS with a generated authority that the kubeconfig names, and keeps it', async () => {
    const first = await start(['--secure-port=auto'], today());
    const [https = ''] = first.urls;
    const { cluster } = first.kubeconfig.clusters[0] ?? { cluster: { server: '' } };
    expect(cluster.server).toBe(https);
    expect(first.host.err()).not.toContain('plaintext address');
    const ca = Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString();
    expect(ca).toBe(await readFile(join(tests.directory, 'pki', 'ca.crt'), 'utf8'));
    expect(await secureStatus(`${https}/readyz`, ca)).toBe(200);
    expect(await stop(first)).toBe(0);
    const second = await start(['--secure-port=auto'], today());
    expect(
      Buffer.from(second.kubeconfig.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString(),
    ).toBe(ca);
    await stop(second);
  });

  it('serves HTTPS with the given certificate', async () => {
    const { certPem, keyPem, caPem } = await createServingCertificate();
    const [certFile, keyFile] = [join(tests.directory, 'c.pem'), join(tests.directory, 'k.pem')];
    await writeFile(certFile, certPem + caPem);
    await writeFile(keyFile, keyPem);
    const server = await start([
      '--secure-port=auto',
      '--insecure-loopback-port=0',
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
    ]);
    expect(await secureStatus(`${server.urls[0] ?? ''}/livez`, caPem)).toBe(200);
    expect(
      Buffer.from(server.kubeconfig.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString(),
    ).toBe(certPem + caPem);
    await expect(stat(join(tests.directory, 'pki'))).rejects.toThrow('ENOENT');
    await stop(server);
  });

  it('accepts the users of a token file, and reports skipped lines', async () => {
    const path = join(tests.directory, 'tokens.csv');
    await writeFile(path, ',nobody,\nalice-token,alice,7,"system:masters,team"\nbob-token,bob,8\n');
    const server = await start([...plain, `--token-auth-file=${path}`]);
    const status = async (token: string): Promise<number> =>
      (await fetch(`${server.http}/api/v1/namespaces`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await Promise.all(['alice-token', 'bob-token', 'eve-token'].map(status))).toEqual([200, 403, 401]);
    expect(server.host.log().map(({ message }) => message)).toContain(
      `empty token has been found in token file '${path}', record number '1'`,
    );
    await stop(server);
  });

  it.each([
    [[], 200],
    [['--anonymous-auth=false'], 401],
  ])('anonymous requests with %j', async (words, status) => {
    const server = await start([...plain, ...words]);
    expect((await fetch(`${server.http}/version`)).status).toBe(status);
    await stop(server);
  });

  it.each(['orch', 'kubernetes'])('uses the dialect %s', async (dialect) => {
    const server = await start([...plain, '--dialect', dialect]);
    const groups = (await (await fetch(`${server.http}/apis`, { headers: server.authorization })).json()) as {
      groups: { name: string }[];
    };
    expect(groups.groups.map(({ name }) => name)).toContain(
      dialect === 'orch' ? 'coordination.orch.io' : 'coordination.k8s.io',
    );
    const version = (await (await fetch(`${server.http}/version`)).json()) as Record<string, string>;
    expect(version).toMatchObject({
      gitVersion: `v1.31.0+${dialect}.1.2.3`,
      goVersion: 'node20',
      platform: 'linux/amd64',
    });
    await stop(server);
  });

  it('enables features and versions', async () => {
    const server = await start([
      ...plain,
      '--feature-gates=WatchList=true,ServerSideApply=true',
      '--runtime-config=coordination.orch.io/v1=false',
    ]);
    expect(server.host.log()[0]?.['message']).toBe(
      'Setting GA feature gate ServerSideApply=true. It will be removed in a future release.',
    );
    expect((await fetch(`${server.http}/apis/coordination.orch.io/v1`, { headers: server.authorization })).status).toBe(
      404,
    );
    const watch = await fetch(
      `${server.http}/api/v1/namespaces?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { headers: server.authorization },
    );
    expect(watch.status).toBe(200);
    await watch.body?.cancel();
    await stop(server);
  });
});

describe('access control', () => {
  it('accepts plain HTTP requests only for the local host and the names of --accept-hosts', async () => {
    const server = await start([...plain, '--accept-hosts=dev.test']);
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve) =>
        get(`${server.http}/version`, { headers: { host }, agent: false }, (answer) =>
          resolve(answer.resume().statusCode),
        ),
      );
    expect(await Promise.all(['localhost', '127.0.0.1:1', 'dev.test', 'attacker.test'].map(status))).toEqual([
      200, 200, 200, 403,
    ]);
    await stop(server);
  });

  it('limits each user by flags', async () => {
    const tokens = await tests.file('tokens.csv', 'alice-token,alice,7\n');
    const server = await start([
      ...plain,
      '--max-watches=1',
      `--token-auth-file=${tokens}`,
      '--authorization-mode=AlwaysAllow',
    ]);
    const watch = (): Promise<Response> =>
      fetch(`${server.http}/api/v1/namespaces?watch=1`, { headers: { authorization: 'Bearer alice-token' } });
    const first = await watch();
    expect([first.status, (await watch()).status]).toEqual([200, 429]);
    await first.body?.cancel();
    await expect.poll(async () => (await watch()).status).toBe(200);
    await stop(server);
  });
});

describe('output', () => {
  it('logs only the start, with the plaintext kubeconfig, and the end, and no secret', async () => {
    const server = await start(plain);
    await fetch(`${server.http}/api/v1/namespaces`, { headers: server.authorization });
    await stop(server);
    expect(server.host.log().map(({ message }) => message)).toEqual([
      'kubectl sends no token to a plaintext address, so it is anonymous with this kubeconfig: open --secure-port',
      ...['serving', 'ending', 'ended'],
    ]);
    expect(server.host.log()[1]).toEqual({
      time: '2024-01-01T00:00:00.000Z',
      level: 'info',
      message: 'serving',
      version: '1.2.3',
      dialect: 'orch',
      urls: server.urls,
      kubeconfig: server.path,
      storage: 'the state is in memory and is lost when this process ends',
    });
    expect(server.host.out()).toBe('');
  });

  it('logs no value of an unknown API parameter', async () => {
    const server = await start([...plain, '--v=3']);
    for (const query of [
      'access_token=abc',
      'watch=0&access%5Ftoken=abc&limit=1',
      'abc',
      'Limit=abc',
      'token=abc&password=abc&X-Amz-Signature=abc',
      'limit=1&&',
    ])
      await fetch(`${server.http}/version?${query}`, {
        headers: { 'sec-websocket-protocol': 'base64url.bearer.authorization.orch.io.abc' },
      });
    await stop(server);
    const uris = server.host
      .log()
      .filter(({ message }) => message === 'request')
      .map(({ uri }) => uri);
    expect(uris).toEqual([
      '/version?access_token=REDACTED',
      '/version?watch=0&access%5Ftoken=REDACTED&limit=1',
      '/version?REDACTED',
      '/version?Limit=REDACTED',
      '/version?token=REDACTED&password=REDACTED&X-Amz-Signature=REDACTED',
      '/version?limit=1&&',
    ]);
    expect(server.host.err()).not.toContain('abc');
  });

  it('suggests the dialect of a client once', async () => {
    const server = await start(plain);
    for (const path of [
      '/apis/coordination.orch.io/v1',
      '/apis/example.com/v1',
      '/apis/coordination.k8s.io/v1/leases',
      '/apis/rbac.authorization.k8s.io/v1/roles',
    ])
      await fetch(`${server.http}${path}`, { headers: server.authorization });
    await stop(server);
    const hints = server.host.log().filter(({ message }) => String(message).includes('--dialect'));
    expect(hints.map(({ message }) => message)).toEqual([
      "the API group coordination.k8s.io belongs to the dialect kubernetes, and this server has the dialect orch: choose the other one for such clients (new ApiServer({ dialect: 'kubernetes' }), serve --dialect kubernetes)",
    ]);
  });

  it.each([
    [true, [], 'text'],
    [false, [], 'json'],
    [true, ['--log-format=json'], 'json'],
    [false, ['--log-format=text'], 'text'],
  ] as const)('logs suitably for a terminal (%s) and as configured (%j): %s', async (isTTY, words, format) => {
    const host = createFakeHost({ logsToTTY: isTTY });
    const ended = run(
      ['serve', ...plain, '--insecure-loopback-port=auto', '--storage=memory', '--kubeconfig-out=', ...words],
      host,
    );
    await expect.poll(() => host.err()).toContain('serving');
    host.signal('SIGTERM');
    await expect.poll(() => host.err()).toContain('ending');
    await host.clock.advance(0);
    expect(await ended).toBe(0);
    if (format === 'json') expect(host.log()).toHaveLength(3);
    else
      expect(host.err()).toMatch(
        /^00:00:00\.000 INFO  serving version=1\.2\.3 dialect=orch urls=http:\S+ kubeconfig="" storage="the state is in memory and is lost when this process ends"\n\S+ INFO  ending signal=SIGTERM\n\S+ INFO  ended\n$/,
      );
  });

  it('logs every request at level 3, without the token', async () => {
    const server = await start([...plain, '--v=3']);
    await fetch(`${server.http}/api/v1/secrets?limit=1`, {
      headers: { ...server.authorization, 'user-agent': 'tester' },
    });
    await stop(server);
    const request = server.host.log().find(({ message }) => message === 'request');
    expect(request).toEqual({
      time: '2024-01-01T00:00:00.000Z',
      level: 'info',
      message: 'request',
      method: 'GET',
      uri: '/api/v1/secrets?limit=1',
      status: 200,
      latencyMs: 0,
      userAgent: 'tester',
      from: '127.0.0.1',
    });
    expect(server.host.err()).not.toContain(server.token);
  });

  it('prints its address and a first command for a user at a terminal', async () => {
    const server = await start(plain, createFakeHost({ isTTY: true }));
    await stop(server);
    const text = server.host.out();
    expect(text).toContain(
      'orch-apiserver 1.2.3, dialect orch: the state is in memory and is lost when this process ends.\n',
    );
    expect(text).toContain(`  ${server.http} (from this machine only)\n`);
    expect(text).toContain(`Kubeconfig of the owner, with all permissions: ${server.path}\n`);
    expect(text.match(/^ {2}(TOKEN=|curl )/gm)).toHaveLength(3);
    expect(text).toContain('For kubectl, start with --dialect kubernetes.\n');
    expect(text).not.toContain(server.token);
  });

  it('prints a link that opens the page once, for a user at a terminal alone', async () => {
    const server = await start([...plain, '--ui'], createFakeHost({ isTTY: true }));
    const [, url, code] = /(http:\S+\/ui\/)#(\S+)/.exec(server.host.out()) ?? [];
    expect(url).toBe(`${server.http}/ui/`);
    const begin = (): Promise<Response> =>
      fetch(`${server.http}/ui/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    expect([(await begin()).status, (await begin()).status]).toEqual([201, 401]);
    await stop(server);
    expect(server.host.err()).not.toContain(code);
    const unseen = await start([...plain, '--ui']);
    await stop(unseen);
    expect(unseen.host.out() + unseen.host.err()).not.toContain('/ui/');
  });

  it('prints kubectl commands for a user who has the tool', async () => {
    const server = await start([...plain, '--dialect=kubernetes'], createFakeHost({ isTTY: true }));
    await stop(server);
    expect(server.host.out()).toContain(`To try:\n  kubectl --kubeconfig ${server.path} get namespaces\n`);
    expect(server.host.out()).not.toContain('--dialect kubernetes');
  });
});

describe('shutdown', () => {
  it('fails readiness at once, and serves for the delay', async () => {
    const server = await start([...plain, '--shutdown-delay-duration=5s']);
    server.host.signal('SIGTERM');
    expect(await server.host.logged('ending')).toMatchObject({ signal: 'SIGTERM' });
    expect((await fetch(`${server.http}/readyz`)).status).toBe(500);
    expect((await fetch(`${server.http}/livez`)).status).toBe(200);
    expect((await fetch(`${server.http}/api/v1/namespaces`, { headers: server.authorization })).status).toBe(200);
    await server.host.clock.advance(5_000);
    expect(await server.ended).toBe(0);
    await expect(fetch(`${server.http}/livez`)).rejects.toThrow();
  });

  it('ends watches with a complete answer', async () => {
    const server = await start(plain);
    const watch = await fetch(`${server.http}/api/v1/namespaces?watch=1`, { headers: server.authorization });
    const text = watch.text();
    expect(await stop(server)).toBe(0);
    const types = (await text)
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(['ADDED', 'ADDED', 'ADDED', 'ADDED']);
  });

  it('answers a request whose body is still arriving', async () => {
    const server = await start(plain);
    let send: (text: string) => void = () => undefined;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"metadata":'));
        send = (text) => {
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        };
      },
    });
    const headers = { ...server.authorization, 'content-type': 'application/json' };
    const created = fetch(`${server.http}/api/v1/namespaces/default/configmaps`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    // The answer to a second request shows that the first one, sent before it, has arrived.
    await fetch(`${server.http}/livez`);
    server.host.signal('SIGINT');
    await server.host.logged('ending');
    await server.host.clock.advance(0);
    send('{"name":"late"}}');
    expect((await created).status).toBe(201);
    expect(await server.ended).toBe(0);
  });

  it('is not delayed by clients that finish nothing', async () => {
    const server = await start(['--secure-port=auto'], today());
    const [secure, insecure] = server.urls.map((url) => Number(new URL(url).port)) as [number, number];
    const body = new RawClient(insecure);
    body.write(
      `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    const head = new RawClient(insecure);
    head.write('GET /version HTTP/1.1\r\nHo');
    const ca = await readFile(join(tests.directory, 'pki', 'ca.crt'), 'utf8');
    const frames = new RawHttp2Client(secure, ca);
    await frames.secured;
    frames.write(opening(), frame('headers', END_HEADERS, 1, fields('GET', '/version')).subarray(0, 10));
    const answers = new RawHttp2Client(secure, ca);
    await answers.secured;
    answers.write(opening(0), frame('headers', END_HEADERS | END_STREAM, 1, fields('GET', '/version')));
    await expect.poll(() => answers.frames('headers').length).toBe(1);
    expect((await fetch(`${server.http}/livez`)).status).toBe(200);
    server.host.signal('SIGTERM');
    await server.host.logged('ending');
    // Two checks after the grace period for clients; a request in flight could take sixty seconds.
    for (let second = 0; second < 10; second += 1) await server.host.clock.advance(1_000);
    expect(await server.ended).toBe(0);
    await Promise.all([body.closed, head.closed, frames.closed, answers.closed]);
  });

  it('ends at once on the second signal, but not on an echo of the first', async () => {
    const server = await start([...plain, '--shutdown-delay-duration=1h']);
    server.host.signal('SIGINT');
    // Ctrl-C reaches the whole process group, and a package manager forwards it: within one second both count as one
    // request.
    server.host.signal('SIGINT');
    await server.host.clock.advance(999);
    server.host.signal('SIGTERM');
    expect(server.host.exits).toEqual([]);
    await server.host.clock.advance(1);
    server.host.signal('SIGINT');
    expect(server.host.exits).toEqual([1]);
    await server.host.logged('ending');
    await server.host.clock.advance(3_600_000);
    await server.ended;
  });
});
