/**
 * Use 1: a unit test of code that works with the API, against a server that starts within the test.
 *
 * The function under test deletes expired Leases. Nothing is mocked: resource versions, selectors and deletion behave
 * as in Kubernetes. The test controls time, so nothing sleeps.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, Lease, type Client, type Clock } from 'orch-apiserver';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';

/** Deletes the expired Leases of a namespace, and returns their names. */
async function cleanLeases(client: Client, namespace: string, clock: Clock): Promise<string[]> {
  const leases = client.resource(Lease).namespace(namespace);
  const deleted: string[] = [];
  for (const { metadata, spec } of (await leases.list()).items) {
    const { name = '', uid, resourceVersion } = metadata;
    const { renewTime, leaseDurationSeconds = 0 } = spec ?? {};
    if (renewTime == null || Date.parse(renewTime) + leaseDurationSeconds * 1000 > clock.now()) continue;
    try {
      // The preconditions protect a Lease that was renewed or recreated since the list.
      await leases.delete(name, {
        preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
      });
      deleted.push(name);
    } catch (error) {
      if (!(error instanceof ApiError) || (error.reason !== 'Conflict' && error.reason !== 'NotFound')) throw error;
    }
  }
  return deleted;
}

/** Returns the time as a MicroTime, which has exactly six decimal places. */
const now = (clock: Clock): string => new Date(clock.now()).toISOString().replace('Z', '000Z');

async function holdLease({ client, clock }: TestServer, name: string, leaseDurationSeconds: number): Promise<void> {
  const spec = { holderIdentity: name, leaseDurationSeconds, renewTime: now(clock) };
  await client.resource(Lease).namespace('default').create({ metadata: { name }, spec });
}

test('deletes a lease when its time is over, and not before', async () => {
  await using running = await startTestServer();
  await holdLease(running, 'short', 15);
  await holdLease(running, 'long', 60);
  assert.deepEqual(await cleanLeases(running.client, 'default', running.clock), []);
  await running.advance(15_000);
  assert.deepEqual(await cleanLeases(running.client, 'default', running.clock), ['short']);
  await running.advance(45_000);
  assert.deepEqual(await cleanLeases(running.client, 'default', running.clock), ['long']);
});

test('keeps a lease that is renewed between the list and the delete', async () => {
  await using running = await startTestServer({
    admission: {
      plugins: [
        {
          name: 'RenewJustBefore',
          operations: ['DELETE'],
          async mutate({ name }) {
            const leases = running.client.resource(Lease).namespace('default');
            const lease = await leases.get(name);
            await leases.update({ ...lease, spec: { ...lease.spec, renewTime: now(running.clock) } });
          },
        },
      ],
    },
  });
  await holdLease(running, 'busy', 15);
  await running.advance(20_000);
  assert.deepEqual(await cleanLeases(running.client, 'default', running.clock), []);
  assert.equal((await running.client.resource(Lease).namespace('default').list()).items.length, 1);
});

test('fails if the user lacks the rights', async () => {
  await using running = await startTestServer();
  const stranger = running.server.client({ user: { username: 'stranger', groups: ['system:authenticated'] } });
  await assert.rejects(cleanLeases(stranger, 'default', running.clock), { code: 403, reason: 'Forbidden' });
});
