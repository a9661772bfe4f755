import { afterEach, describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { CpuFlow } from '../../src/foundation/work/heavy-lane.js';
import { inSlices, type Steps, type Work } from '../../src/foundation/work/work.js';
import { SlicedWork, type WorkEnd, type WorkOwner } from '../../src/server/limits/sliced-work.js';

afterEach(() => void vi.restoreAllMocks());

/** Lets a millisecond pass with each look at the time. */
function slowly(): void {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
}

interface World {
  readonly work: SlicedWork;
  readonly cpu: CpuFlow;
  readonly ended: WorkEnd[];
  seconds: number;
}

function world({
  cpuLimitMs = 0,
  isLimited = true,
  owner,
}: { cpuLimitMs?: number; isLimited?: boolean; owner?: WorkOwner } = {}): World {
  const cpu = new CpuFlow();
  const made = { cpu, ended: [] as WorkEnd[], seconds: 0 };
  const flow = { cpu, seconds: { add: (seconds: number) => void (made.seconds += seconds) } };
  const host = { cpuLimitMs, piece: () => undefined, ended: (reason: WorkEnd) => void made.ended.push(reason) };
  const nobody: WorkOwner = { workEnd: () => undefined };
  return Object.assign(made, { work: new SlicedWork(host, flow, owner ?? nobody, 1, isLimited) });
}

function* units(work: Work, count: number): Steps<number> {
  for (let unit = 0; unit < count; unit += 1) if (work.spend(1)) yield;
  return count;
}

describe('the work of a request', () => {
  test('that is short looks at no clock between its steps, and takes no slice', () => {
    slowly();
    const { work } = world();
    expect(inSlices(work, units(work, 500))).toBe(500);
    expect(work.slices).toBe(0);
    // The looks at its begin and at its end.
    expect(work.cpuMs).toBe(1);
  });

  test('stands back once it occupies no seats: later requests of its flow that do are served first', async () => {
    slowly();
    const cpu = new CpuFlow();
    const flow = { cpu, seconds: { add: () => undefined } };
    const host = { cpuLimitMs: 0, piece: () => undefined, ended: () => undefined };
    const works = [1, 2, 3].map((order) => new SlicedWork(host, flow, { workEnd: () => undefined }, order, true));
    const [streaming, ...seated] = works as [SlicedWork, SlicedWork, SlicedWork];
    streaming.standBack();
    const ends: number[] = [];
    const running = works.map(async (work, index) => {
      await inSlices(work, units(work, 5_000));
      ends.push(index + 1);
    });
    await Promise.all(running);
    expect(ends).toEqual([2, 3, 1]);
    expect(seated.map(({ slices }) => slices > 1)).toEqual([true, true]);
  });

  test('is charged for the processor, and not for the time in which the machine ran others', async () => {
    slowly();
    const cpu = new CpuFlow();
    const flow = { cpu, seconds: { add: () => undefined } };
    let pieces = 0;
    // Each look at the processor comes a sixteenth of a millisecond after the one before.
    let processorMs = 0;
    const host = {
      ...{ cpuLimitMs: 60, processorMs: () => (processorMs += 1 / 16) },
      ...{ piece: (ms: number) => void (pieces += ms), ended: () => undefined },
    };
    const work = new SlicedWork(host, flow, { workEnd: () => undefined }, 1, true);
    expect(await inSlices(work, units(work, 100_000))).toBe(100_000);
    // Each of its pieces takes two milliseconds or three. The first fifty are measured by the clock alone.
    expect(pieces).toBeGreaterThan(2 * 90);
    expect(cpu.usedMs).toBeGreaterThanOrEqual(50);
    expect(cpu.usedMs).toBeLessThan(60);
    expect(work.cpuMs).toBe(cpu.usedMs);
  });

  test('that is long takes slices, and is charged to its flow', async () => {
    slowly();
    const made = world();
    const { work, cpu } = made;
    expect(await inSlices(work, units(work, 10_000))).toBe(10_000);
    // Each look takes a millisecond, and a slice two: a slice ends at its second look, after 1,024 units.
    expect(work.slices).toBe(9);
    expect(work.cpuMs).toBeGreaterThan(9 * 2);
    expect(cpu.usedMs).toBe(work.cpuMs);
    expect(made.seconds).toBeCloseTo(work.cpuMs / 1000);
    expect(work.waitedMs).toBeGreaterThan(0);
  });

  test('shares a turn with that of other requests that begin in it', async () => {
    // The count of the turn begins with the first of them.
    await nextTurn();
    slowly();
    const count = 50;
    const works = Array.from({ length: count }, () => world().work);
    const done = Promise.all(works.map((work) => inSlices(work, units(work, 10_000))));
    const inTurn = works.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    // The first have their slices. Each of the others finds the turn used up at its first look, between those at its begin
    // and its end.
    expect(inTurn).toBeLessThanOrEqual(2 * count + 2 * 6);
    expect(await done).toEqual(Array.from({ length: count }, () => 10_000));
  });

  test('has a whole slice of the lane, even in a turn that is used up', async () => {
    slowly();
    const { work } = world();
    await inSlices(work, units(work, 4_000));
    // Two looks in each slice, after 1,024 units.
    expect(work.slices).toBe(3);
  });

  test('counts its slices by the kind of work', async () => {
    slowly();
    const { work } = world();
    await inSlices(work, units(work, 10_000), 'validation');
    await inSlices(work, units(work, 3_000));
    await work.next('encode');
    expect([...(work.areas ?? [])]).toEqual([
      ['validation', 9],
      ['other', 3],
      ['encode', 1],
    ]);
    expect(work.slices).toBe(13);
    expect(work.longestArea).toBe('validation');
  });

  test('is charged once for a step within a step', () => {
    slowly();
    const { work } = world();
    work.measure(() => work.measure(() => work.measure(() => undefined)));
    expect(work.cpuMs).toBe(1);
  });

  test('ends with 504 when its time of the processor is used up', async () => {
    slowly();
    const { work, ended } = world({ cpuLimitMs: 8 });
    await expect(inSlices(work, units(work, 100_000))).rejects.toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within the allotted processing time of 8ms',
    });
    expect(ended).toEqual(['cpu']);
    expect(work.slices).toBeLessThan(5);
  });

  test('of a watch is not limited', async () => {
    slowly();
    const { work } = world({ cpuLimitMs: 8, isLimited: false });
    expect(await inSlices(work, units(work, 100_000))).toBe(100_000);
  });

  test.each(['deadline', 'disconnected'] as const)('gets no further slice after its end: %s', async (reason) => {
    slowly();
    let isOver = false;
    const { work, ended } = world({ owner: { workEnd: () => (isOver ? reason : undefined) } });
    const done = inSlices(work, units(work, 100_000));
    isOver = true;
    await expect(done).rejects.toMatchObject({ code: 504 });
    expect(work.slices).toBeLessThanOrEqual(1);
    expect(ended).toEqual([reason]);
  });

  test('reserves memory of its owner', () => {
    let held = 0;
    const reservation = {
      reserve: (bytes: number) => void (held += bytes),
      release: (bytes: number) => void (held -= bytes),
    };
    const { work } = world({ owner: { reservation, workEnd: () => undefined } });
    work.reserve(100);
    work.release(40);
    expect(held).toBe(60);
  });
});
