import type { RequestContext } from './context.js';
import type { NamedObject } from './object-types.js';

/** Who asks for an operation, and on what. */
export interface PerformRequest {
  readonly context: RequestContext;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
  /** Name of the object whose subresource this is; empty for a resource of its own. */
  readonly name: string;
  /** Validating admission; to be called once the object is known to be valid, before anything is done. Throws to refuse. */
  readonly admit: () => void | Promise<void>;
}

/**
 * What the create of a virtual kind does instead of storing the object (conventions.md, "What the service does"): a review
 * that is answered, a token that is made. The answer is the object, changed, or another of the same kind.
 *
 * @param object decoded and defaulted; its own, to be changed
 * @throws ApiError when the object is invalid, or the operation fails
 */
export type Perform<Item = NamedObject> = { perform(object: Item, request: PerformRequest): Item | Promise<Item> }['perform'];
