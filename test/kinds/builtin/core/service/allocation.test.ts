import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { coreV1 } from '../../../../../src/kinds/types/index.js';
import { ApiError } from '../../../../../src/foundation/errors/api-error.js';
import { Endpoints, Service } from '../../../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../../../src/entries/testing.js';

let server: TestServer;

async function start(options: TestServerOptions = {}): Promise<void> {
  server = await startTestServer({ dialect: 'kubernetes', ...options });
}

beforeEach(() => start());
afterEach(() => server.close());

const services = () => server.client.resource(Service).namespace('default');
type Spec = coreV1.ServiceSpec;

const PORT = { port: 80 };
const create = (name: string, spec: Spec = {}, dryRun = false) =>
  services().create({ metadata: { name }, spec: { ports: [PORT], ...spec } }, dryRun ? { dryRun: true } : {});

/** The message of the refusal of a request, and its code. */
async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error('the request was not refused');
}

const change = (name: string, spec: Record<string, unknown>) => services().patch(name, { spec }, { type: 'merge' });

/** Restarts the server with other ranges, in a store that has the same services. */
async function withRanges(clusterIPRange: string, nodePortRange = '30000-32767'): Promise<void> {
  await server.close();
  await start({ network: { clusterIPRange, nodePortRange } });
}

describe('cluster IPs', () => {
  test('come from the upper part of the range, one for each service', async () => {
    const ips = new Set<string>();
    for (let index = 0; index < 50; index += 1) {
      const { spec } = await create(`web-${index}`);
      expect(spec).toMatchObject({
        clusterIPs: [spec?.clusterIP],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      });
      const last = Number(/^10\.0\.0\.([0-9]+)$/.exec(spec?.clusterIP ?? '')?.[1]);
      expect(last).toBeGreaterThan(16);
      expect(last).toBeLessThan(255);
      ips.add(spec?.clusterIP ?? '');
    }
    expect(ips.size).toBe(50);
  });

  test('can be requested once', async () => {
    expect((await create('dns', { clusterIP: '10.0.0.10' })).spec?.clusterIPs).toEqual(['10.0.0.10']);
    expect(await refusal(create('other', { clusterIP: '10.0.0.10' }))).toBe(
      '422 Service "other" is invalid: spec.clusterIPs: Invalid value: []string{"10.0.0.10"}: failed to allocate IP 10.0.0.10: provided IP is already allocated',
    );
  });

  test.each(['10.0.0.0', '10.0.0.255', '10.0.1.1'])('cannot be %s, which is not in the range', async (clusterIP) => {
    expect(await refusal(create('web', { clusterIP }))).toBe(
      `422 Service "web" is invalid: spec.clusterIPs: Invalid value: []string{"${clusterIP}"}: failed to allocate IP ${clusterIP}: the provided IP (${clusterIP}) is not in the valid range. The range of valid IPs is 10.0.0.0/24`,
    );
  });

  test('are free again after the deletion, and after a refused creation', async () => {
    await create('one', { clusterIP: '10.0.0.10' });
    await services().delete('one');
    await create('two', { clusterIP: '10.0.0.10' });
    expect(await refusal(create('two', { clusterIP: '10.0.0.11' }))).toContain('409 ');
    expect(await refusal(create('bad', { clusterIP: '10.0.0.11', sessionAffinity: 'Often' }))).toContain('422 ');
    await create('three', { clusterIP: '10.0.0.11' });
  });

  test('are not taken by a dry run', async () => {
    expect((await create('dry', { clusterIP: '10.0.0.10' }, true)).spec?.clusterIP).toBe('10.0.0.10');
    expect((await create('dry', {}, true)).spec?.clusterIP).toBe('10.0.0.0');
    await create('wet', { clusterIP: '10.0.0.10' });
  });

  test('run out, and are given again', async () => {
    await withRanges('10.9.0.0/29');
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await create(name);
    expect(await refusal(create('g'))).toBe(
      '500 Internal error occurred: failed to allocate a serviceIP: range is full',
    );
    const freed = (await services().get('c')).spec?.clusterIP;
    await services().delete('c');
    expect((await create('g')).spec?.clusterIP).toBe(freed);
  });

  test('differ for services that are created at the same time', async () => {
    await withRanges('10.9.0.0/27');
    const made = await Promise.all(Array.from({ length: 30 }, (_, index) => create(`web-${index}`)));
    expect(new Set(made.map(({ spec }) => spec?.clusterIP)).size).toBe(30);
  });

  test('stay the same, and cannot be changed or removed', async () => {
    const { spec } = await create('web');
    const ip = spec?.clusterIP ?? '';
    const stored = await services().get('web');
    // A client that sends its manifest again keeps the address.
    const again = await services().update({ ...stored, spec: { ports: [{ port: 81 }] } });
    expect(again.spec).toMatchObject({ clusterIP: ip, clusterIPs: [ip], ports: [{ port: 81 }] });
    expect(await refusal(change('web', { clusterIP: '10.0.0.99' }))).toBe(
      '422 Service "web" is invalid: spec.clusterIPs[0]: Invalid value: []string{"10.0.0.99"}: may not change once set',
    );
  });

  test('are not needed by headless and external services', async () => {
    expect((await create('peers', { clusterIP: 'None', selector: { app: 'db' } })).spec).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect((await create('free', { clusterIP: 'None' })).spec).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
    const { spec } = await create('out', { type: 'ExternalName', externalName: 'example.com' });
    expect(spec).not.toHaveProperty('clusterIP');
    expect(spec).not.toHaveProperty('ipFamilies');
  });

  test('are given back and taken when the type changes', async () => {
    await create('web', { clusterIP: '10.0.0.10' });
    const out = await change('web', { type: 'ExternalName', externalName: 'example.com' });
    expect(out.spec).not.toHaveProperty('clusterIPs');
    await create('other', { clusterIP: '10.0.0.10' });
    const back = await change('web', { type: 'ClusterIP', externalName: null });
    expect(back.spec?.clusterIP).toMatch(/^10\.0\.0\.[0-9]+$/);
    expect(back.spec?.clusterIP).not.toBe('10.0.0.10');
  });
});

