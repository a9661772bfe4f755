import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import { LeaderElection, type LeaderTerm } from '../../../src/controllers/runtime/election/leader-election.js';
import type { LeaderElectionTimes } from '../../../src/controllers/runtime/election/times.js';
import { decorateStorage } from '../../../src/entries/storage.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { controllerNames } from '../../../src/entries/controllers.js';
import { Lease } from '../../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { StorageError } from '../../../src/storage/storage.js';

/** Randomness that makes every pause as short (0) or as long (255) as possible. */
const entropyOf = (byte: number) => ({
  uuid: () => 'unused',
  bytes: (length: number) => new Uint8Array(length).fill(byte),
});

/** A candidate with a clock of its own. */
interface Candidate {
  readonly clock: ManualClock;
  readonly election: LeaderElection;
  /** The terms that it has begun. */
  readonly terms: LeaderTerm[];
  readonly errors: unknown[];
  /** Lets the work of its ended terms end. By default it ends at once. */
  finish: () => void;
  holdsWork: boolean;
  /** Time that has passed on its clock while the process did not run: no timer has fired. */
  pausedMs: number;
  /** How far the time of day has been set ahead. */
  setAheadMs: number;
}

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const opened of open.splice(0).reverse()) await opened.close();
});

/** A server whose storage can fail, or hang, for the requests of chosen candidates. */
async function world() {
  const server = { isDown: false, hung: undefined as Promise<void> | undefined };
  const clock = createManualClock();
  const storage = decorateStorage(createMemoryStorage({ clock }), {});
  const update = storage.update.bind(storage);
  const api = new ApiServer({
    dialect: 'kubernetes',
    clock,
    controllers: { disable: [...controllerNames] },
    storage: decorateStorage(storage, {
      update: async (...given) => {
        if (server.isDown) throw new StorageError('Unavailable', { message: 'the storage is away' });
        await server.hung;
        return update(...given);
      },
    }),
  });
  open.push(api);
  await api.ready();
  const leases = api.client().resource(Lease).namespace('kube-system');
  const candidate = (
    identity: string,
    {
      startMs,
      jitter = 0,
      fails,
      ...times
    }: LeaderElectionTimes & { startMs?: number; jitter?: number; fails?: Error } = {},
  ): Candidate => {
    const own = createManualClock(startMs);
    const made: Candidate = {
      clock: own,
      terms: [],
      errors: [],
      finish: () => undefined,
      holdsWork: false,
      pausedMs: 0,
      setAheadMs: 0,
      election: new LeaderElection({
        client: api.client(),
        namespace: 'kube-system',
        name: 'work',
        identity,
        clock: {
          now: () => own.now() + made.pausedMs + made.setAheadMs,
          monotonic: () => own.now() + made.pausedMs,
          after: (ms, callback) => own.after(ms, callback),
        },
        entropy: entropyOf(jitter),
        onError: (error) => void made.errors.push(error),
        lead: async (term) => {
          made.terms.push(term);
          if (fails !== undefined) throw fails;
          await new Promise<void>((resolve) => {
            const end = (): void => {
              if (made.holdsWork) made.finish = resolve;
              else resolve();
            };
            if (term.signal.aborted) end();
            else term.signal.addEventListener('abort', end);
          });
        },
        ...times,
      }),
    };
    open.push({
      close: async () => {
        server.isDown = false;
        made.holdsWork = false;
        made.finish();
        await made.election.stop();
      },
    });
    return made;
  };
  return { server, leases, candidate, spec: async () => (await leases.get('work')).spec };
}

const leads = ({ terms }: Candidate): boolean => terms.at(-1)?.isCurrent() === true;

/** Advances the clocks of candidates together, in small steps, and calls back after each. */
async function advance(candidates: readonly Candidate[], ms: number, check?: () => void): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    for (const { clock } of candidates) await clock.advance(500);
    check?.();
  }
}

async function started(...candidates: readonly Candidate[]): Promise<void> {
  for (const { election, clock } of candidates) {
    await election.start();
    await clock.settle();
  }
}

