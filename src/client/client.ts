/**
 * The client: typed verbs on the kinds of a server, in the same process or over the wire.
 *
 * The caller owns the returned objects and may change them. Failures are {@link ApiError}s, with the Status that is sent
 * over the wire.
 *
 * @module
 */
import type * as z from 'zod';
import {
  aFunction,
  aName,
  checkOptions,
  definedOnly,
  frozenUser,
  matching,
  shown,
  type ListMeta,
  type ObjectMeta,
  type OptionChecks,
  type Status,
  type UserInfo,
} from '../foundation/index.js';
import type { InputOf, ObjectOf, PropagationPolicy, ResourceDefinition, UnreadableObject } from '../registry/index.js';
import { aUserOrName } from '../security/index.js';
import { isDefinition, type ClientBackend, type KindReference } from './backend.js';
import type { ApplyParameters } from './resources/patch-parameters.js';
import { ResourceClient } from './resources/resource-client.js';

/** Options of reading one object. */
export interface GetParameters {
  /** Minimum resource version of the result. */
  readonly resourceVersion?: string | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a list. Selectors have the syntax of query parameters. */
export interface ListParameters extends GetParameters {
  /**
   * Called for each stored object that cannot be decoded and is omitted. Without it, an undecodable object fails the
   * whole list or watch.
   */
  readonly onUnreadable?: ((unreadable: UnreadableObject) => void) | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Maximum number of objects in the page; default all. */
  readonly limit?: number | undefined;
  /** Token of the next page: `metadata.continue` of the previous page. */
  readonly continue?: string | undefined;
  /** Whether `resourceVersion` is the exact or the minimum version of the result. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

/** Options of a watch. */
export interface WatchParameters extends ListParameters {
  /** Whether the watch yields BOOKMARK events; default false. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /**
   * Whether the watch starts with an ADDED event for each existing object. Requires the feature gate `WatchList` and
   * `resourceVersionMatch: 'NotOlderThan'`. Default: only without a resource version, or with `0`.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** Maximum duration of the watch, in seconds. */
  readonly timeoutSeconds?: number | undefined;
  /** Whether waiting for an event keeps the process alive; default true. Use false for a watch in the background. */
  readonly keepAlive?: boolean | undefined;
}

/** Options of a write. */
export interface WriteParameters {
  /** Runs all steps except the write. */
  readonly dryRun?: boolean | undefined;
  /** Name of the field manager; default that of the client. */
  readonly fieldManager?: string | undefined;
  /** Handling of unknown fields: drop silently, report to `onWarning`, or refuse. Default `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a delete. */
export interface DeleteParameters {
  /** Grace period of the deletion, in seconds. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Handling of dependent objects. */
  readonly propagationPolicy?: PropagationPolicy | undefined;
  /** Values that the object must have; otherwise the delete fails with 409. */
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  /** Runs all steps except the deletion. */
  readonly dryRun?: boolean | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** A collection, or a page of one. */
export interface ObjectList<Item> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: Item[];
}

/** An event of a watch. The object of a BOOKMARK has only apiVersion, kind and `metadata.resourceVersion`. */
export type WatchEvent<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Item }
  | {
      readonly type: 'BOOKMARK';
      readonly object: Pick<
        Item & { apiVersion: string; kind: string; metadata: { resourceVersion?: string | undefined } },
        'apiVersion' | 'kind' | 'metadata'
      >;
    }
  | { readonly type: 'ERROR'; readonly object: Status };

/** The metadata of an object of any kind, as its own object. */
export interface PartialObjectMetadata {
  readonly apiVersion: string;
  /** `PartialObjectMetadata`. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Options of a client. */
export interface ClientOptions {
  /**
   * User that the client acts as; each request is authorized. A user name gets the groups that its form implies.
   * Default in the process of the server: its owner, in `system:masters`, without authorization; over the wire: the user
   * of the credentials.
   */
  readonly user?: UserInfo | string | undefined;
  /** Default field manager of the client's writes. Default `in-process`; over the wire the name of the `userAgent`. */
  readonly fieldManager?: string | undefined;
  /**
   * Resource version whose state the client reads: its gets and lists show that state, and it can do nothing else. They
   * fail with 410 once the history no longer reaches back to it.
   */
  readonly at?: string | number | undefined;
  /** Called with each warning of the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

const aVersion = matching(
  'a resource version: a whole number above 0, or its text, as in metadata.resourceVersion',
  (value) => (typeof value === 'number' || typeof value === 'string') && /^[1-9]\d{0,14}$/.test(String(value)),
);

/** Checks of the options of a client. */
export const clientOptionChecks: OptionChecks<ClientOptions> = {
  user: aUserOrName,
  fieldManager: aName,
  at: aVersion,
  onWarning: aFunction,
};

/** {@link ClientOptions} with a user name resolved to a user, and the version as a number. */
export type ResolvedClientOptions = Omit<ClientOptions, 'user' | 'at'> & {
  readonly user?: UserInfo | undefined;
  readonly at?: number | undefined;
};

/** A typed client of a server. Code that takes one need not know where the server is. */
export class Client implements AsyncDisposable {
  readonly #backend: ClientBackend;
  readonly #options: ResolvedClientOptions;

