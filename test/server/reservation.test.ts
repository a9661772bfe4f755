/** The memory of requests: what each may reserve of the budget, and what remains for others. */
import { describe, expect, test } from 'vitest';
import type { ApiError } from '../../src/foundation/index.js';
import { RequestMemory, Reservation, type ReservationOwner } from '../../src/server/limits/reservation.js';
import { MemoryBudget } from '../../src/storage/memory-budget.js';

const MIB = 1024 * 1024;

function memoryOf(memoryBytes: number): {
  budget: MemoryBudget;
  refusals: readonly string[];
  of: (owner?: Partial<ReservationOwner>) => Reservation;
} {
  const budget = new MemoryBudget({ memoryBytes });
  const refusals: string[] = [];
  const memory = new RequestMemory(budget.open('bodies'), memoryBytes, (reason) => refusals.push(reason));
  return {
    ...{ budget, refusals },
    of: (owner) => new Reservation(memory, { user: 'ann', isShareExempt: false, isExempt: false, ...owner }),
  };
}

function refusal(reserve: () => void): ApiError {
  try {
    reserve();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('the memory was reserved');
}

describe('a reservation', () => {
  test('counts what it holds until it is released, and nothing after its end', () => {
    const { budget, of } = memoryOf(64 * MIB);
    const request = of();
    request.reserve(3 * MIB);
    request.reserve(2 * MIB);
    request.release(4 * MIB);
    expect([request.heldBytes, budget.usedFor('bodies')]).toEqual([MIB, MIB]);
    request.release(2 * MIB);
    expect([request.heldBytes, budget.usedFor('bodies')]).toEqual([0, 0]);
    request.reserve(MIB);
    request.end();
    request.reserve(MIB);
    request.hold(MIB);
    request.end();
    expect([request.heldBytes, budget.usedFor('bodies')]).toEqual([0, 0]);
  });

  test('is refused with 429 when the budget is used up', () => {
    const { budget, of } = memoryOf(64 * MIB);
    of({ user: 'ben', isShareExempt: true }).reserve(40 * MIB);
    const request = of();
    request.reserve(16 * MIB);
    const error = refusal(() => request.reserve(5 * MIB));
    expect([error.code, error.status.details?.retryAfterSeconds, error.message]).toEqual([
      429,
      1,
      'the memory budget of the server is used up (limits.memoryBytes, --memory-budget), please try again later',
    ]);
    expect([request.heldBytes, budget.usedFor('bodies')]).toEqual([16 * MIB, 56 * MIB]);
  });

  test('counts its refusals by what is used up', () => {
    const { refusals, of } = memoryOf(64 * MIB);
    of().reserve(20 * MIB);
    refusal(() => of().reserve(15 * MIB));
    of({ isShareExempt: true }).reserve(15 * MIB);
    refusal(() => of({ isShareExempt: true }).reserve(30 * MIB));
    expect(refusals).toEqual(['user', 'budget']);
  });

  test('leaves as much to others as its user holds', () => {
    const { of } = memoryOf(64 * MIB);
    of().reserve(20 * MIB);
    const second = of();
    second.reserve(12 * MIB);
    expect(refusal(() => second.reserve(1)).message).toBe(
      'the memory budget of the server is used up for user "ann" (limits.memoryBytes, --memory-budget), please try again later',
    );
    of({ isShareExempt: true }).reserve(MIB);
    const other = of({ user: 'ben' });
    other.reserve(15 * MIB);
    // With less that is free, each user gets less.
    expect(refusal(() => of({ user: 'ben' }).reserve(MIB)).message).toContain('for user "ben"');
  });

  test('of the only request of a user takes what is free, as it would be refused each time', () => {
    const { of } = memoryOf(64 * MIB);
    const request = of();
    request.reserve(20 * MIB);
    request.reserve(40 * MIB);
    expect(request.heldBytes).toBe(60 * MIB);
  });

  test('gives the last of the memory to small requests only', () => {
    const { of } = memoryOf(64 * MIB);
    of({ user: 'ben' }).reserve(60 * MIB);
    const small = of();
    small.reserve(60_000);
    expect(refusal(() => small.reserve(10_000)).code).toBe(429);
    expect(refusal(() => of().reserve(70_000)).code).toBe(429);
  });

  test('has no limit when it is exempt, and counts', () => {
    const { budget, of } = memoryOf(64 * MIB);
    of({ isExempt: true }).reserve(100 * MIB);
    expect(budget.usedFor('bodies')).toBe(100 * MIB);
    expect(refusal(() => of().reserve(1)).code).toBe(429);
  });
});
