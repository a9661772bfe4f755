import { setOwnMember, sortedSteps, type JsonValue, type Steps, type Work } from '../../../foundation/index.js';

/** Number of keys from which they are found by a map. */
const MANY = 8;
/** Number of members that are added to an object in one piece. */
const PIECE = 1024;

/** A key of a mapping. */
export interface MappingKey {
  readonly text: string;
  /** Type and value of a key that is not a string; undefined for a string. Keys of two types can have one text. */
  readonly typed: string | undefined;
}

/** The members of a mapping that is being read: the last value of a key wins. */
export class MappingMembers {
  readonly keys: string[] = [];
  readonly values: JsonValue[] = [];
  /** Lines of the values, and the types of the keys, of a mapping that may be merged into others. */
  readonly sources: { readonly key: MappingKey; readonly line: number }[] | undefined;
  #indexes: Map<string, number> | undefined;
  /** The typed keys, if there is one that is not a string. */
  #identities: Set<string> | undefined;

  /** @param isSource whether it may be merged into others */
  constructor(isSource: boolean) {
    this.sources = isSource ? [] : undefined;
  }

  /** Sets the value of a key. Returns true when the key has been set before. */
  set(key: MappingKey, value: JsonValue, line: number): boolean {
    const { text, typed } = key;
    const index = this.#indexOf(text);
    const isSet = this.#identify(text, typed, index);
    if (index === undefined) {
      this.#indexes?.set(text, this.keys.length);
      this.keys.push(text);
      this.values.push(value);
      this.sources?.push({ key, line });
      if (this.keys.length === MANY) this.#indexes = new Map(this.keys.map((known, at) => [known, at]));
    } else {
      this.values[index] = value;
      if (this.sources !== undefined) this.sources[index] = { key, line };
    }
    return isSet;
  }

  #indexOf(text: string): number | undefined {
    if (this.#indexes !== undefined) return this.#indexes.get(text);
    const index = this.keys.indexOf(text);
    return index === -1 ? undefined : index;
  }

  #identify(text: string, typed: string | undefined, index: number | undefined): boolean {
    if (this.#identities === undefined) {
      if (typed === undefined) return index !== undefined;
      this.#identities = new Set(this.keys.map((known) => `str ${known}`));
    }
    const identity = typed ?? `str ${text}`;
    const isSet = this.#identities.has(identity);
    this.#identities.add(identity);
    return isSet;
  }

  /** Returns the object, with its keys sorted, as Kubernetes' conversion through JSON sorts them. */
  object(): Record<string, JsonValue> {
    const object: Record<string, JsonValue> = {};
    if (isSorted(this.keys)) {
      for (let index = 0; index < this.keys.length; index += 1) this.#add(object, this.keys[index] ?? '', index);
    } else {
      for (const key of [...this.keys].sort()) this.#add(object, key, this.#indexOf(key));
    }
    return object;
  }

  /** Like {@link object}, in steps, for a mapping with many members. */
  *objectSteps(work: Work): Steps<Record<string, JsonValue>> {
    const keys = yield* sortedSteps([...this.keys], (a, b) => (a < b ? -1 : 1), work);
    const object: Record<string, JsonValue> = {};
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] ?? '';
      this.#add(object, key, this.#indexOf(key));
      if (index % PIECE === 0 && work.spend(4 * PIECE)) yield;
    }
    return object;
  }

  #add(object: Record<string, JsonValue>, key: string, index: number | undefined): void {
    setOwnMember(object, key, this.values[index ?? 0] ?? null);
  }
}

function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index - 1] as string) > (keys[index] as string)) return false;
  return true;
}
