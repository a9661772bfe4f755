import { expect, test } from 'vitest';
import { ReplicationController } from '../../../src/kinds/builtin/index.js';
import { bench, template } from './support.js';

test('a replication controller keeps its pods', async () => {
  await using b = await bench();
  const controllers = b.client.resource(ReplicationController).namespace('default');
  await controllers.create({
    metadata: { name: 'old' },
    spec: { replicas: 2, selector: { app: 'web' }, template: template() },
  });
  await b.settled();
  const pods = await b.pods.all();
  expect(pods.map(({ metadata }) => metadata.ownerReferences)).toMatchObject(
    Array.from({ length: 2 }, () => [
      { apiVersion: 'v1', kind: 'ReplicationController', name: 'old', controller: true },
    ]),
  );
  await b.pods.makeReady();
  expect((await controllers.get('old')).status).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2 });
  await controllers.patch('old', { spec: { replicas: 0 } });
  await b.settled();
  expect(await b.pods.names()).toEqual([]);
  expect((await controllers.get('old')).status?.replicas).toBe(0);
});
