import { expect, test } from 'vitest';
import { DaemonSet, Node, StatefulSet } from '../../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { laggingStorage } from '../../support/lagging-storage.js';
import { bench, deployment, deploymentsIn, imageOf, selector, template, type Bench } from './support.js';

/** A server whose watches deliver every write in a later turn. */
const lagging = (): Promise<Bench> => bench({ storage: ({ clock }) => laggingStorage(createMemoryStorage({ clock })) });

/** Waits until the controllers have caught up with everything. */
async function quiet(b: Bench): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await b.settled();
    await b.advance(50);
  }
}

async function finish(b: Bench): Promise<void> {
  await quiet(b);
  while ((await b.pods.makeReady()) > 0) await quiet(b);
}

test('late watches cause no pods too many', async () => {
  await using b = await lagging();
  await b.client.resource(Node).create({ metadata: { name: 'a' } });
  await deploymentsIn(b.client).create(deployment('web', { replicas: 5 }));
  const stateful = { replicas: 3, selector: { matchLabels: { app: 'db' } }, serviceName: 'db' };
  const labels = { app: 'db' };
  await b.client
    .resource(StatefulSet)
    .namespace('default')
    .create({
      metadata: { name: 'db' },
      spec: { ...stateful, podManagementPolicy: 'Parallel', template: template('db:1', labels) },
    });
  const agent = { matchLabels: { app: 'agent' } };
  await b.client
    .resource(DaemonSet)
    .namespace('default')
    .create({
      metadata: { name: 'agent' },
      spec: { selector: agent, template: template('agent:1', { app: 'agent' }) },
    });
  await finish(b);
  const made = await b.messages('db', 'SuccessfulCreate');
  expect(made).toHaveLength(3);
  expect((await b.pods.all()).map(imageOf).sort()).toEqual([
    'agent:1',
    ...Array.from({ length: 3 }, () => 'db:1'),
    ...Array.from({ length: 5 }, () => 'web:1'),
  ]);
  await deploymentsIn(b.client).patch('web', { spec: { template: template('web:2'), selector } });
  await finish(b);
  const { status } = await deploymentsIn(b.client).get('web');
  expect(status).toMatchObject({ replicas: 5, updatedReplicas: 5, availableReplicas: 5 });
  expect((await b.pods.all()).filter((pod) => imageOf(pod) === 'web:2')).toHaveLength(5);
});
