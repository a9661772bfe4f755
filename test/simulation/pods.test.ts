import { describe, expect, test } from 'vitest';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';
import { createPod, eventsOf, podsOf, podWith, shown, stateOf } from './support.js';

const start = (): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });

const isGone = async (server: TestServer, name: string): Promise<boolean> =>
  podsOf(server)
    .get(name)
    .then(
      () => false,
      () => true,
    );

describe('a pod of a simulated node', () => {
  test('is bound, gets addresses, runs and is ready without any time passing', async () => {
    await using server = await start();
    const pod = await createPod(server, 'web');
    expect(pod.spec?.nodeName).toBe('node-1');
    expect(pod.status).toEqual({
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2024-01-01T00:00:00Z' }),
      ),
      hostIP: '172.18.0.2',
      hostIPs: [{ ip: '172.18.0.2' }],
      podIP: '10.244.0.2',
      podIPs: [{ ip: '10.244.0.2' }],
      startTime: '2024-01-01T00:00:00Z',
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'shop:1',
          imageID: expect.stringMatching(/^shop@sha256:[0-9a-f]{64}$/),
          containerID: `simulated://${pod.metadata.uid}/main/0`,
          started: true,
        },
      ],
      qosClass: 'BestEffort',
    });
  });

  test('runs in the dialect orch', async () => {
    await using server = await startTestServer({ simulate: true });
    await createPod(server, 'web');
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });

  test('has an address of its own, which the next pod gets once it is gone', async () => {
    await using server = await start();
    const [one, two] = [await createPod(server, 'one'), await createPod(server, 'two', { hostNetwork: true })];
    expect([one.status?.podIP, two.status?.podIP]).toEqual(['10.244.0.2', '172.18.0.2']);
    const three = await createPod(server, 'three');
    expect(three.status?.podIP).toBe('10.244.0.3');
  });

  test('is removed at once when it is deleted', async () => {
    await using server = await start();
    await createPod(server, 'web');
    await podsOf(server).delete('web');
    await server.settled();
    expect(await isGone(server, 'web')).toBe(true);
  });

  test.each([
    [10, 10],
    [300, 30],
  ])('that ends after %i seconds is removed after %i', async (terminateAfter, seconds) => {
    await using server = await start();
    server.pods.matching({}).become('Running', { terminateAfter: `${terminateAfter}s` });
    await createPod(server, 'web');
    await podsOf(server).delete('web');
    await server.advance(seconds * 1000 - 1);
    expect(await isGone(server, 'web')).toBe(false);
    await server.advance(1);
    expect(await isGone(server, 'web')).toBe(true);
  });

  test('that a finalizer keeps says how it ended', async () => {
    await using server = await start();
    await podsOf(server).create(podWith('web', {}, { finalizers: ['example.com/wait'] }));
    await server.settled();
    await podsOf(server).delete('web');
    await server.settled();
    const pod = await podsOf(server).get('web');
    expect(shown(pod)).toBe('Failed ready=False Error restarts=0');
    expect(pod.metadata.deletionGracePeriodSeconds).toBe(0);
  });

  test('waits for its scheduling gates', async () => {
    await using server = await start();
    const pod = await createPod(server, 'web', { schedulingGates: [{ name: 'example.com/wait' }] });
    expect(pod.spec?.nodeName).toBeUndefined();
    await podsOf(server).patch('web', { spec: { schedulingGates: null } } as never);
    await server.settled();
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });

  test('is left to another scheduler that it names', async () => {
    await using server = await start();
    const pod = await createPod(server, 'web', { schedulerName: 'mine' });
    expect(pod.spec?.nodeName).toBeUndefined();
  });

  test('runs init containers one after another, and sidecars before the others', async () => {
    await using server = await start();
    server.pods.matching({}).become('Running', { initAfter: '5s', readyAfter: '2s' });
    const container = (name: string, restartPolicy?: string) => ({
      ...{ name, image: name },
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    });
    await createPod(server, 'web', {
      initContainers: [container('first'), container('proxy', 'Always'), container('second')],
    });
    const states = async (): Promise<string[]> => {
      const { initContainerStatuses = [], containerStatuses = [] } = (await podsOf(server).get('web')).status ?? {};
      return [...initContainerStatuses, ...containerStatuses].map(
        ({ name, state, ready }) => `${name} ${Object.keys(state ?? {}).join()}${ready ? ' ready' : ''}`,
      );
    };
    expect(await states()).toEqual(['first running', 'proxy waiting', 'second waiting', 'main waiting']);
    await server.advance(5000);
    expect(await states()).toEqual(['first terminated ready', 'proxy running ready', 'second running', 'main waiting']);
    expect(
      (await podsOf(server).get('web')).status?.conditions?.find(({ type }) => type === 'Initialized'),
    ).toMatchObject({ status: 'False', message: 'containers with incomplete status: [second]' });
    await server.advance(5000);
    expect(await states()).toEqual([
      'first terminated ready',
      'proxy running ready',
      'second terminated ready',
      'main running',
    ]);
    await server.advance(2000);
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });

  test('is ready when its readiness gates are, too', async () => {
    await using server = await start();
    const pod = await createPod(server, 'web', { readinessGates: [{ conditionType: 'example.com/gate' }] });
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
    });
    const conditions = [...(pod.status?.conditions ?? []), { type: 'example.com/gate', status: 'True' }];
    await podsOf(server).updateStatus({ ...pod, status: { ...pod.status, conditions } });
    await server.settled();
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });

  test('fails at its deadline', async () => {
    await using server = await start();
    await createPod(server, 'web', { activeDeadlineSeconds: 20 });
    await server.advance(20_000);
    const { status } = await podsOf(server).get('web');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  test('goes on as its status says when the server starts again', async () => {
    const storage = keptOpenStorage(createManualClock());
    {
      await using server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 }, storage });
      await createPod(server, 'web');
    }
    await using again = await startTestServer({
      dialect: 'kubernetes',
      simulate: { nodes: 1 },
      storage,
      seed: 1,
    });
    const before = await podsOf(again).get('web');
    const next = await createPod(again, 'next');
    expect(next.status?.podIP).toBe('10.244.0.3');
    expect(await podsOf(again).get('web')).toEqual(before);
    await podsOf(again).delete('web');
    await again.settled();
    expect(await isGone(again, 'web')).toBe(true);
  });
});

