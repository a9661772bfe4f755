import type { RequestContext, ResourceInfo } from '../../registry/index.js';
import type { ResourceOperations } from '../operations/resource-operations.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { Responder } from '../responses/response-context.js';

/** Input of a verb's endpoint. */
export interface ResourceCall {
  readonly scope: RequestScope;
  /** The kind in the path. */
  readonly resource: ResourceInfo;
  /** The operations on the objects that the call reads and writes: those of {@link resource}, or of its subresource. */
  readonly operations: ResourceOperations;
  readonly responder: Responder;
  readonly context: RequestContext;
  /** Maximum size of the body, in bytes. */
  readonly bodyLimit: number;
  /** Authorizes a write that turns out to be a create. @throws ApiError 403 */
  readonly authorizeCreate: () => Promise<void>;
  /** Returns the default duration of a watch, in milliseconds. */
  readonly watchTimeoutMs: () => number;
}

/** Handles one verb. */
export type VerbEndpoint = (call: ResourceCall) => ApiResponse | Promise<ApiResponse>;

/** Returns the namespace of a call: empty for a cluster-scoped kind, whatever the path contains. */
export function namespaceOf(call: ResourceCall, namespace: string): string {
  return call.operations.store.info.namespaced ? namespace : '';
}
