/** The ConfigMap from which the servers of other API groups learn whom this server authenticates. */
import { afterEach, expect, it, vi } from 'vitest';
import { ApiServer, kubernetes, type ApiServerOptions } from '../../../src/entries/index.js';
import { APIService, ConfigMap } from '../../../src/entries/kinds.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { systemClock, systemEntropy } from '../../../src/foundation/index.js';
import { FrontProxyCertificate } from '../../../src/security/authorities/front-proxy-certificate.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createServingCertificate } from '../../../src/transport/node/index.js';
import { PATIENCE } from '../../support/patience.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function serve(options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer({ dialect: kubernetes, ...options });
  servers.push(server);
  return server;
}

const mapsOf = (server: ApiServer) => server.client().resource(ConfigMap).namespace('kube-system');
const dataOf = async (server: ApiServer) => (await mapsOf(server).get('extension-apiserver-authentication')).data ?? {};
const authority = async (): Promise<string> => (await createServingCertificate({ names: ['a'] })).caPem;

/** Returns the texts without the breaks of their lines, which implementations choose. */
const certificates = (pem = ''): string[] =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(([, body = '']) => body.replace(/\s/g, ''));

it('names the authority of the certificate with which the server calls others, and its header fields', async () => {
  const storage = createMemoryStorage({ clock: systemClock });
  const data = await dataOf(serve({ storage }));
  const parts = { storage, clock: systemClock, entropy: systemEntropy, dialect: kubernetes };
  const proxy = new FrontProxyCertificate(parts);
  expect(certificates(data['requestheader-client-ca-file'])).toEqual(certificates(await proxy.authorities()));
  proxy.close();
  const { 'requestheader-client-ca-file': _authority, ...rest } = data;
  expect(rest).toEqual({
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
});

it('names the configured authorities, of clients and of proxies', async () => {
  const [clients, proxies] = [await authority(), await authority()];
  const server = serve({
    authentication: {
      clientCertificates: { certificateAuthorities: clients },
      requestHeader: { certificateAuthorities: () => proxies, allowedNames: ['gate'], usernameHeaders: ['X-User'] },
    },
  });
  const data = await dataOf(server);
  expect(certificates(data['client-ca-file'])).toEqual(certificates(clients));
  expect(certificates(data['requestheader-client-ca-file'])).toHaveLength(2);
  expect(certificates(data['requestheader-client-ca-file'])).toContain(certificates(proxies)[0]);
  expect(data['requestheader-allowed-names']).toBe('["gate","front-proxy-client"]');
  expect(data['requestheader-username-headers']).toBe('["X-Remote-User","X-User"]');
});

it('keeps what another server has written, and replaces what is broken', async () => {
  const clock = createManualClock(Date.now());
  const [other, own] = [await authority(), await authority()];
  const storage = createMemoryStorage({ clock });
  const first = serve({
    storage,
    clock,
    authentication: { clientCertificates: { certificateAuthorities: other } },
  });
  await mapsOf(first).patch(
    'extension-apiserver-authentication',
    { data: { 'requestheader-group-headers': '{', 'requestheader-allowed-names': '["other"]', more: 'text' } },
    { type: 'merge' },
  );
  await first.settled();
  const data = await dataOf(first);
  expect(data['requestheader-group-headers']).toBe('["X-Remote-Group"]');
  expect(data['requestheader-allowed-names']).toBe('["other","front-proxy-client"]');
  expect(data).not.toHaveProperty('more');
  const second = serve({ storage, clock, authentication: { clientCertificates: { certificateAuthorities: own } } });
  const both = certificates((await dataOf(second))['client-ca-file']);
  expect(both).toEqual([...certificates(other), ...certificates(own)]);
});

it('is not made before somebody asks for ConfigMaps of the system namespace, or for APIServices', async () => {
  const server = serve();
  const all = server.client().resource(ConfigMap);
  await server.settled();
  expect((await all.list()).items).toEqual([]);
  await server.client().resource(APIService).list();
  await server.settled();
  expect((await all.list()).items.map(({ metadata }) => metadata.name)).toEqual(['extension-apiserver-authentication']);
});

it('does not name authorities that have expired', async () => {
  const clock = createManualClock(Date.now() + 30 * 365 * 24 * 3_600_000);
  const server = serve({
    clock,
    authentication: { clientCertificates: { certificateAuthorities: await authority() } },
  });
  expect(await dataOf(server)).not.toHaveProperty('client-ca-file');
});

it('comes back when it is deleted', async () => {
  const server = serve();
  const before = await dataOf(server);
  await mapsOf(server).delete('extension-apiserver-authentication');
  await vi.waitFor(async () => {
    await server.settled();
    expect(await dataOf(server)).toEqual(before);
  }, PATIENCE);
});
