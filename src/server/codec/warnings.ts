/**
 * Values of the `Warning` header (RFC 7234, section 5.5; KEP-1693).
 *
 * @module
 */
import { codePointCount, TRUNCATED_CHARACTERS, WARNING_CHARACTERS } from '../../foundation/index.js';

const CONTROL = /\p{Cc}/u;

/**
 * Returns a header value: `299 - "text"`, with quotes and backslashes escaped.
 *
 * @returns the value, which transports encode as UTF-8; undefined for a text with control characters, which headers must
 *   not contain
 */
export function warningHeader(text: string): string | undefined {
  if (CONTROL.test(text)) return undefined;
  return `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Collects the warnings of a response: each text once, in order. Beyond 4,096 characters in total all are truncated to
 * 256 characters; beyond that limit again, further warnings are dropped.
 */
export class WarningRecorder {
  readonly #texts = new Set<string>();
  #values: string[] = [];
  #written = 0;
  #truncating = false;

  /** Values of the header, one per warning. */
  get headers(): readonly string[] {
    return this.#values;
  }

  /** Adds a warning. Empty and repeated texts are ignored. */
  add(text: string): void {
    if (text === '' || this.#texts.has(text) || (this.#truncating && this.#written >= WARNING_CHARACTERS)) return;
    this.#texts.add(text);
    const header = this.#header(text);
    // A text with control characters does not count, whatever its length.
    if (header === undefined) return;
    if (this.#truncating || this.#written + header.characters <= WARNING_CHARACTERS) return this.#write(header);
    this.#truncating = true;
    this.#written = 0;
    this.#values = [];
    for (const known of this.#texts) {
      if (this.#written >= WARNING_CHARACTERS) break;
      const cut = this.#header(known);
      if (cut !== undefined) this.#write(cut);
    }
  }

  #header(text: string): RecordedWarning | undefined {
    const written = this.#truncating ? Array.from(text).slice(0, TRUNCATED_CHARACTERS).join('') : text;
    const value = warningHeader(written);
    return value === undefined ? undefined : { value, characters: codePointCount(written) };
  }

  #write(warning: RecordedWarning): void {
    this.#written += warning.characters;
    this.#values.push(warning.value);
  }
}

/** A warning as a header value. */
interface RecordedWarning {
  readonly value: string;
  /** Length of the text without quotes and escapes. */
  readonly characters: number;
}
