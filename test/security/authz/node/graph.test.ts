import { describe, expect, it } from 'vitest';
import { NodeGraph, type RelatedResource } from '../../../../src/security/authz/node/index.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';
import { createGenerator } from './random.js';
import { addPod, podOf, volumeOf } from './support.js';

const key = (name: string, namespace = 'ns') => ({ namespace, name });
const nodesThatNeed = (graph: NodeGraph, resource: RelatedResource, name: string, namespace = 'ns'): string[] =>
  ['node1', 'node2', 'node3'].filter((node) => graph.isNeeded(node, resource, namespace, name));

describe('a pod', () => {
  const secretRef = (name: string) => ({ secretRef: { name } });
  const container = (n: number): JsonObject => ({
    name: `c${n}`,
    env: [
      { name: 'A', value: 'x' },
      { name: 'B', valueFrom: { secretKeyRef: { name: `env-s${n}`, key: 'k' } } },
      { name: 'C', valueFrom: { configMapKeyRef: { name: `env-c${n}`, key: 'k' } } },
    ],
    envFrom: [secretRef(`from-s${n}`), { configMapRef: { name: `from-c${n}` } }],
  });
  const pod: JsonObject = {
    metadata: { name: 'pod1', namespace: 'ns' },
    spec: {
      nodeName: 'node1',
      serviceAccountName: 'sa',
      imagePullSecrets: [{ name: 'pull' }, { name: '' }, {}],
      initContainers: [container(1)],
      containers: [container(2)],
      ephemeralContainers: [container(3)],
      volumes: [
        { name: 'a', secret: { secretName: 'v-secret' } },
        { name: 'b', configMap: { name: 'v-config' } },
        {
          name: 'c',
          projected: {
            sources: [
              { secret: { name: 'p-secret' } },
              { configMap: { name: 'p-config' } },
              { serviceAccountToken: { path: 't' } },
              { clusterTrustBundle: { name: 'bundle', path: 'b' } },
            ],
          },
        },
        { name: 'd', persistentVolumeClaim: { claimName: 'v-claim' } },
        { name: 'e', ephemeral: { volumeClaimTemplate: {} } },
        { name: 'f', azureFile: { secretName: 'azure' } },
        { name: 'g', cephfs: secretRef('cephfs') },
        { name: 'h', cinder: secretRef('cinder') },
        { name: 'i', csi: { nodePublishSecretRef: { name: 'csi' } } },
        { name: 'j', flexVolume: secretRef('flex') },
        { name: 'k', iscsi: secretRef('iscsi') },
        { name: 'l', rbd: secretRef('rbd') },
        { name: 'm', scaleIO: secretRef('scaleio') },
        { name: 'n', storageos: secretRef('storageos') },
        { name: 'o', emptyDir: {} },
      ],
      resourceClaims: [
        { name: 'given', resourceClaimName: 'r-given' },
        { name: 'made', resourceClaimTemplateName: 'template' },
        { name: 'unneeded', resourceClaimTemplateName: 'template' },
        { name: 'missing', resourceClaimTemplateName: 'template' },
      ],
    },
    status: {
      phase: 'Succeeded',
      resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'r-made' }, { name: 'unneeded' }],
    },
  };
  const needed: readonly (readonly [RelatedResource, readonly string[]])[] = [
    ['pods', ['pod1']],
    ['serviceaccounts', ['sa']],
    [
      'secrets',
      [
        'pull',
        'env-s1',
        'env-s2',
        'env-s3',
        'from-s1',
        'from-s2',
        'from-s3',
        'v-secret',
        'p-secret',
        'azure',
        'cephfs',
        'cinder',
        'csi',
        'flex',
        'iscsi',
        'rbd',
        'scaleio',
        'storageos',
      ],
    ],
    ['configmaps', ['env-c1', 'env-c2', 'env-c3', 'from-c1', 'from-c2', 'from-c3', 'v-config', 'p-config']],
    ['persistentvolumeclaims', ['v-claim', 'pod1-e']],
    ['resourceclaims', ['r-given', 'r-made']],
  ];

  it('requires its referenced objects on its node and in its namespace, until it is deleted', () => {
    const graph = new NodeGraph(orch);
    graph.podChanged(pod, key('pod1'));
    for (const [resource, names] of needed) {
      for (const name of names) {
        expect([name, nodesThatNeed(graph, resource, name)]).toEqual([name, ['node1']]);
        expect(graph.isNeeded('node1', resource, 'other', name)).toBe(false);
      }
    }
    expect(graph.size).toBe(needed.flatMap(([, names]) => names).length);
    graph.podChanged(undefined, key('pod1'));
    expect(graph.size).toBe(0);
  });

  it('without a node requires nothing', () => {
    const graph = new NodeGraph(orch);
    addPod(graph, 'pod1', '', { secrets: ['s'] });
    expect(graph.size).toBe(0);
    addPod(graph, 'pod1', 'node1', { secrets: ['s'] });
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node1']);
  });

  it.each([
    [orch, 'orch.io/config.mirror'],
    [kubernetes, 'kubernetes.io/config.mirror'],
  ])('that mirrors a static one gives its node access to itself only', (dialect, annotation) => {
    const graph = new NodeGraph(dialect);
    graph.podChanged(
      { ...pod, metadata: { name: 'pod1', namespace: 'ns', annotations: { [annotation]: '' } } },
      key('pod1'),
    );
    expect(graph.size).toBe(1);
    expect(graph.isNeeded('node1', 'pods', 'ns', 'pod1')).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['no spec', {}],
    ['a string as spec', { spec: 'x' }],
    ['a number as node name', { spec: { nodeName: 1, serviceAccountName: 'sa' } }],
  ])('with %s is ignored', (_, odd) => {
    const graph = new NodeGraph(orch);
    graph.podChanged(odd, key('pod1'));
    expect(graph.size).toBe(0);
  });

  it('with fields of other types is read as far as possible', () => {
    const graph = new NodeGraph(orch);
    graph.podChanged(
      {
        metadata: null,
        spec: {
          nodeName: 'node1',
          serviceAccountName: 7,
          volumes: { secret: { secretName: 's' } },
          containers: [null, 'x', { env: 'y' }],
          imagePullSecrets: 'z',
          resourceClaims: {},
        },
        status: [],
      },
      key('pod1'),
    );
    expect(graph.size).toBe(2);
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node1']);
  });
});