describe('taking the lead', () => {
  test('the first candidate creates the Lease, and renews it', async () => {
    const { candidate, spec } = await world();
    const one = candidate('one');
    await started(one);
    expect(leads(one)).toBe(true);
    const first = await spec();
    expect(first).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(first?.acquireTime).toBe('2024-01-01T00:00:00.000000Z');
    await one.clock.advance('3s');
    expect(await spec()).toEqual({ ...first, renewTime: '2024-01-01T00:00:02.000000Z' });
    await one.clock.advance('1h');
    expect(leads(one)).toBe(true);
    expect(one.terms).toHaveLength(1);
  });

  test('after a crash another one takes the lead when the lease has run out and its pause has passed', async () => {
    const { candidate, server, spec } = await world();
    const [one, two] = [candidate('one'), candidate('two', { jitter: 255 })];
    await started(one, two);
    // The clock of a process that has died stands still.
    let waitedMs = 0;
    while (!leads(two) && waitedMs < 60_000) {
      await two.clock.advance(100);
      waitedMs += 100;
    }
    expect(waitedMs).toBeGreaterThanOrEqual(15_000);
    expect(waitedMs).toBeLessThanOrEqual(15_000 + 2000 * 2.2);
    expect(await spec()).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
    expect(server.isDown).toBe(false);
  });

  test('the duration in the record counts, not that of the candidate', async () => {
    const { candidate } = await world();
    const one = candidate('one', { leaseDuration: '40s' });
    const two = candidate('two');
    await started(one, two);
    await two.clock.advance('39s');
    expect(leads(two)).toBe(false);
    await two.clock.advance('4s');
    expect(leads(two)).toBe(true);
  });

  test('a fraction of a second in the duration is rounded up', async () => {
    const { candidate, spec } = await world();
    const one = candidate('one', { leaseDuration: 1900, renewDeadline: 1500, retryPeriod: 200 });
    await started(one);
    expect(await spec()).toMatchObject({ leaseDurationSeconds: 2 });
  });

  test('clocks that differ by an hour change nothing', async () => {
    const { candidate } = await world();
    const base = Date.UTC(2024, 0, 1);
    const one = candidate('one', { startMs: base });
    const two = candidate('two', { startMs: base + 3_600_000 });
    const three = candidate('three', { startMs: base - 3_600_000 });
    await started(one, two, three);
    await advance([one, two, three], 60_000);
    expect([one, two, three].map(leads)).toEqual([true, false, false]);
    await advance([two, three], 20_000);
    expect([two, three].filter(leads)).toHaveLength(1);
  });

  test('a time of day that is set changes nothing', async () => {
    const { candidate, server } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one, two);
    two.setAheadMs = 3_600_000;
    await advance([one, two], 60_000, () => expect([leads(one), leads(two)]).toEqual([true, false]));
    one.setAheadMs = -3_600_000;
    server.isDown = true;
    await advance([one, two], 10_000);
    expect(leads(one)).toBe(false);
  });

  test('a change of metadata is not a sign of life', async () => {
    const { candidate, leases } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one, two);
    for (let seconds = 0; seconds < 18; seconds += 1) {
      await leases.patch('work', { metadata: { labels: { touched: `at-${seconds}` } } }, { type: 'merge' });
      await two.clock.advance('1s');
    }
    expect(leads(two)).toBe(true);
  });

  test('candidates that start together elect one', async () => {
    const { candidate } = await world();
    const all = ['one', 'two', 'three', 'four'].map((name) => candidate(name));
    for (const { election } of all) void election.start();
    await advance(all, 5000);
    expect(all.filter(leads)).toHaveLength(1);
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  });
});

