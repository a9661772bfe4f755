/**
 * A Lease that a candidate shares with processes in Go: records as client-go writes them, replayed, and its rules applied to
 * the records of ours.
 *
 * @see release 1.31, `tools/leaderelection/leaderelection.go` and `resourcelock/leaselock.go` of client-go
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import { LeaseRecord } from '../../../src/controllers/runtime/election/lease-record.js';
import { controllerNames } from '../../../src/entries/controllers.js';
import { createManualClock } from '../../../src/entries/testing.js';
import type { JsonObject } from '../../../src/foundation/index.js';

const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const { signal } = new AbortController();

const clock = createManualClock();
let server: ApiServer;
beforeEach(async () => {
  server = new ApiServer({ dialect: 'kubernetes', clock, controllers: { disable: [...controllerNames] } });
  await server.ready();
});
afterEach(() => server.close());

/** The collection, by names alone: Go writes what the type of the kind does not have, such as times that are null. */
const leases = () =>
  server.client().resource({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }).namespace('kube-system');

const specOf = async (): Promise<unknown> => (await leases().get('work'))['spec'];

const candidate = (leaseDurationMs = 15_000): LeaseRecord =>
  new LeaseRecord({
    ...{ client: server.client(), clock, namespace: 'kube-system', name: 'work', identity: 'ours', leaseDurationMs },
  });

/** A time as Go writes it, with microseconds that the clock of ours does not have. */
const goTime = (): string => `${new Date(clock.now()).toISOString().slice(0, -1)}456Z`;

/** The record of a leader in Go, in the order of its fields. */
const heldByGo = (changes: JsonObject = {}): JsonObject => ({
  holderIdentity: 'node-1_5f3c0a52-4f5b-4a2e-8f06-3d1c8c1f6d11',
  leaseDurationSeconds: 15,
  acquireTime: goTime(),
  renewTime: goTime(),
  leaseTransitions: 0,
  ...changes,
});

/** Writes a record as a process in Go does: the object that it has read, with another spec. */
async function goWrites(spec: JsonObject | undefined): Promise<void> {
  const found = await leases()
    .get('work')
    .catch(() => undefined);
  const metadata = { name: 'work', namespace: 'kube-system' };
  if (found === undefined) await leases().create({ metadata, ...(spec === undefined ? {} : { spec }) });
  else await leases().update({ ...found, spec });
}

describe('records of client-go', () => {
  test('are held while their leader renews, and run out after the duration that they name', async () => {
    await goWrites(heldByGo());
    const record = candidate();
    const acquireTime = goTime();
    for (let renewals = 0; renewals < 5; renewals += 1) {
      expect(await record.take(signal)).toBe(false);
      await clock.advance('14s');
      await goWrites(heldByGo({ acquireTime }));
    }
    expect(await record.take(signal)).toBe(false);
    await clock.advance(14_999);
    expect(await record.take(signal)).toBe(false);
    await clock.advance(1);
    const now = `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`;
    expect(await record.take(signal)).toBe(true);
    expect(await specOf()).toEqual({
      holderIdentity: 'ours',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 1,
    });
  });

  test('run out at the end of a longer duration of their own', async () => {
    await goWrites(heldByGo({ leaseDurationSeconds: 60 }));
    const record = candidate();
    expect(await record.take(signal)).toBe(false);
    await clock.advance('59s');
    expect(await record.take(signal)).toBe(false);
    await clock.advance('1s');
    expect(await record.take(signal)).toBe(true);
  });

  test.each<[string, () => JsonObject | undefined, number]>([
    ['released', () => ({ ...heldByGo(), holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 4 }), 5],
    [
      'released by a version that writes no times',
      () => ({
        ...{ holderIdentity: '', leaseDurationSeconds: 15, acquireTime: null, renewTime: null, leaseTransitions: 4 },
      }),
      5,
    ],
    ['without a holder', () => ({ leaseDurationSeconds: 15, leaseTransitions: 4 }), 5],
    ['made empty beforehand', () => undefined, 1],
  ])('are taken at once when they are %s', async (_name, spec, leaseTransitions) => {
    await goWrites(heldByGo());
    const record = candidate();
    expect(await record.take(signal)).toBe(false);
    await leases().delete('work');
    await goWrites(spec());
    expect(await record.take(signal)).toBe(true);
    expect(await specOf()).toMatchObject({ holderIdentity: 'ours', leaseDurationSeconds: 15, leaseTransitions });
  });

  test('of the same identity are continued, as after a restart', async () => {
    const acquireTime = goTime();
    await goWrites(heldByGo({ holderIdentity: 'ours', leaseTransitions: 7 }));
    await clock.advance('5s');
    expect(await candidate().take(signal)).toBe(true);
    expect(await specOf()).toMatchObject({ holderIdentity: 'ours', acquireTime, leaseTransitions: 7 });
  });

  test('end the lead of ours, and stay as they are', async () => {
    const record = candidate();
    expect(await record.take(signal)).toBe(true);
    const taken = heldByGo({ leaseTransitions: 1 });
    await goWrites(taken);
    expect(await record.renew(signal)).toBe(false);
    expect(record.isOwn).toBe(false);
    await record.release(signal);
    expect(await specOf()).toEqual(taken);
  });
});

/** The decisions of a candidate in Go about the records that it reads. */
class GoCandidate {
  #seen = '';
  #seenMs = 0;

  /** Whether the Lease is free for it: no holder, or a record that has not changed for the duration that it names. */
  async mayTake(): Promise<boolean> {
    const spec = (await specOf()) as { holderIdentity: string; leaseDurationSeconds: number };
    const raw = JSON.stringify(spec);
    if (raw !== this.#seen) this.#seenMs = clock.now();
    this.#seen = raw;
    return spec.holderIdentity === '' || this.#seenMs + spec.leaseDurationSeconds * 1000 <= clock.now();
  }
}

describe('records of ours', () => {
  test('have all fields that client-go reads, and times with microseconds', async () => {
    const record = candidate();
    await record.take(signal);
    const taken = (await specOf()) as Record<string, unknown>;
    expect(Object.keys(taken).sort()).toEqual(Object.keys(heldByGo()).sort());
    expect(taken['acquireTime']).toMatch(MICROSECONDS);
    await clock.advance('2s');
    expect(await record.renew(signal)).toBe(true);
    const renewed = (await specOf()) as Record<string, unknown>;
    expect(renewed['renewTime']).toMatch(MICROSECONDS);
    expect(renewed['renewTime']).not.toBe(taken['renewTime']);
    expect(renewed).toEqual({ ...taken, renewTime: renewed['renewTime'] });
  });

  test('keep a candidate in Go away while they are renewed, and for the duration after', async () => {
    const [record, go] = [candidate(20_000), new GoCandidate()];
    await record.take(signal);
    for (let renewals = 0; renewals < 10; renewals += 1) {
      expect(await go.mayTake()).toBe(false);
      await clock.advance('2s');
      expect(await record.renew(signal)).toBe(true);
    }
    expect(await go.mayTake()).toBe(false);
    await clock.advance('19s');
    expect(await go.mayTake()).toBe(false);
    await clock.advance('1s');
    expect(await go.mayTake()).toBe(true);
  });

  test('are released as client-go releases them, and may be taken at once', async () => {
    const [record, go] = [candidate(), new GoCandidate()];
    await goWrites({ ...heldByGo(), holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 2 });
    await record.take(signal);
    expect(await go.mayTake()).toBe(false);
    await clock.advance('1s');
    await record.release(signal);
    const now = `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`;
    expect(await specOf()).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 3,
    });
    expect(await go.mayTake()).toBe(true);
  });
});
