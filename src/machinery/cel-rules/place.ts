import { FieldPath, type Steps, type Work } from '../../foundation/index.js';
import type { CorrelatedValue } from '../schema/validate/correlate.js';

/** The way to a value inside an object. Only errors need its path and its old value, so neither is computed before. */
export class Place {
  readonly #parent: Place | undefined;
  readonly #step: string | number | undefined;
  readonly #kind: 'field' | 'key' | 'condition';

  private constructor(
    parent: Place | undefined,
    step: string | number | undefined,
    kind: 'field' | 'key' | 'condition',
  ) {
    this.#parent = parent;
    this.#step = step;
    this.#kind = kind;
  }

  /**
   * The place where a validation starts.
   *
   * @param path its path in errors; undefined for a whole object
   */
  static start(path: string | undefined): Place {
    return new Place(undefined, path, 'field');
  }

  /** The place of an object's field. */
  field(name: string): Place {
    return new Place(this, name, 'field');
  }

  /** The place of a map's entry. */
  key(key: string): Place {
    return new Place(this, key, 'key');
  }

  /** The place of a list's item. */
  item(index: number): Place {
    return new Place(this, index, 'field');
  }

  /** The same place inside an `allOf`. */
  condition(): Place {
    return new Place(this, undefined, 'condition');
  }

  /** Returns the path; undefined for a whole object. */
  get path(): FieldPath | undefined {
    const parent = this.#parent?.path;
    if (this.#step === undefined) return parent;
    const from = parent ?? FieldPath.root;
    if (typeof this.#step === 'number') return from.index(this.#step);
    return this.#kind === 'key' ? from.key(this.#step) : from.child(this.#step);
  }

  /**
   * Returns whether the value, or the nearest value around it that has an old value, did not change.
   *
   * @param root the object and the old object
   */
  *isUnchanged(root: CorrelatedValue, work: Work): Steps<boolean> {
    const { current, around } = yield* this.#correlate(root, work);
    const known = current ?? around;
    return known !== undefined && (yield* known.unchanged(work));
  }

  /** Returns the value with its old value if it has one, and the nearest value around it that has one. */
  *#correlate(root: CorrelatedValue, work: Work): Steps<Correlation> {
    if (this.#parent === undefined) return { current: root, around: undefined };
    const outer = yield* this.#parent.#correlate(root, work);
    // As in Kubernetes, a condition depends on the value around its own.
    if (this.#kind === 'condition') return { current: undefined, around: outer.around };
    const { current } = outer;
    if (current === undefined) return outer;
    // Old and new objects have been converted to the same version.
    if (outer.around === undefined && (this.#step === 'apiVersion' || this.#step === 'kind'))
      return { current: undefined, around: undefined };
    const child =
      typeof this.#step === 'number' ? yield* current.item(this.#step, work) : current.field(this.#step ?? '');
    return { current: child, around: current };
  }
}

interface Correlation {
  readonly current: CorrelatedValue | undefined;
  readonly around: CorrelatedValue | undefined;
}
