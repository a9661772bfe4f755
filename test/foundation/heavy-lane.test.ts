import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectionAccepted } from '../../src/foundation/async/arrivals.js';
import { CpuFlow, HeavyLane } from '../../src/foundation/work/heavy-lane.js';
import { nextTurn } from '../../src/foundation/async/turn.js';

/** Does work in slices, each of which costs its flow some milliseconds. */
async function workIn(lane: HeavyLane, flow: CpuFlow, slices: number, order = 0, done?: () => void): Promise<void> {
  for (let slice = 0; slice < slices; slice += 1) {
    await lane.slice(flow, order);
    flow.charge(2);
    done?.();
  }
}

describe('the heavy lane', () => {
  test('serves one slice in a turn', async () => {
    const lane = new HeavyLane();
    const flow = new CpuFlow();
    let served = 0;
    const work = Promise.all([1, 2, 3].map((order) => workIn(lane, flow, 1, order, () => (served += 1))));
    const inTurns: number[] = [];
    while (served < 3) {
      const before = served;
      await nextTurn();
      inTurns.push(served - before);
    }
    await work;
    expect(Math.max(...inTurns)).toBe(1);
  });

  test('waits while each turn accepts a connection, for a bounded time', async () => {
    let nowMs = 0;
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => spy.mockRestore());
    const lane = new HeavyLane();
    const flow = new CpuFlow();
    let served = 0;
    const work = workIn(lane, flow, 3, 0, () => (served += 1));
    const inTurns: number[] = [];
    for (const accepts of [true, true, true, true, true, false, true, false]) {
      const before = served;
      if (accepts) connectionAccepted();
      await nextTurn();
      inTurns.push(served - before);
      nowMs += 3;
    }
    // After nine milliseconds without a slice, the lane serves one beside the connections.
    expect(inTurns).toEqual([0, 0, 0, 1, 0, 1, 0, 1]);
    await work;
  });

  test('leaves out a turn that is used up, and not two in a row', async () => {
    const lane = new HeavyLane();
    let served = false;
    const work = workIn(lane, new CpuFlow(), 1, 0, () => (served = true));
    let turns = 0;
    for (; !served; turns += 1) {
      // The count of the turn begins long ago.
      lane.isTurnUsedUp(performance.now() - 1_000);
      await nextTurn();
    }
    await work;
    expect(turns).toBe(2);
  });

  test('serves the oldest request of a flow first', async () => {
    const lane = new HeavyLane();
    const flow = new CpuFlow();
    const order: string[] = [];
    await Promise.all([
      workIn(lane, flow, 2, 7, () => order.push('young')),
      workIn(lane, flow, 2, 3, () => order.push('old')),
    ]);
    expect(order).toEqual(['old', 'old', 'young', 'young']);
  });

  test('divides the turns among flows, however many requests one of them has', async () => {
    const lane = new HeavyLane();
    const elephant = new CpuFlow();
    const mouse = new CpuFlow();
    const order: string[] = [];
    const many = Array.from({ length: 20 }, (_, index) => workIn(lane, elephant, 5, index, () => order.push('e')));
    await workIn(lane, mouse, 5, 0, () => order.push('m'));
    expect(order.filter((by) => by === 'e').length).toBeLessThanOrEqual(6);
    await Promise.all(many);
  });

  test('divides the turns by weight', async () => {
    const lane = new HeavyLane();
    const light = new CpuFlow(1);
    const heavy = new CpuFlow(3);
    let ofLight = 0;
    const endless = workIn(lane, light, 300, 0, () => (ofLight += 1));
    await workIn(lane, heavy, 90);
    expect(ofLight).toBeGreaterThanOrEqual(29);
    expect(ofLight).toBeLessThanOrEqual(32);
    await endless;
  });

  test('does not owe a flow what it left unused while it had no work', async () => {
    const lane = new HeavyLane();
    const steady = new CpuFlow();
    await workIn(lane, steady, 100);
    const order: string[] = [];
    const late = new CpuFlow();
    await Promise.all([
      workIn(lane, late, 10, 0, () => order.push('late')),
      workIn(lane, steady, 10, 0, () => order.push('steady')),
    ]);
    expect(order.slice(0, 6).filter((by) => by === 'steady').length).toBeGreaterThanOrEqual(2);
    expect(lane.waiting).toBe(0);
  });
});
