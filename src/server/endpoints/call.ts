import type { RequestContext } from '../../registry/context.js';
import type { ApiResponse } from '../http.js';
import type { RequestScope } from '../request-scope.js';
import type { ResourceOperations } from '../resource-operations.js';
import type { Responder } from '../respond.js';

/** What the endpoint of a verb works with. */
export interface ResourceCall {
  readonly scope: RequestScope;
  readonly operations: ResourceOperations;
  readonly responder: Responder;
  readonly context: RequestContext;
  readonly bodyLimit: number;
  /** Refuses, by throwing, a write that turns out to be a create the user may not do. */
  readonly authorizeCreate: () => Promise<void>;
  /** How long a watch lasts that does not say itself, in milliseconds. */
  readonly watchTimeoutMs: () => number;
}

/** Answers one verb. */
export type VerbEndpoint = (call: ResourceCall) => Promise<ApiResponse>;

/** The namespace to work in: none for a kind without namespaces, whatever the path names. */
export function spaceOf(call: ResourceCall, namespace: string): string {
  return call.operations.store.info.namespaced ? namespace : '';
}
