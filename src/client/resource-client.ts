import type { Status } from '../meta/api-error.js';
import { unhandledBody } from '../codec/decode-problem.js';
import { strictDecoding } from '../codec/strict.js';
import { definedOnly } from '../meta/defined-only.js';
import { cloneJson, type JsonObject, type JsonValue } from '../meta/json.js';
import { loading } from '../meta/loading.js';
import type { ApiObject, ObjectMeta } from '../meta/object.js';
import { shown } from '../meta/options.js';
import { report } from '../meta/report.js';
import { visitInTurns } from '../meta/turn.js';
import type { RequestContext } from '../registry/context.js';
import type { DeleteOptions } from '../registry/delete.js';
import { listMeta } from '../registry/list.js';
import { changeByApply, changeByPatch, reportStrict, type ChangeTarget } from '../server/patching.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../registry/definition.js';
import type { OperationSubresource, ResourceOperations } from '../server/resource-operations.js';
import { deleteStatus } from '../server/delete-status.js';
import { DecodeTypeError } from '../schema/index.js';
import type { StorageRecord } from '../storage/storage.js';
import type { Pod } from '../resources/core/pod/pod.js';
import type { StoredPod } from '../resources/core/pod/types.js';
import { once } from '../resources/shared/once.js';
import type { ClientBackend } from './backend.js';
import { audited, beginAudit, newCall, recordFailure, type Call } from './call-audit.js';
import { rethrow, StartFailure } from './call-errors.js';
import { checkName, checkObject, checkParameters, nameWithin } from './check-call.js';
import { listOptions, selectedName } from './list-options.js';
import { linesOf, logOptions, type LogParameters } from './pod-log.js';
import {
  patchMediaTypes,
  type ApplyParameters,
  type PartialObject,
  type PatchBody,
  type PatchParameters,
} from './patch-parameters.js';
import type {
  DeleteParameters,
  GetParameters,
  ListParameters,
  ObjectList,
  ResolvedClientOptions,
  WatchEvent,
  WatchParameters,
  WriteParameters,
} from './client.js';
import { eventOf, openInTime, type OpenedWatch } from './watch-events.js';

/** Loads the patch module with the first patch. */
const patches = once(() => loading(import('../patch/index.js')));

/** Loads the definitions of operations with the first one. */
const resources = once(() => import('../resources/index.js'));

type PodObject = ObjectOf<typeof Pod>;
type PodInput = InputOf<typeof Pod>;

type WithNamespace = { metadata?: { namespace?: string } };

/** The verbs of one kind, in one namespace or in all namespaces. */
export class ResourceClient<Item, Input> {
  readonly #backend: ClientBackend;
  readonly #findOperations: () => ResourceOperations;
  readonly #options: ResolvedClientOptions;
  readonly #namespace: string;

  /**
   * @param findOperations returns the present operations of the kind, at each call: kinds may change while the server
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

  get #operations(): ResourceOperations {
    return this.#findOperations();
  }

  /** Returns the client of the same kind in one namespace. */
  namespace(name: string): ResourceClient<Item, Input> {
    if (typeof name !== 'string')
      throw new TypeError(`namespace: the first argument must be the name of a namespace, got ${shown(name)}`);
    return new ResourceClient(this.#backend, this.#findOperations, this.#options, name);
  }

  /**
   * Returns one object.
   *
   * @throws ApiError 404
   */
  get(name: string, parameters?: GetParameters): Promise<Item> {
    const check = (): void => {
      checkName('get', name);
      checkParameters('get', parameters);
    };
    return this.#bounded(check, parameters, async (call) => {
      const started = this.#startCall(call, 'get', name, '', parameters?.signal);
      const operations = started instanceof Promise ? await started : started;
      const record = await operations.store.get(this.#namespace, name, parameters?.resourceVersion, parameters?.signal);
      return copyOf<Item>(operations, record);
    });
  }

