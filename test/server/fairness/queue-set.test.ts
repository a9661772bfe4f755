import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FlowMeter, LevelMeter, RefusalReason } from '../../../src/server/fairness/flow-meter.js';
import { FlowRequest, type RequestDetails } from '../../../src/server/fairness/queues/flow-queue.js';
import { QueueSet, type Queuing } from '../../../src/server/fairness/queues/queue-set.js';
import { ONE_SEAT, type WorkEstimate } from '../../../src/server/fairness/work.js';
import { ManualClock } from '../../storage/manual-clock.js';

const ignore = (): void => undefined;

/** Records why requests were refused. */
function flowMeter(refused: RefusalReason[]): FlowMeter {
  return {
    ...{ enqueued: ignore, dequeued: ignore, began: ignore, ended: ignore, released: ignore, dispatched: ignore },
    ...{ waited: ignore, executed: ignore, estimated: ignore, watchers: ignore, didNotFit: ignore },
    refused: (reason) => void refused.push(reason),
  };
}

class World {
  readonly clock = new ManualClock();
  readonly refused: RefusalReason[] = [];
  /** Flows of the dispatched requests, in order. */
  readonly dispatched: string[] = [];
  demand = 0;
  readonly set: QueueSet;
  readonly #meter = flowMeter(this.refused);

  constructor(queuing: Queuing, limit: number) {
    const meter: LevelMeter = {
      ...{ configured: ignore, adjusted: ignore, occupied: ignore, advanced: ignore, dispatchedAt: ignore },
      ...{ rewound: ignore, removed: ignore, flow: () => this.#meter },
    };
    this.set = new QueueSet({
      ...{ clock: this.clock, meter },
      demand: (seats) => void (this.demand = seats),
      soon: (dispatch) => dispatch(),
    });
    this.set.configure(queuing, limit);
  }

  start(flow: string, work: WorkEstimate = ONE_SEAT): FlowRequest {
    const request = new FlowRequest('schema', flow, work, this.#meter, {
      details: () => ({ username: flow }) as RequestDetails,
      dispatched: () => void this.dispatched.push(flow),
      cpuMs: 0,
    });
    this.set.start(request);
    return request;
  }
}

const queue = (queues = 8, handSize = 2, queueLengthLimit = 10): Queuing => ({
  ...{ type: 'Queue' as const, queues, handSize, queueLengthLimit },
});
const states = (requests: readonly FlowRequest[]): string => requests.map(({ state }) => state[0]).join('');

