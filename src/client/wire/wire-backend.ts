import {
  ApiError,
  apiVersionOf,
  loading,
  report,
  type Clock,
  type DialectGroups,
  type Entropy,
  type JsonObject,
  type MessageSocket,
  type OutboundStream,
  type UserInfo,
} from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import { ConnectionLostError, metaApiVersion } from '../../server/index.js';
import {
  isDefinition,
  unknownOperation,
  type AnyKind,
  type Call,
  type ClientBackend,
  type KindReference,
} from '../backend.js';
import type { WatchEvent } from '../client.js';
import { linesOf } from '../lines.js';
import { CredentialError } from './credential.js';
import type { Discovery } from './discovery.js';
import { locationOf, operationKey, type LocatedKind } from './located-kind.js';
import type { Sender, SocketOpener, WireRequest } from './sender.js';
import { eventOf, MAX_EVENT } from './watch-stream.js';
import { failureOf, objectOf, warningsOf, withTypes, type DecodeText } from './wire-answer.js';
import { proxyRequestOf, requestOf } from './wire-request.js';

/** The parts of a {@link WireBackend}. */
export interface WireParts {
  readonly dialect: DialectGroups;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly namespace: string | undefined;
  /** URL of the server. */
  readonly server: URL;
  readonly send: Sender;
  readonly openSocket: SocketOpener;
  readonly decode: DecodeText;
  /** Value of `User-Agent` of a client without a field manager; undefined where the platform sets the header. */
  readonly userAgent: string | undefined;
  /** Closes connections. */
  readonly close: () => void;
}

const OK = 200;
const NOT_FOUND = 404;

/** The way to a server over HTTP. */
export class WireBackend implements ClientBackend {
  readonly remote = true;
  readonly dialect: DialectGroups;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly namespace: string | undefined;
  readonly #parts: WireParts;
  #discovery: Promise<Discovery> | undefined;
  readonly #closing = new AbortController();

  constructor(parts: WireParts) {
    const { dialect, clock, entropy, namespace } = parts;
    this.dialect = dialect;
    this.clock = clock;
    this.entropy = entropy;
    this.namespace = namespace;
    this.#parts = parts;
  }

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** The server knows the groups of a name. */
  userOf(user: UserInfo | string): UserInfo {
    return typeof user === 'string' ? { username: user, groups: [] } : user;
  }

  /** Does nothing: the server says what it serves when it is asked. */
  expect(_definition: ResourceDefinition): void {
    return undefined;
  }

