import type { FieldError, JsonObject, Steps } from '../../foundation/index.js';
import type { RequestContext } from '../store/context.js';

/** Checks objects against the schema of a kind. It replaces the check by the compiled schema alone. */
export interface SchemaValidator {
  /**
   * Returns the errors of an object, which must not be changed, in steps. Warnings go to the context.
   *
   * @param old the stored object; undefined for a new one
   * @param part the only field that a write to a subresource may change; undefined for a write of the object
   */
  validate(
    object: JsonObject,
    old: JsonObject | undefined,
    context: RequestContext,
    part?: 'status',
  ): Steps<readonly FieldError[]>;
}
