/** What the keys of every API object start with. */
const ROOT = '/registry/';
/** What comes behind the prefix, for keys before, below and behind {@link ROOT}: in this order, so that etcd's is ours. */
const BEFORE = '.';
const BELOW = '/';
const BEHIND = '0';
/** Behind everything of ours. */
const END = '1';
const ZERO = Buffer.of(0);

/** A range of etcd's keys: from `key` up to `rangeEnd`, which is not part of it. */
export interface KeyRange {
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
}

/**
 * Where keys are in etcd. `/registry/pods/default/a` is `<prefix>/pods/default/a`, as the production system has it; the few keys
 * that are not below `/registry/` stand beside, so that one prefix holds all of a store and nothing of another, in the order of
 * its keys.
 */
export class KeySpace {
  /** Everything that is stored. */
  readonly all: KeyRange;
  readonly #prefix: string;
  readonly #prefixBytes: number;

  /** @param prefix what takes the place of `/registry`; begins with a slash and does not end in one */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#prefixBytes = Buffer.byteLength(prefix);
    this.all = { key: Buffer.from(prefix + BEFORE), rangeEnd: Buffer.from(prefix + END) };
  }

  /** A key as etcd has it. */
  encode(key: string): Buffer {
    return Buffer.from(this.#placed(key));
  }

  /** A key that was read from the range {@link KeySpace.all}. */
  decode(bytes: Buffer): string {
    const rest = bytes.toString('utf8', this.#prefixBytes);
    return rest.startsWith(BELOW) ? ROOT + rest.slice(1) : rest.slice(1);
  }

  /** The keys that start with `prefix` and come behind `after`; undefined when there can be none. */
  range(prefix: string, after?: string): KeyRange | undefined {
    const first = Buffer.from(this.#placed(prefix));
    const rangeEnd = prefix === '' ? this.all.rangeEnd : this.#end(prefix);
    const behind = after === undefined ? first : Buffer.concat([this.encode(after), ZERO]);
    const key = Buffer.compare(behind, first) > 0 ? behind : first;
    return Buffer.compare(key, rangeEnd) < 0 ? { key, rangeEnd } : undefined;
  }

  /** The name of something beside the stored keys, which no range of them holds. */
  beside(name: string): Buffer {
    return Buffer.from(`${this.#prefix}-${name}`);
  }

  /** Where a key is, or would be: this keeps the order also for texts that are no keys. */
  #placed(key: string): string {
    if (key.startsWith(ROOT)) return this.#prefix + BELOW + key.slice(ROOT.length);
    return this.#prefix + (key < ROOT ? BEFORE : BEHIND) + key;
  }

  /** The first place behind all keys that start with a prefix. The last character of a text is never the last one of all bytes. */
  #end(prefix: string): Buffer {
    if (ROOT.startsWith(prefix)) return Buffer.from(this.#placed(successor(prefix)));
    const end = Buffer.from(this.#placed(prefix));
    end[end.length - 1] = (end[end.length - 1] as number) + 1;
    return end;
  }
}

/** The first text behind all that start with a prefix, which is one of ASCII. */
function successor(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** @throws TypeError for a prefix that keys cannot start with */
export function parsePrefix(prefix: string): string {
  if (!/^(\/[^/\u0000-\u0020]+)+$/.test(prefix)) throw new TypeError(`prefix: ${JSON.stringify(prefix)} must begin with a slash, have a name behind each one, and no blank`);
  return prefix;
}
