import { OBJECT_KEYS } from '../../foundation/index.js';

/** First character of keys that sort before {@link OBJECT_KEYS}, and of escaped keys below it. */
const BEFORE = '!';
const LOW = `${BEFORE}0`;
/** First character of keys that sort after {@link OBJECT_KEYS}, and of escaped keys below it. */
const AFTER = '~';
const HIGH = `${AFTER}.`;
const LOW_BYTE = LOW.charCodeAt(0);
const HIGH_BYTE = HIGH.charCodeAt(0);
const ZERO = Buffer.of(0);

/** Returns the etcd key that follows a key directly. */
export const keyAfter = (key: Buffer): Buffer => Buffer.concat([key, ZERO]);

/** A range of etcd keys: from `key`, inclusive, to `rangeEnd`, exclusive. */
export interface KeyRange {
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
}

/**
 * Maps keys to etcd keys. `/registry/pods/default/a` becomes `<prefix>/pods/default/a`, as in Kubernetes. The few keys
 * outside `/registry/` are stored below the prefix too, after a character that no resource name starts with. One range
 * therefore contains the whole store in key order, and nothing of a store with a longer prefix.
 */
export class KeySpace {
  /** The range of all stored keys. */
  readonly all: KeyRange;
  readonly #prefix: string;
  /** The prefix with its slash. */
  readonly #folder: string;
  readonly #folderBytes: number;

  /** @param prefix replaces `/registry`; starts with a slash and does not end with one */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#folder = `${prefix}/`;
    this.#folderBytes = Buffer.byteLength(this.#folder);
    this.all = { key: Buffer.from(this.#folder + BEFORE), rangeEnd: Buffer.from(this.#folder + successor(AFTER)) };
  }

  /** Returns the etcd key of a key. */
  encode(key: string): Buffer {
    return Buffer.from(this.#map(key));
  }

  /** Returns the key of an etcd key from the range {@link KeySpace.all}. */
  decode(bytes: Buffer): string {
    const rest = bytes.toString('utf8', this.#folderBytes);
    if (rest.startsWith(LOW) || rest.startsWith(HIGH)) return OBJECT_KEYS + rest.slice(LOW.length);
    return rest.startsWith(BEFORE) || rest.startsWith(AFTER) ? rest.slice(1) : OBJECT_KEYS + rest;
  }

  /** Returns whether an etcd key from the range {@link KeySpace.all} is that of a key; makes no text if it is. */
  matches(bytes: Buffer, key: string): boolean {
    return this.#matchesUnescaped(bytes, key) || this.decode(bytes) === key;
  }

  /** Returns true for the etcd key of a key that is ASCII and needs no escape. */
  #matchesUnescaped(bytes: Buffer, key: string): boolean {
    const offset = this.#folderBytes - OBJECT_KEYS.length;
    const first = bytes[this.#folderBytes];
    if (bytes.length !== key.length + offset || first === LOW_BYTE || first === HIGH_BYTE) return false;
    // Keys of one collection differ at their ends.
    for (let index = key.length - 1; index >= OBJECT_KEYS.length; index -= 1) {
      const code = key.charCodeAt(index);
      if (code !== bytes[index + offset] || code > 0x7f) return false;
    }
    return key.startsWith(OBJECT_KEYS);
  }

  /** Returns the range of the keys that start with `prefix` and sort after `after`; undefined when it is empty. */
  range(prefix: string, after?: string): KeyRange | undefined {
    const first = Buffer.from(this.#map(prefix));
    const rangeEnd = prefix === '' ? this.all.rangeEnd : this.#endOf(prefix);
    const start = after === undefined ? first : keyAfter(this.encode(after));
    const key = Buffer.compare(start, first) > 0 ? start : first;
    return Buffer.compare(key, rangeEnd) < 0 ? { key, rangeEnd } : undefined;
  }

  /** Returns an etcd key outside the range of stored keys. */
  outsideKey(name: string): Buffer {
    return Buffer.from(`${this.#prefix}-${name}`);
  }

  /** Maps a key or a prefix of keys; the order is preserved for both. */
  #map(key: string): string {
    if (!key.startsWith(OBJECT_KEYS)) return this.#folder + (key < OBJECT_KEYS ? BEFORE : AFTER) + key;
    const name = key.slice(OBJECT_KEYS.length);
    if (name >= AFTER) return this.#folder + HIGH + name;
    return this.#folder + (name < successor(BEFORE) ? LOW + name : name);
  }

  /**
   * Returns the first etcd key after all keys with a prefix. The last byte of a text is never 0xff, so it can be
   * incremented.
   */
  #endOf(prefix: string): Buffer {
    if (OBJECT_KEYS.startsWith(prefix)) return Buffer.from(this.#map(successor(prefix)));
    const end = Buffer.from(this.#map(prefix));
    end[end.length - 1] = (end[end.length - 1] as number) + 1;
    return end;
  }
}

/** Returns the first text after all texts with an ASCII prefix. */
function successor(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** Checks the option `prefix`. @throws TypeError when it is invalid */
export function parsePrefix(prefix: string): string {
  if (!/^(\/[^/\u0000-\u0020]+)+$/.test(prefix))
    throw new TypeError(
      `prefix: ${JSON.stringify(prefix)} must start with a slash, have a name after each slash, and contain no whitespace`,
    );
  return prefix;
}
