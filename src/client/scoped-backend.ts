import type { Clock, DialectGroups, Entropy, MessageSocket, OutboundStream, UserInfo } from '../foundation/index.js';
import type { ResourceDefinition } from '../registry/index.js';
import type { Call, ClientBackend } from './backend.js';
import type { WatchEvent } from './client.js';

/** The bounds of the calls of a client for one piece of work. */
export interface CallScope {
  /** Aborts the calls, and refuses further ones. */
  readonly signal: AbortSignal;
  /** Called before each call. @throws what the call throws when it must not be made */
  check(): void;
  /** Called with each call that has succeeded, and its answer. */
  answered(call: Call, answer: unknown): void;
}

/** The way of another backend, for one piece of work. */
export class ScopedBackend implements ClientBackend {
  readonly dialect: DialectGroups;
  readonly clock: Clock;
  readonly entropy: Entropy | undefined;
  readonly remote: boolean;
  readonly namespace: string | undefined;
  readonly #inner: ClientBackend;
  readonly #scope: CallScope;
  /** Made for the first watch that is followed: most work follows nothing. */
  #closed: AbortSignal | undefined;

  constructor(inner: ClientBackend, scope: CallScope) {
    this.dialect = inner.dialect;
    this.clock = inner.clock;
    this.entropy = inner.entropy;
    this.remote = inner.remote;
    this.namespace = inner.namespace;
    this.#inner = inner;
    this.#scope = scope;
  }

  get closed(): AbortSignal {
    const { signal } = this.#scope;
    const { closed } = this.#inner;
    return (this.#closed ??= closed === undefined ? signal : AbortSignal.any([signal, closed]));
  }

  userOf(user: UserInfo | string): UserInfo {
    return this.#inner.userOf(user);
  }

  expect(definition: ResourceDefinition): void {
    this.#inner.expect(definition);
  }

  async call<Answer>(call: Call): Promise<Answer> {
    const answer = await this.#inner.call<Answer>(this.#bounded(call));
    this.#scope.answered(call, answer);
    return answer;
  }

  watch<Item>(call: Call): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    return this.#inner.watch<Item>(this.#bounded(call));
  }

  log(call: Call): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#inner.log(this.#bounded(call));
  }

  openStreams(call: Call): Promise<MessageSocket> {
    return this.#inner.openStreams(this.#bounded(call));
  }

  proxy(call: Call): Promise<OutboundStream> {
    return this.#inner.proxy(this.#bounded(call));
  }

  /** Does nothing: the connections belong to the other backend. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** @throws the reason of the signal when it has aborted; what the scope throws when it refuses the call */
  #bounded(call: Call): Call {
    const { signal } = this.#scope;
    signal.throwIfAborted();
    this.#scope.check();
    const given = call.parameters.signal;
    const either = given === undefined ? signal : AbortSignal.any([signal, given]);
    return { ...call, parameters: { ...call.parameters, signal: either } };
  }
}