  /** Returns a collection, or a page of it. */
  list(parameters: ListParameters = {}): Promise<ObjectList<Item>> {
    return this.#bounded(
      () => checkParameters('list', parameters),
      parameters,
      async (call) => {
        const operations = await this.#startCall(call, 'list', selectedName(parameters), '', parameters.signal);
        const { store } = operations;
        const page = await store.list(this.#namespace, listOptions(store.info, parameters), parameters.signal);
        const metadata = listMeta(page);
        return {
          apiVersion: store.info.apiVersion,
          kind: store.info.listKind,
          metadata,
          items: await copiesOf<Item>(operations, page.records),
        };
      },
    );
  }

  /**
   * Yields the events after a resource version. Without one, an ADDED event for each existing object comes first. The
   * iterator ends when its signal aborts, its timeout expires, the server closes, or the caller leaves the loop.
   */
  async *watch(parameters: WatchParameters = {}): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    checkParameters('watch', parameters);
    const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
      answer.catch((error: unknown) => rethrow(error, parameters.signal));
    const alive = parameters.keepAlive === false ? undefined : this.#backend.keepAlive();
    const call = newCall(parameters);
    let opened: OpenedWatch | undefined;
    try {
      alive?.hold();
      opened = await answered(openInTime(this.#backend, this.#openWatch(parameters, call)));
      if (call.audit !== undefined) await call.audit.started(call.code);
      const { operations, notices } = opened;
      for (let next = await answered(notices.next()); next.done !== true; next = await answered(notices.next())) {
        // While the caller handles an event, the watch does not keep the process alive.
        alive?.release();
        yield eventOf<Item>(operations, next.value);
        alive?.hold();
      }
    } catch (error) {
      await recordFailure(call, error);
      throw error;
    } finally {
      alive?.end();
      await opened?.notices.return?.();
      if (call.audit !== undefined) await call.audit.completed(call.code);
    }
  }

  async #openWatch(parameters: WatchParameters, call: Call): Promise<OpenedWatch> {
    const operations = await this.#startCall(call, 'watch', selectedName(parameters), '');
    const { store } = operations;
    const { allowWatchBookmarks, sendInitialEvents, timeoutSeconds, signal } = parameters;
    const options = { ...listOptions(store.info, parameters), allowWatchBookmarks, sendInitialEvents, timeoutSeconds };
    return { operations, notices: await store.watch(this.#namespace, options, signal) };
  }

  /**
   * Stores a new object.
   *
   * @throws ApiError 409 when the name exists, 422 for an invalid object
   */
  create(object: Input, parameters: WriteParameters = {}): Promise<Item> {
    const check = (): void => {
      checkObject('create', object);
      checkParameters('create', parameters);
    };
    return this.#bounded(check, parameters, async (call) => {
      const namespace = this.#namespaceOf(object);
      const started = this.#startCall(call, 'create', '', '', parameters.signal, namespace);
      const operations = started instanceof Promise ? await started : started;
      const context = this.#context(parameters, call);
      const input = readInput(operations, object, context, parameters);
      call.audit?.sent(input as JsonObject);
      const record = await operations.create(context, namespace, input, this.#writeParameters(parameters));
      call.code = 201;
      return copyOf<Item>(operations, record);
    });
  }

  /**
   * Posts an operation to the operation subresource of an object:
   * `accounts.perform('robot', TokenRequest, { spec: {} })`.
   *
   * @returns the operation with its result
   * @throws TypeError when no subresource of the kind accepts the operation; ApiError as the operation does
   */
  perform<Operation extends ResourceDefinition>(
    name: string,
    operation: Operation,
    object: Omit<InputOf<Operation>, 'metadata'> & { metadata?: ObjectMeta },
    parameters: WriteParameters = {},
  ): Promise<ObjectOf<Operation>> {
    const check = (): void => {
      checkName('perform', name);
      checkObject('perform', object);
      checkParameters('perform', parameters);
      this.#operationSubresource(operation);
    };
    return this.#bounded(check, parameters, async (call) => {
      const found = this.#operationSubresource(operation);
      const started = this.#startCall(call, 'create', name, found.subresource, parameters.signal);
      if (started instanceof Promise) await started;
      const context = this.#context(parameters, call);
      const input = readInput(found.operations, object, context, parameters);
      call.audit?.sent(input as JsonObject);
      const record = await found.operations.create(
        context,
        this.#namespace,
        input,
        this.#writeParameters(parameters),
        name,
      );
      call.code = 201;
      return copyOf<ObjectOf<Operation>>(found.operations, record);
    });
  }

  /**
   * Replaces an object. A resourceVersion in the object is a precondition.
   *
   * @throws ApiError 404, 409 when the resource version is outdated, 422 for an invalid object
   */
  update(object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.#update(object, '', parameters);
  }

  /** Replaces the status of an object. */
  updateStatus(object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.#update(object, 'status', parameters);
  }

  /** Replaces the part of an object that belongs to a subresource. */
  updateSubresource(subresource: string, object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.#update(object, subresource, parameters);
  }

  /**
   * Changes an object by a patch. The default type is JSON Patch for a list of operations, otherwise merge patch.
   *
   * @throws ApiError 404, 409, 422 as the verb `patch` does
   */
  patch(name: string, patch: PatchBody<Input>, parameters: PatchParameters = {}): Promise<Item> {
    const check = (): void => {
      checkName('patch', name);
      if (typeof patch !== 'object' || patch === null)
        throw new TypeError(`patch: the patch must be an object or a list of operations, got ${shown(patch)}`);
      checkParameters('patch', parameters);
    };
    return this.#bounded(check, parameters, async (call) => {
      const subresource = parameters.subresource ?? '';
      const operations = await this.#startCall(call, 'patch', name, subresource, parameters.signal);
      const { patchTypeOf } = await patches();
      const type = patchTypeOf(patchMediaTypes[parameters.type ?? (Array.isArray(patch) ? 'json' : 'merge')]);
      if (type === undefined) throw new TypeError(`there is no patch type ${parameters.type}`);
      call.audit?.sentPatch(patch as JsonValue);
      const document = { value: patch as JsonValue, duplicates: [], duplicateForm: 'path' } as const;
      const outcome = await changeByPatch(
        operations,
        this.#context(parameters, call),
        this.#target(name, subresource, parameters),
        type,
        () => document,
      );
      return copyOf<Item>(operations, outcome.record);
    });
  }

  /**
   * Server-side apply: the intent contains exactly the fields that its manager sets. Creates the object when it does
   * not exist.
   *
   * @throws ApiError 409 with a cause for each field owned by another manager, unless `force` is set
   */
  apply(intent: PartialObject<Input>, parameters: ApplyParameters): Promise<Item> {
    const check = (): void => {
      nameWithin('apply', intent);
      checkParameters('apply', parameters);
      if (parameters?.fieldManager === undefined)
        throw new TypeError("apply: the option fieldManager is required, such as { fieldManager: 'my-controller' }");
    };
    return this.#bounded(check, parameters, async (call) => {
      const name = nameWithin('apply', intent);
      const namespace = this.#namespaceOf(intent);
      const subresource = parameters.subresource ?? '';
      const operations = await this.#startCall(call, 'patch', name, subresource, parameters.signal, namespace);
      const { apiVersion, kind } = operations.store.info;
      const document = {
        value: { apiVersion, kind, ...(intent as JsonObject) },
        duplicates: [],
        duplicateForm: 'path',
      } as const;
      const target = {
        ...this.#target(name, subresource, parameters),
        namespace,
        fieldManager: parameters.fieldManager,
        force: parameters.force === true,
        ...this.#authorizeCreate(call, name, subresource, namespace),
      };
      call.audit?.sentPatch(document.value);
      const outcome = await changeByApply(operations, this.#context(parameters, call), target, document);
      if (outcome.old === undefined) call.code = 201;
      return copyOf<Item>(operations, outcome.record);
    });
  }

  /**
   * Deletes an object, or marks it for deletion.
   *
   * @returns the object while it is being deleted, or the deleted object for kinds that return it; otherwise a Status
   * @throws ApiError 404, or 409 when a precondition fails
   */
  delete(name: string, parameters: DeleteParameters = {}): Promise<Item | Status> {
    const check = (): void => {
      checkName('delete', name);
      checkParameters('delete', parameters);
    };
    return this.#bounded(check, parameters, async (call) => {
      const operations = await this.#startCall(call, 'delete', name, '', parameters.signal);
      const context = this.#context(parameters, call);
      sentOptions(call, parameters);
      const outcome = await operations.delete(context, this.#namespace, name, deleteOptions(parameters));
      return deleteStatus(operations.store, outcome) ?? copyOf<Item>(operations, outcome.record);
    });
  }

  /** Deletes the objects that a list selects, and returns them. */
  deleteCollection(parameters: ListParameters & DeleteParameters = {}): Promise<Item[]> {
    return this.#bounded(
      () => checkParameters('deleteCollection', parameters),
      parameters,
      async (call) => {
        const operations = await this.#startCall(call, 'deletecollection', '', '', parameters.signal);
        sentOptions(call, parameters);
        const page = await operations.deleteCollection(
          this.#context(parameters, call),
          this.#namespace,
          listOptions(operations.store.info, parameters),
          deleteOptions(parameters),
        );
        return copiesOf<Item>(operations, page.records);
      },
    );
  }

  /**
   * Evicts a pod: deletes it unless a disruption budget forbids that.
   *
   * @throws ApiError 404, or 429 when a budget forbids it now
   */
  async evict(
    this: ResourceClient<PodObject, PodInput>,
    name: string,
    parameters: DeleteParameters = {},
  ): Promise<void> {
    checkName('evict', name);
    checkParameters('evict', parameters);
    const { Eviction } = await resources();
    const { dryRun, signal, ...options } = parameters;
    await this.perform(name, Eviction, { metadata: { name }, deleteOptions: options }, definedOnly({ dryRun, signal }));
  }

  /**
   * Binds a pod to a node, as a scheduler does.
   *
   * @throws ApiError 404, or 409 when the pod is bound already
   */
  async bind(
    this: ResourceClient<PodObject, PodInput>,
    name: string,
    node: string,
    parameters: WriteParameters = {},
  ): Promise<void> {
    checkName('bind', name);
    if (typeof node !== 'string' || node === '')
      throw new TypeError(`bind: the second argument must be the name of a node, got ${shown(node)}`);
    checkParameters('bind', parameters);
    const { Binding } = await resources();
    await this.perform(name, Binding, { metadata: { name }, target: { kind: 'Node', name: node } }, parameters);
  }

  /**
   * Yields the lines of the log of a pod, which the server's option `pods` provides.
   *
   * @throws ApiError 404 without the pod, 400 without its container, 501 when the server has no logs
   */
  async *logs(
    this: ResourceClient<PodObject, PodInput>,
    name: string,
    parameters: LogParameters = {},
  ): AsyncGenerator<string, void, undefined> {
    checkName('logs', name);
    checkParameters('logs', parameters);
    const { info } = this.#operations.store;
    if (!info.subresources.has('log')) throw new TypeError(`${info.kind} has no logs`);
    const ended = new AbortController();
    const call = newCall(parameters);
    const { signal } = parameters;
    const alive = this.#backend.keepAlive();
    try {
      alive.hold();
      const reading = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
      const opening = this.#openLog(name, parameters, reading, call);
      const log = await this.#backend.bounded(opening);
      if (call.audit !== undefined) await call.audit.started(call.code);
      if (log === undefined) return;
      for await (const line of linesOf(log)) {
        // While the caller handles a line, the log does not keep the process alive.
        alive.release();
        yield line;
        alive.hold();
      }
    } catch (error) {
      await recordFailure(call, error);
      rethrow(error, signal);
    } finally {
      alive.end();
      ended.abort();
      if (call.audit !== undefined) await call.audit.completed(call.code);
    }
  }

  async #openLog(
    name: string,
    parameters: LogParameters,
    signal: AbortSignal,
    call: Call,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { store } = await this.#startCall(call, 'get', name, 'log', parameters.signal);
    const pod = store.read(await store.get(this.#namespace, name, undefined, signal)) as StoredPod;
    const user = this.#options.user ?? this.#backend.owner;
    return this.#backend.openLog({ pod, options: logOptions(parameters), user, signal });
  }

  #update(object: Item | Input, subresource: string, parameters: WriteParameters): Promise<Item> {
    const check = (): void => {
      nameWithin('update', object);
      checkParameters('update', parameters);
    };
    return this.#bounded(check, parameters, async (call) => {
      const name = nameWithin('update', object);
      const namespace = this.#namespaceOf(object);
      const served = await this.#startCall(call, 'update', name, subresource, parameters.signal, namespace);
      const context = this.#context(parameters, call);
      // A subresource may have objects of another kind.
      const operations = served.operationSubresource(subresource) ?? served;
      const input = readInput(operations, object, context, parameters);
      call.audit?.sent(input as JsonObject);
      const outcome = await operations.update(
        context,
        namespace,
        name,
        () => cloneJson(input as JsonObject) as typeof input,
        {
          ...this.#writeParameters(parameters),
          ...this.#authorizeCreate(call, name, subresource, namespace),
          subresource,
          uid: input.metadata.uid,
        },
      );
      return copyOf<Item>(operations, outcome.record);
    });
  }

  /** Checks a call and runs it within the request timeout. Errors of user code become ApiErrors. */
  async #bounded<Answer>(
    check: () => void,
    parameters: GetParameters | undefined,
    run: (call: Call) => Promise<Answer>,
  ): Promise<Answer> {
    check();
    const call = newCall(parameters);
    const answer = this.#backend.bounded(run(call).catch((error: unknown) => rethrow(error, parameters?.signal)));
    return this.#backend.auditing === undefined ? answer : audited(call, answer);
  }

  /** Returns the subresource that accepts an operation. @throws TypeError when there is none */
  #operationSubresource(operation: ResourceDefinition): OperationSubresource {
    const found = this.#operations.operationSubresourceFor(operation);
    if (found !== undefined) return found;
    const given: unknown = operation;
    const name =
      typeof given === 'object' && given !== null && 'kind' in given ? `a ${String(given.kind)}` : shown(given);
    throw new TypeError(`${this.#operations.store.info.kind} has no subresource that takes ${name}`);
  }

  /** Returns the check of the verb `create` for a write that creates its object; none for the owner. */
  #authorizeCreate(
    call: Call,
    name: string,
    subresource: string,
    namespace?: string,
  ): { authorizeCreate?: () => Promise<void> } {
    return this.#options.user === undefined
      ? {}
      : {
          authorizeCreate: async () => {
            await this.#startCall(call, 'create', name, subresource, undefined, namespace);
          },
        };
  }

  /**
   * Returns the namespace to write an object in: the client's, or that of the object when the client covers all
   * namespaces.
   */
  #namespaceOf(object: Item | Input | PartialObject<Input>): string {
    return this.#namespace === '' ? ((object as WithNamespace).metadata?.namespace ?? '') : this.#namespace;
  }

  /**
   * Waits for the start of the server and authorizes the call. Returns the present operations of the kind, with which
   * the call finishes even if the kind changes meanwhile; not a promise when there is nothing to wait for.
   *
   * @throws the reason of an already aborted signal
   */
  #startCall(
    call: Call,
    verb: string,
    name: string,
    subresource: string,
    signal?: AbortSignal,
    namespace = this.#namespace,
  ): ResourceOperations | Promise<ResourceOperations> {
    signal?.throwIfAborted();
    let found: ResourceOperations | undefined;
    const starting = this.#backend.started(() => (found = this.#operations).store.info.definition, verb);
    const operations = (): ResourceOperations => found ?? this.#operations;
    const { user } = this.#options;
    const authorize = async (): Promise<ResourceOperations> => {
      const as = user ?? this.#backend.owner;
      const request = { user: as, verb, operations: operations(), namespace, name, subresource };
      const { auditing } = this.#backend;
      // A check within a call is not another call.
      if (auditing !== undefined && call.audit === undefined)
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

  #context(parameters: { readonly signal?: AbortSignal }, call: Call): RequestContext {
    const { user, onWarning } = this.#options;
    return this.#backend.context(
      user ?? this.#backend.owner,
      this.#fieldManager,
      (text) => report(() => onWarning?.(text)),
      parameters.signal,
      call.audit,
    );
  }

  /** Name of the client among the owners of fields, and its User-Agent in audit events. */
  get #fieldManager(): string {
    return this.#options.fieldManager ?? 'in-process';
  }

  #target(name: string, subresource: string, parameters: WriteParameters): ChangeTarget {
    return {
      ...this.#writeParameters(parameters),
      namespace: this.#namespace,
      name,
      subresource,
      fieldValidation: parameters.fieldValidation ?? 'Warn',
    };
  }

  #writeParameters({ dryRun, fieldManager }: WriteParameters): {
    dryRun?: boolean | undefined;
    fieldManager?: string | undefined;
  } {
    return { dryRun, fieldManager };
  }
}

