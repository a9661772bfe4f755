/** Number of tables; a power of two. */
const TABLES = 64;
/** Number of trailing characters of a key that choose its table: names of one kind differ there. */
const HASHED_CHARACTERS = 8;

/**
 * Values by key, in many small hash tables. Node copies a hash table in one go when it grows, which takes 12 ms at
 * 131,072 entries; no request may wait for that. Tables are created when they are used.
 */
export class KeyMap<Value> {
  readonly #tables: (Map<string, Value> | undefined)[] = new Array<undefined>(TABLES).fill(undefined);

  get(key: string): Value | undefined {
    return this.#tables[tableOf(key)]?.get(key);
  }

  set(key: string, value: Value): void {
    (this.#tables[tableOf(key)] ??= new Map<string, Value>()).set(key, value);
  }

  /** Returns whether the key had a value. */
  delete(key: string): boolean {
    return this.#tables[tableOf(key)]?.delete(key) ?? false;
  }

  clear(): void {
    this.#tables.fill(undefined);
  }
}

function tableOf(key: string): number {
  let hash = 0;
  for (let index = Math.max(0, key.length - HASHED_CHARACTERS); index < key.length; index++)
    hash = (hash * 31 + key.charCodeAt(index)) | 0;
  return (hash ^ (hash >>> 12)) & (TABLES - 1);
}
