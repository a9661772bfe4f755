/** The compiled form of a definition is kept within a bound, and made again after it was given up. */
import { expect, test } from 'vitest';
import type { CompiledPolicy } from '../../src/admission/policy/compile-policy.js';
import { UNBOUNDED_WORK } from '../../src/foundation/work/work.js';
import { Policy } from '../../src/admission/policy/policy-index.js';
import { CompiledArtefacts, expressionBytes } from '../../src/foundation/work/compiled-artefacts.js';
import { kubernetes } from '../../src/foundation/index.js';
import { loadExpressions } from '../../src/kinds/builtin/shared/expressions.js';
import { MemoryBudget } from '../../src/storage/memory-budget.js';

/** Artefacts of a server with a memory budget. */
function artefactsIn(budget: MemoryBudget, maxBytes: number): CompiledArtefacts {
  return new CompiledArtefacts(maxBytes, (giveUp) => budget.openCache('compiled', giveUp));
}

const use = (artefacts: CompiledArtefacts, names: readonly string[]) => {
  const made: string[] = [];
  const places = new Map(names.map((name) => [name, artefacts.artefact<string>()]));
  return {
    made,
    get: (name: string, bytes = 100): string => {
      const place = places.get(name) ?? artefacts.artefact<string>();
      if (place.value !== undefined) return place.value;
      made.push(name);
      return place.keep(`compiled ${name}`, bytes);
    },
    drop: (name: string) => places.get(name)?.drop(),
  };
};

test('an artefact is made when it is first used, and once', () => {
  const artefacts = artefactsIn(new MemoryBudget(), 1000);
  const { made, get } = use(artefacts, ['a', 'b']);
  expect(artefacts.usedBytes).toBe(0);
  expect([get('a'), get('a')]).toEqual(['compiled a', 'compiled a']);
  expect(made).toEqual(['a']);
  expect(artefacts.usedBytes).toBe(100);
});

test('beyond the bound, what has not been used for longest is given up, and made again with the same result', () => {
  const budget = new MemoryBudget();
  const artefacts = artefactsIn(budget, 300);
  const { made, get } = use(artefacts, ['a', 'b', 'c', 'd']);
  for (const name of ['a', 'b', 'c', 'a']) get(name);
  get('d');
  expect(artefacts.usedBytes).toBeLessThanOrEqual(300);
  expect(budget.usedFor('compiled')).toBe(artefacts.usedBytes);
  made.length = 0;
  // The bound has room for two after an eighth of it was given up in addition.
  expect([get('d'), get('a')]).toEqual(['compiled d', 'compiled a']);
  expect(made).toEqual([]);
  expect(get('b')).toBe('compiled b');
  expect(made).toEqual(['b']);
});

test('the one that was used last stays, however large it is', () => {
  const artefacts = artefactsIn(new MemoryBudget(), 300);
  const { made, get } = use(artefacts, ['a', 'b']);
  get('a');
  get('b', 1000);
  expect(artefacts.usedBytes).toBe(1000);
  expect(get('b')).toBe('compiled b');
  expect(made).toEqual(['a', 'b']);
});

test('they are given up when the memory is needed', () => {
  const budget = new MemoryBudget({ historyBytes: 1000, memoryBytes: 1000 });
  const artefacts = artefactsIn(budget, 1000);
  const { get } = use(artefacts, ['a', 'b', 'c']);
  for (const name of ['a', 'b', 'c']) get(name, 200);
  expect(budget.open('bodies').tryHold(700)).toBe(true);
  expect(artefacts.usedBytes).toBe(200);
  expect(budget.usedBytes).toBe(900);
});

test('what is dropped is no longer counted', () => {
  const artefacts = artefactsIn(new MemoryBudget(), 1000);
  const { get, drop } = use(artefacts, ['a']);
  get('a');
  drop('a');
  drop('a');
  expect(artefacts.usedBytes).toBe(0);
});

test('hundreds of policies stay within the bound, and are evaluated the same after they were compiled again', async () => {
  await loadExpressions();
  const expression = (index: number): string => `object.metadata.name != 'name-${index}'`;
  const each = expressionBytes(expression(100));
  const artefacts = artefactsIn(new MemoryBudget(), 20 * each);
  const context = { dialect: kubernetes, featureGates: { enabled: () => false }, compiled: artefacts };
  const policies = Array.from(
    { length: 387 },
    (_, number) => new Policy(`p-${number}`, { validations: [{ expression: expression(number) }] }, context),
  );
  expect(artefacts.usedBytes).toBe(0);
  const object = { metadata: { name: 'name-7' } };
  const compiledOf = (policy: Policy): CompiledPolicy => {
    const compiled = policy.compiled(UNBOUNDED_WORK);
    if (compiled instanceof Promise) throw new Error('it was compiled in slices');
    return compiled;
  };
  const evaluated = (): unknown[] =>
    policies.map((policy) => {
      const compiled = compiledOf(policy);
      expect(artefacts.usedBytes).toBeLessThanOrEqual(20 * each);
      const program = compiled.validations[0]?.program;
      return typeof program === 'object' ? program.evaluate({ object }).value : program;
    });
  const first = evaluated();
  expect(first).toEqual(policies.map((_, number) => number !== 7));
  expect(artefacts.usedBytes).toBeGreaterThan(10 * each);
  expect(policies[0]?.compiled(UNBOUNDED_WORK)).toBe(policies[0]?.compiled(UNBOUNDED_WORK));
  expect(evaluated()).toEqual(first);
  for (const policy of policies) policy.drop();
  expect(artefacts.usedBytes).toBe(0);
});

test('the artefacts of a definition are given up when it is gone, and those made later are not counted', () => {
  const artefacts = artefactsIn(new MemoryBudget(), 1000);
  const other = artefacts.artefact<string>();
  other.keep('other', 100);
  const group = artefacts.group();
  const [one, two] = [group.artefact<string>(), group.artefact<string>()];
  one.keep('one', 200);
  two.keep('two', 300);
  two.drop();
  expect(artefacts.usedBytes).toBe(300);
  group.end();
  expect([artefacts.usedBytes, one.value, other.value]).toEqual([100, undefined, 'other']);
  expect([one.keep('again', 200), one.value, artefacts.usedBytes]).toEqual(['again', 'again', 100]);
});
