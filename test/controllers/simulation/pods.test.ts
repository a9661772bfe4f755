import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../src/testing/index.js';
import { createPod, podsOf, stateOf } from './support.js';

describe('a pod of a simulated node', () => {
  test('is bound, gets addresses, runs and is ready without any time passing', async () => {
    await using server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });
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

  test('is removed at once when it is deleted', async () => {
    await using server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });
    await createPod(server, 'web');
    await podsOf(server).delete('web');
    await server.settled();
    await expect(podsOf(server).get('web')).rejects.toMatchObject({ code: 404 });
  });

  test('crashes with the pauses of the kubelet', async () => {
    await using server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });
    server.pods.matching({ name: 'web' }).become('CrashLoopBackOff');
    await createPod(server, 'web');
    expect(await stateOf(server, 'web')).toBe('Running ready=False CrashLoopBackOff restarts=1');
  });
});
