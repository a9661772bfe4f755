/**
 * Yields the lines of a text in UTF-8, without their ends. A line may come in any number of pieces, cut anywhere.
 *
 * @param maxLength maximum number of characters of a line; default any
 * @throws Error for a longer line
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxLength = Infinity,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = text.slice(start, end);
      yield parts.length === 0 ? line : parts.join('') + line;
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start === text.length) continue;
    parts.push(start === 0 ? text : text.slice(start));
    length += text.length - start;
    if (length > maxLength) throw new Error(`a line is longer than ${maxLength} characters`);
  }
  const rest = parts.join('') + decoder.decode();
  if (rest !== '') yield rest;
}
