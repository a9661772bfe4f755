/**
 * PEM (RFC 7468): blocks of base64 between lines that say what is in them.
 *
 * @module
 */

/** One block. */
export interface PemBlock {
  readonly label: string;
  readonly bytes: Uint8Array;
}

/** Longest text that is read, in characters: a thousand keys of the longest kind. */
const MAX_LENGTH = 1 << 20;

/**
 * The blocks of a text. What stands between them is passed over, and so are blocks that cannot be read: one with headers (it
 * is encrypted), or with an end of another label.
 *
 * @throws RangeError when the text is longer than a megabyte
 */
export function readPem(text: string): PemBlock[] {
  if (text.length > MAX_LENGTH) throw new RangeError(`PEM of more than ${MAX_LENGTH} characters`);
  const blocks: PemBlock[] = [];
  for (const part of text.split('-----BEGIN ').slice(1)) {
    const labelEnd = part.indexOf('-----');
    const label = part.slice(0, Math.max(labelEnd, 0));
    const end = part.indexOf(`-----END ${label}-----`);
    const bytes = end < 0 ? undefined : decodeBase64(part.slice(labelEnd + 5, end));
    if (bytes !== undefined) blocks.push({ label, bytes });
  }
  return blocks;
}

/** Bytes as one block, with lines of 64 characters and a newline at the end. */
export function writePem(label: string, bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const lines = btoa(binary).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
