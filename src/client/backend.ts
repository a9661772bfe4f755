/**
 * The way of a client to its server. A call is a record of its meaning; the backend makes of it what its server needs: a
 * function call in the process, or path and bytes of an HTTP request.
 *
 * @module
 */
import {
  shown,
  type Clock,
  type DialectGroups,
  type Entropy,
  type MessageSocket,
  type OutboundStream,
  type UserInfo,
} from '../foundation/index.js';
import type { ResourceDefinition } from '../registry/index.js';
import type { ResolvedClientOptions, WatchEvent } from './client.js';

/** Names of a kind, for a kind that the program has no definition of. */
export interface KindReference {
  /** `v1`, or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** A kind: its definition, or its names. */
export type AnyKind = ResourceDefinition | KindReference;

/** The verbs of calls, in the words of the API. A call of `get` on the subresource `log` reads a log. */
export type CallVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Media type of a server-side apply, which is a patch. */
export const APPLY_MEDIA_TYPE = 'application/apply-patch+yaml';

/** One call of a client, checked. */
export interface Call {
  readonly verb: CallVerb;
  readonly kind: AnyKind;
  /** Empty for all namespaces, and for a cluster-scoped kind. */
  readonly namespace: string;
  /** Empty for a call on a collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The kind of an operation that is posted to the subresource that takes it; `subresource` is empty then. */
  readonly operation: ResourceDefinition | undefined;
  /** Whether the answer has objects as a whole, or their metadata alone. */
  readonly form: 'whole' | 'metadata';
  /** Media type of a patch; empty for other calls. */
  readonly patchType: string;
  /** The caller's value, which may change once the call has begun. */
  readonly body: unknown;
  /** The caller's parameters, as the methods of `ResourceClient` take them. */
  readonly parameters: CallParameters;
  /** The options of the client. */
  readonly client: ResolvedClientOptions;
}

/** The parameters that calls have in common. */
export interface CallParameters {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Where the calls of a client go: a server in the process, or one over the wire. */
export interface ClientBackend {
  readonly dialect: DialectGroups;
  /** The clock of pauses and timeouts. */
  readonly clock: Clock;
  /** Chance of the pauses between attempts, so that clients of one server do not come back together. Default: none. */
  readonly entropy?: Entropy | undefined;
  /** Whether a connection may be lost without a sign. */
  readonly remote: boolean;
  /** Namespace of the context that the client was made from. */
  readonly namespace?: string | undefined;
  /** Called when an informer or controllers begin to follow the server; returns what they call at their end. */
  readonly opened?: ((what: string) => () => void) | undefined;
  /** Aborts when the client is closed, or the server in the same process. */
  readonly closed?: AbortSignal | undefined;
  /** Returns the user whom a client acts as, with the groups that a name implies if the backend needs them. */
  userOf(user: UserInfo | string): UserInfo;
  /** Checks that a kind is served, when that is known. @throws TypeError when it is not */
  expect(definition: ResourceDefinition): void;
  /**
   * Makes a call and returns its answer, which the caller owns: an object; for a list, a list; for a deletion the object
   * or a Status; for a deletion of a collection the deleted objects.
   *
   * @throws ApiError for a refusal; ConnectionLostError when no answer arrives; the reason of the signal
   */
  call<Answer>(call: Call): Promise<Answer>;
  /** Yields the events of one watch until it ends. It begins when the first event is requested. @throws as {@link call} */
  watch<Item>(call: Call): AsyncGenerator<WatchEvent<Item>, void, undefined>;
  /** Yields the bytes of a log. @throws as {@link call}; TypeError for a kind without logs */
  log(call: Call): AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * Opens the streams of `exec`, `attach` or `portforward` as messages in one of the protocols of channels. The signal of the
   * call ends the opening only.
   *
   * @throws as {@link call}; TypeError for a kind without streams
   */
  openStreams(call: Call): Promise<MessageSocket>;
  /**
   * Sends a request through the server, and returns the response whatever its status. The parameters of the call are those of
   * the request.
   *
   * @throws as {@link call} when there is no response; TypeError for a kind without `proxy`
   */
  proxy(call: Call): Promise<OutboundStream>;
  /** Closes connections; calls in flight fail. */
  close(): Promise<void>;
}

/** Returns whether a kind is given by its definition. */
export const isDefinition = (kind: unknown): kind is ResourceDefinition =>
  typeof kind === 'object' && kind !== null && 'plural' in kind && typeof kind.plural === 'string';

/** Returns the error for an operation that no subresource of a kind takes. */
export function unknownOperation(kind: string, operation: unknown): TypeError {
  const given =
    typeof operation === 'object' && operation !== null && 'kind' in operation
      ? `a ${String(operation.kind)}`
      : shown(operation);
  return new TypeError(`${kind} has no subresource that takes ${given}`);
}
