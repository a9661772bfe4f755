import type { ApiObject, StoredObject, UserInfo } from '../meta/object.js';
import type { RequestContext } from './context.js';
import type { DeleteOptions } from './delete.js';
import type { ResourceInfo } from './resource-info.js';

/** What a request does to an object, in the words of admission. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What admission is asked about. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly info: ResourceInfo;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
  /** Empty where a name is still to be generated, and for a collection. */
  readonly name: string;
  /** The name in the request's path: unlike {@link AdmissionAttributes.name} empty for a POST, also of an object that names itself. */
  readonly requestName: string;
  /** The new object; undefined for a delete. A mutating plugin may change it. */
  readonly object: ApiObject | undefined;
  readonly oldObject: StoredObject | undefined;
  /** What becomes of dependants, as the caller of a delete asked. */
  readonly deleteOptions?: Pick<DeleteOptions, 'propagationPolicy' | 'orphanDependents'>;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/**
 * A stage between authorization and the registry: it may change a new object (`mutate`), and refuse a request by
 * throwing an ApiError (both). All `mutate` run before validation, all `validate` after it.
 */
export interface AdmissionPlugin {
  /** CamelCase, as configuration names it. */
  readonly name: string;
  readonly operations: readonly AdmissionOperation[];
  mutate?(attributes: AdmissionAttributes): void | Promise<void>;
  /** Must change nothing. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
