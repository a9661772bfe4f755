/**
 * Values of the `Warning` header (RFC 7234, section 5.5; KEP-1693).
 *
 * @module
 */
import { encodeUtf8 } from '../encoding/utf8.js';

/** Once all warnings together have more characters, each is cut. */
const TOTAL_CHARACTERS = 4 * 1024;
/** Where they are cut then. */
const ITEM_CHARACTERS = 256;
const CONTROL = /\p{Cc}/u;

/**
 * One value: `299 - "text"`, with quotes and backslashes escaped.
 *
 * @returns a byte string (UTF-8, one character a byte), which every transport can send as it is; undefined for a text that
 *   no header can carry, because it has control characters
 */
export function warningHeader(text: string): string | undefined {
  if (CONTROL.test(text)) return undefined;
  return byteString(`299 - "${text.replace(/["\\]/g, '\\$&')}"`);
}

function byteString(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  let bytes = '';
  for (const byte of encodeUtf8(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/**
 * The warnings of one answer: each text once, in order. When they grow beyond 4,096 characters, all are cut to 256; when
 * they still do, further ones are dropped.
 */
export class WarningRecorder {
  private readonly texts = new Set<string>();
  private values: string[] = [];
  private written = 0;
  private cutting = false;

  /** Values of the header, one each; empty when there is nothing to warn of. */
  get headers(): readonly string[] {
    return this.values;
  }

  /** Adds a warning. An empty one, and one that was there already, is passed over. */
  add(text: string): void {
    if (text === '' || this.texts.has(text) || (this.cutting && this.written >= TOTAL_CHARACTERS)) return;
    this.texts.add(text);
    const header = this.header(text);
    // A text that no header can carry does not count, however long it is.
    if (header === undefined) return;
    if (this.cutting || this.written + header.characters <= TOTAL_CHARACTERS) return this.write(header);
    this.cutting = true;
    this.written = 0;
    this.values = [];
    for (const known of this.texts) {
      if (this.written >= TOTAL_CHARACTERS) break;
      const cut = this.header(known);
      if (cut !== undefined) this.write(cut);
    }
  }

  private header(text: string): RecordedWarning | undefined {
    const written = this.cutting ? Array.from(text).slice(0, ITEM_CHARACTERS).join('') : text;
    const value = warningHeader(written);
    return value === undefined ? undefined : { value, characters: characters(written) };
  }

  private write(warning: RecordedWarning): void {
    this.written += warning.characters;
    this.values.push(warning.value);
  }
}

/** A warning as a value of the header. */
interface RecordedWarning {
  readonly value: string;
  /** Of the text, quotes and escapes apart. */
  readonly characters: number;
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
