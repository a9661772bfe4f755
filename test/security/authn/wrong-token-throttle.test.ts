import { describe, expect, it } from 'vitest';
import { WrongTokenThrottle } from '../../../src/security/authn/wrong-token-throttle.js';
import { createManualClock } from '../../../src/entries/testing.js';

describe('WrongTokenThrottle', () => {
  it('gives each source a budget, which is refilled over time', async () => {
    const clock = createManualClock();
    const throttle = new WrongTokenThrottle(clock, { perSource: 6, inAll: 0 });
    const waits = (address: string, count: number): number[] =>
      Array.from({ length: count }, () => throttle.wrong(address));
    expect(waits('10.0.0.1', 8)).toEqual([0, 0, 0, 0, 0, 0, 10, 10]);
    expect(waits('10.0.0.2', 1)).toEqual([0]);
    await clock.advance(4_000);
    expect(waits('10.0.0.1', 1)).toEqual([6]);
    await clock.advance(6_000);
    expect(waits('10.0.0.1', 2)).toEqual([0, 10]);
    await clock.advance(3_600_000);
    expect(waits('10.0.0.1', 7)).toEqual([0, 0, 0, 0, 0, 0, 10]);
  });

  it('bounds all sources together, including unknown ones', () => {
    const throttle = new WrongTokenThrottle(createManualClock(), { perSource: 0, inAll: 3 });
    expect(['a', 'b', undefined, 'c', undefined].map((address) => throttle.wrong(address))).toEqual([0, 0, 0, 20, 20]);
  });

  it('counts the addresses of one network as one source', () => {
    const throttle = new WrongTokenThrottle(createManualClock(), { perSource: 1, inAll: 0 });
    const again = (address: string): boolean => throttle.wrong(address) > 0;
    expect(
      [
        '2001:db8:0:1::1',
        '2001:DB8:0:1:ffff::2',
        '2001:0db8:0000:0001:0:0:0:9',
        '2001:db8:0:2::1',
        '::1',
        '::2',
        'fe80::1%eth0',
        '::ffff:10.0.0.1',
        '10.0.0.1',
        '10.0.0.2',
      ].map(again),
    ).toEqual([false, true, true, false, false, true, false, false, true, false]);
  });

  it('remembers at most a thousand sources', () => {
    const throttle = new WrongTokenThrottle(createManualClock());
    for (let host = 0; host < 5_000; host += 1) throttle.wrong(`10.0.${host >> 8}.${host & 255}`);
    expect(throttle.sources).toBe(1_000);
  });
});
