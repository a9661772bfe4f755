import { describe, expect, it } from 'vitest';
import { KeyMap } from '../../../src/storage/state/records/key-map.js';

const keys = [
  '',
  'a',
  'abcdefgh',
  'xbcdefgh',
  '/registry/pods/ä/😀',
  ...Array.from({ length: 5_000 }, (_, n) => `k${n}`),
];

describe('KeyMap', () => {
  it('behaves like a Map', () => {
    const map = new KeyMap<number>();
    const model = new Map<string, number>();
    keys.forEach((key, index) => {
      expect(map.get(key)).toBe(undefined);
      expect(map.delete(key)).toBe(false);
      map.set(key, -1);
      map.set(key, index);
      model.set(key, index);
      if (index % 3 === 0) expect(map.delete(key)).toBe(model.delete(key));
    });
    for (const key of keys) expect(map.get(key)).toBe(model.get(key));
    map.clear();
    for (const key of keys) expect(map.get(key)).toBe(undefined);
  });
});
