import { describe, expect, it } from 'vitest';
import { MemoryBudget, SharedMemory } from '../../src/storage/index.js';

/** A budget with a cache that gives up all that it is asked for. */
function budgetIn(shared: SharedMemory, memoryBytes = 10_000) {
  const budget = new MemoryBudget({ historyBytes: memoryBytes, memoryBytes });
  budget.share(shared);
  const cache = budget.openCache('encodings', (bytes) => cache.hold(-Math.min(bytes, cache.usedBytes)));
  return { budget, cache, bodies: budget.open('bodies'), objects: budget.open('objects') };
}

describe('memory that budgets share', () => {
  it('counts them all together, and no longer one that is closed', () => {
    const shared = new SharedMemory(1_000);
    const [alpha, beta] = [budgetIn(shared), budgetIn(shared)];
    alpha.cache.hold(100);
    alpha.objects.hold(200);
    beta.bodies.hold(300);
    expect([shared.usedBytes, shared.freeBytes, beta.bodies.freeBytes]).toEqual([600, 500, 500]);
    alpha.budget.close();
    alpha.cache.hold(50);
    alpha.budget.close();
    expect([shared.usedBytes, shared.freeBytes]).toEqual([300, 700]);
  });

  it('makes the budget give up caches first that has most of them', () => {
    const shared = new SharedMemory(1_000);
    const [alpha, beta, gamma] = [budgetIn(shared), budgetIn(shared), budgetIn(shared)];
    alpha.cache.hold(500);
    beta.cache.hold(300);
    expect(gamma.bodies.tryHold(300)).toBe(true);
    expect([alpha.cache.usedBytes, beta.cache.usedBytes]).toEqual([400, 300]);
    gamma.objects.hold(600);
    alpha.budget.enforceLimit();
    expect([alpha.cache.usedBytes, beta.cache.usedBytes]).toEqual([0, 100]);
  });

  it('refuses what does not fit beside what others need, and says that memory is scarce', () => {
    const shared = new SharedMemory(1_000);
    const [alpha, beta] = [budgetIn(shared), budgetIn(shared)];
    alpha.objects.hold(700);
    expect([beta.bodies.tryHold(301), beta.bodies.usedBytes, beta.budget.isScarce]).toEqual([false, 0, false]);
    expect([beta.bodies.tryHold(300), beta.budget.isScarce, beta.objects.tryHold(1)]).toEqual([true, true, false]);
  });

  it('gives the requests of a budget at most as much as they leave free, except its only request', () => {
    const shared = new SharedMemory(1_000);
    const [greedy, another, third] = [budgetIn(shared), budgetIn(shared), budgetIn(shared)];
    let held = 0;
    while (greedy.bodies.tryHold(50)) held += 50;
    expect(held).toBe(500);
    held = 0;
    while (another.bodies.tryHold(50)) held += 50;
    expect(held).toBe(250);
    expect(third.bodies.tryHold(250)).toBe(true);
    expect(third.bodies.tryHold(1)).toBe(false);
  });

  it('leaves the objects of a store to their own limit', () => {
    const shared = new SharedMemory(1_000);
    const { objects } = budgetIn(shared);
    expect([objects.tryHold(600), objects.tryHold(400), objects.tryHold(1)]).toEqual([true, true, false]);
  });
});
