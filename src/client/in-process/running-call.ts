/**
 * The steps of every call of an in-process client besides its verb: waiting for the server, authorization, the request
 * timeout, the server's interceptor, and the choice of a past state.
 *
 * @module
 */
import { cloneJson, errors, report, type ApiError, type UserInfo } from '../../foundation/index.js';
import type { RequestContext, ResourceDefinition, ResourceStore } from '../../registry/index.js';
import type { RequestAudit } from '../../security/index.js';
import type { Interception, ResourceOperations } from '../../server/index.js';
import type { Revision } from '../../storage/index.js';
import { isDefinition, unknownOperation, type Call } from '../backend.js';
import { beginAudit, recordAnswer, recordFailure } from './call-audit.js';
import { rethrow, StartFailure } from './call-errors.js';
import { CallRequest } from './intercepted-call.js';
import { selectedName } from './list-options.js';
import type { InProcessServices } from './services.js';

/** Field manager of a client that sets none. */
const DEFAULT_MANAGER = 'in-process';
/** Status code of a request that creates an object. */
export const CREATED = 201;
const OK = 200;

/** One call, from its check to its result. */
export class RunningCall {
  readonly call: Call;
  readonly services: InProcessServices;
  /** For a list and a watch the name that they are restricted to, and authorized for. */
  readonly name: string;
  /** For an operation, the subresource that takes it. */
  readonly subresource: string;
  /** Status code that the same request over HTTP gets when it succeeds. */
  code: number;
  /** Its events; undefined before the server has started, and for a call that is not recorded. */
  audit: RequestAudit | undefined;
  /** The call under the server's interceptor; undefined without one. */
  interception: Interception | undefined;

  /** @throws TypeError for an operation that the kind does not take; ApiError 400 for an invalid selector */
  constructor(services: InProcessServices, call: Call) {
    const { verb, operation, name } = call;
    this.services = services;
    this.call = call;
    this.name = verb === 'list' || verb === 'watch' ? selectedName(call.parameters) : name;
    this.code = OK;
    this.audit = undefined;
    this.interception = undefined;
    this.subresource = operation === undefined ? call.subresource : subresourceFor(this.operations, operation);
    if (verb === 'create' && this.subresource !== '' && !isConnected(this)) checkTaken(this);
  }

  /** The current operations of the kind: kinds may change while the server runs. @throws TypeError or ApiError 404 */
  get operations(): ResourceOperations {
    const { kind } = this.call;
    return isDefinition(kind) ? this.services.operationsOf(kind) : this.services.operationsOfKind(kind);
  }

  /** Runs the call within the request timeout. Errors of user code become ApiErrors. */
  bounded<Answer>(run: (running: RunningCall) => Promise<Answer>): Promise<Answer> {
    const { signal } = this.call.parameters;
    const running = this.intercepted(run);
    const answer = this.services.bounded(running.catch((error: unknown) => rethrow(error, signal)));
    return this.services.auditing === undefined ? answer : recorded(this, answer);
  }

  /** Runs the call under the server's interceptor, if it has one. */
  intercepted<Answer>(run: (running: RunningCall) => Promise<Answer>): Promise<Answer> {
    const { intercept } = this.services;
    // A past state is the test's own view, not a request for the current state.
    return intercept === undefined || this.call.client.at !== undefined ? run(this) : under(this, intercept, run);
  }

  /**
   * Returns the store of a past state if the client reads one or an interceptor says so; undefined for the current one.
   *
   * @throws ApiError 504 for a state that the server has not reached
   */
  pastStore({ store }: ResourceOperations): ResourceStore | Promise<ResourceStore> | undefined {
    const { at } = this.call.client;
    if (at !== undefined) return reachedStore(store, at);
    const readAt = this.interception?.readAt;
    return readAt === undefined ? undefined : store.at(readAt);
  }

