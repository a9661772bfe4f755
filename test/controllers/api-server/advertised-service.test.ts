import { expect, test } from 'vitest';
import { encodeBase32 } from '../../../src/foundation/encoding/base32.js';
import { encodeUtf8 } from '../../../src/foundation/encoding/utf8.js';
import { Endpoints, EndpointSlice, Lease, Service } from '../../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { decorateStorage, type Storage } from '../../../src/entries/storage.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';
import { listen } from '../../../src/transport/node/index.js';

const start = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', ...options });
const servicesOf = ({ client }: TestServer) => client.resource(Service).namespace('default');
const endpointsOf = ({ client }: TestServer) => client.resource(Endpoints).namespace('default');
const slicesOf = ({ client }: TestServer) => client.resource(EndpointSlice).namespace('default');
const leasesOf = ({ client }: TestServer) => client.resource(Lease).namespace('kube-system');

/** The addresses and ports of the Endpoints and of the slices: `10.1.2.3:6443`. */
async function reached(test: TestServer): Promise<{ endpoints: string[]; slices: string[] }> {
  await test.settled();
  const { items } = await endpointsOf(test).list();
  const { items: slices } = await slicesOf(test).list();
  return {
    endpoints: items.flatMap(({ subsets = [] }) =>
      subsets.flatMap(({ addresses = [], ports = [] }) => addresses.map(({ ip }) => `${ip}:${ports[0]?.port}`)),
    ),
    slices: slices.flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).flatMap(({ addresses }) => addresses.map((ip) => `${ip}:${ports?.[0]?.port}`)),
    ),
  };
}

test('a server without listeners has no service', async () => {
  await using server = await start();
  await server.settled();
  expect((await servicesOf(server).list()).items).toEqual([]);
  expect((await leasesOf(server).list()).items).toEqual([]);
});

test('the service exists with the first listener, and its endpoints follow the listeners', async () => {
  await using server = await start();
  const close = server.server.target.listening('https://127.0.0.1:6443', ['10.1.2.3']);
  expect(await reached(server)).toEqual({ endpoints: ['10.1.2.3:6443'], slices: ['10.1.2.3:6443'] });
  expect(await servicesOf(server).get('kubernetes')).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.0.0.1',
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    },
  });
  expect((await endpointsOf(server).get('kubernetes')).metadata.labels).toEqual({
    'endpointslice.kubernetes.io/skip-mirror': 'true',
  });
  expect(await slicesOf(server).get('kubernetes')).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  const other = server.server.target.listening('https://127.0.0.1:7443', ['10.1.2.3']);
  close();
  expect((await reached(server)).endpoints).toEqual(['10.1.2.3:7443']);
  other();
  expect(await reached(server)).toEqual({ endpoints: [], slices: [] });
  expect((await servicesOf(server).list()).items).toHaveLength(1);
});

test('the objects come back when somebody deletes them', async () => {
  await using server = await start();
  server.server.target.listening('https://127.0.0.1:6443', ['10.1.2.3']);
  await server.settled();
  await servicesOf(server).delete('kubernetes');
  await slicesOf(server).delete('kubernetes');
  expect(await reached(server)).toEqual({ endpoints: ['10.1.2.3:6443'], slices: ['10.1.2.3:6443'] });
  expect((await servicesOf(server).list()).items).toHaveLength(1);
});

test('names are those of the dialect, and the address that of the network of services', async () => {
  await using server = await start({ dialect: 'orch', network: { clusterIPRange: '10.32.0.0/16' } });
  server.server.target.listening('http://10.9.8.7:8080', ['10.9.8.7']);
  await server.settled();
  const { metadata, spec } = await servicesOf(server).get('orch');
  expect(metadata.labels?.['provider']).toBe('orch');
  expect(spec?.clusterIP).toBe('10.32.0.1');
});

test('a listener on loopback is advertised with an address that others reach', async () => {
  await using server = await start();
  await using listener = await listen(server.server);
  await server.settled();
  expect((await servicesOf(server).get('kubernetes')).spec?.ports?.[0]?.targetPort).toBe(listener.address.port);
  for (const text of (await reached(server)).endpoints) expect(text).not.toMatch(/^127\./);
});

test('servers that share a store share the endpoints while they live', async () => {
  const clock = (await start()).clock;
  const storage = createMemoryStorage({ clock });
  const one = await start({ storage: () => storage });
  const two = await start({ storage: () => decorateStorage(storage, { close: () => Promise.resolve() }) });
  one.server.target.listening('https://127.0.0.1:6443', ['10.1.2.3']);
  await one.settled();
  two.server.target.listening('https://127.0.0.1:6443', ['10.1.2.4']);
  await two.settled();
  expect((await reached(one)).endpoints).toEqual(['10.1.2.3:6443', '10.1.2.4:6443']);
  await two.close();
  await one.advance(40_000);
  expect((await reached(one)).endpoints).toEqual(['10.1.2.3:6443']);
  await one.close();
});

test.each([60_000, -60_000])('servers whose clocks differ by %i ms share the endpoints', async (differenceMs) => {
  const clock = (await start()).clock;
  const storage = createMemoryStorage({ clock });
  const shared = (): Storage => decorateStorage(storage, { close: () => Promise.resolve() });
  const one = await start({ storage: shared });
  const two = await start({ storage: shared });
  await (differenceMs > 0 ? two : one).advance(60_000);
  one.server.target.listening('https://127.0.0.1:6443', ['10.1.2.3']);
  await one.settled();
  two.server.target.listening('https://127.0.0.1:6443', ['10.1.2.4']);
  await two.settled();
  for (let seconds = 0; seconds < 40; seconds += 5) for (const each of [one, two]) await each.advance(5000);
  for (const each of [one, two, one])
    expect((await reached(each)).endpoints).toEqual(['10.1.2.3:6443', '10.1.2.4:6443']);
  // One that dies is taken out as soon as without the difference.
  await two.close();
  for (let seconds = 0; seconds < 45; seconds += 5) await one.advance(5000);
  expect((await reached(one)).endpoints).toEqual(['10.1.2.3:6443']);
  await one.close();
});

test('a server with listeners has a lease, renews it, and deletes those of servers that are gone', async () => {
  await using server = await start();
  const close = server.server.target.listening('https://127.0.0.1:6443', ['10.1.2.3']);
  await server.settled();
  const [lease] = (await leasesOf(server).list()).items;
  expect(lease?.metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(lease?.metadata.labels).toEqual({ 'apiserver.kubernetes.io/identity': 'kube-apiserver' });
  expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 3600, renewTime: '2024-01-01T00:00:00.000000Z' });
  expect(lease?.spec?.holderIdentity).toMatch(new RegExp(`^${lease?.metadata.name}_[0-9a-f-]{36}$`));
  const gone = { name: 'apiserver-gone', labels: { ...lease?.metadata.labels } };
  await leasesOf(server).create({ metadata: gone, spec: { ...lease?.spec, renewTime: '2023-12-31T23:30:00.000000Z' } });
  await server.advance(3_601_000);
  await server.settled();
  const { items } = await leasesOf(server).list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual([lease?.metadata.name]);
  expect(items[0]?.spec?.renewTime).toBe('2024-01-01T01:00:00.000000Z');
  close();
  await server.settled();
  expect((await leasesOf(server).list()).items).toEqual([]);
});

test('base32 in lower case, without padding', () => {
  const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'];
  expect(texts.map((text) => encodeBase32(encodeUtf8(text)))).toEqual([
    ...['', 'my', 'mzxq', 'mzxw6', 'mzxw6yq', 'mzxw6ytb', 'mzxw6ytboi'],
  ]);
});