  /**
   * @throws TypeError that names an invalid option
   *
   * @internal
   */
  constructor(backend: ClientBackend, options: ClientOptions = {}) {
    checkOptions('client', options, clientOptionChecks);
    this.#backend = backend;
    const { user, at, ...rest } = options;
    this.#options = definedOnly({
      ...rest,
      user: user === undefined ? undefined : frozenUser(backend.userOf(user)),
      at: at === undefined ? undefined : Number(at),
    });
  }

  /** Namespace of the context or the pod that the client was made from; undefined for others. */
  get namespace(): string | undefined {
    return this.#backend.namespace;
  }

  /**
   * Returns the client of a kind in all namespaces; see {@link ResourceClient.namespace}.
   *
   * @throws TypeError when the argument is not a kind, or a server in the same process does not serve it
   */
  resource<Schema extends z.ZodType>(
    definition: ResourceDefinition<Schema>,
  ): ResourceClient<ObjectOf<ResourceDefinition<Schema>>, InputOf<ResourceDefinition<Schema>>>;
  /**
   * Returns the client of a kind by its names, for kinds without a definition in the program, such as those of custom
   * resource definitions. Each call looks up the kind again, and rejects with 404 while it is not served.
   */
  resource(reference: KindReference): ResourceClient<UntypedObject, UntypedInput>;
  resource(kind: ResourceDefinition | KindReference): ResourceClient<UntypedObject, UntypedInput> {
    const backend = this.#backend;
    if (isDefinition(kind)) {
      backend.expect(kind);
      return new ResourceClient({ backend, kind, namespace: '', client: this.#options });
    }
    if (!isReference(kind))
      throw new TypeError(
        `client.resource takes a kind, such as ConfigMap or the result of defineResource, or { apiVersion, kind }, got ${shown(kind)}`,
      );
    const reference = { apiVersion: kind.apiVersion, kind: kind.kind };
    return new ResourceClient({ backend, kind: reference, namespace: '', client: this.#options });
  }

  /**
   * Applies an object of any served kind (server-side apply), found by its apiVersion and kind.
   *
   * @throws TypeError for an object without apiVersion, kind or name; ApiError as apply does, 404 when the kind is not
   *   served
   */
  apply(object: UntypedInput, parameters: ApplyParameters = {}): Promise<UntypedObject> {
    if (!isReference(object))
      throw new TypeError(`client.apply takes an object with apiVersion and kind, got ${shown(object)}`);
    return this.resource({ apiVersion: object.apiVersion, kind: object.kind }).apply(object, parameters);
  }

  /** Its way to the server. @internal */
  get backend(): ClientBackend {
    return this.#backend;
  }

  /** Returns a client with the same options, except for those given, and another way to the same server. @internal */
  over(backend: ClientBackend, options: Pick<ClientOptions, 'fieldManager'>): Client {
    return new Client(backend, { ...this.#options, ...options });
  }

  /** Closes the connections of a client over the wire; its calls and watches fail. Does nothing in the process. */
  close(): Promise<void> {
    return this.#backend.close();
  }

  /** Calls {@link Client.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** An object of any kind. Its fields besides apiVersion, kind and metadata have no types. */
export type UntypedObject = ObjectOf<ResourceDefinition> & Record<string, unknown>;

/** The input of an object of any kind. */
export type UntypedInput = InputOf<ResourceDefinition> & Record<string, unknown>;

function isReference(value: unknown): value is KindReference {
  return (
    typeof value === 'object' &&
    value !== null &&
    'apiVersion' in value &&
    typeof value.apiVersion === 'string' &&
    'kind' in value &&
    typeof value.kind === 'string'
  );
}
