import { expect, it } from 'vitest';
import { SteadyMap } from '../../../../src/security/authz/rbac/policy/steady-map.js';
import { pickFrom } from './support.js';

it('behaves as a map under additions and removals', () => {
  const pick = pickFrom('steady');
  const map = new SteadyMap<{ round: number }>();
  const expected = new Map<string, { round: number }>();
  for (let round = 0; round < 5_000; round += 1) {
    const key = `k${pick.number(round < 2_500 ? 300 : 40)}`;
    if (pick.number(2) === 0) {
      map.set(key, { round });
      expected.set(key, { round });
    } else expect(map.delete(key)).toBe(expected.delete(key));
    expect([map.size, map.get(key)]).toEqual([expected.size, expected.get(key)]);
  }
  expect([...map.values()].map(({ round }) => round).sort()).toEqual(
    [...expected.values()].map(({ round }) => round).sort(),
  );
  for (const key of [...expected.keys()]) expect(map.delete(key)).toBe(true);
  expect([map.size, [...map.values()]]).toEqual([0, []]);
});
