/** Bodies that are made in chunks as their client takes them. */
import { expect, test, vi } from 'vitest';
import { errors } from '../../src/foundation/errors/api-error.js';
import { UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';
import { CHUNK_BYTES, isStream, type ResponseBody, type StreamBody } from '../../src/server/requests/http.js';
import { longBody, written, type BodySource, type LongBodyParts } from '../../src/server/responses/long-body.js';
import { ManualClock } from '../storage/manual-clock.js';

const TEXT = 'größe '.repeat(1_000);

/** A source of texts, which counts those that were made, and notes its end. */
function source(count: number): { readonly source: BodySource; made(): number; ended(): boolean } {
  let [made, ended] = [0, false];
  return {
    source: written(function* (writer) {
      try {
        for (; made < count; made += 1) {
          writer.text(TEXT);
          if (writer.isFull) yield;
        }
      } finally {
        ended = true;
      }
    }),
    made: () => made,
    ended: () => ended,
  };
}

const clock = new ManualClock();
const partsWith = (work: Work = UNBOUNDED_WORK): LongBodyParts => ({
  ...{ work, clock, deadlineMs: clock.now() + 1_000, heldBytes: 100 },
});

function streamOf(body: ResponseBody): StreamBody {
  if (!isStream(body)) throw new Error('not a stream');
  return body;
}

test('a short one is made before the response', async () => {
  const { source: short, ended } = source(3);
  const body = await longBody(short, partsWith());
  expect(new TextDecoder().decode(body as Uint8Array)).toBe(TEXT.repeat(3));
  expect(ended()).toBe(true);
});

test('of a long one, a chunk is made when the one before was taken', async () => {
  const count = 1_000;
  const { source: long, made, ended } = source(count);
  const { stream, heldBytes } = streamOf(await longBody(long, partsWith()));
  const bytes = Buffer.byteLength(TEXT);
  expect(heldBytes).toBeLessThan(2 * 1024 * 1024);
  const chunks: Uint8Array[] = [];
  let taken = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    taken += chunk.length;
    expect(chunk.length).toBeLessThanOrEqual(CHUNK_BYTES);
    expect(made() * bytes - taken).toBeLessThan(1024 * 1024 + 2 * CHUNK_BYTES);
  }
  expect(Buffer.concat(chunks).toString() === TEXT.repeat(count)).toBe(true);
  expect(ended()).toBe(true);
});

test('each chunk is made in a slice of its own, however fast the client takes it', async () => {
  let slices = 0;
  const work: Work = { ...UNBOUNDED_WORK, next: () => Promise.resolve(void (slices += 1)) };
  const { stream } = streamOf(await longBody(source(1_000).source, partsWith(work)));
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  expect(length).toBeGreaterThan(20 * CHUNK_BYTES);
  // Those that were made before the stream began share one.
  expect(slices * CHUNK_BYTES).toBeGreaterThanOrEqual(length - 1024 * 1024 - CHUNK_BYTES);
});

test('one for which there is no memory is refused, and ends', async () => {
  let left = 3 * CHUNK_BYTES;
  const work: Work = {
    ...UNBOUNDED_WORK,
    reserve: (bytes) => {
      left -= bytes;
      if (left < 0) throw errors.tooManyRequests('no memory', 1);
    },
  };
  const { source: long, ended } = source(1_000);
  await expect(longBody(long, partsWith(work))).rejects.toThrow('no memory');
  expect(ended()).toBe(true);
});

test('one whose objects cannot be read is refused before the first byte, and ends', async () => {
  const { source: long, ended } = source(1_000);
  const parts = { ...partsWith(), beforeStream: () => Promise.reject(new Error('unreadable')) };
  await expect(longBody(long, parts)).rejects.toThrow('unreadable');
  expect(ended()).toBe(true);
});

test('one that is not taken ends at its deadline, and so does the connection that waits for it', async () => {
  const { source: long, ended } = source(1_000);
  const body = streamOf(await longBody(long, partsWith()));
  const drop = vi.fn();
  body.blocked?.(CHUNK_BYTES, drop);
  clock.advance(1_000);
  expect(drop).toHaveBeenCalledTimes(1);
  await expect(body.stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 504 });
  expect(ended()).toBe(true);
});

test('one whose client leaves ends', async () => {
  const { source: long, ended } = source(1_000);
  const body = streamOf(await longBody(long, partsWith()));
  await body.stream[Symbol.asyncIterator]().return?.();
  expect(ended()).toBe(true);
});
