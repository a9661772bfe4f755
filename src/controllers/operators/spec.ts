import type { Client, PartialObject } from '../../client/index.js';
import {
  aCount,
  aDuration,
  aFunction,
  aName,
  checkOptions,
  matching,
  type Clock,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import type { EventType } from '../runtime/event-recorder.js';
import type { Cached } from '../runtime/caches.js';
import type { IndexFunction } from '../runtime/informer-cache.js';
import { isSource, kindOf, type ItemOf, type KindLike, type Source, type SourceInput } from '../runtime/sources.js';
import type { Watched } from '../runtime/watch.js';
import type { Change } from './changes.js';
import type { Condition } from './conditions.js';
import type { Intent } from './intent.js';

/** The status of an object; any fields for a kind whose status has no type. */
export type StatusOf<Item> = Item extends { status?: infer Status | undefined }
  ? NonNullable<Status>
  : Record<string, unknown>;

/** The means of a run of a controller. */
export interface ReconcileContext<
  Main extends Source = Source,
  Owned extends Source = Source,
  Read extends Source = Source,
> {
  /** `namespace/name`, or the name for a kind without namespaces. */
  readonly key: string;
  /** 1 for the first run after a success, and one more after each failure. */
  readonly attempt: number;
  /** Aborts at the timeout of the run, and when the controller stops. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /**
   * The controller's client. It writes with the name of the controller as its field manager. Its calls end with the run.
   * `cached` and `owned` show what it has written immediately, and so do the caches before the key runs again; a view
   * with a selector shows it when it is delivered.
   */
  readonly client: Client;
  /** Returns the cache of a kind or view that the controller follows. @throws TypeError for any other */
  cached<Followed extends Main | Owned | Read>(source: Followed): Cached<ItemOf<Followed>>;
  /** Returns the cached objects that this object controls. @throws TypeError for what `owns` does not name */
  owned<Followed extends Owned>(source: Followed): ItemOf<Followed>[];
  /**
   * Applies an object, with this object as its controller, in its namespace. The fields are taken from other managers.
   *
   * @throws TypeError for an object that it cannot own: without a name, or in another namespace; ApiError as apply does
   */
  apply<Kind extends KindLike>(kind: Kind, object: PartialObject<SourceInput<Kind>>): Promise<ItemOf<Kind>>;
  /**
   * Applies objects, and then deletes all others of the kinds in `owns` that this object controls and that the controller
   * has applied. Deletes nothing when an apply fails.
   *
   * @throws as {@link ReconcileContext.apply}; TypeError for a kind that is not in `owns`
   */
  applyExactly(intents: readonly Intent[]): Promise<void>;
  /**
   * Writes the fields of the status that differ, and conditions. A condition keeps its transition time as long as its
   * status stays the same, and gets the generation that the run has read. Sends nothing when nothing differs.
   *
   * @throws ApiError as a patch does; 409 when others change the object again and again
   */
  setStatus(change: Partial<StatusOf<ItemOf<Main>>>, ...conditions: readonly Condition[]): Promise<ItemOf<Main>>;
  /** Records an event about the object. Repetitions are counted in one event. @param reason a CamelCase word */
  event(type: EventType, reason: string, message: string): void;
  /** Runs the object again after a time. The earliest of several counts; a run that throws has its own pause. */
  requeueAfter(delay: Duration): void;
}

/** A controller as its author describes it. */
export interface ControllerSpec<
  Main extends Source = Source,
  Owns extends readonly Source[] = readonly Source[],
  Watches extends readonly Watched[] = readonly Watched[],
> {
  /** Name in metrics, events and logs, and as field manager. Default: the kind in lower case. */
  readonly name?: string | undefined;
  /** The objects that it reconciles: those of a kind, or of a view. */
  readonly kind: Main;
  /** Kinds of which it creates objects. A change of one runs the object that controls it. */
  readonly owns?: Owns | undefined;
  /** Further kinds that it reads; see {@link watched}. */
  readonly watches?: Watches | undefined;
  /** Indexes of its objects by name, for `cached(kind).find(name, value)`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<ItemOf<Main>>>> | undefined;
  /** The changes of an object that run it. Default `changes.exceptStatus`. */
  readonly runsOn?: Change<ItemOf<Main>> | undefined;
  /**
   * Brings the world to the state that an object asks for. It must give the same result when it runs twice. An error ends
   * the run alone: the object runs again after a pause that grows.
   */
  readonly reconcile: (
    object: ItemOf<Main>,
    context: ReconcileContext<Main, Owns[number], Watches[number]['source']>,
  ) => Promise<void> | void;
  /**
   * Undoes what outlives an object, before it is gone; it may run twice. With it, every object gets a finalizer before its
   * first `reconcile`, and loses it when this has succeeded.
   */
  readonly finalize?:
    | ((
        object: ItemOf<Main>,
        context: ReconcileContext<Main, Owns[number], Watches[number]['source']>,
      ) => Promise<void> | void)
    | undefined;
  /** Name of the finalizer. Default: the group of the kind and the name of the controller: `example.com/backup`. */
  readonly finalizer?: string | undefined;
  /** Number of objects that are reconciled at the same time. Default 1. */
  readonly concurrency?: number | undefined;
  /** Time after which a run is aborted. Default `5m`. */
  readonly timeout?: Duration | undefined;
  /** Pause after the first failure, which doubles with each further one, and the longest. Default `5ms` and `16m`. */
  readonly backoff?: { readonly first?: Duration | undefined; readonly most?: Duration | undefined } | undefined;
}

const aSource = matching('a kind, such as ConfigMap or the result of defineResource, or a view', isSource);
const manySources = matching('a list of kinds or views', (value) => Array.isArray(value) && value.every(isSource));
const manyWatched = matching(
  'a list of watched(…)',
  (value) =>
    Array.isArray(value) &&
    value.every((entry: unknown) => typeof entry === 'object' && entry !== null && 'source' in entry),
);
const functionsByName = matching(
  'an object of functions',
  (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'function'),
);

const specChecks: OptionChecks<ControllerSpec> = {
  name: aName,
  kind: aSource,
  owns: manySources,
  watches: manyWatched,
  indexes: functionsByName,
  runsOn: aFunction,
  reconcile: aFunction,
  finalize: aFunction,
  finalizer: matching(
    'a name with a domain, such as example.com/backup',
    (value) => typeof value === 'string' && /^[^/]+\/[^/]+$/.test(value),
  ),
  concurrency: aCount('objects', 1),
  timeout: aDuration,
  backoff: matching('{ first, most }', (value) => typeof value === 'object' && value !== null),
};

const backoffChecks: OptionChecks<NonNullable<ControllerSpec['backoff']>> = { first: aDuration, most: aDuration };

/** Checks a specification. @throws TypeError that names an invalid member */
export function checkSpec(spec: ControllerSpec): void {
  checkOptions('createController', spec, specChecks, ['kind', 'reconcile']);
  if (spec.backoff !== undefined) checkOptions('createController: backoff', spec.backoff, backoffChecks);
  if (spec.finalizer !== undefined && spec.finalize === undefined)
    throw new TypeError('createController: the option finalizer needs the option finalize');
}

/** Returns the name of a controller. */
export const nameOf = ({ name, kind }: ControllerSpec): string => name ?? kindOf(kind).kind.toLowerCase();