describe('changes', () => {
  it('of references and nodes take effect at once', () => {
    const graph = new NodeGraph(orch);
    addPod(graph, 'pod1', 'node1', { secrets: ['one', 'shared'] });
    addPod(graph, 'pod2', 'node2', { secrets: ['two', 'shared'] });
    addPod(graph, 'pod3', 'node1', { secrets: ['shared'] });
    expect(nodesThatNeed(graph, 'secrets', 'shared')).toEqual(['node1', 'node2']);
    addPod(graph, 'pod1', 'node3', { secrets: ['three'] });
    expect(nodesThatNeed(graph, 'secrets', 'one')).toEqual([]);
    expect(nodesThatNeed(graph, 'secrets', 'three')).toEqual(['node3']);
    expect(nodesThatNeed(graph, 'secrets', 'shared')).toEqual(['node1', 'node2']);
    graph.podChanged(undefined, key('pod3'));
    graph.podChanged(undefined, key('pod3'));
    expect(nodesThatNeed(graph, 'secrets', 'shared')).toEqual(['node2']);
  });

  it('reported twice count once', () => {
    const graph = new NodeGraph(orch);
    addPod(graph, 'pod1', 'node1', { secrets: ['s', 's'] });
    addPod(graph, 'pod1', 'node1', { secrets: ['s'] });
    graph.podChanged(undefined, key('pod1'));
    expect(graph.size).toBe(0);
  });

  it('of a pod in another namespace with the same name are separate', () => {
    const graph = new NodeGraph(orch);
    addPod(graph, 'pod1', 'node1', { secrets: ['s'] }, 'a');
    addPod(graph, 'pod1', 'node2', { secrets: ['s'] }, 'b');
    graph.podChanged(undefined, key('pod1', 'a'));
    expect(nodesThatNeed(graph, 'secrets', 's', 'a')).toEqual([]);
    expect(nodesThatNeed(graph, 'secrets', 's', 'b')).toEqual(['node2']);
  });
});

