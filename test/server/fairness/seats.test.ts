import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocateSeats } from '../../../src/server/fairness/allocation.js';
import { deal, Dealer, flowHash } from '../../../src/server/fairness/queues/dealer.js';
import { RetryAdvice } from '../../../src/server/fairness/retry-after.js';
import { SeatDemand } from '../../../src/server/fairness/queues/seat-demand.js';
import { ONE_SEAT } from '../../../src/server/fairness/work.js';
import { listWork, widened, writeWork } from '../../../src/server/fairness/work-estimator.js';

describe('shuffle sharding', () => {
  test('deals distinct cards of the deck, the same for the same hash', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 1, max: 128 }), (hash, deck) => {
        const size = Math.min(deck, 8);
        const hand = deal(hash, deck, size);
        expect(new Set(hand).size).toBe(size);
        expect(hand.every((card) => card >= 0 && card < deck)).toBe(true);
        expect(deal(hash, deck, size)).toEqual(hand);
      }),
    );
  });

  test('deals every hand of a small deck', () => {
    const hands = new Set(Array.from({ length: 20 }, (_, hash) => deal(BigInt(hash), 5, 2).join()));
    expect(hands.size).toBe(20);
  });

  test('hashes a schema and a distinguisher apart', () => {
    expect(flowHash('ab', 'c')).not.toBe(flowHash('a', 'bc'));
    // The first eight bytes of the SHA-256 of "\0", little-endian.
    expect(flowHash('', '')).toBe(0x987ab3ff9c0b346en);
    expect(new Dealer(64, 6).handOf('a', 'b')).toEqual(deal(flowHash('a', 'b'), 64, 6));
  });
});

describe('the division of seats', () => {
  test('gives each claim the same fraction of its target within its bounds', () => {
    const free = { lowerBound: 0, upperBound: 100 };
    expect(
      allocateSeats(30, [
        { ...free, target: 10 },
        { ...free, target: 20 },
      ]),
    ).toEqual({
      seats: [10, 20],
      fairFraction: 1,
    });
    expect(
      allocateSeats(30, [
        { lowerBound: 5, upperBound: 100, target: 5 },
        { lowerBound: 0, upperBound: 10, target: 95 },
        { lowerBound: 0, upperBound: 100, target: 10 },
      ])?.seats,
    ).toEqual([expect.closeTo(20 / 3), 10, expect.closeTo(40 / 3)]);
  });

  test('keeps sum and bounds for any claims, and refuses what is impossible', () => {
    const claim = fc.tuple(fc.nat(50), fc.nat(50), fc.nat(100)).map(([lowerBound, more, wanted]) => ({
      ...{ lowerBound, upperBound: lowerBound + more, target: lowerBound + wanted },
    }));
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1, maxLength: 8 }), fc.nat(400), (claims, sum) => {
        const lowest = claims.reduce((all, { lowerBound }) => all + lowerBound, 0);
        const highest = claims.reduce((all, { upperBound }) => all + upperBound, 0);
        const allocation = allocateSeats(sum, claims);
        if (sum < lowest || sum > highest) {
          expect(allocation).toBeUndefined();
          return;
        }
        const seats = allocation?.seats ?? [];
        expect(seats.reduce((all, one) => all + one, 0)).toBeCloseTo(sum, 5);
        for (const [index, { lowerBound, upperBound }] of claims.entries()) {
          expect(seats[index]).toBeGreaterThanOrEqual(lowerBound - 1e-9);
          expect(seats[index]).toBeLessThanOrEqual(upperBound + 1e-9);
        }
      }),
    );
  });
});

test('demand rises at once and falls by half in five minutes', () => {
  const demand = new SeatDemand(0);
  demand.set(10, 0);
  demand.set(0, 5_000);
  demand.update(10_000);
  expect([demand.average, demand.deviation, demand.highWatermark, demand.smoothed]).toEqual([5, 5, 10, 10]);
  for (let period = 2; period <= 31; period += 1) demand.update(period * 10_000);
  expect(demand.highWatermark).toBe(0);
  expect(demand.smoothed).toBeCloseTo(5, 0);
});

test('the advice to retry doubles under many refusals, and falls with few', () => {
  const advice = new RetryAdvice();
  const refuse = (second: number, count: number): number => {
    for (let index = 0; index < count; index += 1) advice.refused(second * 1000 + index);
    return advice.seconds;
  };
  expect(refuse(100, 10)).toBe(1);
  expect(refuse(101, 10)).toBe(2);
  for (let second = 102; second < 300; second += 1) refuse(second, 200);
  expect(advice.seconds).toBe(32);
  refuse(400, 1);
  expect(refuse(500, 1)).toBeLessThan(32);
});

describe('the work of a request', () => {
  const list = { stored: 450, limit: 0, hasSelector: false, fromStorage: false };
  test.each([
    [list, undefined, 5],
    [{ ...list, stored: undefined }, undefined, 1],
    [{ ...list, stored: 5_000 }, undefined, 10],
    [{ ...list, stored: 5_000 }, 3, 3],
    [{ ...list, fromStorage: true, limit: 100 }, undefined, 2],
    [{ ...list, fromStorage: true, limit: 100, hasSelector: true }, undefined, 6],
  ])('of a list %o at a level of %s is %i seats', (scope, levelSeats, seats) => {
    expect(listWork(scope, levelSeats).initialSeats).toBe(seats);
  });

  test.each([
    [9, undefined, 0, 0],
    [10, undefined, 1, 5],
    [45, undefined, 5, 5],
    [200, undefined, 10, 10],
    [200, 2, 2, 50],
  ])('of a write that %i watches concern at a level of %s is %i seats for %i ms', (watches, levelSeats, seats, ms) => {
    expect(writeWork(watches, levelSeats)).toMatchObject({ finalSeats: seats, additionalLatencyMs: ms });
  });

  test.each([
    ['of one seat', ONE_SEAT, 4, { initialSeats: 4, addedSeats: 3 }],
    ['of several', { ...ONE_SEAT, initialSeats: 3 }, 40, { initialSeats: 10, addedSeats: 7 }],
    ['that is as wide', { ...ONE_SEAT, initialSeats: 4 }, 4, { initialSeats: 4 }],
    // The seats of its events were reserved from its start.
    ['with a wider end', { ...ONE_SEAT, finalSeats: 6 }, 4, { initialSeats: 4, addedSeats: 0 }],
  ])('adds seats to work %s that is expected to take long', (_what, work, seats, expected) => {
    expect(widened(work, seats, undefined)).toEqual({ ...work, ...expected });
  });
});
