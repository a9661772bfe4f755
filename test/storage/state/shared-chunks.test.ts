import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkedQueue } from '../../../src/storage/state/records/shared-chunks.js';

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('push' as const), count: fc.nat({ max: 400 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('shift' as const), count: fc.nat({ max: 400 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork' as const), count: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), count: fc.constant(0) }) },
);

it('queues and their forks hold what each was given, whatever the others do', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), step), { maxLength: 40 }), (steps) => {
      const pairs = [{ queue: new ChunkedQueue<number | undefined>(undefined), expected: [] as number[] }];
      let next = 0;
      for (const [which, { do: what, count }] of steps) {
        const pair = pairs[which % pairs.length];
        if (pair === undefined) continue;
        const { queue, expected } = pair;
        if (what === 'fork') pairs.push({ queue: queue.fork(), expected: [...expected] });
        else if (what === 'clear') {
          queue.clear();
          expected.length = 0;
        } else
          for (let times = 0; times < count && (what === 'push' || expected.length > 0); times += 1) {
            if (what === 'push') {
              queue.push(next);
              expected.push(next);
              next += 1;
            } else {
              queue.shift();
              expected.shift();
            }
          }
      }
      for (const { queue, expected } of pairs) {
        expect(queue.length).toBe(expected.length);
        expect(Array.from({ length: expected.length + 1 }, (_, offset) => queue.at(offset))).toEqual([
          ...expected,
          undefined,
        ]);
      }
    }),
    { numRuns: 200 },
  );
});
