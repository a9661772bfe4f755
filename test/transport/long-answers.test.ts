/** Long bodies that exist already: a transport writes them in the shared time of turns, however fast the client is. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { CHUNK_BYTES } from '../../src/server/requests/http.js';
import { writeByteChunks, writeBytes, writeTextParts } from '../../src/transport/node/responses/response-text.js';
import { turnsDuring } from '../support/turns.js';

const CHUNKS = 60;

/** A response whose client takes everything at once. */
function swallowing(): { readonly response: ServerResponse; written(): number } {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  let written = 0;
  vi.spyOn(response, 'write').mockImplementation((chunk: Uint8Array) => {
    written += chunk.length;
    return true;
  });
  vi.spyOn(response, 'end').mockImplementation((chunk?: unknown) => {
    if (chunk instanceof Uint8Array) written += chunk.length;
    return response;
  });
  return { response, written: () => written };
}

const part = 'x'.repeat(CHUNK_BYTES);

test.each([
  ['bytes', (response: ServerResponse) => writeBytes(response, new Uint8Array(CHUNKS * CHUNK_BYTES), undefined)],
  [
    'chunks',
    (response: ServerResponse) =>
      writeByteChunks(
        response,
        { chunks: Array.from({ length: CHUNKS }, () => new Uint8Array(CHUNK_BYTES)) },
        undefined,
      ),
  ],
  [
    'parts',
    (response: ServerResponse) => {
      const parts = Array.from({ length: CHUNKS }, () => part);
      return writeTextParts(response, { head: '', parts, separator: '', tail: '', ascii: true }, undefined);
    },
  ],
])('%s', async (_what, write) => {
  const { response, written } = swallowing();
  // A turn has time for three looks at it.
  expect(await turnsDuring(() => write(response))).toBeGreaterThan(CHUNKS / 6);
  expect(written()).toBe(CHUNKS * CHUNK_BYTES);
});

test('a short end of a body leaves with what precedes it, before the client has taken that', async () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const writes: number[] = [];
  vi.spyOn(response, 'write').mockImplementation((chunk: Uint8Array) => {
    writes.push(chunk.length);
    // The client takes nothing after the first chunk.
    return writes.length < 2;
  });
  const end = vi.spyOn(response, 'end').mockReturnValue(response);
  const tail = new Uint8Array(3);
  const chunks = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES), tail];
  await writeByteChunks(response, { chunks }, undefined);
  expect(writes).toEqual([CHUNK_BYTES, CHUNK_BYTES]);
  expect(end).toHaveBeenCalledExactlyOnceWith(tail, undefined);
});
