/**
 * The in-process client: typed verbs on the kinds of a server in the same process, without a socket and without bytes.
 *
 * What it returns belongs to the caller, who may change it. What fails is an {@link ApiError}, the same that a remote
 * client gets as a Status.
 *
 * @module
 */
import type * as z from 'zod';
import { aUserOrName, userOf } from '../authn/user-of.js';
import type { Status } from '../meta/api-error.js';
import type { ListMeta, UserInfo } from '../meta/object.js';
import { aFunction, aName, checkOptions, shown, type OptionChecks } from '../meta/options.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../registry/definition.js';
import type { PropagationPolicy } from '../registry/delete.js';
import type { UnreadableObject } from '../registry/list-options.js';
import { ResourceClient } from './resource-client.js';

/** Options of a read of one object. */
export interface GetParameters {
  /** The answer is not older than this version. */
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal;
}

/** Options of a list. Selectors are written as in a query. */
export interface ListParameters extends GetParameters {
  /** Called with each object of which something is stored that cannot be read, and which is then left out. Absent: one such object fails the whole list or watch. */
  readonly onUnreadable?: ((unreadable: UnreadableObject) => void) | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

/** Options of a watch. */
export interface WatchParameters extends ListParameters {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
  /** Whether waiting for an event keeps the process alive; default true. False for a watch that works in the background. */
  readonly keepAlive?: boolean;
}

/** Options of a write. */
export interface WriteParameters {
  /** Everything but the write. */
  readonly dryRun?: boolean;
  /** Who changes the fields; default the client's name. */
  readonly fieldManager?: string;
  /** What becomes of unknown fields: dropped in silence, reported to `onWarning`, or refused. Default `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly signal?: AbortSignal;
}

/** Options of a delete. */
export interface DeleteParameters {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** A collection, or a page of one. */
export interface ObjectList<Item> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: Item[];
}

/** What a watch tells. The object of a BOOKMARK has only apiVersion, kind and `metadata.resourceVersion`. */
export type WatchEvent<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Item }
  | {
      readonly type: 'BOOKMARK';
      readonly object: Pick<
        Item & { apiVersion: string; kind: string; metadata: { resourceVersion?: string } },
        'apiVersion' | 'kind' | 'metadata'
      >;
    }
  | { readonly type: 'ERROR'; readonly object: Status };

/** How a client behaves. */
export interface ClientOptions {
  /**
   * On whose behalf; every request is then authorized. A name stands for the user with the groups that one of that name
   * always has. Default: the owner of the process, as `system:masters`.
   */
  readonly user?: UserInfo | string;
  /** Name of the field manager of its writes. Default `in-process`. */
  readonly fieldManager?: string;
  /** Called with each warning of the server. */
  readonly onWarning?: (text: string) => void;
}

/** The server's side of a client: see {@link ResourceClient}. */
export type { ClientBackend } from './backend.js';
import type { ClientBackend } from './backend.js';

const optionChecks: OptionChecks<ClientOptions> = { user: aUserOrName, fieldManager: aName, onWarning: aFunction };

/** {@link ClientOptions} with the user that a name stands for. */
export type ResolvedClientOptions = Omit<ClientOptions, 'user'> & { readonly user?: UserInfo };

/** Verbs on the kinds of a server. */
export class Client {
  readonly #backend: ClientBackend;
  readonly #options: ResolvedClientOptions;

  /** @throws TypeError that names an option which is not what it must be */
  constructor(backend: ClientBackend, options: ClientOptions = {}) {
    checkOptions('client', options, optionChecks);
    this.#backend = backend;
    const { user, ...rest } = options;
    this.#options = user === undefined ? rest : { ...rest, user: userOf(user) };
  }

  /**
   * The verbs of a kind, over all namespaces; see {@link ResourceClient.namespace}.
   *
   * @throws TypeError when the server does not serve the kind, or what is given is no kind
   */
  resource<Schema extends z.ZodType>(
    definition: ResourceDefinition<Schema>,
  ): ResourceClient<ObjectOf<ResourceDefinition<Schema>>, InputOf<ResourceDefinition<Schema>>> {
    if (typeof definition !== 'object' || definition === null || typeof definition.plural !== 'string') {
      throw new TypeError(
        `client.resource takes a kind, such as ConfigMap or what defineResource returns, got ${shown(definition)}`,
      );
    }
    return new ResourceClient(this.#backend, this.#backend.operationsOf(definition), this.#options, '');
  }
}
