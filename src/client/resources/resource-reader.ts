import { listMeta } from '../../registry/index.js';
import { answerOf, copiesOf, listView } from '../calls/answers.js';
import type { ClientBackend } from '../calls/backend.js';
import { Call, recordFailure } from '../calls/call-audit.js';
import { rethrow } from '../calls/call-errors.js';
import { readsOnly, type Calls } from '../calls/calls.js';
import { checkName, checkParameters } from '../calls/check-call.js';
import type { CallFacts } from '../calls/intercepted-call.js';
import type {
  GetParameters,
  ListParameters,
  ObjectList,
  ResolvedClientOptions,
  WatchEvent,
  WatchParameters,
} from '../client.js';
import { listOptions, selectedName } from './list-options.js';
import type { ObjectForm } from './object-form.js';
import { eventOf, openInTime, type OpenedWatch } from './watch-events.js';

/** Reads the objects of one kind in one form, in one namespace or in all namespaces. */
export class ResourceReader<Item> {
  readonly #backend: ClientBackend;
  readonly #calls: Calls;
  readonly #options: ResolvedClientOptions;
  readonly #namespace: string;
  readonly #form: ObjectForm<Item>;

  /** @internal */
  constructor(
    backend: ClientBackend,
    calls: Calls,
    options: ResolvedClientOptions,
    namespace: string,
    form: ObjectForm<Item>,
  ) {
    this.#backend = backend;
    this.#calls = calls;
    this.#options = options;
    this.#namespace = namespace;
    this.#form = form;
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
    const facts = (): CallFacts => ({ verb: 'get', name, parameters });
    return this.#calls.bounded(check, facts, parameters, async (call) => {
      const started = this.#calls.start(call, 'get', name, '', parameters?.signal);
      const operations = started instanceof Promise ? await started : started;
      const past = this.#calls.pastStore(operations, call);
      const store = past === undefined ? operations.store : await past;
      const record = await store.get(this.#namespace, name, parameters?.resourceVersion, parameters?.signal);
      return answerOf(this.#form, operations.store, record, call);
    });
  }

  /** Returns a collection, or a page of it. */
  list(parameters: ListParameters = {}): Promise<ObjectList<Item>> {
    return this.#calls.bounded(
      () => checkParameters('list', parameters),
      () => ({ verb: 'list', name: selectedName(parameters), parameters }),
      parameters,
      async (call) => {
        const operations = await this.#calls.start(call, 'list', selectedName(parameters), '', parameters.signal);
        const store = (await this.#calls.pastStore(operations, call)) ?? operations.store;
        const { onUnreadable, signal } = parameters;
        // A selector may have to read the whole object.
        const isRead =
          this.#form.isPartial && parameters.labelSelector === undefined && parameters.fieldSelector === undefined;
        const options = listOptions(store.info, isRead ? { ...parameters, onUnreadable: undefined } : parameters);
        const page = await store.list(this.#namespace, options, signal);
        call.interception?.answered(() => listView(this.#form, store, page));
        const { apiVersion, listKind } = this.#form.names(store);
        const items = await copiesOf(this.#form, store, page.records, onUnreadable);
        return { apiVersion, kind: listKind, metadata: listMeta(page), items };
      },
    );
  }

  /**
   * Yields the events after a resource version. Without one, an ADDED event for each existing object comes first. The
   * iterator ends when its signal aborts, its timeout expires, the server closes, or the caller leaves the loop.
   */
  async *watch(parameters: WatchParameters = {}): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    checkParameters('watch', parameters);
    if (this.#options.at !== undefined) throw readsOnly('watch');
    const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
      answer.catch((error: unknown) => rethrow(error, parameters.signal));
    const alive = parameters.keepAlive === false ? undefined : this.#backend.keepAlive();
    const call = new Call(parameters);
    let opened: OpenedWatch | undefined;
    try {
      alive?.hold();
      opened = await answered(openInTime(this.#backend, this.#openWatch(parameters, call)));
      if (call.audit !== undefined) await call.audit.started(call.code);
      const { operations, notices } = opened;
      for (let next = await answered(notices.next()); next.done !== true; next = await answered(notices.next())) {
        // While the caller handles an event, the watch does not keep the process alive.
        alive?.release();
        const event = eventOf(this.#form, operations.store, next.value);
        yield event instanceof Promise ? await event : event;
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

  #openWatch(parameters: WatchParameters, call: Call): Promise<OpenedWatch> {
    const facts = (): CallFacts => ({ verb: 'watch', name: selectedName(parameters), parameters });
    return this.#calls.intercepted(facts, call, async () => {
      const opened = await this.#watch(parameters, call);
      const { interception } = call;
      return interception === undefined ? opened : { ...opened, notices: interception.watch(opened.notices) };
    });
  }

  async #watch(parameters: WatchParameters, call: Call): Promise<OpenedWatch> {
    const operations = await this.#calls.start(call, 'watch', selectedName(parameters), '');
    const { store } = operations;
    const { allowWatchBookmarks, sendInitialEvents, timeoutSeconds, signal } = parameters;
    const options = { ...listOptions(store.info, parameters), allowWatchBookmarks, sendInitialEvents, timeoutSeconds };
    return { operations, notices: await store.watch(this.#namespace, options, signal) };
  }
}
