/** The commands of the real command-line tool about storage, quotas, limits and priorities. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Kubectl, toolMinor } from './kubectl.js';
import { startServer, type ServerProcess } from './server.js';

const MANIFESTS = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: gold
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: example.com/disk
allowVolumeExpansion: true
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: gold
  hostPath: {path: /data}
  claimRef: {namespace: shop, name: data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec:
  storageClassName: gold
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: shop}
spec:
  limits:
  - {type: Container, max: {cpu: "2"}, min: {cpu: 100m}, defaultRequest: {cpu: 500m}}
`;

describe.skipIf(toolMinor === undefined)('kubectl', () => {
  let server: ServerProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startServer([
      '--dialect=kubernetes',
      '--insecure-loopback-port=0',
      '--controllers=*,resourcequota,pv-protection,pvc-protection',
    ]);
    kubectl = new Kubectl(server);
    await kubectl.ok('create namespace shop');
    await kubectl.ok('apply -f -', { input: MANIFESTS });
  }, 300_000);

  afterAll(async () => {
    if (kubectl !== undefined) expect(await server.stop()).toBe(0);
  }, 300_000);

  /** The words of each line of a table. */
  const rows = (text: string): string[][] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/));

  it('get pv, pvc and sc: the columns of release 1.31', async () => {
    const [head, disk] = rows(await kubectl.ok('get pv'));
    expect(head).toEqual([
      'NAME',
      'CAPACITY',
      'ACCESS MODES',
      'RECLAIM POLICY',
      'STATUS',
      'CLAIM',
      'STORAGECLASS',
      'VOLUMEATTRIBUTESCLASS',
      'REASON',
      'AGE',
    ]);
    expect(disk?.slice(0, 8)).toEqual(['disk', '2Gi', 'RWO', 'Retain', 'Pending', 'shop/data', 'gold', '<unset>']);
    const [, data] = rows(await kubectl.ok('get pvc -n shop -o wide'));
    expect(data?.slice(0, 4)).toEqual(['data', 'Pending', 'gold', '<unset>']);
    expect(data?.at(-1)).toBe('Filesystem');
    const [, gold] = rows(await kubectl.ok('get sc'));
    expect(gold?.slice(0, 5)).toEqual(['gold (default)', 'example.com/disk', 'Delete', 'Immediate', 'true']);
  });

  it('describe pv, pvc and sc', async () => {
    const disk = await kubectl.ok('describe pv disk');
    expect(disk).toMatch(/Claim:\s+shop\/data/);
    expect(disk).toMatch(/Capacity:\s+2Gi/);
    expect(disk).toMatch(/Type:\s+HostPath \(bare host directory volume\)/);
    const data = await kubectl.ok('describe pvc data -n shop');
    expect(data).toMatch(/StorageClass:\s+gold/);
    expect(data).toMatch(/VolumeMode:\s+Filesystem/);
    expect(data).toMatch(/Used By:\s+<none>/);
    const gold = await kubectl.ok('describe sc gold');
    expect(gold).toMatch(/IsDefaultClass:\s+Yes/);
    expect(gold).toMatch(/VolumeBindingMode:\s+Immediate/);
  });

  it('get and describe limits: the defaults that follow from the others', async () => {
    expect(rows(await kubectl.ok('get limits -n shop'))[1]?.[0]).toBe('sizes');
    const words = rows(await kubectl.ok('describe limitrange sizes -n shop')).at(-1);
    expect(words).toEqual(['Container', 'cpu', '100m', '2', '500m', '2', '-']);
  });

  it('create, get and describe quota: usage follows the objects of the namespace', async () => {
    await kubectl.ok(
      'create quota box -n shop --hard=pods=3,configmaps=5,requests.storage=4Gi,count/deployments.apps=2,limits.cpu=4',
    );
    await vi.waitFor(
      async () => {
        const [, line] = rows(await kubectl.ok('get quota box -n shop'));
        expect(line?.join('  ')).toContain('requests.storage: 1Gi/4Gi');
      },
      { timeout: 10_000 },
    );
    await kubectl.ok('create deployment web -n shop --image=web');
    await vi.waitFor(
      async () => {
        const said = rows(await kubectl.ok('describe quota box -n shop'));
        expect(said).toContainEqual(['count/deployments.apps', '1', '2']);
      },
      { timeout: 10_000 },
    );
    const said = rows(await kubectl.ok('describe quota box -n shop'));
    expect(said).toContainEqual(['limits.cpu', '0', '4']);
    expect(said).toContainEqual(['pods', '0', '3']);
    expect(said).toContainEqual(['configmaps', '1', '5']);
    await kubectl.ok('create quota calm -n shop --hard=pods=2 --scopes=BestEffort');
    expect(await kubectl.ok('describe quota calm -n shop')).toContain(
      'Matches all pods that do not have resource requirements set',
    );
  }, 300_000);

  it('create quota with a resource that is not known, in the words of Kubernetes', async () => {
    expect(await kubectl.fails('create quota bad -n shop --hard=disks=1')).toBe(
      'error: failed to create quota: ResourceQuota "bad" is invalid: [' +
        'spec.hard[disks]: Invalid value: "disks": must be a standard resource type or fully qualified, ' +
        'spec.hard[disks]: Invalid value: "disks": must be a standard resource for quota]\n',
    );
  });

  it('create and get priorityclass', async () => {
    await kubectl.ok('create priorityclass high --value=1000 --description=urgent --preemption-policy=Never');
    const line = rows(await kubectl.ok('get pc high'))[1];
    expect(line?.slice(0, 3)).toEqual(['high', '1000', 'false']);
    expect(await kubectl.fails('create priorityclass system-mine --value=1')).toContain(
      "priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    );
    expect(await kubectl.fails('create priorityclass higher --value=1000000001')).toContain(
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    );
  });

  it('a claim does not shrink, and a volume keeps its source', async () => {
    expect(
      await kubectl.fails([
        'patch',
        'pvc',
        'data',
        '-n',
        'shop',
        '-p',
        '{"spec":{"resources":{"requests":{"storage":"512Mi"}}}}',
      ]),
    ).toContain('spec.resources.requests.storage: Forbidden: field can not be less than previous value');
    expect(await kubectl.fails(['patch', 'pv', 'disk', '-p', '{"spec":{"hostPath":{"path":"/other"}}}'])).toContain(
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    );
  });

  it('delete pvc and pv: the finalizers of protection do not hold what nothing uses', async () => {
    await vi.waitFor(async () => {
      expect(await kubectl.ok('get pvc data -n shop -o jsonpath={.metadata.finalizers}')).toBe(
        '["kubernetes.io/pvc-protection"]',
      );
    });
    await kubectl.ok('delete pvc data -n shop --timeout=10s');
    await kubectl.ok('delete pv disk --timeout=10s');
    expect(await kubectl.fails('get pv disk')).toContain('not found');
  }, 300_000);
});
