import { errors } from '../../meta/api-error.js';
import type { ApiObject } from '../../meta/object.js';
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

/** Checks that an object has the name of its path. @throws ApiError 400 */
export function checkName(object: ApiObject, name: string): void {
  const given = object.metadata.name ?? '';
  if (given === '')
    throw errors.badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw errors.badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** The namespace to work in: none for a kind without namespaces, whatever the path names. */
export function spaceOf(call: ResourceCall, namespace: string): string {
  return call.operations.store.info.namespaced ? namespace : '';
}
