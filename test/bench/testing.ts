import { ConfigMap } from 'orch-apiserver';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';
import { median, type Measure } from './measure.js';

const OBJECTS = 10_000;
const TESTS = 100;
const FRESH = 50;
const ROUNDS = 300;
/** Number of forks whose memory is measured together. */
const HELD = 200;

const maps = (of: TestServer) => of.client.resource(ConfigMap).namespace('default');

async function fill(test: TestServer, objects: number): Promise<void> {
  for (let index = 0; index < objects; index += 1)
    await maps(test).create({
      metadata: { name: `m${index}`, labels: { n: String(index % 100) } },
      data: { a: 'x'.repeat(100) },
    });
}

/** Runs a task several times. @returns the median, in milliseconds, without the first third, which warms up */
async function medianMs<Made>(
  rounds: number,
  task: () => Promise<Made>,
  after: (made: Made) => Promise<void>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const made = await task();
    times.push(performance.now() - start);
    await after(made);
  }
  return median(times.slice(rounds / 3));
}

const none = (): Promise<void> => Promise.resolve();
const close = (test: TestServer): Promise<void> => test.close();

function heapBytes(): number {
  for (let time = 0; time < 3; time += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Memory of a fork: as it is made, and after a write, which starts its controllers. */
async function forkBytes(seeded: TestServer): Promise<{ readonly made: number; readonly written: number }> {
  await close(await seeded.fork());
  const before = heapBytes();
  const forks: TestServer[] = [];
  for (let index = 0; index < HELD; index += 1) forks.push(await seeded.fork());
  const made = (heapBytes() - before) / HELD;
  for (const fork of forks) {
    await maps(fork).create({ metadata: { name: 'new' } });
    await fork.settled();
  }
  const written = (heapBytes() - before) / HELD;
  await Promise.all(forks.map(close));
  return { made, written };
}

/** A small test: reads, writes, and lets time pass. */
async function smallTest(test: TestServer): Promise<void> {
  await maps(test).get('m1');
  await maps(test).create({ metadata: { name: 'new' } });
  await maps(test).patch('m1', { data: { b: 'y' } });
  await test.advance('1m');
  const { items } = await maps(test).list({ labelSelector: 'n=1' });
  if (items.length === 0) throw new Error('the list is empty');
  await test.close();
}

/** Wall time of a suite, in milliseconds for each test. */
async function perTestMs(tests: number, suite: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await suite();
  return (performance.now() - start) / tests;
}

/** The testing kit: forks, resets and starts, and suites of tests. */
export async function testing(): Promise<Measure[]> {
  const seeded = await startTestServer();
  await fill(seeded, OBJECTS);
  const resettable = await seeded.fork();
  const startMs = await medianMs(60, () => startTestServer(), close);
  const forkMs = await medianMs(ROUNDS, () => seeded.fork(), close);
  const resetMs = await medianMs(ROUNDS, () => resettable.reset(), none);
  const bytes = await forkBytes(seeded);

  const small = await startTestServer();
  await fill(small, 100);
  const inParallel = (from: TestServer) =>
    perTestMs(TESTS, () => Promise.all(Array.from({ length: TESTS }, async () => smallTest(await from.fork()))));
  const fresh = () =>
    perTestMs(FRESH, async () => {
      for (let index = 0; index < FRESH; index += 1) {
        const test = await startTestServer();
        await fill(test, 100);
        await smallTest(test);
      }
    });
  await inParallel(small);
  const forkedTests: number[] = [];
  const freshTests: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    forkedTests.push(await inParallel(small));
    freshTests.push(await fresh());
  }
  const largeTest = await inParallel(seeded);
  await Promise.all([seeded, resettable, small].map(close));

  const at = `at ${OBJECTS.toLocaleString('en')} objects`;
  return [
    { name: 'startTestServer', value: startMs, unit: 'ms', target: undefined },
    { name: `fork ${at}`, value: forkMs, unit: 'ms', target: { sense: '<=', value: 1 } },
    { name: `reset ${at}`, value: resetMs, unit: 'ms', target: { sense: '<=', value: 1 } },
    { name: `memory of a fork ${at}`, value: bytes.made / 1024, unit: 'KiB', target: { sense: '<=', value: 100 } },
    {
      name: 'memory of a fork that was written to',
      value: bytes.written / 1024,
      unit: 'KiB',
      target: undefined,
      detail: 'with its controllers',
    },
    {
      name: `${FRESH} tests on fresh servers / ${TESTS} tests on forks in parallel`,
      value: median(freshTests) / median(forkedTests),
      unit: 'x',
      target: undefined,
      detail: `${median(freshTests).toFixed(2)} ms and ${median(forkedTests).toFixed(2)} ms for each test, with 100 objects`,
    },
    { name: `a test on a fork ${at}`, value: largeTest, unit: 'ms', target: undefined, detail: `${TESTS} in parallel` },
  ];
}
