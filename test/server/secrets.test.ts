import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ConfigMap, Pod, Secret, ServiceAccount, type Logger } from '../../src/entries/index.js';
import { TokenRequest } from '../../src/entries/kinds.js';
import { startTestServer } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const STATIC = 'static-token-of-alice-0123456789';
const BOOTSTRAP = { id: 'abcdef', secret: '0123456789abcdef' };
const WEBHOOK = 'token-that-only-the-webhook-knows';
const SIGNING = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** A logger that keeps everything it receives, including errors with their causes and stacks. */
function keepingLogger(): { readonly logger: Logger; readonly kept: string[] } {
  const kept: string[] = [];
  const shown = (value: unknown): string =>
    value instanceof Error
      ? `${value.stack ?? ''} ${value.message} ${shown(value.cause)}`
      : typeof value === 'object' && value !== null
        ? Object.entries(value)
            .map(([key, inner]) => `${key}=${shown(inner)}`)
            .join(' ')
        : String(value);
  const keep = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    void kept.push(`${message} ${shown(fields)}`);
  return { logger: { info: keep, error: keep }, kept };
}

/** A JSON Web Token of another issuer, signed by an untrusted key. */
function foreignToken(issuer: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'ES256' })}.${part({ iss: issuer, sub: 'mallory', aud: 'x', exp: 4_000_000_000 })}`;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

describe('a credential', () => {
  test('never appears in an answer, a log or a metric', async () => {
    const { logger, kept } = keepingLogger();
    let fail = false;
    await using running = await startTestServer({
      observability: { logger },
      authentication: {
        tokens: [{ token: STATIC, user: { username: 'alice', groups: ['system:masters'] } }],
        serviceAccounts: { signingKey: SIGNING.privateKey },
        bootstrapTokens: true,
        openIdConnect: { issuerUrl: 'https://accounts.example', clientId: 'c' },
        tokenWebhook: {
          version: 'v1',
          retry: { steps: 1 },
          post: (body) => {
            const { spec } = JSON.parse(body) as { spec: { token: string } };
            if (fail) return Promise.reject(new Error('the webhook fails'));
            const status =
              spec.token === WEBHOOK
                ? { authenticated: true, user: { username: 'bob' } }
                : { authenticated: false, error: `cannot read ${spec.token}` };
            return Promise.resolve({
              status: 200,
              header: () => undefined,
              body: new TextEncoder().encode(
                JSON.stringify({ apiVersion: 'authentication.orch.io/v1', kind: 'TokenReview', status }),
              ),
            });
          },
        },
      },
      network: { httpClient: () => Promise.reject(new Error('nobody is there')) },
    });
    const text = (value: string): string => Buffer.from(value).toString('base64');
    await running.client
      .resource(Secret)
      .namespace('orch-system')
      .create({
        metadata: { name: `bootstrap-token-${BOOTSTRAP.id}` },
        type: 'bootstrap.orch.io/token',
        data: {
          'token-id': text(BOOTSTRAP.id),
          'token-secret': text(BOOTSTRAP.secret),
          'usage-bootstrap-authentication': text('true'),
        },
      });
    const accounts = running.client.resource(ServiceAccount).namespace('default');
    const { status } = await accounts.perform('default', TokenRequest, { spec: {} });
    const issued = status?.token ?? '';
    const secrets = [
      STATIC,
      `${BOOTSTRAP.id}.${BOOTSTRAP.secret}`,
      WEBHOOK,
      issued,
      foreignToken('https://accounts.example'),
      foreignToken('https://orch.default.svc.cluster.local'),
    ];
    const wrong = secrets.map((secret) => `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`);
    const answers: string[] = [];
    for (const webhookFails of [false, true]) {
      fail = webhookFails;
      for (const token of [...secrets, ...wrong, `${issued}.${issued}`, 'short']) {
        for (const [method, path] of [
          ['GET', '/api/v1/namespaces/default/configmaps'],
          ['POST', '/apis/authentication.orch.io/v1/selfsubjectreviews'],
          ['GET', `/nowhere?access_token=${token}`],
        ] as const) {
          const answer = await ask(running.server, method, path, { token, body: '{}' });
          answers.push(`${JSON.stringify(answer.headers)} ${textOf(answer)}`);
        }
        const review = await ask(running.server, 'POST', '/apis/authentication.orch.io/v1/tokenreviews', {
          token: STATIC,
          body: JSON.stringify({ spec: { token } }),
        });
        // The review is returned with the token that was sent; the server's additions must not contain it.
        const { status: added, message } = JSON.parse(textOf(review)) as { status: unknown; message?: string };
        answers.push(JSON.stringify([added, message]));
      }
    }
    answers.push(textOf(await ask(running.server, 'GET', '/metrics', { token: STATIC })));
    const reported = [...answers, ...kept].join('\n');
    for (const secret of [
      ...secrets,
      ...wrong,
      BOOTSTRAP.secret,
      SIGNING.privateKey,
      SIGNING.privateKey.split('\n')[1] ?? '',
    ])
      expect(reported.includes(secret), `…${secret.slice(0, 12)}`).toBe(false);
    expect(answers.filter((answer) => answer.includes('"code":401')).length).toBeGreaterThan(10);
    expect(answers.some((answer) => answer.includes('"username":"bob"'))).toBe(true);
    expect(answers.some((answer) => answer.includes('system:bootstrap:abcdef'))).toBe(true);
    expect(answers.some((answer) => answer.includes('system:serviceaccount:default:default'))).toBe(true);
  });

  test('is invalid once the object that it is bound to is recreated', async () => {
    await using running = await startTestServer({
      authentication: { tokens: [{ token: STATIC, user: { username: 'alice', groups: ['system:masters'] } }] },
    });
    const accounts = running.client.resource(ServiceAccount).namespace('default');
    const pods = running.client.resource(Pod).namespace('default');
    const secrets = running.client.resource(Secret).namespace('default');
    const asksWith = async (token: string): Promise<number> =>
      (await ask(running.server, 'POST', '/apis/authentication.orch.io/v1/selfsubjectreviews', { token, body: '{}' }))
        .status;
    const tokenFor = async (boundObjectRef?: { apiVersion: string; kind: string; name: string }): Promise<string> =>
      (await accounts.perform('robot', TokenRequest, { spec: boundObjectRef === undefined ? {} : { boundObjectRef } }))
        .status?.token ?? '';
    const remake: Readonly<Record<string, () => Promise<unknown>>> = {
      account: async () => [await accounts.delete('robot'), await accounts.create({ metadata: { name: 'robot' } })],
      secret: async () => [await secrets.delete('anchor'), await secrets.create({ metadata: { name: 'anchor' } })],
      pod: async () => [await pods.delete('p', { gracePeriodSeconds: 0 }), await pods.create(pod)],
    };
    const pod = {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
    };
    await accounts.create({ metadata: { name: 'robot' } });
    await secrets.create({ metadata: { name: 'anchor' } });
    await pods.create(pod);
    const plain = await tokenFor();
    const ofSecret = await tokenFor({ apiVersion: 'v1', kind: 'Secret', name: 'anchor' });
    const ofPod = await tokenFor({ apiVersion: 'v1', kind: 'Pod', name: 'p' });
    expect(await Promise.all([plain, ofSecret, ofPod].map(asksWith))).toEqual([201, 201, 201]);
    await remake['secret']?.();
    expect(await Promise.all([plain, ofSecret, ofPod].map(asksWith))).toEqual([201, 401, 201]);
    await remake['pod']?.();
    expect(await Promise.all([plain, ofSecret, ofPod].map(asksWith))).toEqual([201, 401, 401]);
    await remake['account']?.();
    expect(await Promise.all([plain, ofSecret, ofPod].map(asksWith))).toEqual([401, 401, 401]);
    expect(await running.client.resource(ConfigMap).namespace('default').list()).toBeDefined();
  });
});
