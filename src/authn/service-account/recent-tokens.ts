/**
 * A bounded memory of what was used last: two generations of half the size. When the younger is full it becomes the older, and
 * what was in the older and was not used in the meantime is forgotten. Unlike a list in order of use, a use costs nothing but
 * the look.
 */
export class RecentTokens<Value> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();

  /** @param limit most entries that are kept; none are with a limit below 2 */
  constructor(private readonly limit: number) {}

  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: string): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older === undefined) return undefined;
    this.old.delete(key);
    this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.limit < 2) return;
    if (this.young.size >= this.limit >> 1) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