/** Returns a copy of a record's object. The definition's schema, which decoded the object, guarantees its type. */
function copyOf<Item>(operations: ResourceOperations, record: StorageRecord): Item {
  return cloneJson(operations.store.read(record)) as Item;
}

/** Returns copies of the objects of many records. */
async function copiesOf<Item>(operations: ResourceOperations, records: readonly StorageRecord[]): Promise<Item[]> {
  const items: Item[] = [];
  await visitInTurns(records, (record) => items.push(copyOf<Item>(operations, record)));
  return items;
}

/** Reads an object of the caller. @throws ApiError 400 for a value of the wrong type or a forbidden unknown field */
function readInput(
  operations: ResourceOperations,
  object: unknown,
  context: RequestContext,
  parameters: WriteParameters,
): ApiObject {
  const { info } = operations.store;
  try {
    const { object: input, unknownFields } = operations.read(object as JsonValue, context);
    const problems = { duplicates: [], duplicateForm: 'path', unknownFields } as const;
    reportStrict(strictDecoding(problems, parameters.fieldValidation ?? 'Warn', info), context);
    return input;
  } catch (error) {
    if (!(error instanceof DecodeTypeError)) throw error;
    throw unhandledBody(info, info.kind, error.message);
  }
}

/** Records the options of a deletion, if there are any. */
function sentOptions({ audit }: Call, { dryRun, ...parameters }: DeleteParameters): void {
  if (audit === undefined) return;
  const { gracePeriodSeconds, propagationPolicy, preconditions } = parameters;
  const options = definedOnly({ gracePeriodSeconds, propagationPolicy, preconditions });
  const dry = dryRun === true ? { dryRun: ['All'] } : {};
  if (Object.keys(options).length + Object.keys(dry).length === 0) return;
  audit.sent({ kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...dry });
}

function deleteOptions(parameters: DeleteParameters): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = parameters;
  return { gracePeriodSeconds, propagationPolicy, preconditions, dryRun };
}

/** Returns whether a value is a Status, which {@link ResourceClient.delete} may return. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}
