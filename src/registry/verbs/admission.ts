import type { ApiObject, JsonObject, StoredObject, UserInfo } from '../../foundation/index.js';
import type { ObjectOf, ResourceDefinition } from '../definition/definition.js';
import type { Unvalidated } from '../definition/object-types.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import type { RequestContext } from '../store/context.js';
import type { FinishWrite } from '../writes/write-hooks.js';
import type { PropagationPolicy } from './delete.js';

/** The operation of a request, as admission names it. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The attributes of a request that admission plugins see. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /** The kind of the object: its group, version, kind and plural name. */
  readonly info: ResourceInfo;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
  /** Name of the object. Empty for a collection, and for a create whose name is still to be generated. */
  readonly name: string;
  /**
   * The name in the request's path. Unlike {@link AdmissionAttributes.name}, it is empty for every POST, even when the
   * object has a name.
   */
  readonly requestName: string;
  /** The new object; undefined for a delete. A mutating plugin may change it. */
  readonly object: ApiObject | undefined;
  /** The stored object; undefined for a create. Must not be changed. */
  readonly oldObject: StoredObject | undefined;
  /** Treatment of dependents that the delete options request. */
  readonly deleteOptions?:
    | {
        readonly propagationPolicy?: PropagationPolicy | undefined;
        readonly orphanDependents?: boolean | undefined;
      }
    | undefined;
  /**
   * Returns the options of the operation as a Kubernetes object: CreateOptions, UpdateOptions or DeleteOptions. Absent
   * for CONNECT, whose object holds the options.
   */
  readonly options?: (() => JsonObject) | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly context: RequestContext;
  /**
   * Registers a function that is called once, when this attempt to write has ended: a create that gets another generated
   * name, and an update after a conflict, begin again. For `validate` of writes that are stored; absent for all others.
   */
  readonly onFinish?: ((finish: FinishWrite) => void) | undefined;
}

/** The result of a plugin's `mutate`, once it is there. */
export type Mutated = void | 'again';

/**
 * A stage between authorization and the registry. `mutate` may change a new object; `mutate` and `validate` may refuse
 * a request by throwing an ApiError. Every `mutate` runs before validation, every `validate` after it.
 */
export interface AdmissionPlugin {
  /** CamelCase, as configuration names it. */
  readonly name: string;
  readonly operations: readonly AdmissionOperation[];
  /** Kinds that the plugin handles; default all. Each version of a kind counts as its own kind. */
  readonly kinds?: readonly ResourceDefinition[] | undefined;
  /**
   * May change the object.
   *
   * @param round 0; 1 when the plugins run again because one of them asked for it
   * @returns `again` to let all mutating plugins run once more, because those before it may have to respond to its changes
   */
  mutate?(attributes: AdmissionAttributes, round: 0 | 1): void | 'again' | Promise<void | 'again'>;
  /** Must change nothing. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

/** The operations of a {@link KindAdmissionPlugin}. */
export type WriteOperation = Exclude<AdmissionOperation, 'CONNECT'>;

/**
 * The attributes that `mutate` of a {@link KindAdmissionPlugin} sees. The object is not validated yet: every field may be
 * missing. A create has no old object, a delete no new one.
 */
export type MutateAttributes<Item, Operation extends WriteOperation = WriteOperation> = Omit<
  AdmissionAttributes,
  'operation' | 'object' | 'oldObject'
> &
  {
    readonly CREATE: {
      readonly operation: 'CREATE';
      readonly object: Unvalidated<Item>;
      readonly oldObject: undefined;
    };
    readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: Unvalidated<Item>; readonly oldObject: Item };
    readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: Item };
  }[Operation];

/** The attributes that `validate` of a {@link KindAdmissionPlugin} sees. The object is valid. */
export type ValidateAttributes<Item, Operation extends WriteOperation = WriteOperation> = Omit<
  AdmissionAttributes,
  'operation' | 'object' | 'oldObject'
> &
  {
    readonly CREATE: { readonly operation: 'CREATE'; readonly object: Item; readonly oldObject: undefined };
    readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: Item; readonly oldObject: Item };
    readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: Item };
  }[Operation];

/** A plugin for given kinds. Its attributes have the types of these kinds. */
export interface KindAdmissionPlugin<Kinds extends readonly ResourceDefinition[], Operation extends WriteOperation> {
  /** CamelCase, as configuration names it. */
  readonly name: string;
  readonly kinds: Kinds;
  readonly operations: readonly Operation[];
  /** May change the object, which is not validated yet: every field may be missing. */
  mutate?(
    attributes: MutateAttributes<ObjectOf<Kinds[number]>, Operation>,
    round: 0 | 1,
  ): void | 'again' | Promise<void | 'again'>;
  /** Must change nothing. The object is valid. */
  validate?(attributes: ValidateAttributes<ObjectOf<Kinds[number]>, Operation>): void | Promise<void>;
}

/**
 * Defines a plugin that handles only the given kinds and receives their objects typed.
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
  Operation extends WriteOperation,
>(plugin: KindAdmissionPlugin<Kinds, Operation>): AdmissionPlugin;
/** The server calls the plugin only for its operations and kinds, with objects that it has read by their schemas. */
export function defineAdmissionPlugin(plugin: AdmissionPlugin): AdmissionPlugin {
  return Object.freeze({ ...plugin });
}
