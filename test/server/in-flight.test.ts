import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  InFlightLimiter,
  isLimited,
  requestClass,
  tooManyRequests,
  WatchLimiter,
  type InFlightSlot,
} from '../../src/server/limits/in-flight.js';
import { atMost, fairShare, UserLimit } from '../../src/server/limits/user-limit.js';

const REFUSED = 'Too many requests, please try again later.';

/** Takes slots for a user until none is free. */
function fill(limiter: InFlightLimiter, kind: 'readOnly' | 'mutating', user: string): InFlightSlot[] {
  const slots: InFlightSlot[] = [];
  for (;;) {
    try {
      slots.push(limiter.enter(kind, user));
    } catch (error) {
      expect(error).toMatchObject({ code: 429, message: REFUSED });
      return slots;
    }
  }
}

describe('UserLimit', () => {
  it('gives a lone user its share, two users less, and the next user always something', () => {
    const limit = new UserLimit(100, fairShare(0.75));
    const take = (user: string): number => {
      let taken = 0;
      while (limit.acquire(user)) taken += 1;
      return taken;
    };
    expect(take('first')).toBe(75);
    expect(take('second')).toBe(18);
    for (let user = 0; user < 3; user += 1) expect(take(`next ${user}`)).toBeGreaterThan(0);
  });

  it('keeps its bound, the share of each user and its count, for any shares and users', () => {
    const step = fc.record({ user: fc.nat(5).map(String), amount: fc.integer({ min: 1, max: 9 }), take: fc.boolean() });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(0.1, 0.5, 0.75, 1),
        fc.array(step, { maxLength: 200 }),
        (max, share, steps) => {
          const limit = new UserLimit(max, fairShare(share));
          const held = new Map<string, number[]>();
          for (const { user, amount, take } of steps) {
            const own = held.get(user) ?? [];
            held.set(user, own);
            if (!take) {
              const given = own.pop();
              if (given !== undefined) limit.release(user, given);
            } else if (limit.acquire(user, amount)) {
              own.push(amount);
              const sum = own.reduce((all, one) => all + one, 0);
              if (own.length > 1) expect(sum).toBeLessThanOrEqual(share * max + 1e-9);
            }
            const total = [...held.values()].flat().reduce((all, one) => all + one, 0);
            expect(limit.total).toBe(total);
            expect(total).toBeLessThanOrEqual(max);
          }
        },
      ),
    );
  });

  it('uses a fixed number for each user if configured', () => {
    const limit = new UserLimit(5, atMost(2));
    expect(['a', 'a', 'a', 'b', 'b', 'c', 'd'].map((user) => limit.acquire(user))).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('InFlightLimiter', () => {
  it('has a fixed number of slots for each class', () => {
    const limiter = new InFlightLimiter({ maxReadOnly: 2, maxMutating: 1, userShare: 1 });
    const slots = fill(limiter, 'readOnly', 'alice');
    expect([slots.length, fill(limiter, 'mutating', 'alice').length]).toEqual([2, 1]);
    slots[0]?.leave();
    slots[0]?.leave();
    expect(limiter.current).toEqual({ readOnly: 1, mutating: 1, waiting: 0 });
    expect(fill(limiter, 'readOnly', 'alice')).toHaveLength(1);
  });

  it.each([
    ['readOnly', 300],
    ['mutating', 150],
  ] as const)('has by default %s %i for one user, and room for others', (kind, count) => {
    const limiter = new InFlightLimiter();
    expect(fill(limiter, kind, 'alice')).toHaveLength(count);
    expect(fill(limiter, kind, 'bob').length).toBeGreaterThan(20);
  });

  it('has no bound with 0', () => {
    const limiter = new InFlightLimiter({ maxMutating: 0 });
    for (let index = 0; index < 1000; index += 1) limiter.enter('mutating', 'alice');
  });

  it('takes no slot while a request waits, and asks for one again afterwards', async () => {
    const limiter = new InFlightLimiter({ maxMutating: 1, maxWaiting: 4, userShare: 0.75 });
    const slot = limiter.enter('mutating', 'alice');
    let go: (value: string) => void = () => undefined;
    const waiting = slot.whileWaiting(() => new Promise<string>((resolve) => (go = resolve)));
    expect(limiter.current).toEqual({ readOnly: 0, mutating: 0, waiting: 1 });
    const other = limiter.enter('mutating', 'bob');
    go('a body');
    await expect(waiting).rejects.toMatchObject({ code: 429 });
    slot.leave();
    expect(limiter.current).toEqual({ readOnly: 0, mutating: 1, waiting: 0 });
    other.leave();
    expect(await limiter.enter('mutating', 'alice').whileWaiting(() => Promise.resolve('a body'))).toBe('a body');
    expect(limiter.current).toEqual({ readOnly: 0, mutating: 1, waiting: 0 });
  });

  it('bounds waiting requests and the bytes of their bodies, for each user and in total', async () => {
    const limiter = new InFlightLimiter({ maxWaiting: 4, maxBodyBytes: 100, userShare: 0.75 });
    const never = new Promise<never>(() => undefined);
    const read = (user: string, bytes: number): Promise<Uint8Array> => {
      const slot = limiter.enter('mutating', user);
      return slot.whileReading((onChunk) => (onChunk(bytes), never)).finally(() => slot.leave());
    };
    for (const bytes of [30, 40]) void read('alice', bytes);
    await expect(read('alice', 10)).rejects.toMatchObject({ code: 429, message: REFUSED });
    void read('alice', 5);
    await expect(read('alice', 0)).rejects.toMatchObject({ code: 429 });
    await expect(read('bob', 26)).rejects.toMatchObject({ code: 429 });
    void read('bob', 25);
    expect(limiter.current).toEqual({ readOnly: 0, mutating: 0, waiting: 4 });
  });

  it.each([0, -1, 1.1, Number.NaN])('rejects a share of %d', (userShare) => {
    expect(() => new InFlightLimiter({ userShare })).toThrow('limits.inFlight.userShare');
  });
});

describe('WatchLimiter', () => {
  it('bounds the watches of one user and of all users; masters only by the total', () => {
    const limiter = new WatchLimiter({ max: 5, maxPerUser: 2 });
    const leave = limiter.enter('alice', []);
    limiter.enter('alice', []);
    expect(() => limiter.enter('alice', [])).toThrow(REFUSED);
    leave();
    leave();
    limiter.enter('alice', []);
    for (let turn = 0; turn < 3; turn += 1) limiter.enter('admin', ['system:masters']);
    expect(() => limiter.enter('bob', [])).toThrow(REFUSED);
    expect(() => limiter.enter('admin', ['system:masters'])).toThrow(REFUSED);
    expect(limiter.current).toBe(5);
  });

  it('has no total with 0, but still a bound for each user', () => {
    const limiter = new WatchLimiter({ max: 0, maxPerUser: 1 });
    limiter.enter('alice', []);
    expect(() => limiter.enter('alice', [])).toThrow(REFUSED);
    expect(() => limiter.enter('bob', [])).not.toThrow();
  });
});

it.each([
  ['get', 'readOnly'],
  ['list', 'readOnly'],
  ['create', 'mutating'],
  ['deletecollection', 'mutating'],
  ['', 'mutating'],
])('%j is %s', (verb, expected) => {
  expect(requestClass(verb)).toBe(expected);
});

it('lets watches and masters through', () => {
  expect(isLimited('watch', [])).toBe(false);
  expect(isLimited('create', ['system:masters'])).toBe(false);
  expect(isLimited('get', ['system:authenticated'])).toBe(true);
});

it('answers 429', () => {
  expect(tooManyRequests().status).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
    details: { retryAfterSeconds: 1 },
  });
});
