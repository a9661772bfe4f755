import {
  cloneJson,
  definedOnly,
  loading,
  shown,
  type JsonObject,
  type JsonValue,
  type ObjectMeta,
  type Status,
} from '../../foundation/index.js';
import { once, type Pod, type StoredPod } from '../../kinds/index.js';
import { importBuiltin } from '../../kinds/late.js';
import { cloneInSlices, type JsonPatchOperation } from '../../machinery/index.js';
import { importPatch } from '../../machinery/late.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../../registry/index.js';
import {
  changeByApply,
  changeByPatch,
  deleteStatus,
  type ChangeTarget,
  type OperationSubresource,
  type ResourceOperations,
} from '../../server/index.js';
import { answerOf, copiesOf, listView } from '../calls/answers.js';
import type { ClientBackend } from '../calls/backend.js';
import { Call, CREATED, recordFailure } from '../calls/call-audit.js';
import { rethrow } from '../calls/call-errors.js';
import { deleteOptions, readInput, sentOptions } from '../calls/call-input.js';
import { Calls } from '../calls/calls.js';
import { checkName, checkObject, checkParameters, nameWithin } from '../calls/check-call.js';
import type { CallFacts } from '../calls/intercepted-call.js';
import type {
  DeleteParameters,
  GetParameters,
  ListParameters,
  ObjectList,
  ResolvedClientOptions,
  WatchEvent,
  WatchParameters,
  WriteParameters,
} from '../client.js';
import { listOptions } from './list-options.js';
import { metadataOnly, wholeObjects, type PartialObjectMetadata } from './object-form.js';
import {
  patchMediaTypes,
  type ApplyParameters,
  type DeepPartial,
  type PartialObject,
  type PatchBody,
  type PatchParameters,
} from './patch-parameters.js';
import { linesOf, logOptions, type LogParameters } from './pod-log.js';
import { ResourceReader } from './resource-reader.js';

/** Loads the patch module with the first patch. */
const patches = once(() => loading(importPatch()));

/** Loads the definitions of operations with the first one. */
const resources = once(() => importBuiltin());

/** Media type of a server-side apply. */
const APPLY_MEDIA_TYPE = 'application/apply-patch+yaml';

type WithNamespace = { metadata?: { namespace?: string | undefined } | undefined };

/** The verbs of one kind, in one namespace or in all namespaces. */
export class ResourceClient<Item, Input> {
  readonly #backend: ClientBackend;
  readonly #findOperations: () => ResourceOperations;
  readonly #options: ResolvedClientOptions;
  readonly #namespace: string;
  readonly #calls: Calls;
  readonly #form = wholeObjects<Item>();
  readonly #reader: ResourceReader<Item>;

  /**
   * @param findOperations returns the current operations of the kind, at each call: kinds may change while the server
   *   runs
   * @internal
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
    this.#calls = new Calls(backend, findOperations, options, namespace);
    this.#reader = new ResourceReader(backend, this.#calls, options, namespace, this.#form);
  }

  /** Returns the client of the same kind in one namespace. */
  namespace(name: string): ResourceClient<Item, Input> {
    if (typeof name !== 'string')
      throw new TypeError(`namespace: the first argument must be the name of a namespace, got ${shown(name)}`);
    return new ResourceClient(this.#backend, this.#findOperations, this.#options, name);
  }