describe('a persistent volume', () => {
  const rows: readonly (readonly [string, JsonObject, namespace: string, names: readonly string[]])[] = [
    ['azureFile in the namespace of the claim', { azureFile: { secretName: 's' } }, 'ns', ['s']],
    ['azureFile in its own namespace', { azureFile: { secretName: 's', secretNamespace: 'own' } }, 'own', ['s']],
    ['cephfs', { cephfs: { secretRef: { name: 's' } } }, 'ns', ['s']],
    ['flexVolume', { flexVolume: { secretRef: { name: 's', namespace: 'own' } } }, 'own', ['s']],
    ['rbd', { rbd: { secretRef: { name: 's' } } }, 'ns', ['s']],
    ['scaleIO', { scaleIO: { secretRef: { name: 's' } } }, 'ns', ['s']],
    ['iscsi', { iscsi: { secretRef: { name: 's' } } }, 'ns', ['s']],
    ['cinder', { cinder: { secretRef: { name: 's', namespace: 'own' } } }, 'own', ['s']],
    ['cinder without a namespace', { cinder: { secretRef: { name: 's' } } }, 'ns', []],
    ['storageos', { storageos: { secretRef: { name: 's', namespace: 'own' } } }, 'own', ['s']],
    [
      'csi, without the secrets of controllers',
      {
        csi: {
          nodePublishSecretRef: { namespace: 'own', name: 'publish' },
          nodeStageSecretRef: { namespace: 'own', name: 'stage' },
          nodeExpandSecretRef: { namespace: 'own', name: 'expand' },
          controllerPublishSecretRef: { namespace: 'own', name: 'c1' },
          controllerExpandSecretRef: { namespace: 'own', name: 'c2' },
        },
      },
      'own',
      ['publish', 'stage', 'expand'],
    ],
  ];

  it.each(rows)('is required with its secrets by a pod with its claim: %s', (_, source, namespace, names) => {
    const graph = new NodeGraph(orch);
    addPod(graph, 'pod1', 'node1', { claims: ['claim'] });
    graph.changed('persistentvolumes', volumeOf('claim', source), key('pv', ''));
    expect(nodesThatNeed(graph, 'persistentvolumes', 'pv', '')).toEqual(['node1']);
    for (const name of names) expect(nodesThatNeed(graph, 'secrets', name, namespace)).toEqual(['node1']);
    expect(graph.size).toBe(3 + names.length);
  });

  const csi = (name: string) => ({ csi: { nodePublishSecretRef: { namespace: 'ns', name } } });

  it('is connected and disconnected with pods, in any order of events', () => {
    const graph = new NodeGraph(orch);
    graph.changed('persistentvolumes', volumeOf('claim', csi('s')), key('pv', ''));
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual([]);
    addPod(graph, 'pod1', 'node1', { claims: ['claim'] });
    addPod(graph, 'pod2', 'node1', { claims: ['claim'] });
    addPod(graph, 'pod3', 'node2', { claims: ['claim'] });
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node1', 'node2']);
    graph.podChanged(undefined, key('pod1'));
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node1', 'node2']);
    graph.podChanged(undefined, key('pod2'));
    expect(nodesThatNeed(graph, 'persistentvolumes', 'pv', '')).toEqual(['node2']);
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node2']);
    graph.changed('persistentvolumes', undefined, key('pv', ''));
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual([]);
    graph.podChanged(undefined, key('pod3'));
    expect(graph.size).toBe(0);
  });

  it('that is bound to another claim leaves the old one', () => {
    const graph = new NodeGraph(orch);
    addPod(graph, 'pod1', 'node1', { claims: ['one'] });
    addPod(graph, 'pod2', 'node2', { claims: ['two'], secrets: ['s'] });
    graph.changed('persistentvolumes', volumeOf('one', csi('s')), key('pv', ''));
    graph.changed('persistentvolumes', volumeOf('two', csi('s')), key('pv', ''));
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node2']);
    graph.changed('persistentvolumes', { spec: csi('s') }, key('pv', ''));
    expect(nodesThatNeed(graph, 'persistentvolumes', 'pv', '')).toEqual([]);
    expect(nodesThatNeed(graph, 'secrets', 's')).toEqual(['node2']);
  });
});

