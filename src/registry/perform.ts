import type { StoredObject } from '../meta/object.js';
import type { RequestContext } from './context.js';
import type { NamedObject } from './object-types.js';
import type { OperationClient } from './operation-client.js';

/** Who asks for an operation, and on what. */
export interface PerformRequest {
  readonly context: RequestContext;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
  /** Name of the object whose subresource this is; empty for a resource of its own. */
  readonly name: string;
  /** The object whose subresource this is, as it is stored now: shared, so it must not be changed. Undefined for a resource of its own. */
  readonly target: StoredObject | undefined;
  /** Reaches every object of the server, as the server itself and not as the user of the request, who is in the `context`. */
  readonly client: OperationClient;
  /** Nothing may be changed: the answer is what the operation would come to. */
  readonly dryRun: boolean;
  /** Validating admission; to be called once the object is known to be valid, before anything is done. Throws to refuse. */
  readonly admit: () => void | Promise<void>;
}

/**
 * What the create of a virtual kind does instead of storing the object (conventions.md, "What the service does"): a review
 * that is answered, a token that is made. The answer is the object, changed, or another of the same kind.
 *
 * @param object decoded and defaulted; its own, to be changed
 * @param request who asks, on what: an object that is absent was answered with 404 before
 * @throws ApiError when the object is invalid, or the operation fails
 */
export type Perform<Item = NamedObject> = {
  perform(object: Item, request: PerformRequest): Item | Promise<Item>;
}['perform'];
