import { describe, expect, test } from 'vitest';
import { ResetGuard } from '../../src/transport/node/listening/reset-guard.js';
import { ManualClock } from './support/manual-clock.js';

function makeGuard(limit = 200) {
  const clock = new ManualClock();
  const guard = new ResetGuard(limit, clock);
  return {
    clock,
    guard,
    /** Resets as many requests of a new connection as it may, and one more. Returns how many it may. */
    offend(address = '192.0.2.1'): number {
      const connection = guard.connection(address);
      let allowed = 0;
      while (!connection.add()) allowed += 1;
      return allowed;
    },
  };
}

describe('the resets of a connection', () => {
  test('are bounded at once', () => {
    expect(makeGuard().offend()).toBe(200);
    expect(makeGuard(10).offend()).toBe(10);
  });

  test('may go on at a lower rate', () => {
    const { guard, clock } = makeGuard();
    const connection = guard.connection('192.0.2.1');
    for (let index = 0; index < 5_000; index += 1) {
      expect(connection.add()).toBe(false);
      clock.advance(50);
    }
    expect(guard.waitMs('192.0.2.1')).toBe(0);
  });

  test('are bounded across the border of any ten seconds', () => {
    const { guard, clock } = makeGuard();
    const connection = guard.connection('192.0.2.1');
    clock.advance(9_900);
    for (let index = 0; index < 200; index += 1) expect(connection.add()).toBe(false);
    clock.advance(200);
    const further = Array.from({ length: 10 }, () => connection.add());
    expect(further.indexOf(true)).toBe(4);
  });

  test('are fewer after each further offence of the source', () => {
    const { offend } = makeGuard();
    expect([offend(), offend(), offend(), offend()]).toEqual([200, 200, 100, 50]);
    for (let index = 0; index < 20; index += 1) offend();
    expect(offend()).toBe(1);
  });
});

describe('requests that are reset', () => {
  /** Resets requests on connections of an address, a hundred on each. Returns the number of connections that were closed. */
  function resetOn(guard: ResetGuard, connections: number, address: string): number {
    let closed = 0;
    for (let index = 0; index < connections; index += 1) {
      const connection = guard.connection(address);
      for (let reset = 0; reset < 100; reset += 1) {
        if (!connection.addRequest()) continue;
        closed += 1;
        break;
      }
    }
    return closed;
  }

  test('count for their source, whatever the number of its connections', () => {
    const { guard } = makeGuard();
    expect(resetOn(guard, 10, '192.0.2.1')).toBe(0);
    expect(resetOn(guard, 10, '192.0.2.1')).toBe(10);
    expect(guard.waitMs('192.0.2.1')).toBe(60_000);
    expect(guard.waitMs('192.0.2.2')).toBe(0);
    expect(resetOn(guard, 10, '192.0.2.2')).toBe(0);
  });

  test('may go on at a lower rate', () => {
    const { guard, clock } = makeGuard();
    for (let round = 0; round < 20; round += 1) {
      expect(resetOn(guard, 8, '192.0.2.1')).toBe(0);
      clock.advance(10_000);
    }
  });

  test('count apart from control frames, of which each connection sends some', () => {
    const { guard } = makeGuard();
    for (let index = 0; index < 5_000; index += 1) expect(guard.connection('192.0.2.1').add()).toBe(false);
  });
});

test('what costs as much as some control frames counts as them', () => {
  const { guard } = makeGuard();
  const connection = guard.connection('192.0.2.1');
  for (let index = 0; index < 28; index += 1) expect(connection.add(7)).toBe(false);
  expect(connection.add(7)).toBe(true);
});

describe('a new connection', () => {
  test('waits after two offences of its source, and twice as long after each further one', () => {
    const { guard, offend } = makeGuard();
    const waits = Array.from({ length: 9 }, () => {
      offend();
      return guard.waitMs('192.0.2.1') / 1_000;
    });
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
    expect(guard.waitMs('192.0.2.2')).toBe(0);
  });

  test('no longer waits when its source has been quiet for a minute after its wait', () => {
    const { guard, clock, offend } = makeGuard();
    for (let index = 0; index < 3; index += 1) offend();
    clock.advance(61_999);
    expect(guard.waitMs('192.0.2.1')).toBe(2_000);
    clock.advance(1);
    expect(guard.waitMs('192.0.2.1')).toBe(0);
    expect(offend()).toBe(200);
  });

  test.each([
    ['another address of an IPv6 /64 network', '2001:db8::1', '2001:db8:0:0:ffff::2', 1_000],
    ['another IPv6 network', '2001:db8::1', '2001:db8:0:1::1', 0],
    ['an IPv4 address mapped into IPv6', '::ffff:192.0.2.9', '192.0.2.9', 1_000],
    ['a neighbouring IPv4 address', '::ffff:192.0.2.9', '::ffff:192.0.2.8', 0],
  ])('from %s', (_name, offender, other, wait) => {
    const { guard, offend } = makeGuard();
    offend(offender);
    offend(offender);
    expect(guard.waitMs(other)).toBe(wait);
  });

  test('is judged by the latest sources only', () => {
    const { guard, offend } = makeGuard(1);
    offend('192.0.2.1');
    offend('192.0.2.1');
    for (let index = 0; index < 10_000; index += 1) offend(`10.0.${index >> 8}.${index & 255}`);
    expect(guard.waitMs('192.0.2.1')).toBe(0);
  });
});