describe('a container that fails', () => {
  test('is restarted with the pauses of the kubelet', async () => {
    await using server = await start();
    server.pods.matching({ name: 'web' }).become('CrashLoopBackOff', { exitCode: 3, message: 'no database' });
    const pod = await createPod(server, 'web');
    expect(shown(pod)).toBe('Running ready=False CrashLoopBackOff restarts=1');
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off 10s restarting failed container=main pod=web_default(${pod.metadata.uid})`,
        },
      },
      lastState: { terminated: { exitCode: 3, reason: 'Error', message: 'no database' } },
      started: false,
    });
    expect(await eventsOf(server, 'web')).toEqual([
      `Warning BackOff: Back-off restarting failed container main in pod web_default(${pod.metadata.uid})`,
    ]);
    const restartsAfter = async (seconds: number): Promise<number | undefined> => {
      await server.advance(seconds * 1000);
      return (await podsOf(server).get('web')).status?.containerStatuses?.[0]?.restartCount;
    };
    expect(await restartsAfter(9)).toBe(1);
    expect(await restartsAfter(1)).toBe(2);
    expect(await restartsAfter(19)).toBe(2);
    expect(await restartsAfter(1)).toBe(3);
    expect(await restartsAfter(40 + 80 + 160)).toBe(6);
    expect(await restartsAfter(300)).toBe(7);
    expect(await restartsAfter(300)).toBe(8);
  });

  test('runs as long as the rule says, and becomes ready each time', async () => {
    await using server = await start();
    server.pods.matching({}).become('CrashLoopBackOff', { completeAfter: '1m', readyAfter: '10s' });
    await createPod(server, 'web');
    expect(await stateOf(server, 'web')).toBe('Running ready=False up restarts=0');
    await server.advance(10_000);
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
    await server.advance(50_000);
    expect(await stateOf(server, 'web')).toBe('Running ready=False up restarts=1');
  });

  test.each([
    ['Never', 'Failed', 'Failed ready=False Error restarts=0'],
    ['OnFailure', 'Failed', 'Running ready=False CrashLoopBackOff restarts=1'],
    ['Always', 'Failed', 'Running ready=False CrashLoopBackOff restarts=1'],
    ['Never', 'Succeeded', 'Succeeded ready=False Completed restarts=0'],
    ['OnFailure', 'Succeeded', 'Succeeded ready=False Completed restarts=0'],
    ['Always', 'Succeeded', 'Running ready=False CrashLoopBackOff restarts=1'],
    ['Never', 'OOMKilled', 'Failed ready=False OOMKilled restarts=0'],
    ['Always', 'Evicted', 'Failed ready=False Error restarts=0'],
  ] as const)('with the restart policy %s and the outcome %s is %s', async (restartPolicy, outcome, state) => {
    await using server = await start();
    server.pods.matching({}).become(outcome);
    expect(shown(await createPod(server, 'web', { restartPolicy }))).toBe(state);
  });

  test('blocks the others when it is an init container', async () => {
    await using server = await start();
    server.pods.matching({}).become('Failed', { container: 'setup' });
    const initContainers = [{ name: 'setup', image: 'setup' }];
    const pod = await createPod(server, 'web', { initContainers });
    expect(shown(pod)).toBe('Pending ready=False PodInitializing restarts=0');
    expect(pod.status?.initContainerStatuses?.[0]?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    expect(shown(await createPod(server, 'once', { initContainers, restartPolicy: 'Never' }))).toMatch(/^Failed/);
    // A pod without the container does not follow the rule.
    expect(shown(await createPod(server, 'plain'))).toBe('Running ready=True up restarts=0');
  });
});

describe('an image that cannot be pulled', () => {
  test.each([
    [
      'ErrImagePull',
      ['Warning Failed: Failed to pull image "shop:1": not found', 'Warning Failed: Error: ErrImagePull'],
    ],
    ['ImagePullBackOff', ['Normal BackOff: not found', 'Warning Failed: Error: ImagePullBackOff']],
  ] as const)('keeps the pod pending with %s', async (outcome, events) => {
    await using server = await start();
    const rule = server.pods.matching({ image: 'shop' }).become(outcome, { message: 'not found' });
    expect(shown(await createPod(server, 'web'))).toBe(`Pending ready=False ${outcome} restarts=0`);
    expect((await podsOf(server).get('web')).status?.podIP).toBeUndefined();
    expect(await eventsOf(server, 'web')).toEqual(events);
    rule.stop();
    await server.settled();
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });
});
