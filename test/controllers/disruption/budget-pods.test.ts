import { expect, test } from 'vitest';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { BudgetPods, BY_NAMESPACE } from '../../../src/controllers/disruption/budget-pods.js';
import type { Budget } from '../../../src/controllers/disruption/types.js';
import { byNamespace, InformerCache } from '../../../src/controllers/runtime/informer-cache.js';
import type { PodObject } from '../../../src/controllers/workloads/shared/kinds.js';

const podOf = (name: string, labels: Record<string, string>): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'n', name, labels },
});
const budgetOf = (name: string, selector: NonNullable<Budget['spec']>['selector']): Budget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'n', name },
  spec: { selector },
});

/** Takes steps to their end. Returns what they make, and the units of their work. */
function counted<Result>(make: (work: Work) => Steps<Result>): { result: Result; units: number } {
  let units = 0;
  const work: Work = {
    ...UNBOUNDED_WORK,
    spend(more) {
      units += more;
      return false;
    },
  };
  const step = make(work).next();
  if (step.done !== true) throw new Error('the steps paused');
  return { result: step.value, units };
}

/** A pod and some budgets for others, and what it costs to take in new labels of the pod. */
function unitsOfChange(budgets: number, labels: Record<string, string>): number {
  const pods = new InformerCache<PodObject>({ [BY_NAMESPACE]: byNamespace });
  const members = new BudgetPods(pods);
  const before = podOf('p', { app: 'a', own: 'before' });
  pods.set('n/p', before);
  for (let index = 0; index < budgets; index += 1)
    counted((work) => members.set(budgetOf(`b${index}`, { matchLabels: { app: 'a', own: `set-${index}` } }), work));
  const after = podOf('p', labels);
  pods.set('n/p', after);
  return counted((work) => members.update(after, before, work)).units;
}

test('new labels of a pod cost nothing for the budgets of other pods', () => {
  const units = unitsOfChange(10, { app: 'a', own: 'after' });
  expect(unitsOfChange(1_000, { app: 'a', own: 'after' })).toBe(units);
});

test('a pod joins and leaves the budgets that its labels name', () => {
  const pods = new InformerCache<PodObject>({ [BY_NAMESPACE]: byNamespace });
  const members = new BudgetPods(pods);
  const one = podOf('p', { app: 'a', own: 'one' });
  pods.set('n/p', one);
  const budgets = [
    budgetOf('one', { matchLabels: { own: 'one' } }),
    budgetOf('two', { matchExpressions: [{ key: 'own', operator: 'In', values: ['two', 'three'] }] }),
    budgetOf('all', {}),
    budgetOf('not-one', { matchExpressions: [{ key: 'own', operator: 'NotIn', values: ['one'] }] }),
  ];
  for (const budget of budgets) counted((work) => members.set(budget, work));
  const two = podOf('p', { app: 'a', own: 'two' });
  pods.set('n/p', two);
  const { before, now } = counted((work) => members.update(two, one, work)).result;
  expect([...before].sort()).toEqual(['n/all', 'n/one']);
  expect([...now].sort()).toEqual(['n/all', 'n/not-one', 'n/two']);
  pods.delete('n/p');
  expect(counted((work) => members.update(two, two, work)).result.now).toEqual(new Set());
  expect(budgets.map((budget) => members.of(budget))).toEqual([[], [], [], []]);
});

test('a budget that excludes many labels costs what the labels of a pod are', () => {
  const pods = new InformerCache<PodObject>({ [BY_NAMESPACE]: byNamespace });
  const members = new BudgetPods(pods);
  const without = Array.from({ length: 20_000 }, (_, index) => ({ key: `k${index}`, operator: 'DoesNotExist' }));
  counted((work) => members.set(budgetOf('b', { matchExpressions: without }), work));
  const pod = podOf('p', { app: 'a' });
  pods.set('n/p', pod);
  const { result, units } = counted((work) => members.update(pod, undefined, work));
  expect(result.now).toEqual(new Set(['n/b']));
  expect(units).toBeLessThan(20);
});
