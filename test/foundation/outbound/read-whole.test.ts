/** Responses in many pieces: memory by their bytes, not by their pieces. */
import { expect, test } from 'vitest';
import { checkRequest, readWhole, type OutboundStream } from '../../../src/foundation/index.js';

const checked = checkRequest({ url: 'https://localhost/hook' });

function responseOf(pieces: Iterable<Uint8Array>): OutboundStream {
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* pieces;
  }
  return { status: 200, header: () => undefined, fields: () => [], body: body(), cancel: () => undefined };
}

/** Single bytes, each in memory of its own. */
function* bytes(count: number): Generator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield Uint8Array.of(index % 251);
}

test('a response in single bytes is read, and each is counted', async () => {
  let counted = 0;
  const { body } = await readWhole(checked, responseOf(bytes(100_000)), {
    maxBytes: 100_000,
    onChunk: (length) => (counted += length),
  });
  expect(
    Buffer.compare(
      body,
      Uint8Array.from({ length: 100_000 }, (_, index) => index % 251),
    ),
  ).toBe(0);
  expect(counted).toBe(100_000);
});

test('a longer one fails', async () => {
  const reading = readWhole(checked, responseOf(bytes(101)), { maxBytes: 100 });
  await expect(reading).rejects.toThrow('GET https://localhost/hook: the answer is longer than 100 bytes');
});
