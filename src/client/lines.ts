import { concatBytes } from '../foundation/index.js';

const LINE_FEED = 0x0a;

/**
 * Yields the lines of a text in UTF-8, without their ends: those that end in a chunk together. A line may come in any
 * number of pieces, cut anywhere.
 *
 * Only whole lines are decoded: hosts decode a text that goes on several times more slowly.
 *
 * @param maxBytes maximum length of a line whose end has not come; default any
 * @throws Error for a longer line
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = Infinity,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    // Where the line begins that goes on.
    const start = chunk.lastIndexOf(LINE_FEED) + 1;
    if (start > 0) {
      const end = chunk.subarray(0, start - 1);
      // Most events come in a chunk of their own, which need not be copied.
      yield decoder.decode(length === 0 ? end : concatBytes([...parts, end])).split('\n');
      parts = [];
      length = 0;
    }
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxBytes) throw new Error(`a line is longer than ${maxBytes} bytes`);
  }
  if (length > 0) yield [decoder.decode(concatBytes(parts))];
}
