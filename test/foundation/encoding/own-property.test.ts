import { expect, test } from 'vitest';
import { ownMember, setOwnMember } from '../../../src/foundation/collections/own-property.js';

test.each(['a', '__proto__', 'constructor', 'toString', ''])('%j is an ordinary key', (key) => {
  const object: Record<string, number> = {};
  expect(ownMember(object, key)).toBeUndefined();
  setOwnMember(object, key, 1);
  setOwnMember(object, key, 2);
  expect(ownMember(object, key)).toBe(2);
  expect(Object.entries(object)).toEqual([[key, 2]]);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  expect(JSON.stringify(object)).toBe(`{${JSON.stringify(key)}:2}`);
});
