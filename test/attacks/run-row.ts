import { setMaxListeners } from 'node:events';
import type { Gauged } from './gauged.js';
import { Metrics } from './metrics.js';
import type { Probed } from './probe.js';
import type { Program } from './program.js';
import type { Answer, Row } from './row.js';
import { threadTime, timeWithoutDelays } from './thread-time.js';
import { ATTACKERS_FLOW, PROBE_FLOW } from './users.js';
import { World } from './world.js';

const IDLE_MS = 300;
const AFTER_MS = 300;
/** Interval of looking whether an attack has taken too long. */
const LOOK_MS = 100;
/** Time in which the server is to give back what it has reserved, in milliseconds. */
const RETURN_MS = 6_000;
const DEFAULT_HEAP_MB = 512;

/** The outcome of a row. */
export interface Result {
  readonly row: Row;
  readonly heapMb: number;
  /** The probe on the idle server, and beside the attack. */
  readonly idle: Probed;
  readonly beside: Probed;
  readonly answers: readonly Answer[];
  /** Whether the attack was still running at the end of its time. */
  readonly isUnfinished: boolean;
  /** Duration of the attack, and time of the server's main thread in it, in milliseconds. */
  readonly tookMs: number;
  readonly cpuMs: number;
  /** Undefined when the server did not answer. */
  readonly turns: Gauged | undefined;
  /** Undefined when the server did not answer before the attack, as one that the machine stopped. */
  readonly heapBefore: number | undefined;
  readonly heapAfter: number | undefined;
  /** Bytes that the server counts as reserved for requests at the end; undefined without the metric. */
  readonly reserved: number | undefined;
  /** Slices of long work, and seconds of CPU charged to flows other than the attacker's; undefined without metrics. */
  readonly slices: number | undefined;
  readonly charged: Charged | undefined;
  /** How the process ended. */
  readonly ended: string | undefined;
  /** Failures of the server itself that it logged. */
  readonly failures: readonly string[];
}

/** Seconds of CPU charged during the attack. */
export interface Charged {
  readonly toAttacker: number;
  /** To all flows, without what the requests of the probe cost, each as much as on the idle server. */
  readonly toAll: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs a row on a server of its own. @param limitMs time of the server after which the attack ends */
export async function runRow(row: Row, program: Program, limitMs: number): Promise<Result> {
  const heapMb = row.heapMb ?? DEFAULT_HEAP_MB;
  const party = await row.party?.();
  try {
    const world = await World.start(program, { heapMb, flags: [...(row.flags ?? []), ...(party?.flags ?? [])] });
    try {
      await row.prepare?.(world);
      return await attack(row, heapMb, world, limitMs);
    } finally {
      await world.stop();
    }
  } finally {
    party?.stop();
  }
}

async function attack(row: Row, heapMb: number, world: World, limitMs: number): Promise<Result> {
  const probe = world.startProbe();
  await pause(IDLE_MS);
  const before = await world.gauge({ collect: true, reset: true });
  const metricsBefore = await world.metrics();
  await probe.take();
  await pause(IDLE_MS);
  const idle = await probe.take();
  const metricsIdle = await world.metrics();
  await world.gauge({ collect: false, reset: true });
  const began = performance.now();
  const { answers, isUnfinished } = await within(limitMs, world, (signal) => sent(row, world, signal));
  const tookMs = performance.now() - began;
  await pause(AFTER_MS);
  const beside = await probe.take();
  await probe.stop();
  const turns = await world.gauge({ collect: false, reset: true });
  // A server that is stuck would not answer these either.
  const { reserved, metrics } = turns === undefined ? NOTHING : await returned(world);
  const after = turns === undefined ? undefined : await world.gauge({ collect: true, reset: true });
  return {
    ...{ row, heapMb, idle, beside, answers, isUnfinished, tookMs, turns, reserved },
    cpuMs: turns === undefined || before === undefined ? NaN : turns.cpuMs - before.cpuMs,
    heapBefore: before?.heapUsed,
    heapAfter: after?.heapUsed,
    slices: difference(metrics, metricsBefore, SLICES, ''),
    charged: charged([metricsBefore, metricsIdle, metrics], [idle, beside], row),
    ended: world.ended,
    failures: world.logged(/"level":"error"/).filter((line) => row.mayLog?.test(line) !== true),
  };
}

/** Runs an attack for at most some time of the server. */
async function within(
  limitMs: number,
  world: World,
  run: (signal: AbortSignal) => Promise<readonly Answer[]>,
): Promise<{ answers: readonly Answer[]; isUnfinished: boolean }> {
  const controller = new AbortController();
  // Each request of a flood listens.
  setMaxListeners(0, controller.signal);
  const ended = run(controller.signal).then((answers) => ({ answers, isUnfinished: controller.signal.aborted }));
  const elapsed = timeWithoutDelays(threadTime(String(world.pid)));
  const timer = setInterval(() => {
    if (elapsed() > limitMs || world.ended !== undefined) controller.abort();
  }, LOOK_MS);
  try {
    return await ended;
  } finally {
    clearInterval(timer);
  }
}

async function sent({ rights, sends }: Row, world: World, signal: AbortSignal): Promise<readonly Answer[]> {
  if (typeof sends === 'function') return sends(world, signal);
  const client = world.as(rights).until(signal);
  const answers: Answer[] = [];
  for (const flood of sends) answers.push(...(await client.flood(flood)));
  client.close();
  return answers;
}

const RESERVED = 'apiserver_memory_reserved_bytes';
const SLICES = 'apiserver_slices_total';
const FLOW_CPU = 'apiserver_flow_cpu_seconds_total';

const NOTHING = { reserved: undefined, metrics: new Metrics('') };

/** Waits until nothing is reserved for requests. The request for the metrics itself reserves nothing. */
async function returned(world: World): Promise<{ reserved: number | undefined; metrics: Metrics }> {
  const end = performance.now() + RETURN_MS;
  for (;;) {
    const metrics = await world.metrics();
    const reserved = metrics.has(RESERVED) ? metrics.sum(RESERVED, '"bodies"') : undefined;
    if (reserved === undefined || reserved === 0 || performance.now() > end) return { reserved, metrics };
    await pause(100);
  }
}

function difference(after: Metrics, before: Metrics, name: string, labels: string): number | undefined {
  return after.has(name) ? after.sum(name, labels) - before.sum(name, labels) : undefined;
}

/** @param metrics before all, after the probe on the idle server, and after the attack @param probed on each of both */
function charged(
  [before, atIdle, after]: readonly [Metrics, Metrics, Metrics],
  [idle, beside]: readonly [Probed, Probed],
  { rights }: Row,
): Charged | undefined {
  const toAll = difference(after, atIdle, FLOW_CPU, '');
  if (toAll === undefined || rights === 'owner') return undefined;
  const atIdleToProbe = difference(atIdle, before, FLOW_CPU, `flow_schema="${PROBE_FLOW}"`) ?? 0;
  const toProbe = idle.count === 0 ? 0 : (atIdleToProbe / idle.count) * beside.count;
  const toAttacker = difference(after, atIdle, FLOW_CPU, `flow_schema="${ATTACKERS_FLOW}"`) ?? 0;
  return { toAll: Math.max(0, toAll - toProbe), toAttacker };
}
