/** The drain of a node by the real command-line tool: a budget decides how fast pods are evicted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulation } from '../../../src/entries/controllers.js';
import { Deployment, Pod } from '../../../src/entries/index.js';
import { Node, PodDisruptionBudget } from '../../../src/entries/kinds.js';
import { serveHere, type ServedHere } from './in-process.js';
import { toolMinor } from './kubectl.js';

const LABELS = { app: 'web' };
const SELECTOR = { matchLabels: LABELS };
/** The simulated pods take real time to start. */
const PATIENCE_MS = 30_000;

describe.skipIf(toolMinor === undefined)('kubectl drain', { timeout: 300_000 }, () => {
  let served: ServedHere;

  beforeAll(async () => {
    served = await serveHere({
      dialect: 'kubernetes',
      controllers: { enable: ['deployment', 'replicaset', 'disruption'] },
      simulation: createSimulation({ nodes: 2 }),
    });
  }, 300_000);
  afterAll(() => served?.[Symbol.asyncDispose](), 30_000);

  const resources = () => {
    const client = served.server.client();
    return {
      budgets: client.resource(PodDisruptionBudget).namespace('default'),
      deployments: client.resource(Deployment).namespace('default'),
      nodes: client.resource(Node),
      pods: client.resource(Pod).namespace('default'),
    };
  };

  it('evicts the pods of a node, as fast as the budget allows', async () => {
    const { budgets, deployments, nodes, pods } = resources();
    await deployments.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 4,
        selector: SELECTOR,
        template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
      },
    });
    await budgets.create({ metadata: { name: 'web' }, spec: { minAvailable: 3, selector: SELECTOR } });
    await served.kubectl.ok('rollout status deployment/web --timeout=20s');
    await expect
      .poll(async () => (await budgets.get('web')).status?.disruptionsAllowed, { timeout: PATIENCE_MS })
      .toBe(1);
    const onNode = async (): Promise<string[]> =>
      (await pods.list()).items
        .filter(({ spec, metadata }) => spec?.nodeName === 'node-1' && metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name ?? '');
    const before = await onNode();
    expect(before.length).toBeGreaterThan(1);

    const { code, stdout, stderr } = await served.kubectl.run('drain node-1 --timeout=60s', { patienceMs: 70_000 });
    expect(code, stderr).toBe(0);
    for (const name of before) expect(stdout).toContain(`pod/${name} evicted`);
    expect(stdout).toContain('node/node-1 drained');
    // Only one disruption is allowed at a time: the tool had to wait for the others.
    expect(stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await onNode()).toEqual([]);
    expect((await nodes.get('node-1')).spec?.unschedulable).toBe(true);
    await expect
      .poll(async () => (await deployments.get('web')).status?.readyReplicas, { timeout: PATIENCE_MS })
      .toBe(4);

    expect(await served.kubectl.ok('uncordon node-1')).toBe('node/node-1 uncordoned\n');
    expect((await nodes.get('node-1')).spec?.unschedulable).toBeFalsy();
  });

  it('gives up when a budget never allows a disruption', async () => {
    const { budgets } = resources();
    const budget = await budgets.get('web');
    await budgets.update({ ...budget, spec: { minAvailable: 4, selector: SELECTOR } });
    await expect.poll(async () => (await budgets.get('web')).status?.desiredHealthy, { timeout: PATIENCE_MS }).toBe(4);
    expect(await served.kubectl.fails('drain node-2 --timeout=2s')).toMatch(/global timeout reached: 2s/);
    expect(await served.kubectl.ok('uncordon node-2')).toBe('node/node-2 uncordoned\n');
  });
});
