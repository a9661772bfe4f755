const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Reads UTF-8 as Go's JSON parser does: every byte that belongs to no valid sequence becomes one U+FFFD. (The web's decoder
 * makes one U+FFFD of several such bytes.) A byte order mark stays.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decodeValidUtf8(bytes) ?? decodeInvalid(bytes);
}

/** Reads UTF-8; undefined when it is not valid. */
export function decodeValidUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeInvalid(bytes: Uint8Array): string {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const width = sequenceLength(bytes, at);
    if (width > 0) {
      at += width;
      continue;
    }
    if (at > start) parts.push(lenient.decode(bytes.subarray(start, at)));
    parts.push('\ufffd');
    at += 1;
    start = at;
  }
  if (at > start) parts.push(lenient.decode(bytes.subarray(start, at)));
  return parts.join('');
}

/** Length of the valid sequence that starts at `at` (RFC 3629, section 4); 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let offset = 2; offset < length; offset += 1) {
    const next = bytes[at + offset] ?? 0;
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return length;
}
