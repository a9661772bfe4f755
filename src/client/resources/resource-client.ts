import { loading, shown, type JsonObject, type ObjectMeta, type Status } from '../../foundation/index.js';
import { once, type Pod, type Scale } from '../../kinds/index.js';
import type { JsonPatchOperation } from '../../machinery/index.js';
import { importPatchDifferences } from '../../machinery/late.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../../registry/index.js';
import { APPLY_MEDIA_TYPE, isDefinition, unknownOperation, type CallParameters, type CallVerb } from '../backend.js';
import type {
  DeleteParameters,
  GetParameters,
  ListParameters,
  ObjectList,
  PartialObjectMetadata,
  WatchEvent,
  WatchParameters,
  WriteParameters,
} from '../client.js';
import type { FollowEvent, FollowOrigin, FollowParameters } from '../follow/follow.js';
import type { FollowedObject } from '../follow/object-key.js';
import { linesOf } from '../lines.js';
import type { ContainerSession } from '../streams/container-session.js';
import type { OpenStreams } from '../streams/open-streams.js';
import type { PortStream } from '../streams/port-stream.js';
import type { ProxiedResponse, ProxyParameters } from '../streams/proxy-parameters.js';
import type { AttachParameters, ExecParameters, PortForwardParameters } from '../streams/stream-parameters.js';
import { checkName, checkObject, checkParameters, nameWithin } from './check-call.js';
import { createOrUpdate, type CreateOrUpdateResult } from './create-or-update.js';
import { OutgoingCall, type ClientScope } from './outgoing-call.js';
import type { PagesParameters } from './pages.js';
import {
  patchMediaTypes,
  type ApplyParameters,
  type DeepPartial,
  type PartialObject,
  type PatchBody,
  type PatchParameters,
} from './patch-parameters.js';
import type { LogParameters } from './pod-log.js';
import { ResourceReader } from './resource-reader.js';
import type { WaitCondition, WaitParameters } from './wait-for.js';

/** Loads the code of waits with the first one. */
const waiting = once(() => loading(import('./wait-for.js')));

/** Loads the code of streams with the first one. */
const streaming = once(() => loading(import('../streams/open-streams.js')));

/** Loads the code of requests through the server with the first one. */
const proxying = once(() => loading(import('../streams/send-through.js')));

/** Loads the code of differences with the first one. */
const differences = once(() => loading(importPatchDifferences()));

type WithNamespace = { metadata?: { namespace?: string | undefined } | undefined };

/** The verbs of one kind, in one namespace or in all namespaces. */
export class ResourceClient<Item, Input> {
  readonly #scope: ClientScope;
  readonly #reader: ResourceReader<Item>;

  /** @internal */
  constructor(scope: ClientScope) {
    this.#scope = scope;
    this.#reader = new ResourceReader(scope, 'whole');
  }

  /** Returns the client of the same kind in one namespace. */
  namespace(name: string): ResourceClient<Item, Input> {
    if (typeof name !== 'string')
      throw new TypeError(`namespace: the first argument must be the name of a namespace, got ${shown(name)}`);
    const { backend, kind, client } = this.#scope;
    return new ResourceClient({ backend, kind, namespace: name, client });
  }

