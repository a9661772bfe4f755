/** Where pods may run, of pods with many rules and nodes with many taints. */
import { expectProportional } from '../support/units.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NodeRules } from '../../src/controllers/placement/node-selection.js';
import { Tolerations } from '../../src/controllers/placement/tolerations.js';
import { DaemonPlacement } from '../../src/controllers/workloads/daemon-set/daemon-pod.js';
import { kubernetes } from '../../src/foundation/index.js';
import type { coreV1, DaemonSet, Node } from '../../src/kinds/index.js';
import type { ObjectOf } from '../../src/registry/index.js';
import { template } from './workloads/support.js';

type Toleration = coreV1.Toleration;
type Taint = coreV1.Taint;

const text = fc.constantFrom('a', 'b', '');
const maybe = <Item>(item: fc.Arbitrary<Item>) => fc.option(item, { nil: undefined });
const taint: fc.Arbitrary<Taint> = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  value: maybe(text),
  effect: fc.constantFrom('NoSchedule', 'NoExecute'),
});
const toleration = fc.record({
  key: maybe(text),
  operator: maybe(fc.constantFrom('Exists', 'Equal')),
  value: maybe(text),
  effect: maybe(fc.constantFrom('NoSchedule', 'NoExecute', '')),
}) as fc.Arbitrary<Toleration>;

const covers = ({ key, operator, value, effect }: Toleration, one: Taint): boolean =>
  (!effect || effect === one.effect) &&
  (!key || key === one.key) &&
  (operator === 'Exists' || (value ?? '') === (one.value ?? ''));

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const nodeWith = (taints: Taint[], labels: Record<string, string> = {}): ObjectOf<typeof Node> => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels }, spec: { taints } },
});

describe('the tolerations of a pod', () => {
  test('cover what one of them covers, and the first one counts', () => {
    fc.assert(
      fc.property(fc.array(toleration, { maxLength: 24 }), taint, (list, one) => {
        expect(new Tolerations(list).first(one)).toBe(list.find((each) => covers(each, one)));
      }),
    );
  });

  test('are compared with taints in time in proportion to both', async () => {
    await expectProportional((count) => {
      const rules = () =>
        new NodeRules({
          containers: [],
          tolerations: many(count, (index) => ({ key: `k${index}`, operator: 'Exists' })),
        });
      const node = nodeWith(many(count, (index) => ({ key: `k${index}`, effect: 'NoSchedule' })));
      return () => expect(rules().untolerated(node, ['NoSchedule'])).toBeUndefined();
    }, 500);
  });
});

describe('the rules of a pod about nodes', () => {
  const term = (key: string): coreV1.NodeSelectorTerm => ({ matchExpressions: [{ key, operator: 'Exists' }] });
  const required = (terms: coreV1.NodeSelectorTerm[]): coreV1.Affinity => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  });

  test('select the nodes with all labels of the selector that match a term', () => {
    const rules = new NodeRules({
      containers: [],
      nodeSelector: { a: 'b' },
      affinity: required([term('x'), term('y')]),
    });
    const selects = (labels: Record<string, string>): boolean => rules.selects(nodeWith([], labels));
    expect([{ a: 'b', y: '' }, { a: 'c', y: '' }, { a: 'b' }, { y: '' }].map(selects)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('tell what a comparison costs', () => {
    const units = (count: number): number =>
      new NodeRules({ containers: [], affinity: required(many(count, (index) => term(`k${index}`))) }).unitsFor(
        nodeWith(many(count, (index) => ({ key: `k${index}`, effect: 'NoSchedule' }))),
      );
    expect(units(1000)).toBeGreaterThan(1000);
    expect(units(2000)).toBeGreaterThan(1.9 * units(1000));
  });
});

test('a daemon set keeps pods on nodes with taints that only keep new ones away', () => {
  const set = {
    metadata: { name: 'd' },
    spec: { selector: {}, template: { ...template(), spec: { ...template().spec, nodeSelector: { a: 'b' } } } },
  } as unknown as ObjectOf<typeof DaemonSet>;
  const placement = new DaemonPlacement(set, kubernetes);
  const on = (labels: Record<string, string>, ...taints: Taint[]) => placement.on(nodeWith(taints, labels));
  expect(on({ a: 'b' })).toEqual({ run: true, keep: true });
  expect(on({ a: 'b' }, { key: 'k', effect: 'NoSchedule' })).toEqual({ run: false, keep: true });
  expect(on({ a: 'b' }, { key: 'k', effect: 'NoExecute' })).toEqual({ run: false, keep: false });
  expect(on({})).toEqual({ run: false, keep: false });
  expect(on({ a: 'b' }, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' })).toEqual({
    run: true,
    keep: true,
  });
});
