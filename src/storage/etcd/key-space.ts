/** What the keys of every API object start with. */
const ROOT = '/registry/';
/** Begins what comes before {@link ROOT}, and keys below it that this would be taken for. */
const BEFORE = '!';
const LOW = `${BEFORE}0`;
/** Begins what comes behind {@link ROOT}, and keys below it that this would be taken for. */
const BEHIND = '~';
const HIGH = `${BEHIND}.`;
const ZERO = Buffer.of(0);

/** A range of etcd's keys: from `key` up to `rangeEnd`, which is not part of it. */
export interface KeyRange {
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
}

/**
 * Where keys are in etcd. `/registry/pods/default/a` is `<prefix>/pods/default/a`, as the production system has it. The few keys
 * that are not below `/registry/` stand there too, behind a character that no resource begins with, so that one prefix holds all
 * of a store, in the order of its keys, and nothing of a store whose prefix only begins like it.
 */
export class KeySpace {
  /** Everything that is stored. */
  readonly all: KeyRange;
  readonly #prefix: string;
  /** What every key starts with. */
  readonly #folder: string;
  readonly #folderBytes: number;

  /** @param prefix what takes the place of `/registry`; begins with a slash and does not end in one */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#folder = `${prefix}/`;
    this.#folderBytes = Buffer.byteLength(this.#folder);
    this.all = { key: Buffer.from(this.#folder + BEFORE), rangeEnd: Buffer.from(this.#folder + successor(BEHIND)) };
  }

  /** A key as etcd has it. */
  encode(key: string): Buffer {
    return Buffer.from(this.#placed(key));
  }

  /** A key that was read from the range {@link KeySpace.all}. */
  decode(bytes: Buffer): string {
    const rest = bytes.toString('utf8', this.#folderBytes);
    if (rest.startsWith(LOW) || rest.startsWith(HIGH)) return ROOT + rest.slice(LOW.length);
    return rest.startsWith(BEFORE) || rest.startsWith(BEHIND) ? rest.slice(1) : ROOT + rest;
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
    if (!key.startsWith(ROOT)) return this.#folder + (key < ROOT ? BEFORE : BEHIND) + key;
    const name = key.slice(ROOT.length);
    if (name >= BEHIND) return this.#folder + HIGH + name;
    return this.#folder + (name < successor(BEFORE) ? LOW + name : name);
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
  if (!/^(\/[^/\u0000-\u0020]+)+$/.test(prefix))
    throw new TypeError(
      `prefix: ${JSON.stringify(prefix)} must begin with a slash, have a name behind each one, and no blank`,
    );
  return prefix;
}
