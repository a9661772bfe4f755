import type { StoredObject } from '../../foundation/index.js';
import type { NamedObject } from '../definition/object-types.js';
import type { RequestContext } from '../store/context.js';
import type { OperationClient } from './operation-client.js';

/** The request for an operation. */
export interface PerformRequest {
  readonly context: RequestContext;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Name of the object whose subresource is posted to; empty for a resource of its own. */
  readonly name: string;
  /**
   * The stored object whose subresource is posted to. It is shared and must not be changed. Undefined for a resource of
   * its own.
   */
  readonly target: StoredObject | undefined;
  /** Client with the server's own permissions on every object. The user of the request is in `context`. */
  readonly client: OperationClient;
  /** Whether the operation must change nothing and only return the result it would have. */
  readonly dryRun: boolean;
  /** Runs validating admission; throws to refuse. Call it once the object is known to be valid, before any effect. */
  readonly admit: () => void | Promise<void>;
}

/**
 * Runs an operation when an object of a virtual kind is created (conventions.md, "What the service does"), such as
 * answering a review or issuing a token. Nothing is stored. Returns the changed object, or another object of the same
 * kind.
 *
 * @param object decoded, with defaults; the operation may change it
 * @param request the request; when its target object does not exist, the server has already answered 404
 * @throws ApiError when the object is invalid or the operation fails
 */
export type Perform<Item = NamedObject> = {
  perform(object: Item, request: PerformRequest): Item | Promise<Item>;
}['perform'];
