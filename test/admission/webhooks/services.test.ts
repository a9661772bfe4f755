/** Webhooks that are configured by a service: which address is requested, and what is said when there is none. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { ConfigMap, Pod, Service, type InputOf } from '../../../src/entries/index.js';
import { Endpoints, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import type { HttpClient, OutboundRequest } from '../../../src/foundation/outbound/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';
import { createServingCertificate, nodeHttpClient } from '../../../src/transport/node/index.js';
import { RULE } from './support.js';

const ended: TestServer[] = [];
afterEach(async () => {
  for (const test of ended.splice(0)) await test.close();
});

/** Sends nothing, and keeps what it was to send. */
class NoNetwork {
  readonly requests: OutboundRequest[] = [];
  readonly http: HttpClient = async (request) => {
    this.requests.push(request);
    throw new Error('no answer');
  };
}

const MESSAGE = `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://hooks.default.svc:8443/?timeout=10s": `;

/** A server whose ConfigMaps are validated through the port 8443 of the service `hooks`. */
async function serverWith(options: TestServerOptions, caBundle = '') {
  const server = await startTestServer({ dialect: 'kubernetes', ...options });
  ended.push(server);
  await server.client.resource(ValidatingWebhookConfiguration).create({
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'a.example.com',
        rules: [{ ...RULE }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: 'default', name: 'hooks', port: 8443 }, caBundle },
      },
    ],
  });
  /** Returns the end of the message, which differs. */
  const failure = async (): Promise<string> => {
    const made = server.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    const message = await made.then(
      () => 'created',
      (error: Error) => error.message,
    );
    return message.startsWith(MESSAGE) ? message.slice(MESSAGE.length) : message;
  };
  return { client: server.client, settled: () => server.settled(), failure };
}

const servicesOf = ({ client }: Pick<TestServer, 'client'>) => client.resource(Service).namespace('default');
const endpointsOf = ({ client }: Pick<TestServer, 'client'>) => client.resource(Endpoints).namespace('default');
const metadata = { name: 'hooks' };
type Ports = NonNullable<NonNullable<InputOf<typeof Service>['spec']>['ports']>;
const ports: Ports = [
  { name: 'metrics', port: 9090 },
  { name: 'hooks', port: 8443, targetPort: 9443 },
];

test('a service that does not exist, has other ports or no endpoints is named in the words of Kubernetes', async () => {
  const { requests, http: httpClient } = new NoNetwork();
  const server = await serverWith({ network: { httpClient } });
  expect(await server.failure()).toBe('service "hooks" not found');
  const made = await servicesOf(server).create({ metadata, spec: { ports: [{ port: 443 }] } });
  expect(await server.failure()).toBe('no service port 8443 found for service "hooks"');
  await servicesOf(server).update({ ...made, spec: { ...made.spec, ports } });
  expect(await server.failure()).toBe('endpoints "hooks" not found');
  const endpoints = await endpointsOf(server).create({ metadata });
  expect(await server.failure()).toBe('no endpoints available for service "hooks"');
  const notReady = { notReadyAddresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'hooks', port: 9443 }] };
  const otherPort = { addresses: [{ ip: '192.0.2.2' }], ports: [{ name: 'metrics', port: 9090 }] };
  await endpointsOf(server).update({ ...endpoints, subsets: [notReady, otherPort] });
  expect(await server.failure()).toBe('no endpoints available for service "hooks"');
  expect(requests).toEqual([]);
});

test('a ready address of the endpoints is requested, at their port, under the name of the service', async () => {
  const { requests, http: httpClient } = new NoNetwork();
  const server = await serverWith({ network: { httpClient } });
  await servicesOf(server).create({ metadata, spec: { ports } });
  const subsets = [
    { addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }], ports: [{ name: 'hooks', port: 9443 }] },
    { addresses: [{ ip: '192.0.2.3' }], ports: [{ name: 'hooks', port: 9444 }] },
  ];
  await endpointsOf(server).create({ metadata, subsets });
  for (let call = 0; call < 20; call += 1) expect(await server.failure()).toBe('no answer');
  expect([...new Set(requests.map(({ url }) => new URL(url).host))].sort()).toEqual([
    '192.0.2.1:9443',
    '192.0.2.3:9444',
    '[2001:db8::1]:9443',
  ]);
  expect(requests[0]).toMatchObject({
    headers: { host: 'hooks.default.svc:8443' },
    tls: { serverName: 'hooks.default.svc' },
  });
});

test('the cluster IP is requested when the server is told so', async () => {
  const { requests, http: httpClient } = new NoNetwork();
  const server = await serverWith({ network: { httpClient, serviceRouting: 'ClusterIP' } });
  const { spec } = await servicesOf(server).create({ metadata, spec: { ports } });
  expect(await server.failure()).toBe('no answer');
  expect(requests.map(({ url }) => url)).toEqual([`https://${spec?.clusterIP}:8443/?timeout=10s`]);
  await servicesOf(server).delete('hooks');
  await servicesOf(server).create({ metadata, spec: { clusterIP: 'None', ports } });
  expect(await server.failure()).toBe('cannot route to service with ClusterIP "None"');
});

test('an external name is requested over TLS, with the certificate of the service itself as the bundle', async () => {
  const certificate = await createServingCertificate({ names: ['hooks.default.svc'], addresses: [] });
  const answering = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
    incoming.on('end', () => {
      const { apiVersion, kind, request } = JSON.parse(text) as Record<string, { uid: string }>;
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: request?.uid, allowed: true } }));
    });
  });
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
  const httpClient = nodeHttpClient();
  onTestFinished(() => {
    httpClient.close();
    answering.closeAllConnections();
    answering.close();
  });
  const { port } = answering.address() as AddressInfo;
  const toPort: HttpClient = (request) => httpClient({ ...request, url: request.url.replace(':8443/', `:${port}/`) });
  const bundle = Buffer.from(certificate.certPem).toString('base64');
  const server = await serverWith({ network: { httpClient: toPort } }, bundle);
  await servicesOf(server).create({ metadata, spec: { type: 'ExternalName', externalName: 'localhost' } });
  expect(await server.failure()).toBe('created');
});

test('the option names the address of some services, and leaves the others to the server', async () => {
  const { requests, http: httpClient } = new NoNetwork();
  const mapped = new Map<string, URL>();
  const server = await serverWith({
    network: { httpClient, resolveService: ({ namespace, name }) => mapped.get(`${namespace}/${name}`) },
  });
  expect(await server.failure()).toBe('service "hooks" not found');
  mapped.set('default/hooks', new URL('https://127.0.0.1:9443/base'));
  expect(await server.failure()).toBe('no answer');
  expect(requests.map(({ url }) => url)).toEqual(['https://127.0.0.1:9443/base/?timeout=10s']);
});

test('a simulated pod is not requested: nothing listens there', async () => {
  const { requests, http: httpClient } = new NoNetwork();
  const server = await serverWith({ network: { httpClient }, simulate: true });
  await servicesOf(server).create({ metadata, spec: { selector: { app: 'hooks' }, ports } });
  await server.client
    .resource(Pod)
    .namespace('default')
    .create({
      metadata: { name: 'hooks-1', labels: { app: 'hooks' } },
      spec: { containers: [{ name: 'hooks', image: 'hooks' }] },
    });
  await server.settled();
  expect(await server.failure()).toMatch(
    /^dial tcp 10\.244\.\d+\.\d+:9443: connect: no route to host \(the pod hooks-1 is simulated; .*resolveService/,
  );
  expect(requests).toEqual([]);
});