  /**
   * Returns the reader of the metadata of the same objects. Large collections cost a fraction of what they cost whole:
   * most objects are not parsed.
   */
  metadata(): ResourceReader<PartialObjectMetadata> {
    return new ResourceReader(this.#scope, 'metadata');
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
   *
   * @throws TypeError for invalid parameters, before the iteration begins
   */
  watch(parameters?: WatchParameters): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    return this.#reader.watch(parameters);
  }

  /** Yields a collection page by page; see {@link ResourceReader.pages}. */
  pages(parameters?: PagesParameters): AsyncGenerator<ObjectList<Item>, void, undefined> {
    return this.#reader.pages(parameters);
  }

  /** Yields the objects of a collection, which is read page by page; see {@link ResourceReader.pages}. */
  each(parameters?: PagesParameters): AsyncGenerator<Item, void, undefined> {
    return this.#reader.each(parameters);
  }

  /**
   * Yields the objects of a collection and then their changes, for ever: a watch that ends is followed by the next one, and
   * what happened unseen is found by a list. Each change is yielded once. It ends when its signal aborts, or the caller
   * leaves the loop.
   *
   * @throws TypeError for invalid parameters, before the iteration begins; Error when the client is closed
   */
  follow<Followed extends FollowedObject>(
    this: ResourceClient<Followed, Input>,
    parameters?: FollowParameters,
  ): AsyncGenerator<FollowEvent<Followed>, void, undefined> {
    return this.#reader.follow(parameters);
  }

  /** Where the objects come from. */
  get origin(): FollowOrigin {
    return this.#reader.origin;
  }

  /**
   * Waits until an object has a state: a condition such as `{ condition: 'Ready' }`, the end of the object (`'deleted'`), or
   * what a function says of each of its states.
   *
   * @returns the object in that state; undefined when it does not exist
   * @throws WaitTimeoutError that says what is missing; the reason of the signal; ApiError when the object may not be read
   */
  async waitFor<Followed extends FollowedObject>(
    this: ResourceClient<Followed, Input>,
    name: string,
    until: WaitCondition<Followed>,
    parameters: WaitParameters = {},
  ): Promise<Followed | undefined> {
    checkName('waitFor', name);
    const { checkCondition, waitForState } = await waiting();
    checkCondition(until);
    checkParameters('waitFor', parameters);
    const { backend, kind, namespace } = this.#scope;
    const label = `${kind.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
    const follow = (following: FollowParameters) => this.follow(following);
    return waitForState({ label, name, follow, clock: backend.clock }, until, parameters);
  }

  /**
   * Creates an object, or changes the existing one of its name, and repeats that while others change it.
   *
   * @param object the object if it does not exist
   * @param change brings an object into the desired state; called with the existing one or a copy of `object`, and again
   *   after a conflict
   * @throws ApiError as the verbs `get`, `create` and `update` do
   */
  async createOrUpdate(
    object: Input,
    change: (current: Item) => void,
    parameters: WriteParameters = {},
  ): Promise<CreateOrUpdateResult<Item>> {
    const name = nameWithin('createOrUpdate', object);
    checkParameters('createOrUpdate', parameters);
    if (typeof change !== 'function')
      throw new TypeError(`createOrUpdate: the second argument must be a function, got ${shown(change)}`);
    const namespace = this.#namespaceOf(object);
    const { signal } = parameters;
    const verbs = {
      get: () => this.namespace(namespace).get(name, { signal }),
      create: (made: Input) => this.create(made, parameters),
      update: (changed: Item) => this.update(changed, parameters),
    };
    return createOrUpdate(verbs, object, change);
  }

  /**
   * Sets the number of replicas of an object.
   *
   * @returns the Scale of the object
   * @throws ApiError 404 without the object, or for a kind that does not scale
   */
  async scale(name: string, replicas: number, parameters: WriteParameters = {}): Promise<ObjectOf<typeof Scale>> {
    checkName('scale', name);
    if (!Number.isSafeInteger(replicas) || replicas < 0)
      throw new TypeError(`scale: the second argument must be a number of replicas, got ${shown(replicas)}`);
    checkParameters('scale', parameters);
    const call = this.#call('patch', name, parameters);
    call.subresource = 'scale';
    call.patchType = patchMediaTypes.merge;
    call.body = { spec: { replicas } };
    return this.#send<ObjectOf<typeof Scale>>(call);
  }

  /**
   * Stores a new object.
   *
   * @throws ApiError 409 when the name exists, 422 for an invalid object
   */
  async create(object: Input, parameters: WriteParameters = {}): Promise<Item> {
    checkObject('create', object);
    checkParameters('create', parameters);
    return this.#send(this.#carrying(object, 'create', '', parameters));
  }

  /**
   * Posts an operation to the operation subresource of an object:
   * `accounts.perform('robot', TokenRequest, { spec: {} })`.
   *
   * @returns the operation with its result
   * @throws TypeError when no subresource of the kind accepts the operation; ApiError as the operation does
   */
  async perform<Operation extends ResourceDefinition>(
    name: string,
    operation: Operation,
    object: Omit<InputOf<Operation>, 'metadata'> & { metadata?: ObjectMeta | undefined },
    parameters: WriteParameters = {},
  ): Promise<ObjectOf<Operation>> {
    checkName('perform', name);
    checkObject('perform', object);
    checkParameters('perform', parameters);
    if (!isDefinition(operation)) throw unknownOperation(this.#scope.kind.kind, operation);
    const call = this.#call('create', name, parameters);
    call.operation = operation;
    call.body = object;
    return this.#send<ObjectOf<Operation>>(call);
  }

  /**
   * Replaces an object. A resourceVersion in the object is a precondition.
   *
   * @throws ApiError 404, 409 when the resource version is outdated, 422 for an invalid object
   */
  update(object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.updateSubresource('', object, parameters);
  }

  /** Replaces the status of an object. */
  updateStatus(object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.updateSubresource('status', object, parameters);
  }

  /** Replaces the part of an object that belongs to a subresource. */
  async updateSubresource(subresource: string, object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    const name = nameWithin('update', object);
    checkParameters('update', parameters);
    const call = this.#carrying(object, 'update', name, parameters);
    call.subresource = subresource;
    return this.#send(call);
  }

  /**
   * Changes an object by a patch. The default type is JSON Patch for a list of operations, otherwise merge patch.
   *
   * @throws ApiError 404, 409, 422 as the verb `patch` does
   */
  async patch(name: string, patch: PatchBody<Input>, parameters: PatchParameters = {}): Promise<Item> {
    checkName('patch', name);
    if (typeof patch !== 'object' || patch === null)
      throw new TypeError(`patch: the patch must be an object or a list of operations, got ${shown(patch)}`);
    checkParameters('patch', parameters);
    const call = this.#call('patch', name, parameters);
    call.subresource = parameters.subresource ?? '';
    call.patchType = patchMediaTypes[parameters.type ?? (Array.isArray(patch) ? 'json' : 'merge')];
    call.body = patch;
    return this.#send(call);
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
    const { createJsonPatch, createMergePatch } = await differences();
    const [from, to] = [before as JsonObject, after as JsonObject];
    if (form === 'json') return createJsonPatch(from, to);
    if (form === 'merge') return createMergePatch(from, to) as DeepPartial<Item>;
    throw new TypeError(`patchOf: the form must be 'json' or 'merge', got ${shown(form)}`);
  }

  /**
   * Server-side apply: the intent contains exactly the fields that its manager sets. Creates the object when it does
   * not exist.
   *
   * @throws TypeError when neither the parameters nor the client name a field manager; ApiError 409 with a cause for each
   *   field owned by another manager, unless `force` is set
   */
  async apply(intent: PartialObject<Input>, parameters: ApplyParameters = {}): Promise<Item> {
    const name = nameWithin('apply', intent);
    checkParameters('apply', parameters);
    const { dryRun, fieldValidation, signal, force, subresource = '' } = parameters;
    const fieldManager = parameters.fieldManager ?? this.#scope.client.fieldManager;
    if (fieldManager === undefined)
      throw new TypeError(
        "apply: the option fieldManager is required, such as { fieldManager: 'my-controller' }, here or as an option of the client",
      );
    const resolved: ApplyParameters = { dryRun, fieldManager, fieldValidation, signal, force };
    const call = this.#carrying(intent, 'patch', name, resolved);
    call.subresource = subresource;
    call.patchType = APPLY_MEDIA_TYPE;
    return this.#send(call);
  }

  /**
   * Deletes an object, or marks it for deletion.
   *
   * @returns the object while it is being deleted, or the deleted object for kinds that return it; otherwise a Status
   * @throws ApiError 404, or 409 when a precondition fails
   */
  async delete(name: string, parameters: DeleteParameters = {}): Promise<Item | Status> {
    checkName('delete', name);
    checkParameters('delete', parameters);
    return this.#send<Item | Status>(this.#call('delete', name, parameters));
  }

  /** Deletes the objects that a list selects, and returns them. */
  async deleteCollection(parameters: ListParameters & DeleteParameters = {}): Promise<Item[]> {
    checkParameters('deleteCollection', parameters);
    return this.#send<Item[]>(this.#call('deletecollection', '', parameters));
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
    const { dryRun, signal, ...deleteOptions } = parameters;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, deleteOptions };
    await this.#post('eviction', name, eviction, { dryRun, signal });
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
    const target = { kind: 'Node', name: node };
    await this.#post('binding', name, { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target }, parameters);
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
    const call = this.#call('get', name, parameters);
    call.subresource = 'log';
    for await (const lines of linesOf(this.#scope.backend.log(call))) yield* lines;
  }

  /**
   * Runs a command in a container of a pod, and resolves when its streams are open.
   *
   * ```
   * const { stdout, exitCode } = await (await pods.exec('web', ['cat', '/etc/version'])).output();
   * ```
   *
   * @throws TypeError for invalid arguments; ApiError 404 without the pod, 400 without its container
   */
  async exec(
    this: ResourceClient<ObjectOf<typeof Pod>, InputOf<typeof Pod>>,
    name: string,
    command: readonly string[],
    parameters: ExecParameters = {},
  ): Promise<ContainerSession> {
    checkName('exec', name);
    const { openSession } = await streaming();
    return openSession(this.#opening('exec', name), parameters, command);
  }

  /** Attaches to the process of a container of a pod, and resolves when its streams are open. @throws as `exec` */
  async attach(
    this: ResourceClient<ObjectOf<typeof Pod>, InputOf<typeof Pod>>,
    name: string,
    parameters: AttachParameters = {},
  ): Promise<ContainerSession> {
    checkName('attach', name);
    const { openSession } = await streaming();
    return openSession(this.#opening('attach', name), parameters);
  }

  /**
   * Connects to a port of a pod.
   *
   * @throws TypeError for invalid arguments; ApiError 404 without the pod. A port that cannot be reached fails the stream
   */
  async portForward(
    this: ResourceClient<ObjectOf<typeof Pod>, InputOf<typeof Pod>>,
    name: string,
    port: number,
    parameters: PortForwardParameters = {},
  ): Promise<PortStream> {
    checkName('portForward', name);
    const { openPort } = await streaming();
    return openPort(this.#opening('portforward', name), port, parameters);
  }

  /**
   * Sends a request through the server to a pod, a service or a node.
   *
   * @returns the response of the target, or of the server when it refuses the request, whatever its status
   * @throws TypeError for invalid parameters, and other kinds; ConnectionLostError
   */
  async proxy(name: string, parameters: ProxyParameters = {}): Promise<ProxiedResponse> {
    checkName('proxy', name);
    const { sendThrough } = await proxying();
    return sendThrough(name, parameters, (verb, target) => {
      const call = this.#call(verb, target, parameters);
      call.subresource = 'proxy';
      return { backend: this.#scope.backend, call };
    });
  }

  #opening(subresource: string, name: string): OpenStreams {
    return (parameters) => {
      const call = this.#call('get', name, parameters);
      call.subresource = subresource;
      return { backend: this.#scope.backend, call };
    };
  }

  /** Posts an object to a subresource. */
  #post(subresource: string, name: string, body: object, parameters: WriteParameters): Promise<unknown> {
    const call = this.#call('create', name, parameters);
    call.subresource = subresource;
    call.body = body;
    return this.#send<unknown>(call);
  }

  /** Returns a call with an object, in the object's namespace if the client is for all of them. */
  #carrying(
    object: Item | Input | PartialObject<Input>,
    verb: CallVerb,
    name: string,
    parameters: CallParameters,
  ): OutgoingCall {
    const call = this.#call(verb, name, parameters);
    call.namespace = this.#namespaceOf(object);
    call.body = object;
    return call;
  }

  #namespaceOf(object: Item | Input | PartialObject<Input>): string {
    const { namespace } = this.#scope;
    return namespace === '' ? ((object as WithNamespace).metadata?.namespace ?? '') : namespace;
  }

  #call(verb: CallVerb, name: string, parameters: CallParameters): OutgoingCall {
    return new OutgoingCall(this.#scope, verb, name, parameters);
  }

  #send<Answer = Item>(call: OutgoingCall): Promise<Answer> {
    return this.#scope.backend.call<Answer>(call);
  }
}

/** Returns whether a value is a Status, which {@link ResourceClient.delete} may return. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}
