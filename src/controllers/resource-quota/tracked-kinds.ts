import { visitInTurns } from '../../foundation/index.js';
import {
  claimEvaluator,
  countedKind,
  isCounted,
  objectCounts,
  PersistentVolumeClaim,
  Pod,
  podEvaluator,
  Service,
  serviceEvaluator,
  type Amounts,
  type MeasuredObject,
  type QuotaEvaluator,
  type ScopedQuota,
} from '../../kinds/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import { Informer } from '../runtime/informer.js';
import type { ServedKind, ServedKinds } from '../runtime/served-kinds.js';

/** A kind whose objects quotas count. */
export interface TrackedKind {
  /** Distinguishes the objects of this kind in a ledger. */
  readonly id: string;
  readonly informer: Pick<
    Informer<MeasuredObject>,
    'start' | 'stop' | 'finish' | 'synced' | 'isSynced' | 'isFailing' | 'syncedOrFailing' | 'caughtUpOrFailing'
  >;
  /** Whether the informer belongs to this kind alone, and ends with it. */
  readonly own: boolean;
  measures(name: string): boolean;
  /** Returns the keys of the objects of a namespace: `namespace/name`. They may change while they are read. */
  keysIn(namespace: string): Iterable<string>;
  /** Measures an object once for all quotas: returns what it uses of one; undefined when it is gone or not counted. */
  usageOf(key: string, nowMs: number): (quota: ScopedQuota) => Amounts | undefined;
}

/** The parts of the tracked kinds. */
export interface TrackingOptions extends ControllerHost {
  readonly kinds: ServedKinds;
  /** Called when an object of a kind appeared, changed or disappeared. */
  readonly changed: (kind: TrackedKind, namespace: string, key: string) => void;
  /** Called before `changed` with the uid of an object that is there. */
  readonly seen: (uid: string) => void;
}

const BY_NAMESPACE = 'byNamespace';
/** Kinds that no quota counts, since they come and go on their own. */
const UNCOUNTED: readonly string[] = ['events'];

/** The kinds that quotas count. Each is watched from the first quota on that limits it. */
export class TrackedKinds {
  readonly #options: TrackingOptions;
  readonly #tracked = new Map<string, TrackedKind>();
  /** The kinds of which more than their number is counted. */
  readonly #special: readonly TrackedKind[];

  constructor(options: TrackingOptions) {
    this.#options = options;
    const { dialect, informers } = options;
    const pods = podEvaluator(dialect);
    const claims = claimEvaluator(dialect);
    // An index and a handler of a shared informer are added while it is empty.
    this.#special = [
      this.#create(pods, informers.of(Pod)),
      this.#create(serviceEvaluator, informers.of(Service)),
      this.#create(claims, informers.of(PersistentVolumeClaim)),
    ];
  }

  /** The kinds that are watched. */
  get all(): Iterable<TrackedKind> {
    return this.#tracked.values();
  }

  /**
   * Returns the kinds that use any of the resources, and starts to watch them. One that cannot be listed is not known
   * yet; others do not wait for it.
   */
  async of(resources: readonly string[]): Promise<TrackedKind[]> {
    const found = new Set<TrackedKind>();
    const served = this.#countable();
    await visitInTurns(resources, (name) => {
      const kind = this.#special.find((special) => special.measures(name)) ?? this.#counted(name, served);
      if (kind === undefined) return;
      this.#tracked.set(kind.id, kind);
      found.add(kind);
    });
    for (const { informer } of found) informer.start();
    await Promise.all([...found].map(({ informer }) => informer.syncedOrFailing()));
    return [...found];
  }

  /** Stops watching the kinds that are no longer served. */
  async prune(): Promise<void> {
    const served = this.#countable();
    for (const [id, kind] of this.#tracked) {
      if (!kind.own || served.has(id)) continue;
      this.#tracked.delete(id);
      await kind.informer.finish();
    }
  }

  /** The served kinds whose objects can be counted, by the ids of their tracked kinds. */
  #countable(): ReadonlyMap<string, ServedKind> {
    const kinds = this.#options.kinds.preferred().filter(isCountable);
    return new Map(kinds.map((kind) => [idOf(kind), kind]));
  }

  #counted(name: string, served: ReadonlyMap<string, ServedKind>): TrackedKind | undefined {
    const { group, resource } = countedKind(name) ?? { group: '', resource: '' };
    const id = idOf({ group, resource });
    const known = this.#tracked.get(id);
    if (known !== undefined) return known;
    const kind = served.get(id);
    if (kind === undefined) return undefined;
    const { clock, onError } = this.#options;
    const informer = new Informer<MeasuredObject>({ source: kind.client.metadata(), clock, keep: keyOnly, onError });
    return this.#create(objectCounts(group, resource), informer, true);
  }

  #create<Measured extends MeasuredObject, Item extends Measured>(
    evaluator: QuotaEvaluator<Measured>,
    informer: Informer<Item>,
    own = false,
  ): TrackedKind {
    informer.addIndex(BY_NAMESPACE, byNamespace);
    const kind: TrackedKind = {
      id: idOf(evaluator),
      informer,
      own,
      measures: (name) => evaluator.measures(name),
      keysIn: (namespace) => informer.findKeys(BY_NAMESPACE, namespace),
      usageOf(key, nowMs) {
        const object = informer.get(key);
        let usage: Amounts | undefined;
        return (quota) =>
          object !== undefined && isCounted(evaluator, object, quota)
            ? (usage ??= evaluator.usage(object, nowMs))
            : undefined;
      },
    };
    const tell = (object: Item): void =>
      this.#options.changed(kind, object.metadata.namespace ?? '', objectKey(object));
    const see = (object: Item): void => {
      this.#options.seen(object.metadata.uid ?? '');
      tell(object);
    };
    informer.subscribe({ added: see, updated: see, deleted: see });
    return kind;
  }
}

const idOf = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  `${group}/${resource}`;

const isCountable = ({ namespaced, verbs, resource }: ServedKind): boolean =>
  namespaced &&
  !UNCOUNTED.includes(resource) &&
  (['create', 'delete', 'list', 'watch'] as const).every((verb) => verbs.has(verb));

/** Keeps what identifies an object: counts need no more. */
function keyOnly({ metadata }: MeasuredObject): MeasuredObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
