/** A map that forgets everything when it has grown to its limit: small, fast, and safe against clients that make up keys. */
export class BoundedCache<Value> {
  private readonly entries = new Map<string, Value>();

  /**
   * @param limit how many entries are kept
   * @param longest keys of more characters are computed each time and never kept
   */
  constructor(
    private readonly limit: number,
    private readonly longest = 512,
  ) {}

  /** The value of a key, made when it is not there. What `make` throws is not kept. */
  get(key: string, make: (key: string) => Value): Value {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (key.length > this.longest) return value;
    if (this.entries.size >= this.limit) this.entries.clear();
    this.entries.set(key, value);
    return value;
  }
}
