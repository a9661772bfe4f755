/** Returns the JSON of the lines of a stream that a server sends; nothing of an answer without a body. */
export async function* jsonLinesOf({ body }: Response): AsyncGenerator<unknown, void, undefined> {
  if (body === null) return;
  for await (const line of linesOf(body)) yield JSON.parse(line);
}

/** Returns the lines of a stream of bytes that are not empty. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield line;
    }
    if (rest.trim() !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
