import type { RequestHeaders } from '../../server/index.js';

/** Header fields of which some have other values, or none. */
export class ReplacedHeaders implements RequestHeaders {
  readonly #inner: RequestHeaders;
  readonly #own: ReadonlyMap<string, readonly string[]>;

  constructor(inner: RequestHeaders, own: ReadonlyMap<string, readonly string[]>) {
    this.#inner = inner;
    this.#own = own;
  }

  get(name: string): string | undefined {
    return this.#own.has(name) ? this.#own.get(name)?.[0] : this.#inner.get(name);
  }

  getAll(name: string): readonly string[] {
    return this.#own.get(name) ?? this.#inner.getAll(name);
  }

  *names(): Generator<string, void, undefined> {
    for (const name of this.#inner.names()) if (!this.#own.has(name)) yield name;
    for (const [name, values] of this.#own) if (values.length > 0) yield name;
  }

  hasPrefix(prefix: string): boolean {
    return (
      this.#inner.hasPrefix(prefix) ||
      [...this.#own].some(([name, values]) => values.length > 0 && name.startsWith(prefix))
    );
  }
}
