import { describe, expect, test } from 'vitest';
import { paced, ScalingHistory } from '../../src/controllers/autoscaling/pace.js';
import type { autoscalingV2 } from '../../src/kinds/types/index.js';
import { Deployment, Event, HorizontalPodAutoscaler } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';

const start = (): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', simulate: { nodes: 2 } });
const deploymentsOf = ({ client }: TestServer) => client.resource(Deployment).namespace('default');
const autoscalersOf = ({ client }: TestServer) => client.resource(HorizontalPodAutoscaler).namespace('default');

async function deploy(test: TestServer, replicas: number, requests: Record<string, string> = { cpu: '200m' }) {
  const labels = { app: 'web' };
  const containers = [{ name: 'main', image: 'a', resources: { requests } }];
  await deploymentsOf(test).create({
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  await test.settled();
  // The first half minute of a pod does not count.
  await test.advance(60_000);
}

const cpu = (target: Omit<autoscalingV2.MetricTarget, 'type'>): autoscalingV2.MetricSpec => ({
  type: 'Resource',
  resource: {
    name: 'cpu',
    target: { type: target.averageUtilization === undefined ? 'AverageValue' : 'Utilization', ...target },
  },
});

async function scaleBy(
  test: TestServer,
  metrics: autoscalingV2.MetricSpec[],
  behavior?: autoscalingV2.HorizontalPodAutoscalerBehavior,
): Promise<void> {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await autoscalersOf(test).create({
    metadata: { name: 'web' },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics, ...(behavior === undefined ? {} : { behavior }) },
  });
  await test.settled();
}

const replicasOf = async (test: TestServer): Promise<number | undefined> =>
  (await deploymentsOf(test).get('web')).spec?.replicas;

async function conditionsOf(test: TestServer): Promise<Record<string, string>> {
  const { status } = await autoscalersOf(test).get('web');
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`]),
  );
}

async function messagesOf({ client }: TestServer, reason: string): Promise<(string | undefined)[]> {
  const { items } = await client.resource(Event).namespace('default').list();
  return items.filter((event) => event.reason === reason).map(({ message }) => message);
}

describe('an autoscaler', () => {
  test('scales by the utilization that a rule sets, up and later down', async () => {
    await using server = await start();
    await deploy(server, 2);
    {
      using _load = server.pods.matching('app=web').use({ cpu: '160m' });
      await scaleBy(server, [cpu({ averageUtilization: 40 })]);
      expect(await replicasOf(server)).toBe(4);
      expect(await messagesOf(server, 'SuccessfulRescale')).toEqual([
        'New size: 4; reason: cpu resource utilization (percentage of request) above target',
      ]);
      const { status } = await autoscalersOf(server).get('web');
      expect(status).toMatchObject({
        currentMetrics: [
          { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 80, averageValue: '160m' } } },
        ],
        desiredReplicas: 4,
        lastScaleTime: '2024-01-01T00:01:00Z',
      });
      expect(await conditionsOf(server)).toEqual({
        AbleToScale: 'True SucceededRescale',
        ScalingActive: 'True ValidMetricFound',
        ScalingLimited: 'False DesiredWithinRange',
      });
      // The load does not become less by more pods: it goes on to the maximum.
      await server.advance(120_000);
      expect(await replicasOf(server)).toBe(10);
      expect((await conditionsOf(server))['ScalingLimited']).toBe('True TooManyReplicas');
    }
    await server.advance(240_000);
    expect(await replicasOf(server)).toBe(10);
    expect((await conditionsOf(server))['AbleToScale']).toBe('True ScaleDownStabilized');
    await server.advance(90_000);
    expect(await replicasOf(server)).toBe(1);
  });

  test('leaves the number that its target has for five minutes before it shrinks it', async () => {
    await using server = await start();
    await deploy(server, 3);
    await scaleBy(server, [cpu({ averageUtilization: 50 })]);
    expect(await replicasOf(server)).toBe(3);
    expect((await conditionsOf(server))['AbleToScale']).toBe('True ScaleDownStabilized');
    await server.advance(285_000);
    expect(await replicasOf(server)).toBe(3);
    await server.advance(15_000);
    expect(await replicasOf(server)).toBe(1);
  });

  test('scales by an amount, and leaves small differences', async () => {
    await using server = await start();
    await deploy(server, 2, {});
    using load = server.pods.matching('app=web').use({ cpu: '105m' });
    await scaleBy(server, [cpu({ averageValue: '100m' })]);
    expect(await replicasOf(server)).toBe(2);
    expect((await conditionsOf(server))['AbleToScale']).toBe('True ReadyForNewScale');
    load.stop();
    server.pods.matching('app=web').use({ cpu: '150m' });
    await server.advance(15_000);
    expect(await replicasOf(server)).toBe(3);
  });

  test('says what it lacks', async () => {
    await using server = await start();
    await deploy(server, 2, {});
    await scaleBy(server, [cpu({ averageUtilization: 40 })]);
    expect((await conditionsOf(server))['ScalingActive']).toBe('False FailedGetResourceMetric');
    const [message] = await messagesOf(server, 'FailedComputeMetricsReplicas');
    expect(message).toMatch(
      /^invalid metrics \(1 invalid out of 1\), first error is: failed to get cpu resource metric value: failed to get cpu utilization: missing request for cpu in container main of Pod web-/,
    );
    await deploymentsOf(server).delete('web');
    await server.advance(15_000);
    expect((await conditionsOf(server))['AbleToScale']).toBe('False FailedGetScale');
  });

  const target = { type: 'AverageValue', averageValue: '1' };
  const metric = { name: 'rate', selector: { matchLabels: { b: 'c', a: 'd' } } };
  const noCustom =
    'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
  const external = (selector: string): string =>
    `unable to get external metric default/rate/${selector}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get rate.external.metrics.k8s.io)`;
  const labels =
    '&LabelSelector{MatchLabels:map[string]string{a: d,b: c,},MatchExpressions:[]LabelSelectorRequirement{},}';
  test.each<[autoscalingV2.MetricSpec, reason: string, message: string, prefix: string]>([
    [
      { type: 'Pods', pods: { metric, target } },
      'FailedGetPodsMetric',
      `unable to get metric rate: ${noCustom}`,
      'failed to get pods metric value: ',
    ],
    [
      { type: 'Object', object: { metric, target, describedObject: { kind: 'Service', name: 'web' } } },
      'FailedGetObjectMetric',
      `unable to get metric rate: Service on default web/${noCustom}`,
      'failed to get object metric value: ',
    ],
    [
      { type: 'External', external: { metric, target } },
      'FailedGetExternalMetric',
      external(labels),
      'failed to get rate external metric value: failed to get rate external metric: ',
    ],
    [
      { type: 'External', external: { metric: { name: 'rate' }, target: { type: 'Value', value: '1' } } },
      'FailedGetExternalMetric',
      external('nil'),
      'failed to get rate external metric value: failed to get external metric rate: ',
    ],
    [
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'other', target } },
      'FailedGetContainerResourceMetric',
      'failed to get cpu usage: did not receive metrics for targeted pods (pods might be unready)',
      'failed to get other container metric value: ',
    ],
  ])('says which metric it cannot read: %j', async (unread, reason, message, prefix) => {
    await using server = await start();
    await deploy(server, 1);
    await scaleBy(server, [unread]);
    const { status } = await autoscalersOf(server).get('web');
    expect(status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({
      ...{ status: 'False', reason, message: `the HPA was unable to compute the replica count: ${message}` },
    });
    expect(await messagesOf(server, reason)).toEqual([message]);
    expect(await messagesOf(server, 'FailedComputeMetricsReplicas')).toEqual([
      `invalid metrics (1 invalid out of 1), first error is: ${prefix}${message}`,
    ]);
    expect(await replicasOf(server)).toBe(1);
  });

  test('says of the first of many metrics why it cannot be read, and not all of a long one', async () => {
    await using server = await start();
    await deploy(server, 1);
    const matchLabels = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, 'v']));
    const long = { name: 'rate', selector: { matchLabels } };
    const other = { name: 'other' };
    await scaleBy(
      server,
      [long, other, other].map((each) => ({ type: 'External', external: { metric: each, target } })),
    );
    expect(await messagesOf(server, 'FailedGetExternalMetric')).toEqual([external('… (more than 16,384 characters)')]);
    expect(await messagesOf(server, 'FailedComputeMetricsReplicas')).toEqual([
      expect.stringMatching(/^invalid metrics \(3 invalid out of 3\), first error is: failed to get rate external /),
    ]);
  });

  test('says only the beginning of a long name', async () => {
    await using server = await start();
    await deploy(server, 1);
    const name = 'a'.repeat(20_000);
    await scaleBy(server, [{ type: 'Pods', pods: { metric: { name }, target } }]);
    const { status } = await autoscalersOf(server).get('web');
    const messages = [
      status?.conditions?.find(({ type }) => type === 'ScalingActive')?.message,
      ...(await messagesOf(server, 'FailedGetPodsMetric')),
    ];
    expect(messages).toHaveLength(2);
    for (const message of messages) expect(message).toMatch(/unable to get metric a+… \([\d,]+ more\)$/);
  });

  test('keeps its target between its bounds, and leaves one that is scaled to nothing', async () => {
    await using server = await start();
    await deploy(server, 12);
    await scaleBy(server, [cpu({ averageUtilization: 40 })]);
    expect(await replicasOf(server)).toBe(10);
    await deploymentsOf(server).patch('web', { spec: { replicas: 0 } });
    await server.advance(15_000);
    expect(await replicasOf(server)).toBe(0);
    expect((await conditionsOf(server))['ScalingActive']).toBe('False ScalingDisabled');
  });
});

describe('the pace of scaling', () => {
  const policy = (type: string, value: number, periodSeconds: number) => ({ type, value, periodSeconds });
  const rules = (selectPolicy: string, ...policies: ReturnType<typeof policy>[]) => ({
    selectPolicy,
    policies,
    stabilizationWindowSeconds: 0,
  });

  test.each<[string, autoscalingV2.HorizontalPodAutoscalerBehavior, number, number, number, string]>([
    [
      'the policy that allows most',
      { scaleUp: rules('Max', policy('Pods', 4, 60), policy('Percent', 100, 60)) },
      10,
      40,
      20,
      'ScaleUpLimit',
    ],
    [
      'the policy that allows least',
      { scaleUp: rules('Min', policy('Pods', 4, 60), policy('Percent', 100, 60)) },
      10,
      40,
      14,
      'ScaleUpLimit',
    ],
    ['no growth', { scaleUp: rules('Disabled', policy('Pods', 4, 60)) }, 10, 40, 10, 'ScaleUpLimit'],
    ['the maximum', { scaleUp: rules('Max', policy('Percent', 900, 60)) }, 10, 80, 50, 'TooManyReplicas'],
    ['a slow decrease', { scaleDown: rules('Max', policy('Pods', 2, 60)) }, 10, 3, 8, 'ScaleDownLimit'],
    ['the minimum', { scaleDown: rules('Max', policy('Percent', 100, 60)) }, 10, 0, 1, 'TooFewReplicas'],
  ])('keeps to %s', (_what, behavior, current, desired, replicas, reason) => {
    const full = {
      scaleUp: rules('Max', policy('Percent', 100, 15)),
      scaleDown: rules('Max', policy('Percent', 100, 15)),
      ...behavior,
    };
    const found = paced(current, desired, { min: 1, max: 50, behavior: full }, new ScalingHistory(), 0);
    expect([found.replicas, found.reason]).toEqual([replicas, reason]);
  });

  test('counts what changed in the period of a policy', () => {
    const history = new ScalingHistory();
    const behavior = { scaleUp: rules('Max', policy('Pods', 4, 60)), scaleDown: rules('Max', policy('Pods', 2, 60)) };
    history.changed(3, 0, 3_600_000);
    expect(paced(8, 20, { min: 1, max: 50, behavior }, history, 30_000).replicas).toBe(9);
    expect(paced(8, 20, { min: 1, max: 50, behavior }, history, 60_000).replicas).toBe(12);
  });

  test('without a behaviour at most doubles, and shrinks to the highest recommendation of five minutes', () => {
    const history = new ScalingHistory();
    const bounds = { min: 1, max: 50, behavior: undefined };
    expect(paced(1, 20, bounds, history, 0).replicas).toBe(4);
    expect(paced(4, 20, bounds, history, 1000).replicas).toBe(8);
    expect(paced(20, 2, bounds, history, 300_000)).toMatchObject({ replicas: 20, stabilized: 'down' });
    expect(paced(20, 2, bounds, history, 301_001).replicas).toBe(2);
  });
});
