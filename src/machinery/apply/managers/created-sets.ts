import type { JsonObject, Steps, Work } from '../../../foundation/index.js';
import { recursiveDifference, type FieldSet } from '../fieldpath/fieldset.js';
import type { IgnoredFields } from '../merge/updater.js';
import { createdOwnedInSteps } from '../typed/owned-fields-in-steps.js';
import { createdOwnedFields, createsExactly } from '../typed/owned-fields.js';
import type { Type } from '../typed/type.js';

/** Facts about the kind. */
export interface CreatedSetsOptions {
  readonly apiVersion: string;
  readonly type: Type;
  readonly resetFields: Readonly<Record<string, IgnoredFields>> | undefined;
}

/** A set that was made for a create. */
interface Made {
  readonly subresource: string;
  /** The fields that the object sets. */
  readonly created: FieldSet;
  /** Those that the manager owns. */
  readonly owned: FieldSet;
}

/**
 * The sets of the managers that create objects. Objects that are created in a row mostly have the same fields; they
 * share one set, which takes the memory and the checks of one.
 */
export class CreatedSets {
  readonly #options: CreatedSetsOptions;
  #last: Made | undefined;

  constructor(options: CreatedSetsOptions) {
    this.#options = options;
  }

  /**
   * Returns the fields that a manager owns after it has created an object; empty when there are none.
   *
   * @throws TypedError when the object has undeclared fields, or items without valid keys or values
   */
  of(object: JsonObject, subresource: string): FieldSet {
    const { type } = this.#options;
    const last = this.#last;
    if (last?.subresource === subresource && createsExactly(last.created, object, type)) return last.owned;
    const created = createdOwnedFields(object, type);
    const owned = this.#ownedOf(created, subresource);
    this.#last = { subresource, created, owned };
    return owned;
  }

  /** Does the same as {@link of} for a large object, in steps. Its set is not kept. */
  *ofLarge(work: Work, object: JsonObject, subresource: string): Steps<FieldSet> {
    return this.#ownedOf(yield* createdOwnedInSteps(object, this.#options.type, work), subresource);
  }

  #ownedOf(created: FieldSet, subresource: string): FieldSet {
    const { apiVersion, resetFields } = this.#options;
    const ignored = resetFields?.[subresource]?.[apiVersion];
    return ignored === undefined ? created : recursiveDifference(created, ignored);
  }
}