  /**
   * Waits for the start of the server and authorizes the call. Returns the current operations of the kind, with which
   * the call finishes even if the kind changes meanwhile; not a promise when there is nothing to wait for.
   *
   * @param verb another verb to authorize: `create` for a write that creates its object
   * @throws the reason of an already aborted signal; ApiError 503 when the server is closed
   */
  start(verb: string = this.call.verb): ResourceOperations | Promise<ResourceOperations> {
    const { subresource } = this;
    const { client, parameters } = this.call;
    this.services.closed?.throwIfAborted();
    // An aborted watch has no events.
    if (verb === this.call.verb && verb !== 'watch') parameters.signal?.throwIfAborted();
    if (client.at !== undefined && (subresource !== '' || (verb !== 'get' && verb !== 'list')))
      throw readsOnly(subresource === '' ? verb : `${verb} ${subresource}`);
    let found: ResourceOperations | undefined;
    const starting = this.services.started(
      () => (found = this.operations).store.info.definition,
      verb,
      this.call.namespace,
    );
    const operations = (): ResourceOperations => found ?? this.operations;
    const authorize = async (): Promise<ResourceOperations> => {
      await authorizeCall(this, verb, operations());
      return operations();
    };
    const ready = client.user === undefined && this.services.auditing === undefined ? operations : authorize;
    // One step for both outcomes: the controllers start at the same time, and each step lets them go first.
    return starting === undefined
      ? ready()
      : starting.then(ready, (error: unknown) => {
          throw new StartFailure(error);
        });
  }

  context(): RequestContext {
    const { parameters, client } = this.call;
    return this.services.context(
      this.user,
      this.userAgent,
      (text) => report(() => client.onWarning?.(text)),
      parameters.signal,
      { audit: this.audit, written: this.interception?.written },
    );
  }

  /** The user that the call acts as. */
  get user(): UserInfo {
    return this.call.client.user ?? this.services.owner;
  }

  /** Name of the client among the owners of fields, and its User-Agent for the interceptor and in audit events. */
  get userAgent(): string {
    return this.call.client.fieldManager ?? DEFAULT_MANAGER;
  }
}

/** Returns whether a call connects to what an object stands for. */
function isConnected({ operations, subresource }: RunningCall): boolean {
  const served = operations.store.info.subresources.get(subresource);
  return served !== undefined && 'connect' in served;
}

/** @throws TypeError when the subresource takes no objects of another kind */
function checkTaken({ operations, subresource, call }: RunningCall): void {
  if (operations.operationSubresource(subresource) === undefined)
    throw unknownOperation(operations.store.info.kind, call.body);
}

/** Records the result of a call. @returns the result; throws what the call throws */
async function recorded<Answer>(running: RunningCall, answer: Promise<Answer>): Promise<Answer> {
  try {
    const value = await answer;
    await recordAnswer(running, value);
    return value;
  } catch (error) {
    await recordFailure(running, error);
    throw error;
  }
}

/** Runs a call under an interceptor. */
async function under<Answer>(
  running: RunningCall,
  intercept: NonNullable<InProcessServices['intercept']>,
  run: (running: RunningCall) => Promise<Answer>,
): Promise<Answer> {
  const { call, services, subresource } = running;
  await services
    .started(() => running.operations.store.info.definition, call.verb, call.namespace)
    ?.catch((error: unknown) => {
      throw new StartFailure(error);
    });
  const { info } = running.operations.store;
  const { name, user, userAgent } = running;
  const interception = intercept((via) => new CallRequest({ call, name, subresource, info, user, userAgent, via }));
  running.interception = interception;
  const code = call.verb === 'create' ? CREATED : running.code;
  return interception.around(
    () => run(running),
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

/** Authorizes a call, and records that it arrives. */
async function authorizeCall(running: RunningCall, verb: string, operations: ResourceOperations): Promise<void> {
  const { user, name, subresource, call, services } = running;
  const request = { user, verb, operations, namespace: call.namespace, name, subresource };
  const { auditing } = services;
  // A check within a call is not another call. A past state is the test's own view.
  if (auditing !== undefined && running.audit === undefined && call.client.at === undefined)
    await beginAudit(running, auditing, request);
  if (call.client.user === undefined) running.audit?.authorized(true, '');
  else await services.authorize(request, running.audit);
}

/** Returns the subresource that accepts an operation. @throws TypeError when there is none */
function subresourceFor(operations: ResourceOperations, operation: ResourceDefinition): string {
  const found = operations.operationSubresourceFor(operation);
  if (found !== undefined) return found.subresource;
  throw unknownOperation(operations.store.info.kind, operation);
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