describe('two families', () => {
  const DUAL = '10.1.0.0/16,fd00::/112';

  test('give each service one address unless it asks for two', async () => {
    await withRanges(DUAL);
    expect((await create('one')).spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    const { spec } = await create('two', { ipFamilyPolicy: 'PreferDualStack' });
    expect(spec?.ipFamilies).toEqual(['IPv4', 'IPv6']);
    expect(spec?.clusterIPs).toEqual([
      expect.stringMatching(/^10\.1\./),
      expect.stringMatching(/^fd00::[0-9a-f]{1,4}$/),
    ]);
    expect((await create('six', { ipFamilies: ['IPv6'] })).spec?.clusterIP).toMatch(/^fd00::/);
    expect(
      (
        await create('asked', {
          clusterIP: 'fd00::5',
          clusterIPs: ['fd00::5', '10.1.0.5'],
          ipFamilyPolicy: 'RequireDualStack',
        })
      ).spec,
    ).toMatchObject({
      ipFamilies: ['IPv6', 'IPv4'],
      clusterIPs: ['fd00::5', '10.1.0.5'],
    });
  });

  test('are added to and removed from a service', async () => {
    await withRanges(DUAL);
    const before = (await create('web')).spec?.clusterIP;
    const upgraded = await change('web', { ipFamilyPolicy: 'RequireDualStack' });
    expect(upgraded.spec?.clusterIPs).toEqual([before, expect.stringMatching(/^fd00::/)]);
    const second = upgraded.spec?.clusterIPs?.[1] ?? '';
    expect(await refusal(change('web', { clusterIPs: [before] }))).toBe(
      `422 Service "web" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary cluster IP`,
    );
    const downgraded = await change('web', { ipFamilyPolicy: 'SingleStack' });
    expect(downgraded.spec).toMatchObject({ clusterIPs: [before], ipFamilies: ['IPv4'] });
    await create('next', { clusterIP: second });
  });

  test('are refused where the server has one', async () => {
    expect(await refusal(create('web', { ipFamilyPolicy: 'RequireDualStack' }))).toBe(
      '422 Service "web" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    );
    expect(await refusal(create('web', { ipFamilies: ['IPv6'] }))).toBe(
      '422 Service "web" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    );
    expect(await refusal(create('web', { clusterIP: 'fd00::5' }))).toBe(
      '422 Service "web" is invalid: spec.clusterIPs[0]: Invalid value: []string{"fd00::5"}: IPv6 is not configured on this cluster',
    );
    expect((await create('web', { ipFamilyPolicy: 'PreferDualStack' })).spec).toMatchObject({ ipFamilies: ['IPv4'] });
    expect(await refusal(create('two', { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] }))).toBe(
      `422 Service "two" is invalid: spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
    );
  });
});

describe('node ports', () => {
  const nodePorts = ({ spec }: { spec?: Spec | undefined }): (number | undefined)[] =>
    (spec?.ports ?? []).map(({ nodePort }) => nodePort);

  test('come from the range, and are shared by the protocols of a port', async () => {
    const [one, two, three] = nodePorts(
      await create('web', {
        type: 'NodePort',
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53 },
          { name: 'http', port: 80 },
        ],
      }),
    );
    expect(one).toBe(two);
    expect(three).not.toBe(one);
    for (const port of [one, three]) {
      expect(port).toBeGreaterThanOrEqual(30_086);
      expect(port).toBeLessThanOrEqual(32_767);
    }
  });

  test('can be requested once, within the range', async () => {
    await create('one', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] });
    expect(await refusal(create('two', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] }))).toBe(
      '422 Service "two" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
    );
    expect(await refusal(create('two', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }))).toBe(
      '422 Service "two" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
    await services().delete('one');
    await create('two', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] });
  });

  test('are given back when a later port of the service is refused', async () => {
    await create('one', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_081 }] });
    const ports = [
      { name: 'a', port: 80, nodePort: 30_080 },
      { name: 'b', port: 81, nodePort: 30_081 },
    ];
    expect(await refusal(create('two', { type: 'NodePort', ports }))).toContain('spec.ports[1].nodePort');
    await create('three', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] });
  });

  test('follow the type of the service', async () => {
    await create('web');
    const [port] = nodePorts(await change('web', { type: 'NodePort' }));
    expect(port).toBeGreaterThan(30_000);
    expect(nodePorts(await change('web', { type: 'LoadBalancer' }))).toEqual([port]);
    expect(nodePorts(await change('web', { type: 'ClusterIP' }))).toEqual([undefined]);
    await create('next', { type: 'NodePort', ports: [{ port: 80, nodePort: port }] });
  });

  test('stay while a client does not name them', async () => {
    const created = await create('web', { type: 'NodePort' });
    const { spec } = await services().update({ ...created, spec: { type: 'NodePort', ports: [{ port: 90 }] } });
    expect(nodePorts({ spec })).toEqual(nodePorts(created));
  });

  test('are not given to load balancers that do not want them', async () => {
    const made = await create('web', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
    expect(nodePorts(made)).toEqual([undefined]);
  });

  test('serve the health check of a load balancer with local traffic', async () => {
    const { spec } = await create('web', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    const port = spec?.healthCheckNodePort ?? 0;
    expect(port).toBeGreaterThan(30_000);
    expect(
      await refusal(create('two', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: port })),
    ).toBe(
      `500 Internal error occurred: failed to allocate requested HealthCheck NodePort ${port}: provided port is already allocated`,
    );
    expect((await change('web', { externalTrafficPolicy: 'Cluster' })).spec).not.toHaveProperty('healthCheckNodePort');
    await create('two', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: port });
  });

  test('are shown, but not taken, by a dry run', async () => {
    expect(nodePorts(await create('dry', { type: 'NodePort' }, true))).toEqual([32_769]);
    const ports = [{ port: 80, nodePort: 30_080 }];
    await create('dry', { type: 'NodePort', ports }, true);
    await create('wet', { type: 'NodePort', ports });
    expect(await refusal(create('dry', { type: 'NodePort', ports }, true))).toContain('already allocated');
  });

  test('run out', async () => {
    await withRanges('10.0.0.0/24', '31000-31001');
    await create('one', { type: 'NodePort' });
    await create('two', { type: 'NodePort' });
    expect(await refusal(create('three', { type: 'NodePort' }))).toBe(
      '500 Internal error occurred: failed to allocate a nodePort: range is full',
    );
  });
});

test('a removed service takes its endpoints with it', async () => {
  await create('web', { clusterIP: 'None' });
  const endpoints = server.client.resource(Endpoints).namespace('default');
  await endpoints.create({ metadata: { name: 'web' } });
  await services().delete('web');
  expect(await refusal(endpoints.get('web'))).toContain('404 ');
});
