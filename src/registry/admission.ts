import type { ApiObject, StoredObject, UserInfo } from '../meta/object.js';
import type { RequestContext } from './context.js';
import type { DeleteOptions } from './delete.js';
import type { ObjectOf, ResourceDefinition } from './definition.js';
import type { Unvalidated } from './object-types.js';
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
  /** The kinds of the objects that the plugin is asked about; default all. Each version of a kind is a kind of its own here. */
  readonly kinds?: readonly ResourceDefinition[];
  mutate?(attributes: AdmissionAttributes): void | Promise<void>;
  /** Must change nothing. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

/** What an operation says of an object of a type, before and after: a create has no old object, a delete no new one. */
interface Before<Item> {
  readonly CREATE: { readonly operation: 'CREATE'; readonly object: Unvalidated<Item>; readonly oldObject: undefined };
  readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: Unvalidated<Item>; readonly oldObject: Item };
  readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: Item };
}

interface After<Item> {
  readonly CREATE: { readonly operation: 'CREATE'; readonly object: Item; readonly oldObject: undefined };
  readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: Item; readonly oldObject: Item };
  readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: Item };
}

type Facts = Omit<AdmissionAttributes, 'operation' | 'object' | 'oldObject'>;

/** A plugin for objects of given kinds, whose attributes have the types of these kinds. */
export interface KindAdmissionPlugin<
  Kinds extends readonly ResourceDefinition[],
  Operation extends keyof After<unknown>,
> {
  /** CamelCase, as configuration names it. */
  readonly name: string;
  readonly kinds: Kinds;
  readonly operations: readonly Operation[];
  /** May change the object, which nobody has validated yet: every field may be missing. */
  mutate?(attributes: Facts & Before<ObjectOf<Kinds[number]>>[Operation]): void | Promise<void>;
  /** Must change nothing. The object is valid. */
  validate?(attributes: Facts & After<ObjectOf<Kinds[number]>>[Operation]): void | Promise<void>;
}

/**
 * Makes a plugin that is asked about objects of given kinds only, and gets them in their types.
 *
 * ```
 * defineAdmissionPlugin({
 *   name: 'SmallWidgets',
 *   kinds: [Widget],
 *   operations: ['CREATE', 'UPDATE'],
 *   validate({ info, name, object }) {
 *     if (object.spec.size > 3) throw errors.forbidden(info, name, 'widgets are small here');
 *   },
 * });
 * ```
 */
export function defineAdmissionPlugin<
  const Kinds extends readonly ResourceDefinition[],
  Operation extends keyof After<unknown>,
>(plugin: KindAdmissionPlugin<Kinds, Operation>): AdmissionPlugin;
/** The server asks it about these operations and kinds only, whose objects it has read by their schemas. */
export function defineAdmissionPlugin(plugin: AdmissionPlugin): AdmissionPlugin {
  return Object.freeze({ ...plugin });
}
