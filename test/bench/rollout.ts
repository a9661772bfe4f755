import { ApiServer } from 'orch-apiserver';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';
import { costOf, median, type Measure } from './measure.js';

const REPLICAS = 100;
/** Rounds until the code of a dozen controllers is compiled. */
const WARM_UP = 30;
const ROUNDS = 11;

const deploymentsOf = ({ client }: { client: ReturnType<ApiServer['client']> }) =>
  client.resource({ apiVersion: 'apps/v1', kind: 'Deployment' }).namespace('default');

function deployment(name: string, replicas: number) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/web:1' }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

/** Waits until nothing is left to do. @throws Error unless all replicas are of the present template and available */
async function rolledOut(test: TestServer): Promise<void> {
  await test.settled();
  const { status } = await deploymentsOf(test).get('web');
  const { availableReplicas, updatedReplicas } = (status ?? {}) as Record<string, number>;
  if (availableReplicas !== REPLICAS || updatedReplicas !== REPLICAS)
    throw new Error(`the rollout ended with ${JSON.stringify(status)}`);
}

/** The whole path of a rollout: deployment, replica set, 100 pods created, bound, run and ready, and the statuses. */
export async function rollout(): Promise<Measure[]> {
  const first: number[] = [];
  const second: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    await using test = await startTestServer({ dialect: 'kubernetes', simulate: true });
    const deployments = deploymentsOf(test);
    // The controllers start with the first object of their kinds.
    await deployments.create(deployment('other', 0));
    await test.settled();
    const created = await costOf(async () => {
      await deployments.create(deployment('web', REPLICAS));
      await rolledOut(test);
    });
    const containers = [{ name: 'main', image: 'example.com/web:2' }];
    const changed = await costOf(async () => {
      await deployments.patch('web', { spec: { template: { spec: { containers } } } });
      await rolledOut(test);
    });
    if (round < 0) continue;
    first.push(created.cpuUs / 1000);
    second.push(changed.cpuUs / 1000);
  }
  return [
    {
      name: `a rollout of ${REPLICAS} replicas with simulated pods`,
      value: median(first),
      unit: 'ms CPU',
      target: { sense: '<=', value: 150 },
      detail: `from the create of the Deployment until all are available; ${median(second).toFixed(0)} ms for another image, in batches of a quarter`,
    },
  ];
}
