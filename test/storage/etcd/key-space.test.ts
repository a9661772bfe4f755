import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeySpace, parsePrefix } from '../../../src/storage/etcd/key-space.js';

const keys = new KeySpace('/registry');
const part = fc.oneof(
  fc.constantFrom(
    '/registry',
    '/registry/',
    '/registry0',
    '/registr',
    '/internal',
    '/',
    '/registry/!',
    '/registry/~',
    '!',
    '~',
    'pods',
    'a',
    '-',
    '.',
    '0',
    '😀',
    '\u{ffee}',
    'z',
  ),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const anyKey = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

describe('keys in etcd', () => {
  it.each([
    ['/registry/pods/default/a', '/registry/pods/default/a', '/k/pods/default/a'],
    ['/registry/minions/node-1', '/registry/minions/node-1', '/k/minions/node-1'],
    ['/internal/store', '/registry/!/internal/store', '/k/!/internal/store'],
    ['/zone/x', '/registry/~/zone/x', '/k/~/zone/x'],
    ['/registry/!x', '/registry/!0!x', '/k/!0!x'],
    ['/registry/~x', '/registry/~.~x', '/k/~.~x'],
  ])('%s is %s, and with another prefix %s', (key, usual, other) => {
    expect(keys.encode(key).toString()).toBe(usual);
    expect(new KeySpace('/k').encode(key).toString()).toBe(other);
  });

  it('are read back', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(keys.decode(keys.encode(key))).toBe(key);
      }),
    );
  });

  it('match their own key only', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (key, other) => {
        for (const space of [keys, new KeySpace('/k')]) {
          expect(space.matches(space.encode(key), key)).toBe(true);
          expect(space.matches(space.encode(key), other)).toBe(key === other);
        }
      }),
    );
  });

  it.each([
    ['/registry/!0x', '/registry/x'],
    ['/registry/~.x', '/registry/x'],
    ['/registry/!/registry/x', '/registry/x'],
    ['/registry/!x', '/registry/!x'],
  ])('%s in etcd does not match %s by accident', (bytes, key) => {
    expect(keys.matches(Buffer.from(bytes), key)).toBe(keys.decode(Buffer.from(bytes)) === key);
  });

  it('have the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (left, right) => {
        expect(Buffer.compare(keys.encode(left), keys.encode(right))).toBe(
          Buffer.compare(Buffer.from(left), Buffer.from(right)),
        );
      }),
    );
  });

  it('are in the range of a prefix exactly if they start with it, and in the range after a key if they sort after it', () => {
    fc.assert(
      fc.property(
        anyKey,
        fc.oneof(fc.constantFrom('', '/', '/reg', '/registry', '/registry/', '/registry/pods/'), anyKey),
        fc.option(anyKey, { nil: undefined }),
        (key, prefix, after) => {
          const range = keys.range(prefix, after);
          const place = keys.encode(key);
          const inside =
            range !== undefined && Buffer.compare(place, range.key) >= 0 && Buffer.compare(place, range.rangeEnd) < 0;
          expect(inside).toBe(
            key.startsWith(prefix) && (after === undefined || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('leave space outside the range for other keys', () => {
    const beside = keys.outsideKey('compacted');
    expect(Buffer.compare(beside, keys.all.key)).toBeLessThan(0);
  });

  it('contain all of one store, and nothing of another store with a longer prefix', () => {
    const others = [...'!-.0~z'].map((character) => new KeySpace(`/registry${character}`));
    fc.assert(
      fc.property(anyKey, (key) => {
        const inside = (place: Buffer): boolean =>
          Buffer.compare(place, keys.all.key) >= 0 && Buffer.compare(place, keys.all.rangeEnd) < 0;
        expect(inside(keys.encode(key))).toBe(true);
        for (const other of others) expect(inside(other.encode(key))).toBe(false);
      }),
    );
  });

  it.each(['', 'registry', '/', '/a/', '//a', '/a b'])('the prefix %j is rejected', (prefix) => {
    expect(() => parsePrefix(prefix)).toThrow(TypeError);
  });
});
