import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConnection, parseKubeConfig } from '../../../../src/client/kubeconfig/index.js';
import { createWebhookAuthorizer } from '../../../../src/security/authz/webhook/index.js';
import { systemClock, systemEntropy } from '../../../../src/foundation/index.js';
import { kubernetes } from '../../../../src/foundation/index.js';
import { connectionPost } from '../../../../src/foundation/outbound/webhook-post.js';
import { nodeHttpClient } from '../../../../src/transport/node/outbound/http-client.js';
import { createServingCertificate } from '../../../../src/transport/node/index.js';
import { attributes, type Posted } from './support.js';

interface Received {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly review: Posted;
}

const received: Received[] = [];
const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Posted;
    received.push({ url: request.url, authorization: request.headers.authorization, review });
    const status =
      review.spec['user'] === 'alice'
        ? { allowed: true, reason: 'on the list' }
        : { allowed: false, denied: true, reason: 'not on the list' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, status }));
  });
};
let server: Server;
let authority: string;
beforeAll(async () => {
  const { keyPem, certPem, caPem } = await createServingCertificate({ names: ['hook.test'], addresses: ['127.0.0.1'] });
  authority = Buffer.from(caPem).toString('base64');
  server = createServer({ key: keyPem, cert: certPem }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('a service that a kubeconfig describes is asked at exactly its URL, with its credentials', async () => {
  const { port } = server.address() as AddressInfo;
  const config = await parseKubeConfig(`
apiVersion: v1
kind: Config
current-context: webhook
clusters: [{ name: service, cluster: { server: 'https://127.0.0.1:${port}/authorize/v1', certificate-authority-data: ${authority} } }]
users: [{ name: me, user: { token: sesame } }]
contexts: [{ name: webhook, context: { cluster: service, user: me } }]
`);
  const connection = await createConnection(config, { http: nodeHttpClient() });
  const authorize = await createWebhookAuthorizer({
    post: connectionPost(connection),
    version: 'v1',
    dialect: kubernetes,
    clock: systemClock,
    entropy: systemEntropy,
  });
  expect(await authorize(attributes())).toEqual({ decision: 'Allow', reason: 'on the list' });
  expect(await authorize(attributes({ user: { username: 'bob', groups: [] } }))).toEqual({
    decision: 'Deny',
    reason: 'not on the list',
  });
  expect(
    received.map(({ url, authorization, review }) => [url, authorization, review.apiVersion, review.spec['user']]),
  ).toEqual([
    ['/authorize/v1', 'Bearer sesame', 'authorization.k8s.io/v1', 'alice'],
    ['/authorize/v1', 'Bearer sesame', 'authorization.k8s.io/v1', 'bob'],
  ]);
});
