/** A path into an object, written as the production system writes it: `spec.containers[0].env[KEY]`. */
export class FieldPath {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }

  /** The path of nothing; its children are top-level fields. */
  static readonly root = new FieldPath('');

  /** A path that starts at the given fields. */
  static of(...names: string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  /** The path of a field, or of a field of a field. */
  child(...names: string[]): FieldPath {
    return new FieldPath([...(this.#text === '' ? [] : [this.#text]), ...names].join('.'));
  }

  /** The path of a list item. */
  index(index: number): FieldPath {
    return new FieldPath(`${this.#text}[${index}]`);
  }

  /** The path of a map entry. */
  key(key: string): FieldPath {
    return new FieldPath(`${this.#text}[${key}]`);
  }

  toString(): string {
    return this.#text;
  }
}
