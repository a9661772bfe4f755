import { describe, expect, test } from 'vitest';
import { PluginWorld, type Answer, type PodSpec } from './support.js';

const specOf = ({ body }: Answer): PodSpec => body['spec'] as unknown as PodSpec;
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';

describe('Priority', () => {
  const enable = ['Priority'] as const;

  test('resolves classes, and knows those of the system', async () => {
    await using world = await PluginWorld.start({ enable });
    expect(specOf(await world.pod('a'))).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(specOf(await world.pod('b', { priorityClassName: 'system-node-critical' }, 'kube-system')).priority).toBe(
      2_000_001_000,
    );
    await world.send('POST', classes, { metadata: { name: 'polite' }, value: 7, preemptionPolicy: 'Never' });
    expect(specOf(await world.pod('c', { priorityClassName: 'polite', priority: 7 }))).toMatchObject({
      ...{ priority: 7, preemptionPolicy: 'Never', priorityClassName: 'polite' },
    });
    expect((await world.pod('d', { priorityClassName: 'none' })).text).toBe(
      '403 pods "d" is forbidden: no PriorityClass with name none was found',
    );
    expect((await world.pod('e', { priority: 5 })).text).toBe(
      '403 pods "e" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
    expect((await world.pod('f', { priorityClassName: 'polite', preemptionPolicy: 'PreemptLowerPriority' })).text).toBe(
      '403 pods "f" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    );
  });

  test('allows one default, which pods without a class get', async () => {
    await using world = await PluginWorld.start({ enable });
    await world.send('POST', classes, { metadata: { name: 'usual' }, value: 3, globalDefault: true });
    expect(specOf(await world.pod('a'))).toMatchObject({ priority: 3, priorityClassName: 'usual' });
    expect((await world.send('POST', classes, { metadata: { name: 'b' }, value: 3, globalDefault: true })).text).toBe(
      '403 priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    );
    const patched = await world.send(
      'PATCH',
      `${classes}/usual`,
      { description: 'x' },
      'admin',
      'application/merge-patch+json',
    );
    expect(patched.text).toBe('200');
  });

  test('keeps the priority of clients that do not know it', async () => {
    await using world = await PluginWorld.start({ enable });
    const { priority: _, preemptionPolicy: __, ...spec } = specOf(await world.pod('a'));
    const put = await world.send('PUT', '/api/v1/namespaces/default/pods/a', {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { a: 'b' } } },
      spec,
    });
    expect(specOf(put)).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });
});

describe('tolerations', () => {
  test('of failing nodes are added for a while, unless a pod has its own', async () => {
    await using world = await PluginWorld.start({
      enable: ['DefaultTolerationSeconds'],
      defaultTolerations: { unreachable: '7s' },
    });
    const of = (key: string, tolerationSeconds: number) => ({
      ...{ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute' },
      tolerationSeconds,
    });
    expect(specOf(await world.pod('a')).tolerations).toEqual([of('not-ready', 300), of('unreachable', 7)]);
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists' };
    expect(specOf(await world.pod('b', { tolerations: [own] })).tolerations).toEqual([own, of('unreachable', 7)]);
    expect(specOf(await world.pod('c', { tolerations: [{ operator: 'Exists' }] })).tolerations).toHaveLength(1);
  });

  test('of extended resources are added where they are requested', async () => {
    await using world = await PluginWorld.start({
      enable: ['ExtendedResourceToleration'],
      disable: ['DefaultTolerationSeconds'],
    });
    const resources = { requests: { 'example.com/gpu': '1', cpu: '1' }, limits: { 'example.com/gpu': '1' } };
    const containers = [{ name: 'c', image: 'i', resources }];
    expect(specOf(await world.pod('a', { containers })).tolerations).toEqual([
      { key: 'example.com/gpu', operator: 'Exists' },
    ]);
  });
});

describe('RuntimeClass', () => {
  test('sets overhead and scheduling, and refuses others', async () => {
    await using world = await PluginWorld.start({ disable: ['DefaultTolerationSeconds'] });
    await world.send('POST', '/apis/node.k8s.io/v1/runtimeclasses', {
      ...{ metadata: { name: 'vm' }, handler: 'vm', overhead: { podFixed: { cpu: '100m' } } },
      scheduling: { nodeSelector: { kind: 'vm' }, tolerations: [{ key: 'vm', operator: 'Exists' }] },
    });
    const runtimeClassName = 'vm';
    expect(specOf(await world.pod('a', { runtimeClassName, nodeSelector: { zone: 'z' } }))).toMatchObject({
      ...{ overhead: { cpu: '100m' }, nodeSelector: { kind: 'vm', zone: 'z' } },
      tolerations: [{ key: 'vm', operator: 'Exists' }],
    });
    expect((await world.pod('b', { runtimeClassName, overhead: { cpu: '0.1' } })).text).toBe('201');
    const forbidden = (name: string, why: string): string => `403 pods "${name}" is forbidden: ${why}`;
    expect((await world.pod('c', { runtimeClassName, overhead: { cpu: '1' } })).text).toBe(
      forbidden('c', "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"),
    );
    expect((await world.pod('d', { overhead: { cpu: '1' } })).text).toBe(
      forbidden('d', 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'),
    );
    expect((await world.pod('e', { runtimeClassName: 'none' })).text).toBe(
      forbidden('e', 'pod rejected: RuntimeClass "none" not found'),
    );
    expect((await world.pod('f', { runtimeClassName, nodeSelector: { kind: 'x' } })).text).toBe(
      forbidden('f', 'conflict: runtimeClass.scheduling.nodeSelector[kind] = vm; pod.spec.nodeSelector[kind] = x'),
    );
  });
});

describe('PodNodeSelector', () => {
  test('sends pods to the nodes of their namespace', async () => {
    await using world = await PluginWorld.start({
      enable: ['PodNodeSelector'],
      podNodeSelector: { clusterDefault: 'env=any', allowed: { red: 'team=red,zone=a' } },
    });
    await world.namespace('red', {}, { 'scheduler.alpha.kubernetes.io/node-selector': 'team=red' });
    expect(specOf(await world.pod('a')).nodeSelector).toEqual({ env: 'any' });
    expect(specOf(await world.pod('a', { nodeSelector: { zone: 'a' } }, 'red')).nodeSelector).toEqual({
      ...{ team: 'red', zone: 'a' },
    });
    expect((await world.pod('b', { nodeSelector: { team: 'blue' } }, 'red')).text).toBe(
      '403 pods "b" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
    expect((await world.pod('b', { nodeSelector: { zone: 'b' } }, 'red')).text).toBe(
      '403 pods "b" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    );
  });
});

test('AlwaysPullImages sets the policy of new images only', async () => {
  await using world = await PluginWorld.start({ enable: ['AlwaysPullImages'] });
  const made = await world.pod('a', { containers: [{ name: 'c', image: 'i:1', imagePullPolicy: 'Never' }] });
  expect(specOf(made).containers?.[0]?.imagePullPolicy).toBe('Always');
});

test('LimitPodHardAntiAffinityTopology allows nodes only', async () => {
  await using world = await PluginWorld.start({ enable: ['LimitPodHardAntiAffinityTopology'] });
  const term = (topologyKey: string) => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { a: 'b' } } }],
      },
    },
  });
  expect((await world.pod('a', term('zone'))).text).toBe(
    '403 pods "a" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  );
  expect((await world.pod('a', term('kubernetes.io/hostname'))).text).toBe('201');
});
