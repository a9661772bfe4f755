/**
 * Loaded into the server process before the program: measures the turns of its event loop and its memory, and answers
 * questions of the parent process. A turn is measured in processor time, so that other processes do not lengthen it.
 *
 * @module
 */
import { PerformanceObserver } from 'node:perf_hooks';
import type { GaugeQuestion, Gauged } from './gauged.js';
import { threadTime } from './thread-time.js';

const TICK_MS = 1;
const RSS_TICKS = 20;

const time = threadTime('thread-self');
let last = time().cpuMs;
let turnMs = 0;
let longTurns = 0;
let peakRss = 0;
let collectionMs = 0;
let ticks = 0;

/** Longest turn that counts as short, in milliseconds. */
const SHORT_MS = 20;

/** Runs once in a turn that lasts a millisecond or more. */
function tick(): void {
  const { cpuMs } = time();
  const took = cpuMs - last;
  last = cpuMs;
  if (took > turnMs) turnMs = took;
  if (took > SHORT_MS) longTurns += 1;
  if (took > SHORT_MS || ticks++ % RSS_TICKS === 0) peakRss = Math.max(peakRss, process.memoryUsage.rss());
}
setInterval(tick, TICK_MS).unref();
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectionMs = Math.max(collectionMs, duration);
}).observe({ entryTypes: ['gc'] });

process.on('message', ({ reset, collect, number }: GaugeQuestion) => {
  tick();
  if (collect) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const gauged: Gauged = {
    ...{ number, turnMs, longTurns, collectionMs, cpuMs: last, peakRss, heapUsed, external },
  };
  if (reset) [turnMs, longTurns, collectionMs, peakRss] = [0, 0, 0, 0];
  // A collection for the measurement is not a turn of the server.
  last = time().cpuMs;
  process.send?.(gauged);
});
// The parent has ended, and nobody would end this process.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();