describe('giving up the lead', () => {
  test('a candidate that stops releases the Lease once its work has ended', async () => {
    const { candidate, spec } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one, two);
    one.holdsWork = true;
    const stopping = one.election.stop();
    expect(leads(one)).toBe(false);
    await advance([one, two], 30_000);
    // Its work goes on, so it still renews.
    expect(leads(two)).toBe(false);
    expect(await spec()).toMatchObject({ holderIdentity: 'one' });
    one.finish();
    await stopping;
    expect(await spec()).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect((await spec())?.holderIdentity).toBe('');
    await two.clock.advance('2s');
    expect(leads(two)).toBe(true);
    expect(await spec()).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  test('a leader that cannot renew stops before another one leads', async () => {
    const { candidate, server } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one, two);
    server.isDown = true;
    await advance([one, two], 9500);
    expect(leads(one)).toBe(true);
    expect(one.errors).not.toEqual([]);
    await advance([one], 1000);
    expect(leads(one)).toBe(false);
    expect(one.terms[0]?.signal.aborted).toBe(true);
    expect(leads(two)).toBe(false);
    server.isDown = false;
    await advance([one, two], 5000);
    expect([one, two].filter(leads)).toHaveLength(1);
  });

  test('a request without an answer does not keep the lead', async () => {
    const { candidate, server } = await world();
    const one = candidate('one');
    await started(one);
    let answer = (): void => undefined;
    server.hung = new Promise((resolve) => (answer = resolve));
    await one.clock.advance('10s');
    expect(leads(one)).toBe(false);
    expect(one.terms[0]?.signal.aborted).toBe(true);
    answer();
    server.hung = undefined;
  });

  test('a candidate that stops does not wait for requests without an answer', async () => {
    const { candidate, server, spec } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one);
    let answer = (): void => undefined;
    server.hung = new Promise((resolve) => (answer = resolve));
    // A renewal of the first hangs, and then the takeover of the second.
    await one.clock.advance('2s');
    await started(two);
    await two.clock.advance('17s');
    const stopping = Promise.all([one.election.stop(), two.election.stop()]);
    // The release hangs, too, and is given up after the period of a retry.
    for (const { clock } of [one, two]) await clock.advance('2s');
    await stopping;
    expect(two.terms).toEqual([]);
    server.hung = undefined;
    answer();
    await one.clock.settle();
    expect((await spec())?.holderIdentity).not.toBe('');
  });

  test('a leader that was paused knows at once that it leads no longer', async () => {
    const { candidate } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one, two);
    await two.clock.advance('18s');
    expect(leads(two)).toBe(true);
    one.pausedMs = 18_000;
    expect(leads(one)).toBe(false);
    expect(one.terms[0]?.signal.aborted).toBe(false);
    // Its next timer tells it, although a renewal would be due, too.
    await one.clock.advance('2s');
    expect(one.terms[0]?.signal.aborted).toBe(true);
    expect(one.terms).toHaveLength(1);
    expect(leads(two)).toBe(true);
  });

  test('a leader that sees another one stops at once', async () => {
    const { candidate, leases } = await world();
    const one = candidate('one');
    await started(one);
    const lease = await leases.get('work');
    await leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: 'other' } });
    await one.clock.advance('2s');
    expect(one.terms[0]?.signal.aborted).toBe(true);
  });

  test('a change of the Lease by somebody else does not end the lead', async () => {
    const { candidate, leases } = await world();
    const one = candidate('one');
    await started(one);
    await leases.patch('work', { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
    await one.clock.advance('20s');
    expect(leads(one)).toBe(true);
    expect((await leases.get('work')).metadata.labels).toEqual({ a: 'b' });
  });

  test('a leader whose Lease is gone, or was released by another one, leads again in another term', async () => {
    const { candidate, leases, spec } = await world();
    const one = candidate('one');
    await started(one);
    const lose = [
      () => leases.delete('work'),
      async () => {
        const lease = await leases.get('work');
        const taken = await leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: 'other' } });
        await leases.update({ ...taken, spec: { ...taken.spec, holderIdentity: undefined } });
      },
    ];
    for (const [index, step] of lose.entries()) {
      await step();
      await one.clock.advance('2s');
      expect(one.terms[index]?.signal.aborted).toBe(true);
      await one.clock.advance('2s');
      expect(leads(one)).toBe(true);
      expect(await spec()).toMatchObject({ holderIdentity: 'one' });
      expect(one.terms).toHaveLength(index + 2);
    }
  });

  test('work that fails gives up the lead, and is tried again after a pause', async () => {
    const { candidate, spec } = await world();
    const one = candidate('one', { fails: new Error('no work today') });
    await started(one);
    expect(one.errors).toEqual([new Error('no work today')]);
    expect((await spec())?.holderIdentity).toBe('');
    await one.clock.advance('2s');
    expect(one.terms).toHaveLength(2);
  });

  test('a candidate that never led leaves the Lease to its holder', async () => {
    const { candidate, spec } = await world();
    const [one, two] = [candidate('one'), candidate('two')];
    await started(one, two);
    await two.election.stop();
    expect(await spec()).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 15 });
    expect(two.clock.pending).toBe(0);
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('two candidates never both lead by their own judgement (seed %d)', async (seed) => {
  const { candidate, server } = await world();
  const all = [candidate('one', { jitter: seed * 30 }), candidate('two', { jitter: seed * 17 })];
  await started(...all);
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  let longest = 0;
  let without = 0;
  for (let step = 0; step < 300; step += 1) {
    server.isDown = random(4) === 0 ? !server.isDown : server.isDown;
    // One of them may run faster by a third, or stand still for a while and then make up for it.
    const [fast, slow] = random(2) === 0 ? all : [...all].reverse();
    await fast?.clock.advance(800 + random(200));
    expect(all.filter(leads).length).toBeLessThanOrEqual(1);
    await slow?.clock.advance(800);
    expect(all.filter(leads).length).toBeLessThanOrEqual(1);
    without = all.some(leads) ? 0 : without + 1;
    longest = Math.max(longest, without);
  }
  expect(all.some(({ terms }) => terms.length > 0)).toBe(true);
  expect(longest).toBeLessThan(300);
});

test.each([
  [{ leaseDuration: '10s' }, 'leaseDuration must be greater than renewDeadline'],
  [{ renewDeadline: '2s' }, 'renewDeadline must be greater than 1.2 * retryPeriod'],
  [{ retryPeriod: 0 }, 'retryPeriod must be greater than zero'],
  [{ retryPeriod: 'soon' }, 'the option retryPeriod must be milliseconds, or a string such as "5s" or "1m30s"'],
])('%o is refused', async (times, message) => {
  const { candidate } = await world();
  expect(() => candidate('one', times)).toThrow(message);
});
