import { describe, expect, test } from 'vitest';
import { PriorityClass } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createPod, eventsOf, podsOf, stateOf, type PodObject } from './support.js';

async function start(capacity: Record<string, string> = { cpu: '2', memory: '2Gi', pods: '10' }): Promise<TestServer> {
  const test = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: [{ capacity }] } });
  await test.client.resource(PriorityClass).create({ metadata: { name: 'high' }, value: 1_000_000 });
  return test;
}

const CRITICAL = 'system-cluster-critical';

/** The spec of a pod on the node; what it requests is limited, too, for the class Guaranteed. */
function on(requests: Record<string, string>, priorityClassName?: string, guaranteed = false) {
  const resources = guaranteed ? { requests, limits: requests } : { requests };
  return {
    nodeName: 'node-1',
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    containers: [{ name: 'main', image: 'a', resources }],
  };
}

async function phases(test: TestServer): Promise<string> {
  const { items } = await podsOf(test).list();
  return items.map(({ metadata, status }) => `${metadata.name}=${status?.reason ?? status?.phase}`).join(' ');
}

const conditionOf = ({ status }: PodObject, wanted: string) => status?.conditions?.find(({ type }) => type === wanted);

describe('a critical pod that a client gives a full node', () => {
  test('runs, and a pod that makes room fails as the kubelet says', async () => {
    await using server = await start();
    await createPod(server, 'web', on({ cpu: '1500m' }));
    expect((await createPod(server, 'dns', on({ cpu: '1' }, CRITICAL))).status?.phase).toBe('Running');
    const web = await podsOf(server).get('web');
    expect(web.status).toMatchObject({
      ...{ phase: 'Failed', reason: 'Preempting', message: 'Preempted in order to admit critical pod' },
      containerStatuses: [{ ready: false, state: { terminated: { exitCode: 137, reason: 'Error' } } }],
    });
    expect(conditionOf(web, 'DisruptionTarget')).toMatchObject({
      ...{ status: 'True', reason: 'TerminationByKubelet' },
      message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
    });
    expect(conditionOf(web, 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
    expect(await eventsOf(server, 'web')).toEqual(['Warning Preempting: Preempted in order to admit critical pod']);
    expect(await eventsOf(server, 'dns')).toEqual([]);
  });

  test('starts after those that make room have ended', async () => {
    await using server = await start();
    await createPod(server, 'web', on({ cpu: '1500m' }));
    const dns = await createPod(server, 'dns', on({ cpu: '1' }, CRITICAL));
    const web = await podsOf(server).get('web');
    expect([web.status?.phase, dns.status?.phase]).toEqual(['Failed', 'Running']);
    expect(Number(web.metadata.resourceVersion)).toBeLessThan(Number(dns.metadata.resourceVersion));
  });

  test.each<[string, Record<string, ReturnType<typeof on>>, Record<string, string>, string]>([
    [
      'the class of service decides first: best effort, burstable, guaranteed',
      { none: on({}), some: on({ cpu: '500m' }), all: on({ cpu: '1', memory: '1Gi' }, undefined, true) },
      { cpu: '1' },
      'all=Running critical=Running none=Running some=Preempting',
    ],
    [
      'the pod that is nearest to what is missing goes',
      { small: on({ cpu: '200m' }), fitting: on({ cpu: '600m' }), large: on({ cpu: '1100m' }) },
      { cpu: '700m' },
      'critical=Running fitting=Preempting large=Running small=Running',
    ],
    [
      'several go when one is not enough',
      { a: on({ cpu: '600m' }), b: on({ cpu: '600m' }), c: on({ cpu: '600m', memory: '1Gi' }) },
      { cpu: '1400m' },
      'a=Preempting b=Preempting c=Running critical=Running',
    ],
    [
      'all resources that are missing are freed',
      { memory: on({ memory: '1500Mi' }), cpu: on({ cpu: '1500m' }), both: on({ cpu: '10m', memory: '10Mi' }) },
      { cpu: '1', memory: '1Gi' },
      'both=Running cpu=Preempting critical=Running memory=Preempting',
    ],
    [
      'a pod of high priority that is not critical goes, a critical one stays',
      { high: on({ cpu: '1' }, 'high'), other: on({ cpu: '1' }, CRITICAL) },
      { cpu: '500m' },
      'critical=Running high=Preempting other=Running',
    ],
  ])('%s', async (_rule, pods, requests, expected) => {
    await using server = await start();
    for (const [name, spec] of Object.entries(pods)) await createPod(server, name, spec);
    await createPod(server, 'critical', on(requests, CRITICAL));
    expect(await phases(server)).toBe(expected);
  });

  test('of two critical pods the more important one makes the other go', async () => {
    await using server = await start();
    await createPod(server, 'cluster', on({ cpu: '1500m' }, CRITICAL));
    await createPod(server, 'node', on({ cpu: '1' }, 'system-node-critical'));
    expect(await phases(server)).toBe('cluster=Preempting node=Running');
  });

  test('takes the place of a pod when there are too many', async () => {
    await using server = await start({ cpu: '4', pods: '2' });
    await createPod(server, 'a', on({}));
    await createPod(server, 'b', on({ cpu: '1' }));
    await createPod(server, 'critical', on({}, CRITICAL));
    expect(await phases(server)).toBe('a=Preempting b=Running critical=Running');
  });

  test('fails when all others together are not enough, and nobody goes', async () => {
    await using server = await start();
    await createPod(server, 'web', on({ cpu: '1' }));
    const pod = await createPod(server, 'critical', on({ cpu: '3' }, CRITICAL));
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' });
    expect(pod.status?.message).toBe(
      'Pod was rejected: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
    );
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });

  test('fails for another reason, although it also lacks room, and nobody goes', async () => {
    await using server = await start();
    await createPod(server, 'web', on({ cpu: '1500m' }));
    const spec = { ...on({ cpu: '1' }, CRITICAL), nodeSelector: { disk: 'ssd' } };
    expect((await createPod(server, 'critical', spec)).status?.reason).toBe('NodeAffinity');
    expect(await phases(server)).toBe('critical=NodeAffinity web=Running');
  });

  test('an important pod that is not critical is refused', async () => {
    await using server = await start();
    await createPod(server, 'web', on({ cpu: '1500m' }));
    await createPod(server, 'important', on({ cpu: '1' }, 'high'));
    expect(await phases(server)).toBe('important=OutOfcpu web=Running');
  });
});
