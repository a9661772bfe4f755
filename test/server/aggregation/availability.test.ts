/** The condition `Available` of APIServices. */
import { expect, test, vi } from 'vitest';
import { APIService, Endpoints, Service } from '../../../src/entries/kinds.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { World } from './world.js';
import { PATIENCE } from '../../support/patience.js';

test('says what is missing, in the words of Kubernetes', async () => {
  await using world = await World.start();
  world.url = undefined;
  await world.register({ service: { namespace: 'default', name: 'ferries', port: 8443 } });
  const expectReason = (reason: string, message: string) =>
    vi.waitFor(async () => {
      await world.main.settled();
      expect(await world.condition()).toEqual({ type: 'Available', status: 'False', reason, message });
    }, PATIENCE);
  await expectReason('ServiceNotFound', 'service/ferries in "default" is not present');
  const services = world.client.resource(Service).namespace('default');
  const made = await services.create({ metadata: { name: 'ferries' }, spec: { ports: [{ name: 'a', port: 443 }] } });
  await expectReason('ServicePortError', 'service/ferries in "default" is not listening on port 8443');
  await services.update({ ...made, spec: { ...made.spec, ports: [{ name: 'https', port: 8443 }] } });
  await expectReason('EndpointsNotFound', 'cannot find endpoints for service/ferries in "default"');
  const endpoints = world.client.resource(Endpoints).namespace('default');
  const subsets = [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'other', port: 8443 }] }];
  await endpoints.create({ metadata: { name: 'ferries' }, subsets });
  await expectReason(
    'MissingEndpoints',
    'endpoints for service/ferries in "default" have no addresses with port name "https"',
  );
});

test('is checked every thirty seconds, and again sooner after a failure', async () => {
  const clock = createManualClock(Date.now());
  await using world = await World.start({ server: { clock } });
  await world.register();
  expect(await world.condition()).toMatchObject({ status: 'True', reason: 'Passed' });
  const url = world.url;
  world.url = new URL('https://127.0.0.1:1');
  await clock.advance(29_999);
  await world.main.settled();
  expect(await world.condition()).toMatchObject({ status: 'True' });
  await clock.advance(1);
  await vi.waitFor(
    async () => expect(await world.condition()).toMatchObject({ status: 'False', reason: 'FailedDiscoveryCheck' }),
    PATIENCE,
  );
  world.url = url;
  await clock.advance(30_000);
  await vi.waitFor(async () => expect(await world.condition()).toMatchObject({ status: 'True' }), PATIENCE);
});

test('does not concern an APIService of this server', async () => {
  await using world = await World.start();
  const { status } = await world.client.resource(APIService).get('v1.apps');
  await world.main.settled();
  expect(status?.conditions?.[0]).toMatchObject({ status: 'True', reason: 'Local' });
  const after = await world.client.resource(APIService).get('v1.apps');
  expect(after.metadata.resourceVersion).toBeDefined();
  expect(after.status).toEqual(status);
});
