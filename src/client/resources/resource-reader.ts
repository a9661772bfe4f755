import { toError } from '../../foundation/index.js';
import type { Call, CallParameters, CallVerb } from '../backend.js';
import type { GetParameters, ListParameters, ObjectList, WatchEvent, WatchParameters } from '../client.js';
import { follow, type FollowEvent, type FollowOrigin, type FollowParameters } from '../follow/follow.js';
import type { FollowedObject } from '../follow/object-key.js';
import { checkName, checkParameters } from './check-call.js';
import { NO_PARAMETERS, OutgoingCall, type ClientScope } from './outgoing-call.js';
import { pagesOf, type PagesParameters } from './pages.js';

/** Reads the objects of one kind in one form, in one namespace or in all namespaces. */
export class ResourceReader<Item> {
  readonly #scope: ClientScope;
  readonly #form: Call['form'];

  /** @internal */
  constructor(scope: ClientScope, form: Call['form']) {
    this.#scope = scope;
    this.#form = form;
  }

  /**
   * Returns one object.
   *
   * @throws ApiError 404
   */
  get(name: string, parameters: GetParameters = NO_PARAMETERS): Promise<Item> {
    // Not an async function: a second promise would be a large part of the time of a get in the process.
    try {
      checkName('get', name);
      checkParameters('get', parameters);
    } catch (error) {
      return Promise.reject(toError(error));
    }
    return this.#scope.backend.call<Item>(this.#call('get', name, parameters));
  }

  /** Returns a collection, or a page of it. */
  async list(parameters: ListParameters = NO_PARAMETERS): Promise<ObjectList<Item>> {
    checkParameters('list', parameters);
    return this.#scope.backend.call<ObjectList<Item>>(this.#call('list', '', parameters));
  }

  /**
   * Yields the events after a resource version. Without one, an ADDED event for each existing object comes first. The
   * iterator ends when its signal aborts, its timeout expires, the server closes, or the caller leaves the loop.
   *
   * @throws TypeError for invalid parameters, before the iteration begins
   */
  watch(parameters: WatchParameters = NO_PARAMETERS): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    checkParameters('watch', parameters);
    return this.#scope.backend.watch<Item>(this.#call('watch', '', parameters));
  }

  /**
   * Yields a collection page by page, all pages of one state.
   *
   * @throws TypeError for invalid parameters; the iteration as a list does, and ApiError 410 when the state expires between
   *   two pages, unless `expired` says what to do then
   */
  pages(parameters: PagesParameters = NO_PARAMETERS): AsyncGenerator<ObjectList<Item>, void, undefined> {
    checkParameters('pages', parameters);
    return pagesOf((page) => this.list(page), parameters);
  }

  /** Yields the objects of a collection, which is read page by page; see {@link ResourceReader.pages}. */
  async *each(parameters?: PagesParameters): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages(parameters)) yield* page.items;
  }

  /**
   * Yields the objects of a collection and then their changes, for ever: a watch that ends is followed by the next one, and
   * what happened unseen is found by a list. Each change is yielded once. It ends when its signal aborts, or the caller
   * leaves the loop.
   *
   * @throws TypeError for invalid parameters, before the iteration begins; Error when the client is closed; ApiError 503 when
   *   the server in the same process is
   */
  follow<Followed extends FollowedObject>(
    this: ResourceReader<Followed>,
    parameters: FollowParameters = NO_PARAMETERS,
  ): AsyncGenerator<FollowEvent<Followed>, void, undefined> {
    checkParameters('follow', parameters);
    return follow(this, this.#scope.backend, parameters);
  }

  /** Where the objects come from. */
  get origin(): FollowOrigin {
    const { backend, kind } = this.#scope;
    const { entropy, remote, closed, opened } = backend;
    return { entropy, remote, closed, opened: opened && (() => opened(`an informer of ${kind.kind}`)) };
  }

  #call(verb: CallVerb, name: string, parameters: CallParameters): Call {
    const call = new OutgoingCall(this.#scope, verb, name, parameters);
    call.form = this.#form;
    return call;
  }
}
