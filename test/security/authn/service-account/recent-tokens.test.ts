import { describe, expect, it } from 'vitest';
import { RecentTokens } from '../../../../src/security/authn/service-account/recent-tokens.js';

describe('recent tokens', () => {
  it('never exceed the limit', () => {
    const recent = new RecentTokens<number>(10);
    for (let index = 0; index < 1000; index += 1) {
      recent.set(String(index), index);
      recent.get(String(index - 4));
      expect(recent.size).toBeLessThanOrEqual(10);
    }
    expect(recent.get('999')).toBe(999);
    expect(recent.get('980')).toBeUndefined();
  });

  it('stay while they are used', () => {
    const recent = new RecentTokens<number>(4);
    recent.set('kept', 1);
    for (let index = 0; index < 100; index += 1) {
      recent.set(String(index), index);
      expect(recent.get('kept')).toBe(1);
    }
  });

  it('can be forgotten', () => {
    const recent = new RecentTokens<number>(4);
    for (const key of ['a', 'b', 'c']) recent.set(key, 1);
    recent.delete('a');
    recent.delete('c');
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([undefined, 1, undefined]);
  });

  it('are not kept with a limit of zero', () => {
    const recent = new RecentTokens<number>(0);
    recent.set('a', 1);
    expect(recent.get('a')).toBeUndefined();
  });
});
