import { unitsOf } from '../../../support/units.js';
import { turnsDuring } from '../../../support/turns.js';
import { describe, expect, it } from 'vitest';
import { UNBOUNDED_WORK, type Work } from '../../../../src/foundation/work/work.js';
import {
  checkRoleEscalation,
  createRbacAuthorizer,
  escalationPorts,
  type PolicyRule,
} from '../../../../src/security/authz/rbac/index.js';
import { binding, GROUP, policyOf, role, user } from './support.js';

const times = (count: number, text: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => text(index));
const rulesOf = (count: number, group: string): PolicyRule[] =>
  times(count, (index) => `${group}${index}`).map((apiGroup) => ({
    apiGroups: [apiGroup],
    resources: ['r'],
    verbs: ['get'],
  }));

/** Writes a role as a user who holds some rules. Rejects with the refusal. */
function written(rules: readonly PolicyRule[], held: readonly PolicyRule[], work: Work): Promise<void> {
  const policy = policyOf({
    roles: [role('own', held, 'a')],
    bindings: [binding('own', 'Role/own', ['u:alice'], 'a')],
  });
  return checkRoleEscalation(
    {
      ...{ user: user('alice'), resource: { group: GROUP, resource: 'roles' }, namespace: 'a', requestName: '' },
      ...{ object: role('r', rules, 'a'), work },
    },
    escalationPorts(policy, createRbacAuthorizer(policy)),
  );
}

/** Work that pauses after a number of units, and counts its pauses and the memory that it holds. */
function pausing(units: number): Work & { pauses: number; heldBytes: number; mostBytes: number } {
  let spent = 0;
  const work = {
    ...UNBOUNDED_WORK,
    pauses: 0,
    heldBytes: 0,
    mostBytes: 0,
    spend: (count: number) => (spent += count) >= units,
    next: () => {
      spent = 0;
      work.pauses += 1;
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
    reserve: (bytes: number) => void (work.mostBytes = Math.max(work.mostBytes, (work.heldBytes += bytes))),
    release: (bytes: number) => void (work.heldBytes -= bytes),
  };
  return work;
}

const messageOf = (failed: Promise<void>): Promise<string> =>
  failed.then(
    () => '',
    (error: unknown) => (error as Error).message,
  );

describe('a role of many rules', () => {
  it.each([
    ['the rules are held', rulesOf(20_000, 'held')],
    ['the rules are not held', rulesOf(10_000, 'other')],
    ['a rule has many permissions', [{ apiGroups: times(20_000, String), resources: ['r'], verbs: ['get'] }]],
  ])('is compared in slices: %s', async (_name, rules) => {
    const work = pausing(10_000);
    const turns = await turnsDuring(() => messageOf(written(rules, rulesOf(20_000, 'held'), work)));
    expect(work.pauses).toBeGreaterThan(40);
    expect(turns).toBeGreaterThan(40);
  });

  it('does about as much between two pauses as it says', async () => {
    const work = pausing(10_000);
    const units = await unitsOf(() => messageOf(written(rulesOf(10_000, 'other'), rulesOf(10_000, 'held'), work)));
    expect(units / work.pauses).toBeLessThan(10_000 * 4);
  });

  it('is refused with the first rules in their order, and the number of the others', async () => {
    const work = pausing(10_000);
    const lines = (await messageOf(written(rulesOf(9_500, 'other'), [], work))).split('\n');
    const first = times(9_500, (index) => `{APIGroups:["other${index}"], Resources:["r"], Verbs:["get"]}`).sort();
    expect(lines.slice(1)).toEqual([...first.slice(0, 1_000), 'and 8500 more']);
    // The memory that remains reserved is that of the rules that it lacks; the lines are made a few thousand at a time.
    expect(work.heldBytes).toBe(9_500 * 256);
    expect(work.mostBytes - work.heldBytes).toBeLessThan(5_000 * 60);
  });
});

describe('a role whose rules have long names', () => {
  const long = 'g'.repeat(1_000_000);

  it('is compared without a text for each permission', async () => {
    const rules = [{ apiGroups: [long], resources: times(2_000, (index) => `r${index}`), verbs: ['get'] }];
    const message = await messageOf(written(rules, rulesOf(100, 'held'), pausing(10_000)));
    expect(message).toContain(
      `\n{APIGroups:["${'g'.repeat(512)}"… (999,488 more)], Resources:["r0"], Verbs:["get"]}\n`,
    );
    expect(message.length).toBeLessThan(300_000);
    const shown = message.split('\n').length - 2;
    expect(message.endsWith(`\nand ${2_000 - shown} more`)).toBe(true);
  });

  it('shows the first verbs of a long list', async () => {
    const rules = [{ apiGroups: [''], resources: ['r'], verbs: times(1_500, (index) => `v${index}`) }];
    expect(await messageOf(written(rules, [], pausing(10_000)))).toMatch(/ "v399" … \(1,100 more\)\]\}$/);
  });
});

it('a decision compiles a part of the rules of its user, and decides by all', () => {
  let compiled = 0;
  const roles = times(40, (number) => `role-${number}`).map((name) =>
    role(
      name,
      rulesOf(500, name).map(({ verbs, ...rest }) => ({
        ...rest,
        verbs,
        // A comparison looks at the verb first.
        get resourceNames() {
          compiled += 1;
          return [];
        },
      })),
    ),
  );
  const last = role('last', [{ apiGroups: ['a'], resources: ['r'], verbs: ['delete'] }]);
  const policy = policyOf({
    roles: [...roles, last],
    bindings: [...roles, last].map(({ metadata: { name = '' } }) => binding(name, `ClusterRole/${name}`, ['u:alice'])),
  });
  const asked = (verb: string) =>
    policy.find(user('alice'), '', {
      ...{ verb, isResource: true, apiGroup: 'a', resource: 'r', subresource: '', name: '', path: '' },
    });
  expect(asked('delete')?.binding.name).toBe('last');
  // Each rule is read twice: for its size, and for what it names.
  expect(compiled).toBeGreaterThan(0);
  expect(compiled).toBeLessThan(1_000);
  for (let decision = 0; decision < 200; decision += 1) expect(asked('list')).toBeUndefined();
  expect(compiled).toBe(2 * 40 * 500);
});
