import { appendTo } from '../../foundation/index.js';
import type { RequestHeaders } from '../../server/index.js';

/** Length of the names and values from which an index costs less than a search for each name. */
const MANY = 128;

/**
 * Reads the header fields of a Node request without copying them.
 *
 * `IncomingMessage.headers` is not used, because it drops the second value of fields such as Authorization: a request
 * with two credentials must not look like a request with one.
 */
export class NodeRequestHeaders implements RequestHeaders {
  readonly #raw: readonly string[];
  /** The values by name in lower case, of many fields: a request asks for some thirty. */
  #byName: ReadonlyMap<string, readonly string[]> | undefined;

  /** @param raw alternating names and values, as in `rawHeaders` of both HTTP versions */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | undefined {
    const raw = this.#raw;
    if (raw.length > MANY) return this.#indexed().get(name)?.join(', ');
    let value: string | undefined;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      if (!sameName(raw[at] as string, name)) continue;
      value = value === undefined ? raw[at + 1] : `${value}, ${raw[at + 1]}`;
    }
    return value;
  }

  getAll(name: string): readonly string[] {
    const raw = this.#raw;
    if (raw.length > MANY) return this.#indexed().get(name) ?? [];
    const values: string[] = [];
    for (let at = 0; at + 1 < raw.length; at += 2) {
      if (sameName(raw[at] as string, name)) values.push(raw[at + 1] as string);
    }
    return values;
  }

  names(): Iterable<string> {
    const names = new Set<string>();
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      const name = this.#raw[at] as string;
      // A colon starts an HTTP/2 pseudo-header, which is not a field.
      if (name.charCodeAt(0) !== 0x3a) names.add(name.toLowerCase());
    }
    return names;
  }

  #indexed(): ReadonlyMap<string, readonly string[]> {
    if (this.#byName !== undefined) return this.#byName;
    const byName = new Map<string, string[]>();
    for (let at = 0; at + 1 < this.#raw.length; at += 2)
      appendTo(byName, (this.#raw[at] as string).toLowerCase(), this.#raw[at + 1] as string);
    return (this.#byName = byName);
  }

  hasPrefix(prefix: string): boolean {
    const raw = this.#raw;
    const first = prefix.charCodeAt(0);
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = raw[at] as string;
      // 0x20 is the bit that distinguishes upper and lower case.
      if ((name.charCodeAt(0) | 0x20) === first && name.slice(0, prefix.length).toLowerCase() === prefix) return true;
    }
    return false;
  }
}

/** Returns whether a sent field name equals `lower`, which is in lower case. The length nearly always decides. */
function sameName(sent: string, lower: string): boolean {
  return sent.length === lower.length && (sent === lower || sent.toLowerCase() === lower);
}