it.each(['volumeattachments', 'resourceslices'] as const)('%s are required by the node that they name', (source) => {
  const graph = new NodeGraph(orch);
  const on = (nodeName?: string): JsonObject => ({ spec: nodeName === undefined ? {} : { nodeName } });
  graph.changed(source, on('node1'), key('x', ''));
  expect(nodesThatNeed(graph, source, 'x', '')).toEqual(['node1']);
  graph.changed(source, on('node2'), key('x', ''));
  expect(nodesThatNeed(graph, source, 'x', '')).toEqual(['node2']);
  graph.changed(source, on(), key('x', ''));
  expect(graph.size).toBe(0);
});

/** The expected content of the graph, from a scan of all objects. */
function requiredBySearch(
  pods: Map<string, { node: string; claims: string[]; secrets: string[] }>,
  volumes: Map<string, { claim: string; secret: string }>,
): Set<string> {
  const all = new Set<string>();
  for (const { node, claims, secrets } of pods.values()) {
    for (const secret of secrets) all.add(`${node} ${secret}`);
    for (const { claim, secret } of volumes.values()) if (claims.includes(claim)) all.add(`${node} ${secret}`);
  }
  return all;
}

it('matches a scan of all objects after any history, and ends up empty', () => {
  const random = createGenerator(7);
  const pick = (of: string, count: number): string => `${of}${random(count)}`;
  const some = (of: string): string[] => Array.from({ length: random(4) }, () => pick(of, 4));
  const graph = new NodeGraph(orch);
  const pods = new Map<string, { node: string; claims: string[]; secrets: string[] }>();
  const volumes = new Map<string, { claim: string; secret: string }>();
  const steps: readonly (() => void)[] = [
    () => {
      const [name, pod] = [pick('pod', 6), { node: pick('node', 3), claims: some('claim'), secrets: some('secret') }];
      pods.set(name, pod);
      graph.podChanged(podOf(name, pod.node, pod), key(name));
    },
    () => {
      const name = pick('pod', 6);
      pods.delete(name);
      graph.podChanged(undefined, key(name));
    },
    () => {
      const [name, volume] = [pick('pv', 4), { claim: pick('claim', 4), secret: pick('secret', 4) }];
      volumes.set(name, volume);
      graph.changed(
        'persistentvolumes',
        volumeOf(volume.claim, { csi: { nodeStageSecretRef: { namespace: 'ns', name: volume.secret } } }),
        key(name, ''),
      );
    },
    () => {
      const name = pick('pv', 4);
      volumes.delete(name);
      graph.changed('persistentvolumes', undefined, key(name, ''));
    },
  ];
  for (let step = 0; step < 5000; step += 1) {
    steps[random(steps.length)]?.();
    const expected = requiredBySearch(pods, volumes);
    const found = new Set<string>();
    for (let node = 0; node < 3; node += 1)
      for (let secret = 0; secret < 4; secret += 1) {
        if (graph.isNeeded(`node${node}`, 'secrets', 'ns', `secret${secret}`)) found.add(`node${node} secret${secret}`);
      }
    expect([step, [...found].sort()]).toEqual([step, [...expected].sort()]);
  }
  for (const name of pods.keys()) graph.podChanged(undefined, key(name));
  for (const name of volumes.keys()) graph.changed('persistentvolumes', undefined, key(name, ''));
  expect(graph.size).toBe(0);
});
