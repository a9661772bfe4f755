import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../src/entries/testing.js';
import { createRunningClock } from '../../src/testing/time/running-clock.js';
import { startTestServer } from '../../src/testing/server/test-server.js';

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

  test('is advanced to the next timer, or by the limit', async () => {
    const { clock } = running(0);
    const fired: string[] = [];
    clock.after(10, () => fired.push('one'));
    clock.after(30, () => fired.push('two'));
    await clock.advanceToNext(20);
    expect([fired, clock.now()]).toEqual([['one'], 10]);
    await clock.advanceToNext(5);
    expect([fired, clock.now()]).toEqual([['one'], 15]);
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

  test('refuses to be advanced by less than nothing', () => {
    expect(() => running().clock.advance(-1)).toThrow(/a clock is advanced by .*, got -1/);
  });

  test('is forked at its time, and goes back to the difference that it began with', async () => {
    const { host, clock } = running(5000);
    await clock.advance('1h');
    const fork = clock.fork();
    await fork.advance(7);
    clock.restart();
    await host.advance(10);
    expect([clock.now(), fork.now()]).toEqual([5010, 3_605_017]);
    fork.restart();
    expect(fork.now()).toBe(3_605_010);
  });

  test('fires timers at their time after it went back', async () => {
    const { host, clock } = running(0);
    const fired: number[] = [];
    await clock.advance(100);
    clock.after(50, () => fired.push(clock.now()));
    expect(clock.due).toEqual([150]);
    clock.restart();
    await host.advance(149);
    expect(fired).toEqual([]);
    await host.advance(1);
    expect(fired).toEqual([150]);
  });
});

describe('a test server in real time', () => {
  test('starts at the time of the host, and can be advanced', async () => {
    const host = createManualClock(Date.parse('2030-01-01T00:00:00Z'));
    await using started = await startTestServer({ clock: createRunningClock(host) });
    await started.advance('1h');
    await host.advance('5m');
    const namespaces = started.client.resource({ apiVersion: 'v1', kind: 'Namespace' });
    const { metadata } = await namespaces.create({ metadata: { name: 'later' } });
    expect(metadata.creationTimestamp).toBe('2030-01-01T01:05:00Z');
  });
});
