/** A path into an object, in the notation of Kubernetes: `spec.containers[0].env[KEY]`. */
export class FieldPath {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }

  /** The empty path; its children are top-level fields. */
  static readonly root = new FieldPath('');

  /** Returns the path of the given fields. */
  static of(...names: string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  /** Returns the path of a field, or of a nested field. */
  child(...names: string[]): FieldPath {
    return new FieldPath([...(this.#text === '' ? [] : [this.#text]), ...names].join('.'));
  }

  /** Returns the path of a list item. */
  index(index: number): FieldPath {
    return new FieldPath(`${this.#text}[${index}]`);
  }

  /** Returns the path of a map entry. */
  key(key: string): FieldPath {
    return new FieldPath(`${this.#text}[${key}]`);
  }

  toString(): string {
    return this.#text;
  }
}
