import type { RequestHeaders } from '../../server/http.js';

/**
 * Reads the header fields of a Node request without copying them.
 *
 * `IncomingMessage.headers` is not used, because it drops the second value of fields such as Authorization: a request
 * with two credentials must not look like a request with one.
 */
export class NodeRequestHeaders implements RequestHeaders {
  readonly #raw: readonly string[];

  /** @param raw alternating names and values, as in `rawHeaders` of both HTTP versions */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | undefined {
    const raw = this.#raw;
    let value: string | undefined;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      if (!sameName(raw[at] as string, name)) continue;
      value = value === undefined ? raw[at + 1] : `${value}, ${raw[at + 1]}`;
    }
    return value;
  }

  getAll(name: string): readonly string[] {
    const raw = this.#raw;
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
