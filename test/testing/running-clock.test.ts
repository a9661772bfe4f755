import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../src/testing/index.js';
import { createRunningClock } from '../../src/testing/running-clock.js';
import { startTestServer } from '../../src/testing/test-server.js';
import { systemClock } from '../../src/meta/index.js';

/** A clock that runs with a host whose time the test advances. */
function running(startMs?: number) {
  const host = createManualClock(1000);
  return { host, clock: createRunningClock(host, startMs) };
}

describe('a running clock', () => {
  test('runs with the host, from its own start', async () => {
    const { host, clock } = running(5000);
    await host.advance(20);
    expect([clock.now(), createRunningClock(host).now()]).toEqual([5020, 1020]);
  });

  test('fires a timer when the host has reached its time', async () => {
    const { host, clock } = running();
    const fired: number[] = [];
    clock.after(50, () => fired.push(clock.now()));
    await host.advance(49);
    expect([fired, clock.pending]).toEqual([[], 1]);
    await host.advance(1);
    expect([fired, clock.pending, host.pending]).toEqual([[1050], 0, 0]);
  });

  test('is advanced: due timers fire in order, each at its own time, and timers that they set', async () => {
    const { host, clock } = running(0);
    const fired: string[] = [];
    const set = (name: string, ms: number, then?: () => void): void =>
      void clock.after(ms, () => {
        fired.push(`${name} at ${clock.now()}`);
        then?.();
      });
    set('late', 30);
    set('first', 10, () => set('follower', 15));
    set('never', 41);
    await clock.advance(40);
    expect(fired).toEqual(['first at 10', 'follower at 25', 'late at 30']);
    expect([clock.now(), clock.pending]).toEqual([40, 1]);
    await host.advance(1);
    expect(fired.at(-1)).toBe('never at 41');
  });

  test('does not fire a cancelled timer, and leaves none with the host', async () => {
    const { host, clock } = running(0);
    const fired: string[] = [];
    const other = clock.after(10, () => fired.push('other'));
    clock.after(20, () => fired.push('one'));
    other.cancel();
    await clock.advance(15);
    await host.advance(5);
    expect([fired, clock.pending, host.pending]).toEqual([['one'], 0, 0]);
  });

  test('does not fire before its time when a timer of the host does', async () => {
    const host = createManualClock(0);
    const early = { ...host, after: (ms: number, callback: () => void) => host.after(Math.min(ms, 5), callback) };
    const clock = createRunningClock({ ...early, now: () => host.now() });
    const fired: number[] = [];
    clock.after(12, () => fired.push(clock.now()));
    await host.advance(11);
    expect(fired).toEqual([]);
    await host.advance(1);
    expect(fired).toEqual([12]);
  });

  test('refuses to go back', () => {
    expect(() => running().clock.advance(-1)).toThrow('a clock is advanced by a number of milliseconds, got -1');
  });
});

describe('a test server in real time', () => {
  test('starts at the time of the host, and can be advanced', async () => {
    const before = systemClock.now();
    await using started = await startTestServer({ time: 'real' });
    const startedMs = started.clock.now();
    expect(startedMs).toBeGreaterThanOrEqual(before);
    expect(startedMs).toBeLessThanOrEqual(systemClock.now());
    await started.advance(3_600_000);
    const namespaces = started.client.resource({ apiVersion: 'v1', kind: 'Namespace' });
    const { metadata } = await namespaces.create({ metadata: { name: 'later' } });
    expect(Date.parse(metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(
      Math.floor((before + 3_600_000) / 1000) * 1000,
    );
  });

  test('refuses another time', async () => {
    // @ts-expect-error not one of the two
    await expect(startTestServer({ time: 'fast' })).rejects.toThrow(
      'startTestServer: the option time must be "manual" or "real", got "fast"',
    );
  });
});
