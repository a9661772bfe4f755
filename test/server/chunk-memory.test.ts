import { expect, test } from 'vitest';
import {
  isLentMemory,
  joinedChunks,
  returnChunkMemory,
  takeChunkMemory,
} from '../../src/server/limits/chunk-memory.js';

test('memory that was given back is used for the next chunk', () => {
  const memory = takeChunkMemory();
  returnChunkMemory(memory.subarray(0, 10));
  expect(takeChunkMemory().buffer).toBe(memory.buffer);
});

test('memory that is given back twice belongs to one chunk', () => {
  const memory = takeChunkMemory();
  returnChunkMemory(memory);
  returnChunkMemory(memory);
  expect(takeChunkMemory().buffer).not.toBe(takeChunkMemory().buffer);
});

test('memory of others is not taken', () => {
  const own = new Uint8Array(256 * 1024);
  expect(isLentMemory(own)).toBe(false);
  returnChunkMemory(own);
  expect(takeChunkMemory().buffer).not.toBe(own.buffer);
});

test('a single chunk is passed on, several are joined', () => {
  const first = takeChunkMemory().subarray(0, 3).fill(1);
  expect(joinedChunks([first])).toBe(first);
  expect([...joinedChunks([first, Uint8Array.of(2)])]).toEqual([1, 1, 1, 2]);
  expect(isLentMemory(first)).toBe(false);
  expect(joinedChunks([])).toHaveLength(0);
});
