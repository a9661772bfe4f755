/** The room for what waits for an answer of another server. */
import { expect, test } from 'vitest';
import { WaitingRoom } from '../../src/foundation/index.js';

const KIB = 1024;

function entered(room: WaitingRoom, length: number): (() => void)[] {
  const leaves: (() => void)[] = [];
  for (let leave = room.enter(length); leave !== undefined; leave = room.enter(length)) leaves.push(leave);
  return leaves;
}

test('an item takes an eighth of what is free at most', () => {
  expect(new WaitingRoom(64 * KIB).enter(7 * KIB)).toBeDefined();
  expect(new WaitingRoom(64 * KIB).enter(7 * KIB + 1)).toBeUndefined();
});

test('short items find room when long ones find none', () => {
  const room = new WaitingRoom(1024 * KIB);
  const long = entered(room, 63 * KIB);
  expect(long).toHaveLength(9);
  expect(entered(room, 7 * KIB).length).toBeGreaterThan(30);
  expect(entered(room, 0).length).toBeGreaterThan(30);
});

test('what leaves gives its room back', () => {
  const room = new WaitingRoom(1024 * KIB);
  const first = entered(room, 10 * KIB);
  for (const leave of first) leave();
  expect(entered(room, 10 * KIB)).toHaveLength(first.length);
});
