/** `--authentication-token-webhook-*`, against a service over https. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeYaml } from '../../src/server/codec/index.js';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { plain, ServingTests, userOfToken } from './serving.js';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
}

const tests = new ServingTests();
let close: () => void;
let url = '';
let ca = '';
const asked: {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly review: Review;
}[] = [];

beforeEach(async () => {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const service = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const review = JSON.parse(body) as Review;
      asked.push({ path: request.url, authorization: request.headers.authorization, review });
      const status =
        review.spec.token === 'of-carol' ? { authenticated: true, user: { username: 'carol', groups: ['team'] } } : {};
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...review, status }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(service.address() as AddressInfo).port}/authenticate`;
  ca = caPem;
  asked.length = 0;
  close = () => {
    service.closeAllConnections();
    service.close();
  };
});
afterEach(() => close());

/** A kubeconfig for the service. */
const config = (user: Record<string, string> = { token: 'of-the-server' }): Promise<string> =>
  tests.file(
    'webhook.yaml',
    encodeYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'webhook',
      clusters: [
        { name: 'service', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
      ],
      users: [{ name: 'server', user }],
      contexts: [{ name: 'webhook', context: { cluster: 'service', user: 'server' } }],
    }),
  );

const CAROL = { username: 'carol', groups: ['team', 'system:authenticated'] };

describe('--authentication-token-webhook-config-file', () => {
  it('asks the service about a token, with the credentials of the file, and caches the answer for two minutes', async () => {
    const server = await tests.start([
      ...plain,
      `--authentication-token-webhook-config-file=${await config()}`,
      '--api-audiences=api',
    ]);
    expect(await userOfToken(server.http, 'of-carol')).toEqual(CAROL);
    expect(await userOfToken(server.http, 'of-nobody')).toBe(401);
    expect(asked[0]).toMatchObject({
      path: '/authenticate',
      authorization: 'Bearer of-the-server',
      review: {
        apiVersion: 'authentication.orch.io/v1beta1',
        kind: 'TokenReview',
        spec: { token: 'of-carol', audiences: ['api'] },
      },
    });
    expect(await userOfToken(server.http, 'of-carol')).toEqual(CAROL);
    expect(asked).toHaveLength(2);
    await server.host.clock.advance(120_000);
    expect(await userOfToken(server.http, 'of-carol')).toEqual(CAROL);
    expect(asked).toHaveLength(3);
  });

  it('uses the configured version and cache duration', async () => {
    const words = [
      `--authentication-token-webhook-config-file=${await config()}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=0s',
    ];
    const server = await tests.start([...plain, ...words]);
    for (let time = 0; time < 2; time += 1) expect(await userOfToken(server.http, 'of-carol')).toEqual(CAROL);
    expect(asked.map(({ review }) => review.apiVersion)).toEqual([
      'authentication.orch.io/v1',
      'authentication.orch.io/v1',
    ]);
  });

  it('does not trust a service from another authority', async () => {
    ca = (await createServingCertificate()).caPem;
    const server = await tests.start([...plain, `--authentication-token-webhook-config-file=${await config()}`]);
    expect(await userOfToken(server.http, 'of-carol')).toBe(401);
    expect(asked).toEqual([]);
    expect(
      server.host.log().find(({ message }) => message === 'unable to authenticate the request')?.['reason'],
    ).toMatch(/certificate/);
  });

  it('reads its token from a file, and prevents the start if it cannot', async () => {
    const token = await tests.file('token', 'from-a-file\n');
    const server = await tests.start([
      ...plain,
      `--authentication-token-webhook-config-file=${await config({ tokenFile: token })}`,
    ]);
    await userOfToken(server.http, 'of-carol');
    expect(asked[0]?.authorization).toBe('Bearer from-a-file');
    const file = await config({ tokenFile: `${tests.directory}/none` });
    await expect(tests.start([...plain, `--authentication-token-webhook-config-file=${file}`])).rejects.toThrow(
      `ended with 2: orch-apiserver: --authentication-token-webhook-config-file: failed to read token file "${tests.directory}/none": open ${tests.directory}/none: no such file or directory`,
    );
  });
});