describe('a queue set', () => {
  test('executes up to its seats, then queues, then refuses', () => {
    const world = new World(queue(1, 1, 2), 2);
    const requests = Array.from({ length: 6 }, () => world.start('a'));
    expect(states(requests)).toBe('eewwoo');
    expect(world.refused).toEqual(['queue-full', 'queue-full']);
    expect(world.demand).toBe(4);
    expect(world.set.totals).toMatchObject({ refused: 2 });
  });

  test('serves two flows equally, whatever their numbers of requests', () => {
    const world = new World(queue(64, 1), 1);
    let executing = world.start('first');
    const waiting = [
      ...Array.from({ length: 9 }, () => world.start('elephant')),
      ...Array.from({ length: 3 }, () => world.start('mouse')),
    ];
    while (waiting.length > 0) {
      world.clock.advance(10);
      world.set.finish(executing);
      executing = waiting.splice(
        waiting.findIndex(({ state }) => state === 'executing'),
        1,
      )[0] as FlowRequest;
    }
    const mice = world.dispatched.flatMap((flow, index) => (flow === 'mouse' ? [index] : []));
    expect(mice.every((index, order) => Math.abs(index - 2 * order) <= 1)).toBe(true);
  });

  test('lets a flow without a seat begin beside requests that have added seats', () => {
    const world = new World(queue(64, 1), 4);
    const long: WorkEstimate = { ...ONE_SEAT, initialSeats: 2, addedSeats: 1 };
    const elephants = Array.from({ length: 4 }, () => world.start('elephant', long));
    expect(states(elephants)).toBe('eeww');
    const mice = Array.from({ length: 3 }, () => world.start('mouse'));
    // The flow has a seat then.
    expect(states(mice)).toBe('eww');
    // Without the added ones, the seats are the fourth, and none.
    expect(world.start('other').state).toBe('executing');
    expect(world.start('late').state).toBe('waiting');
    expect(world.set.seatsInUse).toBe(6);
    world.set.finish(mice[0] as FlowRequest);
    // It goes before the elephants, for which there is no room.
    expect(world.dispatched).toHaveLength(1);
    expect(world.dispatched).not.toContain('elephant');
    expect(states(elephants)).toBe('eeww');
  });

  test('lets nobody begin beside requests that need all of their seats', () => {
    const world = new World(queue(64, 1), 4);
    const elephants = Array.from({ length: 2 }, () => world.start('elephant', { ...ONE_SEAT, initialSeats: 2 }));
    expect(states(elephants)).toBe('ee');
    expect(world.start('mouse').state).toBe('waiting');
    expect(world.set.seatsInUse).toBe(4);
  });

  test('lets a flow without a seat begin beside requests that do long work in slices', () => {
    const world = new World(queue(64, 1), 4);
    const elephants = Array.from({ length: 3 }, () => world.start('elephant', { ...ONE_SEAT, initialSeats: 2 }));
    const mice = Array.from({ length: 2 }, () => world.start('mouse'));
    expect(states([...elephants, ...mice])).toBe('eewww');
    world.set.shareSeats(elephants[0] as FlowRequest);
    world.set.shareSeats(elephants[0] as FlowRequest);
    // One of each flow: the elephants wait for each other, and the second mouse for the first.
    expect(states([...elephants, ...mice])).toBe('eewew');
    expect(world.set.seatsInUse).toBe(5);
    // The two seats of the first elephant are taken.
    const others = ['second', 'third'].map((flow) => world.start(flow));
    expect(states(others)).toBe('ew');
    // All are served in the end, and the seats are as before.
    for (const request of [...elephants, ...mice, ...others, ...elephants, ...mice, ...others])
      world.set.finish(request);
    expect(world.set.isIdle).toBe(true);
    for (const _ of [1, 2]) world.start('elephant', { ...ONE_SEAT, initialSeats: 2 });
    expect(world.start('mouse').state).toBe('waiting');
  });

  test('charges a flow for the seats and the time of its requests', () => {
    const world = new World(queue(64, 1), 4);
    const wide = { ...ONE_SEAT, initialSeats: 4 };
    let executing = [world.start('wide', wide)];
    const waiting = [
      ...Array.from({ length: 8 }, () => world.start('wide', wide)),
      ...Array.from({ length: 8 }, () => world.start('narrow')),
    ];
    for (let round = 0; round < 4; round += 1) {
      world.clock.advance(10);
      for (const request of executing) world.set.finish(request);
      executing = waiting.filter(({ state }) => state === 'executing');
    }
    const count = (flow: string): number => world.dispatched.filter((name) => name === flow).length;
    expect(count('narrow')).toBeGreaterThan(count('wide'));
  });

  test('charges a flow for its time of the processor, from ten milliseconds', () => {
    const shares = (cpuMs: number): number => {
      const world = new World(queue(64, 1), 4);
      let executing = [world.start('computing')];
      const waiting = Array.from({ length: 20 }, () => [world.start('computing'), world.start('waiting')]).flat();
      for (let round = 0; round < 4; round += 1) {
        world.clock.advance(10);
        for (const request of executing) world.set.finish(request, request.distinguisher === 'computing' ? cpuMs : 0);
        executing = waiting.filter(({ state }) => state === 'executing');
      }
      const count = (flow: string): number => world.dispatched.filter((name) => name === flow).length;
      return count('computing') / count('waiting');
    };
    expect(shares(9)).toBeCloseTo(1, 0);
    expect(shares(40)).toBeLessThan(0.5);
  });

  test('keeps seats for the final phase of a request', () => {
    const world = new World({ type: 'Reject' }, 4);
    const request = world.start('a', { initialSeats: 1, finalSeats: 3, additionalLatencyMs: 5 });
    expect(world.set.seatsInUse).toBe(3);
    world.set.finish(request);
    expect([world.set.executing, world.set.seatsInUse]).toEqual([0, 3]);
    expect(states([world.start('b'), world.start('c')])).toBe('eo');
    world.clock.advance(5);
    expect(world.set.seatsInUse).toBe(1);
  });

  test('lets a flow without a seat begin beside the final phase of a request of another', () => {
    const world = new World(queue(64, 1), 4);
    const write = world.start('writer', { initialSeats: 1, finalSeats: 4, additionalLatencyMs: 5 });
    expect(states([write, world.start('mouse'), world.start('writer')])).toBe('eww');
    world.set.finish(write);
    // The next write of the same flow waits until the events have been sent.
    expect(world.dispatched).toEqual(['mouse']);
    expect(world.set.seatsInUse).toBe(5);
    world.clock.advance(5);
    expect(world.dispatched).toEqual(['mouse', 'writer']);
    expect(world.set.seatsInUse).toBe(2);
  });

  test('executes a request of more seats than there are alone', () => {
    const world = new World(queue(), 2);
    const wide = world.start('a', { ...ONE_SEAT, initialSeats: 10 });
    const next = world.start('b');
    expect(states([wide, next])).toBe('ew');
    world.set.finish(wide);
    expect(states([wide, next])).toBe('oe');
  });

  test('drains the queues that are no longer wanted', () => {
    const world = new World(queue(8, 8), 1);
    const requests = Array.from({ length: 9 }, () => world.start('a'));
    world.set.configure(queue(2, 1), 1);
    const late = world.start('b');
    for (let round = 0; round < 10; round += 1) for (const request of [...requests, late]) world.set.finish(request);
    expect(states([...requests, late])).toBe('o'.repeat(10));
    expect(world.set.queues.map(({ index }) => index)).toEqual([0, 1]);
    world.set.configure({ type: 'Reject' }, 1);
    expect(world.set.queues).toHaveLength(0);
  });

  test('loses no request and no seat, whatever happens', () => {
    const step = fc.record({
      act: fc.constantFrom('start', 'start', 'finish', 'cancel', 'wait', 'limit'),
      flow: fc.constantFrom('a', 'b', 'c'),
      number: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const world = new World(queue(6, 2, 3), 4);
        const requests: FlowRequest[] = [];
        for (const { act, flow, number } of steps) {
          if (act === 'start') requests.push(world.start(flow, { ...ONE_SEAT, initialSeats: number }));
          const at = requests[number];
          if (act === 'finish' && at !== undefined) world.set.finish(at);
          if (act === 'cancel' && at !== undefined) world.set.cancel(at, 'cancelled');
          if (act === 'wait') world.clock.advance(number);
          if (act === 'limit') world.set.configure(queue(1 + number, 1, 3), number);
          if (['finish', 'cancel'].includes(act)) requests.splice(number, at?.state === 'over' ? 1 : 0);
          const executing = requests.filter(({ state }) => state === 'executing');
          const seats = executing.reduce((sum, { work }) => sum + work.initialSeats, 0);
          expect(world.set.executing).toBe(executing.length);
          expect(world.set.seatsInUse).toBe(seats);
          expect(world.set.waiting).toBe(requests.filter(({ state }) => state === 'waiting').length);
        }
        for (let round = 0; round < 200; round += 1) for (const request of requests) world.set.finish(request);
        expect(requests.every(({ state }) => state === 'over')).toBe(true);
        expect([world.set.isIdle, world.set.seatsInUse, world.demand]).toEqual([true, 0, 0]);
      }),
    );
  });
});
