/**
 * Yields the lines of a text in UTF-8, without their ends: those that end in a chunk together. A line may come in any
 * number of pieces, cut anywhere.
 *
 * @param maxLength maximum number of characters of a line whose end has not come; default any
 * @throws Error for a longer line
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxLength = Infinity,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = lines.pop() ?? '';
    if (lines.length > 0) {
      lines[0] = parts.join('') + (lines[0] ?? '');
      yield lines;
      parts = [];
      length = 0;
    }
    parts.push(rest);
    length += rest.length;
    if (length > maxLength) throw new Error(`a line is longer than ${maxLength} characters`);
  }
  const rest = parts.join('') + decoder.decode();
  if (rest !== '') yield [rest];
}
