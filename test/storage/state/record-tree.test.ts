import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { precedesByCodePoint } from '../../../src/storage/state/records/key-order.js';
import { VersionRecord } from '../../../src/storage/state/records/record.js';
import { RecordTree, Side } from '../../../src/storage/state/records/record-tree.js';

const record = (key: string, revision = 1): VersionRecord => new VersionRecord(key, '', revision, 1, undefined);
const inOrder = (left: string, right: string): number =>
  left === right ? 0 : precedesByCodePoint(left, right) ? -1 : 1;

function keys(tree: RecordTree): string[] {
  return tree
    .position('', Side.Before)
    .take(Infinity)
    .map((each) => each.key);
}

/** Every result of the tree, compared with the sorted array. */
function expectSame(tree: RecordTree, sorted: readonly string[], probes: readonly string[]): void {
  expect(tree.size).toBe(sorted.length);
  expect(keys(tree)).toEqual(sorted);
  for (const probe of probes) {
    const before = sorted.filter((key) => precedesByCodePoint(key, probe)).length;
    const equal = sorted.includes(probe) ? 1 : 0;
    const prefixed = sorted.filter((key) => key.startsWith(probe)).length;
    expect(tree.rank(probe, Side.Before)).toBe(before);
    expect(tree.rank(probe, Side.After)).toBe(before + equal);
    expect(tree.rank(probe, Side.AfterPrefix)).toBe(before + prefixed);
    expect(tree.rankAfterPrefix(probe)).toBe(before + prefixed);
    expect(
      tree
        .position(probe, Side.After)
        .take(7)
        .map((each) => each.key),
    ).toEqual(sorted.slice(before + equal, before + equal + 7));
    const position = tree.position(probe, Side.Before);
    expect([position.next()?.key, position.next()?.key]).toEqual([sorted[before], sorted[before + 1]]);
  }
}

describe('RecordTree', () => {
  const orders: [name: string, at: (index: number, size: number) => number][] = [
    ['ascending', (index) => index],
    ['descending', (index, size) => size - 1 - index],
    ['scattered', (index, size) => (index * 7919) % size],
    ['from the middle', (index, size) => (index % 2 === 0 ? size / 2 + index / 2 : size / 2 - (index + 1) / 2)],
  ];
  const name = (index: number): string => `/r/${String(index).padStart(6, '0')}`;

  it.each(orders)('stores 20,000 keys %s and returns them', (_, at) => {
    const size = 20_000;
    const tree = new RecordTree();
    for (let index = 0; index < size; index++) tree.insert(record(name(at(index, size))));
    const sorted = Array.from({ length: size }, (__, index) => name(index));
    const probes = [0, 1, 127, 128, 129, 9999, 19_999].map(name);
    expectSame(tree, sorted, [...probes, '', '/r/', '/s', '/r/00', '/r/01', '/q']);
    for (let index = 0; index < size; index++) if (index % 64 !== 5) tree.remove(name(at(index, size)));
    const left = sorted.filter((key) => tree.rank(key, Side.After) - tree.rank(key, Side.Before) === 1);
    expect(left).toHaveLength(Math.ceil((size - 5) / 64));
    expectSame(tree, left, [...probes, '', '/r/', '/r/00']);
    for (const key of left) tree.remove(key);
    expectSame(tree, [], ['', '/r/']);
    tree.insert(record('/r/again'));
    expectSame(tree, ['/r/again'], ['', '/r/', '/r/again', '/r/b']);
  });

  it('agrees with a sorted array under random changes', () => {
    const step = fc.record({
      from: fc.nat({ max: 3000 }),
      count: fc.integer({ min: 1, max: 400 }),
      stride: fc.constantFrom(1, 7, 1009),
      remove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        const tree = new RecordTree();
        const present = new Set<string>();
        for (const { from, count, stride, remove } of steps) {
          for (let index = 0; index < count; index++) {
            const key = name((from + index * stride) % 3001);
            if (remove && present.delete(key)) tree.remove(key);
            else if (!remove && !present.has(key)) {
              present.add(key);
              tree.insert(record(key));
            }
          }
        }
        expectSame(tree, [...present].sort(), ['', '/r/', '/r/0010', name(17), name(1500), name(3000)]);
      }),
      { numRuns: 60 },
    );
  });

  it('orders arbitrary keys by code points', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', '/', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '😀'),
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 60 }), fc.array(key, { maxLength: 5 }), (list, probes) => {
        const tree = new RecordTree();
        for (const each of list) tree.insert(record(each));
        expectSame(tree, [...list].sort(inOrder), probes);
        const encoder = new TextEncoder();
        const bytes = (text: string): string =>
          [...encoder.encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
        expect(keys(tree)).toEqual([...list].sort((left, right) => (bytes(left) < bytes(right) ? -1 : 1)));
      }),
    );
  });

  it('replaces a record', () => {
    const tree = new RecordTree();
    for (let index = 0; index < 1000; index++) tree.insert(record(name(index)));
    const replacement = record(name(500), 2);
    tree.replace(replacement);
    expect(tree.position(name(500), Side.Before).next()).toBe(replacement);
    expect(tree.size).toBe(1000);
  });

  it('accepts more slices than a call has room for arguments', () => {
    const tree = new RecordTree();
    const size = 600_000;
    for (let index = 0; index < size; index++) tree.insert(record(name(index)));
    expect(tree.position('', Side.Before).take(Infinity)).toHaveLength(size);
  });
});
