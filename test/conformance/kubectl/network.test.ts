/** Services, endpoints and ingresses, as users of the real command-line tool make and read them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHere, type ServedHere } from './in-process.js';
import { rowsOf, toolMinor } from './kubectl.js';

const AGE = expect.stringMatching(/^\d+[sm]/) as string;
const IP = expect.stringMatching(/^10\.0\.0\.\d+$/) as string;

const readyPod = JSON.stringify({
  status: {
    phase: 'Running',
    podIP: '10.1.0.1',
    podIPs: [{ ip: '10.1.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});

const policy = JSON.stringify({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'deny' },
  spec: { podSelector: { matchLabels: { app: 'web' } } },
});

describe.skipIf(toolMinor === undefined)('kubectl with services', () => {
  let served: ServedHere;
  const ok = (words: string, input?: string): Promise<string> =>
    served.kubectl.ok(words, input === undefined ? {} : { input });
  const table = async (words: string): Promise<string[][]> => rowsOf(await ok(words));

  beforeAll(async () => {
    served = await serveHere({
      dialect: 'kubernetes',
      controllers: { enable: ['endpoint', 'endpointslice', 'endpointslicemirroring'] },
    });
    await ok('run app --image=nginx --labels=app=web --port=8080');
    await served.kubectl.ok(['patch', 'pod', 'app', '--subresource=status', '--type=merge', '-p', readyPod]);
  }, 300_000);

  afterAll(() => served?.[Symbol.asyncDispose]());

  it('creates a service of each type, and shows them', async () => {
    await ok('create service clusterip web --tcp=80:8080 --clusterip=10.0.0.10');
    await ok('create service nodeport np --tcp=80:8080 --node-port=30080');
    await ok('create service loadbalancer lb --tcp=443:8443');
    await ok('create service externalname out --external-name=db.example.com');
    await ok('create service clusterip none --clusterip=None');
    expect(await table('get svc')).toEqual([
      ['kubernetes', 'ClusterIP', IP, '<none>', '443/TCP', AGE],
      ['lb', 'LoadBalancer', IP, '<pending>', expect.stringMatching(/^443:3\d{4}\/TCP$/), AGE],
      ['none', 'ClusterIP', 'None', '<none>', '<none>', AGE],
      ['np', 'NodePort', IP, '<none>', '80:30080/TCP', AGE],
      ['out', 'ExternalName', '<none>', 'db.example.com', '<none>', AGE],
      ['web', 'ClusterIP', '10.0.0.10', '<none>', '80/TCP', AGE],
    ]);
    expect((await table('get svc web -o wide'))[0]?.at(-1)).toBe('app=web');
  });

  it('is told that an address or a port is taken', async () => {
    expect(await served.kubectl.fails('create service clusterip two --tcp=80 --clusterip=10.0.0.10')).toContain(
      'spec.clusterIPs: Invalid value: []string{"10.0.0.10"}: failed to allocate IP 10.0.0.10: provided IP is already allocated',
    );
    expect(await served.kubectl.fails('create service nodeport two --tcp=80 --node-port=30080')).toContain(
      'spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
    );
  });

  it('exposes a pod, and describes the service with its endpoints', async () => {
    expect(await ok('expose pod app --port=80 --target-port=8080 --name=exposed')).toBe('service/exposed exposed\n');
    await served.server.settled();
    const described = await ok('describe service exposed');
    expect(described).toMatch(/^IP Family Policy: +SingleStack$/m);
    expect(described).toMatch(/^Endpoints: +10\.1\.0\.1:8080$/m);
    expect(described).toMatch(/^Internal Traffic Policy: +Cluster$/m);
  });

  it('shows endpoints and their slices', async () => {
    expect(await table('get endpoints exposed')).toEqual([['exposed', '10.1.0.1:8080', AGE]]);
    expect(await table('get endpointslices -l kubernetes.io/service-name=exposed')).toEqual([
      [expect.stringMatching(/^exposed-/), 'IPv4', '8080', '10.1.0.1', AGE],
    ]);
    await ok('delete service exposed');
    await served.server.settled();
    expect(await served.kubectl.fails('get endpoints exposed')).toContain('not found');
    expect(await ok('get endpointslices -l kubernetes.io/service-name=exposed')).toBe('');
  });

  it('creates an ingress, and describes it with its backends', async () => {
    await ok('create ingress shop --class=nginx --rule=shop.example.com/=web:80,tls=cert');
    expect(await ok('get ing')).toMatch(/shop +nginx +shop\.example\.com +80, 443 +\d+s/);
    expect(await ok('describe ingress shop')).toContain('web:80 (10.1.0.1:8080)');
  });

  it('shows network policies', async () => {
    await ok('apply -f -', policy);
    expect(await table('get netpol')).toEqual([['deny', 'app=web', AGE]]);
  });

  it('applies a manifest without an address again and again', async () => {
    const manifest = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'applied' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    await ok('apply -f -', manifest);
    const before = await ok('get svc applied -o jsonpath={.spec.clusterIP}:{.spec.ports[0].nodePort}');
    expect(await ok('apply -f -', manifest)).toBe('service/applied unchanged\n');
    await ok('apply --server-side --force-conflicts -f -', manifest);
    await ok('replace -f -', manifest);
    expect(await ok('get svc applied -o jsonpath={.spec.clusterIP}:{.spec.ports[0].nodePort}')).toBe(before);
  });
});