  /**
   * Returns the reader of the metadata of the same objects. Large collections cost a fraction of what they cost whole:
   * most objects are not parsed.
   */
  metadata(): ResourceReader<PartialObjectMetadata> {
    return new ResourceReader(this.#backend, this.#calls, this.#options, this.#namespace, metadataOnly);
  }

  /**
   * Returns one object.
   *
   * @throws ApiError 404
   */
  get(name: string, parameters?: GetParameters): Promise<Item> {
    return this.#reader.get(name, parameters);
  }

  /** Returns a collection, or a page of it. */
  list(parameters?: ListParameters): Promise<ObjectList<Item>> {
    return this.#reader.list(parameters);
  }

  /**
   * Yields the events after a resource version. Without one, an ADDED event for each existing object comes first. The
   * iterator ends when its signal aborts, its timeout expires, the server closes, or the caller leaves the loop.
   */
  watch(parameters?: WatchParameters): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    return this.#reader.watch(parameters);
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
    const facts = (): CallFacts => ({
      verb: 'create',
      namespace: this.#namespaceOf(object),
      body: object,
      parameters,
    });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const namespace = this.#namespaceOf(object);
      const started = this.#calls.start(call, 'create', '', '', parameters.signal, namespace);
      const operations = started instanceof Promise ? await started : started;
      const context = this.#calls.context(parameters, call);
      const reading = readInput(operations, object, context, parameters);
      const input = reading instanceof Promise ? await reading : reading;
      call.audit?.sent(input as JsonObject);
      const record = await operations.create(context, namespace, input, this.#writeParameters(parameters));
      call.code = CREATED;
      return answerOf(this.#form, operations.store, record, call);
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
    object: Omit<InputOf<Operation>, 'metadata'> & { metadata?: ObjectMeta | undefined },
    parameters: WriteParameters = {},
  ): Promise<ObjectOf<Operation>> {
    const check = (): void => {
      checkName('perform', name);
      checkObject('perform', object);
      checkParameters('perform', parameters);
      this.#operationSubresource(operation);
    };
    const facts = (): CallFacts => ({
      verb: 'create',
      name,
      subresource: this.#operationSubresource(operation).subresource,
      body: object,
      parameters,
    });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const found = this.#operationSubresource(operation);
      const started = this.#calls.start(call, 'create', name, found.subresource, parameters.signal);
      if (started instanceof Promise) await started;
      const context = this.#calls.context(parameters, call);
      const reading = readInput(found.operations, object, context, parameters);
      const input = reading instanceof Promise ? await reading : reading;
      call.audit?.sent(input as JsonObject);
      const record = await found.operations.create(
        context,
        this.#namespace,
        input,
        this.#writeParameters(parameters),
        name,
      );
      call.code = CREATED;
      return answerOf(wholeObjects<ObjectOf<Operation>>(), found.operations.store, record, call);
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
    const contentType = (): string => patchMediaTypes[parameters.type ?? (Array.isArray(patch) ? 'json' : 'merge')];
    const facts = (): CallFacts => ({
      verb: 'patch',
      name,
      subresource: parameters.subresource,
      contentType: contentType(),
      body: patch,
      parameters,
    });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const subresource = parameters.subresource ?? '';
      const operations = await this.#calls.start(call, 'patch', name, subresource, parameters.signal);
      const { patchTypeOf } = await patches();
      const type = patchTypeOf(contentType());
      if (type === undefined) throw new TypeError(`there is no patch type ${parameters.type}`);
      call.audit?.sentPatch(patch as JsonValue);
      const document = { value: patch as JsonValue, duplicates: [], duplicateForm: 'path' } as const;
      const outcome = await changeByPatch(
        operations,
        this.#calls.context(parameters, call),
        this.#target(name, subresource, parameters),
        type,
        () => document,
      );
      return answerOf(this.#form, operations.store, outcome.record, call);
    });
  }

  /**
   * Returns the patch that changes one object to another, for {@link ResourceClient.patch}: a merge patch, which holds
   * changed lists in full, or a JSON Patch. What is equal is not in it, so that it does not touch what others change.
   * When the objects have different `metadata.resourceVersion`s, the patch has the one of `after`, and the server compares
   * it.
   *
   * @throws PatchError 400 when an object is nested too deeply; TypeError for an unknown form
   */
  patchOf(before: Item | Input, after: Item | Input, form: 'json'): Promise<readonly JsonPatchOperation[]>;
  patchOf(before: Item | Input, after: Item | Input, form?: 'merge'): Promise<DeepPartial<Item>>;
  async patchOf(before: Item | Input, after: Item | Input, form: 'json' | 'merge' = 'merge'): Promise<PatchBody<Item>> {
    const { createJsonPatch, createMergePatch } = await patches();
    const [from, to] = [before as JsonObject, after as JsonObject];
    if (form === 'json') return createJsonPatch(from, to);
    if (form === 'merge') return createMergePatch(from, to) as DeepPartial<Item>;
    throw new TypeError(`patchOf: the form must be 'json' or 'merge', got ${shown(form)}`);
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
    const facts = (): CallFacts => ({
      verb: 'patch',
      name: nameWithin('apply', intent),
      namespace: this.#namespaceOf(intent),
      subresource: parameters.subresource,
      contentType: APPLY_MEDIA_TYPE,
      body: intent,
      parameters,
    });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const name = nameWithin('apply', intent);
      const namespace = this.#namespaceOf(intent);
      const subresource = parameters.subresource ?? '';
      const operations = await this.#calls.start(call, 'patch', name, subresource, parameters.signal, namespace);
      const { apiVersion, kind } = operations.store.info;
      const document = {
        // The caller may change the intent later.
        value: { apiVersion, kind, ...cloneJson(intent as JsonObject) },
        duplicates: [],
        duplicateForm: 'path',
      } as const;
      const target = {
        force: parameters.force === true,
        ...this.#target(name, subresource, parameters),
        namespace,
        fieldManager: parameters.fieldManager,
        authorizeCreate: this.#authorizeCreate(call, name, subresource, namespace),
      };
      call.audit?.sentPatch(document.value);
      const outcome = await changeByApply(operations, this.#calls.context(parameters, call), target, document);
      if (outcome.old === undefined) call.code = CREATED;
      return answerOf(this.#form, operations.store, outcome.record, call);
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
    const facts = (): CallFacts => ({ verb: 'delete', name, parameters });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const operations = await this.#calls.start(call, 'delete', name, '', parameters.signal);
      const context = this.#calls.context(parameters, call);
      sentOptions(call, parameters);
      const outcome = await operations.delete(context, this.#namespace, name, deleteOptions(parameters));
      const status = deleteStatus(operations.store, outcome);
      if (status === undefined) return answerOf(this.#form, operations.store, outcome.record, call);
      call.interception?.answered(() => status);
      return status;
    });
  }

  /** Deletes the objects that a list selects, and returns them. */
  deleteCollection(parameters: ListParameters & DeleteParameters = {}): Promise<Item[]> {
    return this.#calls.bounded(
      () => checkParameters('deleteCollection', parameters),
      () => ({ verb: 'deletecollection', parameters }),
      parameters,
      async (call) => {
        const operations = await this.#calls.start(call, 'deletecollection', '', '', parameters.signal);
        sentOptions(call, parameters);
        const page = await operations.deleteCollection(
          this.#calls.context(parameters, call),
          this.#namespace,
          listOptions(operations.store.info, parameters),
          deleteOptions(parameters),
        );
        call.interception?.answered(() => listView(this.#form, operations.store, page));
        return copiesOf(this.#form, operations.store, page.records);
      },
    );
  }

  /**
   * Evicts a pod: deletes it unless a disruption budget forbids that.
   *
   * @throws ApiError 404, or 429 when a budget forbids it now
   */
  async evict(
    this: ResourceClient<ObjectOf<typeof Pod>, InputOf<typeof Pod>>,
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
    this: ResourceClient<ObjectOf<typeof Pod>, InputOf<typeof Pod>>,
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
   * Yields the lines of the log of a pod, which the server's option `handlers.pods` provides.
   *
   * @throws ApiError 404 without the pod, 400 without its container, 501 when the server has no logs
   */
  async *logs(
    this: ResourceClient<ObjectOf<typeof Pod>, InputOf<typeof Pod>>,
    name: string,
    parameters: LogParameters = {},
  ): AsyncGenerator<string, void, undefined> {
    checkName('logs', name);
    checkParameters('logs', parameters);
    const { info } = this.#calls.operations.store;
    if (!info.subresources.has('log')) throw new TypeError(`${info.kind} has no logs`);
    const ended = new AbortController();
    const call = new Call(parameters);
    const { signal } = parameters;
    const alive = this.#backend.keepAlive();
    try {
      alive.hold();
      const reading = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
      const facts = (): CallFacts => ({ verb: 'get', name, subresource: 'log', parameters });
      const opening = this.#calls.intercepted(facts, call, () => this.#openLog(name, parameters, reading, call));
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
    const { store } = await this.#calls.start(call, 'get', name, 'log', parameters.signal);
    const pod = store.read(await store.get(this.#namespace, name, undefined, signal)) as StoredPod;
    const user = this.#options.user ?? this.#backend.owner;
    return this.#backend.openLog({ pod, options: logOptions(parameters), user, signal });
  }

  #update(object: Item | Input, subresource: string, parameters: WriteParameters): Promise<Item> {
    const check = (): void => {
      nameWithin('update', object);
      checkParameters('update', parameters);
    };
    const facts = (): CallFacts => ({
      verb: 'update',
      name: nameWithin('update', object),
      namespace: this.#namespaceOf(object),
      subresource,
      body: object,
      parameters,
    });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const name = nameWithin('update', object);
      const namespace = this.#namespaceOf(object);
      const served = await this.#calls.start(call, 'update', name, subresource, parameters.signal, namespace);
      const context = this.#calls.context(parameters, call);
      // A subresource may have objects of another kind.
      const operations = served.operationSubresource(subresource) ?? served;
      const reading = readInput(operations, object, context, parameters);
      const input = reading instanceof Promise ? await reading : reading;
      call.audit?.sent(input as JsonObject);
      const outcome = await operations.update(
        context,
        namespace,
        name,
        () => cloneInSlices(input as JsonObject, context.work) as typeof input | Promise<typeof input>,
        {
          dryRun: parameters.dryRun,
          fieldManager: parameters.fieldManager,
          authorizeCreate: this.#authorizeCreate(call, name, subresource, namespace),
          subresource,
          uid: input.metadata.uid,
        },
      );
      return answerOf(this.#form, operations.store, outcome.record, call);
    });
  }

  /** Returns the subresource that accepts an operation. @throws TypeError when there is none */
  #operationSubresource(operation: ResourceDefinition): OperationSubresource {
    const found = this.#calls.operations.operationSubresourceFor(operation);
    if (found !== undefined) return found;
    const given: unknown = operation;
    const name =
      typeof given === 'object' && given !== null && 'kind' in given ? `a ${String(given.kind)}` : shown(given);
    throw new TypeError(`${this.#calls.operations.store.info.kind} has no subresource that takes ${name}`);
  }

  /** Returns the check of the verb `create` for a write that creates its object; none for the owner. */
  #authorizeCreate(
    call: Call,
    name: string,
    subresource: string,
    namespace?: string,
  ): (() => Promise<void>) | undefined {
    if (this.#options.user === undefined) return undefined;
    return async () => {
      await this.#calls.start(call, 'create', name, subresource, undefined, namespace);
    };
  }

  /**
   * Returns the namespace to write an object in: the client's, or that of the object when the client covers all
   * namespaces.
   */
  #namespaceOf(object: Item | Input | PartialObject<Input>): string {
    return this.#namespace === '' ? ((object as WithNamespace).metadata?.namespace ?? '') : this.#namespace;
  }

  #target(name: string, subresource: string, parameters: WriteParameters): ChangeTarget {
    return {
      dryRun: parameters.dryRun,
      fieldManager: parameters.fieldManager,
      namespace: this.#namespace,
      name,
      subresource,
      fieldValidation: parameters.fieldValidation ?? 'Warn',
      authorizeCreate: undefined,
    };
  }

  #writeParameters({ dryRun, fieldManager }: WriteParameters): {
    dryRun?: boolean | undefined;
    fieldManager?: string | undefined;
  } {
    return { dryRun, fieldManager };
  }
}

/** Returns whether a value is a Status, which {@link ResourceClient.delete} may return. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}