  async call<Answer>(call: Call): Promise<Answer> {
    const answer = await this.#ask(call, async (request, kind) => {
      const response = await this.#send(request);
      for (const text of warningsOf(response)) report(() => call.client.onWarning?.(text));
      return answerOf(call, kind, await this.#object(response), this.dialect);
    });
    // The kind of a client says what its objects are.
    return answer as Answer;
  }

  async *watch<Item>(call: Call): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    const isAborted = (): boolean => call.parameters.signal?.aborted === true;
    if (isAborted()) return;
    try {
      const response = await this.#ask(call, (request) => this.#open(request));
      // The lines of a chunk come together, so that the only wait for each is that of the caller.
      for await (const lines of linesOf(response.body, MAX_EVENT)) {
        for (const line of lines) {
          if (line === '') continue;
          const decoded = this.#parts.decode(line);
          const event = eventOf(decoded instanceof Promise ? await decoded : decoded);
          yield event as WatchEvent<Item>;
        }
      }
    } catch (error) {
      // A watch that its caller aborts has ended.
      if (!isAborted()) throw this.#asLost(error);
    }
  }

  async *log(call: Call): AsyncGenerator<Uint8Array, void, undefined> {
    requireSubresource(call, 'logs');
    const response = await this.#ask(call, (request) => this.#open(request));
    try {
      yield* response.body;
    } catch (error) {
      // A log that its caller aborts has ended.
      if (call.parameters.signal?.aborted !== true) throw this.#asLost(error);
    }
  }

  async openStreams(call: Call): Promise<MessageSocket> {
    requireSubresource(call);
    const protocols = ['v5', 'v4'].map((version) => `${version}.channel.${this.dialect.groupSuffix}`);
    return this.#ask(call, async ({ path, headers, signal }) => {
      const opened = await this.#parts.openSocket({ path, headers, protocols, signal: this.#untilClosed(signal) });
      if (!('messages' in opened)) throw await failureOf(opened);
      if (protocols.includes(opened.protocol)) return opened;
      opened.close();
      throw new ConnectionLostError(`the server selected none of the protocols ${protocols.join(', ')}`);
    });
  }

  async proxy(call: Call): Promise<OutboundStream> {
    requireSubresource(call);
    const { kind, parameters } = call;
    const { signal } = parameters;
    try {
      signal?.throwIfAborted();
      const at = isDefinition(kind) ? locationOf(kind, this.dialect) : await this.#locate(kind, signal);
      return await this.#send(proxyRequestOf(call, at, this.#parts));
    } catch (error) {
      throw this.#reasonOf(error, call);
    }
  }

  close(): Promise<void> {
    this.#closing.abort(new Error('the client is closed'));
    this.#parts.close();
    return Promise.resolve();
  }

  /**
   * Makes the request of a call. When its path does not exist, the kind may have moved: it is looked up again.
   *
   * @throws the reason of the signal; ApiError, ConnectionLostError, CredentialError
   */
  async #ask<Answer>(
    call: Call,
    exchange: (request: WireRequest, kind: LocatedKind) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal } = call.parameters;
    try {
      signal?.throwIfAborted();
      const kind = isDefinition(call.kind)
        ? locationOf(call.kind, this.dialect)
        : await this.#locate(call.kind, signal);
      try {
        return await exchange(this.#requestOf(call, kind), kind);
      } catch (error) {
        if (!isUnknownPath(error)) throw error;
        const moved = await this.#moved(call.kind, kind, signal);
        if (moved === undefined) throw error;
        return await exchange(this.#requestOf(call, moved), moved);
      }
    } catch (error) {
      throw this.#reasonOf(error, call);
    }
  }

  async #locate(kind: KindReference, signal: AbortSignal | undefined): Promise<LocatedKind> {
    return (await this.#discovered()).find(kind, signal);
  }

  /** Loads the code that finds kinds by their names. */
  #discovered(): Promise<Discovery> {
    return (this.#discovery ??= loading(import('./discovery.js')).then(
      (code) =>
        new code.Discovery(
          async (path, headers, signal) => this.#object(await this.#send({ path, headers, signal, repeats: 'always' })),
          this.dialect,
        ),
    ));
  }

  /**
   * Returns where a kind is now; undefined when it is where it was.
   *
   * @throws ApiError 404 with the nearest kinds when it is not served
   */
  async #moved(kind: AnyKind, was: LocatedKind, signal: AbortSignal | undefined): Promise<LocatedKind | undefined> {
    const apiVersion = apiVersionOf(was.group, was.version);
    (await this.#discovered()).forget(apiVersion);
    const now = await this.#locate({ apiVersion, kind: was.kind }, signal);
    return isDefinition(kind) || now.resource === was.resource ? undefined : now;
  }

  #requestOf(call: Call, kind: LocatedKind): WireRequest {
    const { operation } = call;
    const { dialect, userAgent } = this.#parts;
    const subresource =
      operation === undefined ? call.subresource : kind.operations.get(operationKey(operation, dialect));
    if (subresource === undefined) throw unknownOperation(kind.kind, operation);
    return requestOf(call, kind, subresource, { dialect, userAgent });
  }

  async #open(request: WireRequest): Promise<OutboundStream> {
    const response = await this.#send(request);
    if (response.status !== OK) throw await failureOf(response);
    return response;
  }

  #object(response: OutboundStream): Promise<JsonObject> {
    return objectOf(response, this.#parts.decode);
  }

  #send(request: WireRequest): Promise<OutboundStream> {
    return this.#parts.send({ ...request, signal: this.#untilClosed(request.signal) });
  }

  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    const { signal: closing } = this.#closing;
    return signal === undefined ? closing : AbortSignal.any([signal, closing]);
  }

  /** Returns what a call throws for a failure: the reason of its signal if that has aborted. */
  #reasonOf(error: unknown, { parameters: { signal } }: Call): unknown {
    return signal?.aborted === true ? signal.reason : this.#asLost(error);
  }

  /** Returns a failure of the connection as such; other errors as they are. */
  #asLost(error: unknown): unknown {
    const isOther =
      error instanceof ApiError ||
      error instanceof TypeError ||
      error instanceof CredentialError ||
      error instanceof ConnectionLostError;
    if (isOther || !(error instanceof Error)) return error;
    // That of the host shows a part of the response.
    if (error instanceof SyntaxError)
      return new ConnectionLostError(`${this.#parts.server.origin}: the response is not JSON`);
    return new ConnectionLostError(error.message, { cause: error });
  }
}

/** Refuses a call of a subresource that its kind is known not to have. @param name its name for people. @throws TypeError */
function requireSubresource({ kind, subresource }: Call, name = subresource): void {
  if (isDefinition(kind) && !Object.hasOwn(kind.subresources ?? {}, subresource))
    throw new TypeError(`${kind.kind} has no ${name}`);
}

/** Returns the answer of a call. */
function answerOf({ verb, form }: Call, kind: LocatedKind, object: JsonObject, dialect: DialectGroups): unknown {
  if (verb === 'deletecollection')
    return Array.isArray(object['items']) ? withTypes(object, typeOf(kind))['items'] : [];
  if (verb !== 'list') return object;
  const partial = { apiVersion: metaApiVersion(dialect, 'v1'), kind: 'PartialObjectMetadata' };
  return withTypes(object, form === 'whole' ? typeOf(kind) : partial);
}

const typeOf = ({ group, version, kind }: LocatedKind): { readonly apiVersion: string; readonly kind: string } => ({
  apiVersion: apiVersionOf(group, version),
  kind,
});

/** Returns whether a failure says that there is no such path, rather than no such object. */
const isUnknownPath = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === NOT_FOUND && error.status.details?.kind === undefined;
