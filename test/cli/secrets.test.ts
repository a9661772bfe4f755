/** The log contains no secrets, for any configuration and any event. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import WebSocket from 'ws';
import { encodeYaml } from '../../src/server/codec/index.js';
import { systemClock } from '../../src/foundation/index.js';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { forgeKey, serveForged, sign, type ForgedKey } from '../security/authn/oidc/support/forge.js';
import { startHost, type Host } from '../security/authn/oidc/support/host.js';
import { authority, client, DAY } from '../security/pki/support/issue.js';
import { createFakeHost } from './fake-host.js';
import { asOwner, authorityOf, ServingTests, stop, today, whoami, userOfToken, type Serving } from './serving.js';

const tests = new ServingTests();
const now = systemClock.now();
const valid = { notBefore: now - DAY, notAfter: now + DAY };
const users = authority('users', valid);
const alice = client('alice', users, valid);
const stranger = client('eve', authority('strangers', valid), valid);

let provider: Host;
let webhook: { readonly url: string; readonly ca: string; close(): void };
let key: ForgedKey;
let forger: ForgedKey;

beforeEach(async () => {
  [provider, key, forger, webhook] = [
    await startHost(),
    await forgeKey('one'),
    await forgeKey('one'),
    await startWebhook(),
  ];
  serveForged(provider, { keys: [key.jwk] });
});
afterEach(async () => {
  webhook.close();
  await provider.stop();
});

/** A service that repeats its input wherever it can. */
async function startWebhook(): Promise<typeof webhook> {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  let asked = 0;
  const service = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      asked += 1;
      const { authorization = '' } = request.headers;
      if (asked % 3 === 0) return void response.writeHead(400, { 'x-told': authorization }).end(body + authorization);
      const review = JSON.parse(body) as { spec: { token: string } };
      response.end(
        asked % 3 === 1
          ? JSON.stringify({ ...review, status: { error: `what is ${review.spec.token}?` } })
          : body.slice(1),
      );
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(service.address() as AddressInfo).port}/`,
    ca: caPem,
    close() {
      service.closeAllConnections();
      service.close();
    },
  };
}

const ecKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The forms of a secret to search for: the text itself, and its parts. */
function traces(secret: string): string[] {
  if (secret.startsWith('-----')) return secret.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  return [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ...secret.split('.').filter((part) => part.length >= 16 && /[^a-z]/.test(part)),
  ];
}

const STATIC = 'a-static-token-0123456789';
const BOOTSTRAP = 'abcdef.0123456789abcdef';
const OF_SERVER = 'the-token-of-the-server-at-the-webhook';
const PASSWORD = 'a-password-of-somebody';
const SHORT = 'a-guess-that-nobody-knows';

/** Requests with a token in every place that can hold one. */
async function present(server: Serving, token: string): Promise<void> {
  await userOfToken(server.http, token);
  await whoami(server.http, { authorization: `bearer  ${token} ` });
  await asOwner(server, 'POST', '/apis/authentication.orch.io/v1/tokenreviews', {
    spec: { token, audiences: ['others'] },
  });
  const protocol = `base64url.bearer.authorization.orch.io.${Buffer.from(token).toString('base64url')}`;
  const socket = new WebSocket(`${server.http.replace('http', 'ws')}/api/v1/namespaces?watch=1`, [
    protocol,
    'binary.orch.io',
  ]);
  await new Promise((resolve) => socket.on('open', resolve).on('error', resolve));
  socket.terminate();
}

it('no secret from flags or requests is logged', { timeout: 300_000 }, async () => {
  const [signingKey, otherKey] = [ecKey(), ecKey()];
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const kubeconfig = encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'webhook',
    clusters: [
      {
        name: 'service',
        cluster: { server: webhook.url, 'certificate-authority-data': Buffer.from(webhook.ca).toString('base64') },
      },
    ],
    users: [
      {
        name: 'server',
        user: {
          token: OF_SERVER,
          'client-certificate-data': Buffer.from(alice.pem).toString('base64'),
          'client-key-data': Buffer.from(alice.keyPem).toString('base64'),
        },
      },
    ],
    contexts: [{ name: 'webhook', context: { cluster: 'service', user: 'server' } }],
  });
  const caFile = await tests.file('users.crt', users.pem);
  const server = await tests.start(
    [
      '--v=9',
      '--secure-port=auto',
      `--tls-cert-file=${await tests.file('tls.crt', certPem + caPem)}`,
      `--tls-private-key-file=${await tests.file('tls.key', keyPem)}`,
      `--token-auth-file=${await tests.file('tokens.csv', `${STATIC},carol,1\n${STATIC},dave,2\n`)}`,
      `--client-ca-file=${caFile}`,
      `--requestheader-client-ca-file=${caFile}`,
      `--service-account-signing-key-file=${await tests.file('sa.key', signingKey)}`,
      `--service-account-key-file=${await tests.file('other.key', otherKey)}`,
      '--enable-bootstrap-token-auth',
      `--oidc-issuer-url=${provider.url}`,
      '--oidc-client-id=orchestrator',
      `--oidc-ca-file=${await tests.file('provider.crt', provider.caPem)}`,
      '--controllers=*,bootstrapsigner',
      `--authentication-token-webhook-config-file=${await tests.file('webhook.yaml', kubeconfig)}`,
      '--authentication-token-webhook-cache-ttl=0s',
    ],
    today(),
  );
  await server.host.logged('OpenID provider discovered');
  await asOwner(server, 'POST', '/api/v1/namespaces/orch-system/secrets', {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.orch.io/token',
    stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
  });
  await asOwner(server, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const { status } = await asOwner<{ status: { token: string } }>(
    server,
    'POST',
    '/api/v1/namespaces/default/serviceaccounts/robot/token',
    { spec: {} },
  );
  const seconds = Math.floor(now / 1000);
  const claims = { iss: provider.url, aud: 'orchestrator', sub: 'jane', exp: seconds + 3600 };
  const idTokens = [
    await sign(key, claims),
    await sign(forger, claims),
    await sign(key, { ...claims, exp: seconds - 3600 }),
    await sign(key, { ...claims, aud: 'others' }),
  ];
  const tokens = [
    STATIC,
    BOOTSTRAP,
    'abcdef.0123456789abcdee',
    status.token,
    `${status.token}x`,
    `${status.token.slice(0, -8)}AAAAAAAA`,
    ...idTokens,
    SHORT,
    server.token,
  ];
  expect(
    [
      await userOfToken(server.http, STATIC),
      await userOfToken(server.http, BOOTSTRAP),
      await userOfToken(server.http, status.token),
      await userOfToken(server.http, idTokens[0] ?? ''),
    ].every((user) => typeof user !== 'number'),
  ).toBe(true);
  for (const token of tokens) await present(server, token);
  await whoami(server.http, { authorization: `Basic ${Buffer.from(`erin:${PASSWORD}`).toString('base64')}` });
  for (const identity of [alice, stranger]) {
    const remote = { 'x-remote-user': 'system:admin', authorization: `Bearer ${SHORT}` };
    await whoami(server.https, remote, { ca: authorityOf(server), cert: identity.pem, key: identity.keyPem });
  }
  const metrics = await (await fetch(`${server.http}/metrics`, { headers: server.authorization })).text();
  await stop(server);

  const log = server.host.err();
  expect(server.host.log().filter(({ message }) => message === 'request').length).toBeGreaterThan(40);
  expect(
    new Set(
      server.host
        .log()
        .flatMap(({ message, reason }) => (message === 'unable to authenticate the request' ? [String(reason)] : [])),
    ).size,
  ).toBeGreaterThan(8);
  const secrets = [...tokens, OF_SERVER, PASSWORD, signingKey, otherKey, keyPem, alice.keyPem, stranger.keyPem];
  for (const trace of secrets.flatMap(traces)) {
    expect(log).not.toContain(trace);
    expect(metrics).not.toContain(trace);
    expect(server.host.out()).not.toContain(trace);
  }
});

it.each<[string, string, (file: string) => string[]]>([
  ['an invalid token file', `"${STATIC},carol,1\n`, (file) => [`--token-auth-file=${file}`]],
  [
    'an invalid key',
    `-----BEGIN PRIVATE KEY-----\n${Buffer.from(STATIC).toString('base64')}\n-----END PRIVATE KEY-----\n`,
    (file) => [`--service-account-signing-key-file=${file}`],
  ],
  ['a key in place of authorities', ecKey(), (file) => [`--client-ca-file=${file}`]],
  ['a key in place of a configuration', ecKey(), (file) => [`--authentication-config=${file}`]],
  ['a key in place of a kubeconfig', ecKey(), (file) => [`--authentication-token-webhook-config-file=${file}`]],
  [
    'a kubeconfig with a secret in a wrong place',
    `apiVersion: v1\nkind: Config\nusers: [{name: a, user: {token: {${STATIC}: 1}}}]\n`,
    (file) => [`--authentication-token-webhook-config-file=${file}`],
  ],
  [
    'a key that does not match the certificate',
    ecKey(),
    (file) => [`--tls-cert-file=${file}`, `--tls-private-key-file=${file}`],
  ],
])('nor when the start fails for %s', async (_name, content, flags) => {
  const host = createFakeHost();
  const file = await tests.file('secret', content);
  await expect(tests.start(['--secure-port=0', ...flags(file)], host)).rejects.toThrow('ended with 2');
  for (const trace of [...traces(STATIC), ...(content.startsWith('-----') ? traces(content) : [])])
    expect(host.err()).not.toContain(trace);
});
