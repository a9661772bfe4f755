/** Texts that only unfinished responses hold count against the memory budget. */
import { describe, expect, test } from 'vitest';
import { Snapshots } from '../../src/storage/snapshots.js';

function counted(): { snapshots: Snapshots; held: () => number } {
  let held = 0;
  return { snapshots: new Snapshots((bytes) => (held += bytes)), held: () => held };
}
const never = (): void => expect.unreachable();

describe('snapshots', () => {
  test('hold what was dropped since the oldest began, however many they are', () => {
    const { snapshots, held } = counted();
    snapshots.dropped(1_000);
    expect(held()).toBe(0);
    const first = snapshots.open(5_000, never);
    snapshots.dropped(100);
    const second = snapshots.open(5_000, never);
    snapshots.dropped(200);
    expect(held()).toBe(300);
    first();
    expect(held()).toBe(200);
    first();
    second();
    expect(held()).toBe(0);
  });

  test('hold no more than the texts that they refer to', () => {
    const { snapshots, held } = counted();
    const first = snapshots.open(150, never);
    const second = snapshots.open(50, never);
    snapshots.dropped(1_000);
    expect(held()).toBe(200);
    first();
    expect(held()).toBe(50);
    second();
    expect(held()).toBe(0);
  });

  test('are given up, the oldest first, as far as that releases bytes', () => {
    const { snapshots, held } = counted();
    const ended: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      snapshots.open(1_000, () => ended.push(name));
      snapshots.dropped(100);
    }
    snapshots.giveUp(150);
    expect(ended).toEqual(['a', 'b']);
    expect(held()).toBe(100);
    snapshots.giveUp(1_000);
    expect(ended).toEqual(['a', 'b', 'c']);
    expect(held()).toBe(0);
    const after = snapshots.open(1_000, never);
    snapshots.giveUp(1_000);
    after();
  });
});
