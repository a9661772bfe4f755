/**
 * The steps of every call of an in-process client besides its verb: waiting for the server, authorization, the request
 * timeout, the server's interceptor, and the choice of a past state.
 *
 * @module
 */
import { cloneJson, errors, report, type ApiError } from '../../foundation/index.js';
import type { RequestContext, ResourceStore } from '../../registry/index.js';
import type { ResourceOperations } from '../../server/index.js';
import type { Revision } from '../../storage/index.js';
import type { GetParameters, ResolvedClientOptions } from '../client.js';
import type { ClientBackend } from './backend.js';
import { audited, beginAudit, Call, CREATED } from './call-audit.js';
import { rethrow, StartFailure } from './call-errors.js';
import { CallRequest, type CallFacts } from './intercepted-call.js';

/** Field manager of a client that sets none. */
const DEFAULT_MANAGER = 'in-process';

/** The calls of a client for one kind, in one namespace or in all. */
export class Calls {
  readonly #backend: ClientBackend;
  readonly #findOperations: () => ResourceOperations;
  readonly #options: ResolvedClientOptions;
  readonly #namespace: string;

  /**
   * @param findOperations returns the current operations of the kind, at each call: kinds may change while the server
   *   runs
   */
  constructor(
    backend: ClientBackend,
    findOperations: () => ResourceOperations,
    options: ResolvedClientOptions,
    namespace: string,
  ) {
    this.#backend = backend;
    this.#findOperations = findOperations;
    this.#options = options;
    this.#namespace = namespace;
  }

  /** The current operations of the kind. */
  get operations(): ResourceOperations {
    return this.#findOperations();
  }

  /** Checks a call and runs it within the request timeout. Errors of user code become ApiErrors. */
  async bounded<Answer>(
    check: () => void,
    facts: () => CallFacts,
    parameters: GetParameters | undefined,
    run: (call: Call) => Promise<Answer>,
  ): Promise<Answer> {
    check();
    const call = new Call(parameters);
    const running = this.intercepted(facts, call, run);
    const answer = this.#backend.bounded(running.catch((error: unknown) => rethrow(error, parameters?.signal)));
    return this.#backend.auditing === undefined ? answer : audited(call, answer);
  }

  /** Runs a call under the server's interceptor, if it has one. */
  intercepted<Answer>(facts: () => CallFacts, call: Call, run: (call: Call) => Promise<Answer>): Promise<Answer> {
    const { intercept } = this.#backend;
    // A past state is the test's own view, not a request for the current state.
    if (intercept === undefined || this.#options.at !== undefined) return run(call);
    return this.#under(intercept, facts, call, run);
  }

  async #under<Answer>(
    intercept: NonNullable<ClientBackend['intercept']>,
    factsOf: () => CallFacts,
    call: Call,
    run: (call: Call) => Promise<Answer>,
  ): Promise<Answer> {
    const facts = factsOf();
    await this.#backend
      .started(() => this.operations.store.info.definition, facts.verb)
      ?.catch((error: unknown) => {
        throw new StartFailure(error);
      });
    const { user = this.#backend.owner } = this.#options;
    const { info } = this.operations.store;
    const located = { ...facts, namespace: facts.namespace ?? this.#namespace };
    const interception = intercept(
      (via) => new CallRequest({ facts: located, info, user, userAgent: this.#fieldManager, via }),
    );
    call.interception = interception;
    const code = facts.verb === 'create' ? CREATED : call.code;
    return interception.around(
      () => run(call),
      () => ({
        code,
        body: () => {
          // The interceptor is code of the server's owner; the answer may be a stored object.
          const body = interception.answerBody();
          return body === undefined ? undefined : cloneJson(body);
        },
      }),
    );
  }

  /**
   * Returns the store of a past state if the client reads one or an interceptor says so; undefined for the current one.
   *
   * @throws ApiError 504 for a state that the server has not reached
   */
  pastStore({ store }: ResourceOperations, { interception }: Call): ResourceStore | Promise<ResourceStore> | undefined {
    const { at } = this.#options;
    if (at !== undefined) return reachedStore(store, at);
    const readAt = interception?.readAt;
    return readAt === undefined ? undefined : store.at(readAt);
  }

  /**
   * Waits for the start of the server and authorizes the call. Returns the current operations of the kind, with which
   * the call finishes even if the kind changes meanwhile; not a promise when there is nothing to wait for.
   *
   * @throws the reason of an already aborted signal
   */
  start(
    call: Call,
    verb: string,
    name: string,
    subresource: string,
    signal?: AbortSignal,
    namespace = this.#namespace,
  ): ResourceOperations | Promise<ResourceOperations> {
    signal?.throwIfAborted();
    if (this.#options.at !== undefined && (subresource !== '' || (verb !== 'get' && verb !== 'list')))
      throw readsOnly(subresource === '' ? verb : `${verb} ${subresource}`);
    let found: ResourceOperations | undefined;
    const starting = this.#backend.started(() => (found = this.operations).store.info.definition, verb);
    const operations = (): ResourceOperations => found ?? this.operations;
    const { user } = this.#options;
    const authorize = async (): Promise<ResourceOperations> => {
      const as = user ?? this.#backend.owner;
      const request = { user: as, verb, operations: operations(), namespace, name, subresource };
      const { auditing } = this.#backend;
      // A check within a call is not another call. A past state is the test's own view.
      if (auditing !== undefined && call.audit === undefined && this.#options.at === undefined)
        await beginAudit(call, auditing, request, this.#fieldManager);
      if (user === undefined) call.audit?.authorized(true, '');
      else await this.#backend.authorize(request, call.audit);
      return operations();
    };
    const ready = user === undefined && this.#backend.auditing === undefined ? operations : authorize;
    // One step for both outcomes: the controllers start at the same time, and each step lets them go first.
    return starting === undefined
      ? ready()
      : starting.then(ready, (error: unknown) => {
          throw new StartFailure(error);
        });
  }

  context(parameters: { readonly signal?: AbortSignal | undefined }, { audit, interception }: Call): RequestContext {
    const { user, onWarning } = this.#options;
    return this.#backend.context(
      user ?? this.#backend.owner,
      this.#fieldManager,
      (text) => report(() => onWarning?.(text)),
      parameters.signal,
      { audit, written: interception?.written },
    );
  }

  /** Name of the client among the owners of fields, and its User-Agent for the interceptor and in audit events. */
  get #fieldManager(): string {
    return this.#options.fieldManager ?? DEFAULT_MANAGER;
  }
}

/** Returns the store of a past state. @throws ApiError 504 for a state that the server has not reached */
async function reachedStore(store: ResourceStore, revision: Revision): Promise<ResourceStore> {
  const current = await store.environment.storage.currentRevision();
  if (revision > current) throw errors.tooLargeResourceVersion(revision, current, 1);
  return store.at(revision);
}

/** Returns the error of a call that a client of a past state cannot make. */
export const readsOnly = (verb: string): ApiError =>
  errors.badRequest(
    `a client of a past state only gets and lists objects, it cannot ${verb}: use a client without "at"`,
  );
