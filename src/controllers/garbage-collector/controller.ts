import { objectKey, pagesOf, type PartialObjectMetadata } from '../../client/index.js';
import { ApiError, ORPHAN_FINALIZER, type Dialect, type ObjectMeta } from '../../foundation/index.js';
import { UnreadableObjectError } from '../../registry/index.js';
import { joined, withoutWait, type Controller, type RunningInformer } from '../runtime/controller.js';
import { forEachBounded } from '../runtime/failures.js';
import { Informer, type InformerSource } from '../runtime/informer.js';
import { keyedRunner, type RunnerHost } from '../runtime/keyed-runner.js';
import type { ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import { editMetadata, withoutFinalizer, withoutOwners } from './edits.js';
import { examine } from './examine.js';
import { DependencyGraph } from './graph.js';
import type { GraphNode } from './node.js';
import { OwnerEvents, type ForeignOwner } from './owner-events.js';
import { OwnerLookup } from './references.js';

/** Options of {@link garbageCollector}. */
export interface GarbageCollectorOptions extends RunnerHost {
  readonly kinds: ServedKinds;
  readonly dialect: Dialect;
  /** Treatment of references to owners in other namespaces: see `ControllerOptions.crossNamespaceOwners`. */
  readonly crossNamespaceOwners: 'ignored' | 'absent';
}

const NAME = 'garbage-collector';

/** Maximum number of objects that are processed concurrently. */
const CONCURRENCY = 20;
const EVENT_RETRIES = 3;

/**
 * Deletes objects whose owners are gone, and completes foreground and orphaning deletions.
 *
 * Watches every kind that supports list, watch and delete, in one version only: ownership is by uid.
 */
export function garbageCollector(options: GarbageCollectorOptions): Controller {
  const { kinds, clock, dialect, onError } = options;
  const ignoresForeign = options.crossNamespaceOwners === 'ignored';
  const ownerEvents = new OwnerEvents(kinds, dialect, clock);
  const graph = new DependencyGraph(
    {
      examine: ({ uid }) => void examined.add(uid),
      orphan: ({ uid }) => void orphaned.add(uid),
      foreignOwner: (dependent, reference) => void reports.add({ dependent, reference }),
    },
    ignoresForeign,
  );
  const collected = new CollectedKinds(kinds, graph, (collectedKind) =>
    informerOf(collectedKind, { graph, clock, onError }),
  );
  kinds.onChange(() => collected.follow());
  const owners = new OwnerLookup({
    kinds,
    graph,
    ignoresForeign,
    catchUp: (kind, revision) => collected.catchUp(kind, revision),
  });
  const catchUp = shareRuns(async () => {
    await Promise.all([...collected.informers()].map((informer) => informer.caughtUpOrFailing()));
  });
  const examined = keyedRunner(options, {
    name: NAME,
    queue: 'garbage_collector_attempt_to_delete',
    concurrency: CONCURRENCY,
    informers: () => collected.running(),
    recheck: () => dependentsOfUnobserved(graph),
    reconcile: (uid) => examine(graph, owners, uid),
  });
  const orphaned = keyedRunner(options, {
    name: NAME,
    queue: 'garbage_collector_attempt_to_orphan',
    concurrency: CONCURRENCY,
    reconcile: (uid) =>
      orphanDependents(graph, uid, { catchUp, assertAllRead: (node) => collected.assertAllRead(node) }),
  });
  const reports = keyedRunner<ForeignOwner>(options, {
    name: NAME,
    concurrency: CONCURRENCY,
    maxRetries: EVENT_RETRIES,
    reconcile: (report) => ownerEvents.report(report),
  });
  return joined(NAME, examined, orphaned, reports);
}

/** Steps that make sure that the graph has every dependent: one that is missing would be deleted once its owner is gone. */
interface AllDependents {
  /** Resolves when the graph has every readable object that exists at the time of the call. */
  readonly catchUp: () => Promise<void>;
  /** @throws ApiError 500 when a possible dependent of an object cannot be read */
  readonly assertAllRead: (owner: GraphNode) => Promise<void>;
}

/** Removes the references to an object from its dependents, and then the orphan finalizer from the object. */
async function orphanDependents(
  graph: DependencyGraph,
  uid: string,
  { catchUp, assertAllRead }: AllDependents,
): Promise<void> {
  if (graph.get(uid)?.orphaningDependents !== true) return;
  await catchUp();
  const node = graph.get(uid);
  if (node?.state !== 'observed' || !node.orphaningDependents) return;
  await assertAllRead(node);
  const dependents = [...node.dependents].filter(([, edge]) => edge !== 'foreign').map(([dependent]) => dependent);
  const edit = withoutOwners(new Set([uid]));
  await forEachBounded(dependents, CONCURRENCY, async (dependent) => {
    await editMetadata(dependent, edit);
  });
  await editMetadata(node, withoutFinalizer(ORPHAN_FINALIZER));
}

/** A kind that the collector watches. */
interface CollectedKind {
  /** The kind in the version that is currently watched. */
  kind: ServedKind;
  readonly informer: Informer<PartialObjectMetadata>;
  /** Whether one of its objects could not be read once: the graph may lack it. */
  hasHidden: boolean;
  /** Waits until the graph is current for the kind. Concurrent waits share the work. @throws Error when it cannot be */
  readonly catchUp: () => Promise<void>;
}

/** The kinds that the collector watches, each in one version. They follow the served kinds. */
class CollectedKinds {
  readonly #kinds: ServedKinds;
  readonly #graph: DependencyGraph;
  readonly #createInformer: (collected: () => CollectedKind) => Informer<PartialObjectMetadata>;
  readonly #byResource = new Map<string, CollectedKind>();
  /** Informers of kinds that are no longer served, until they have delivered the last events. */
  readonly #finishing = new Set<Informer<PartialObjectMetadata>>();

  constructor(
    kinds: ServedKinds,
    graph: DependencyGraph,
    createInformer: (collected: () => CollectedKind) => Informer<PartialObjectMetadata>,
  ) {
    this.#kinds = kinds;
    this.#graph = graph;
    this.#createInformer = createInformer;
    for (const kind of kinds.stored()) if (isCollectable(kind)) this.#add(kind);
  }

  *informers(): Generator<Informer<PartialObjectMetadata>, void, undefined> {
    for (const { informer } of this.#byResource.values()) yield informer;
    yield* this.#finishing;
  }

  /** The informers as the controller shows them. */
  *running(): Generator<RunningInformer, void, undefined> {
    for (const informer of this.informers()) yield withoutWait(informer);
  }

  /** Watches new kinds, follows kinds to another version, and stops watching kinds that are no longer served. */
  follow(): void {
    const wanted = new Map(
      this.#kinds
        .stored()
        .filter(isCollectable)
        .map((kind) => [resourceOf(kind), kind]),
    );
    for (const [resource, collected] of this.#byResource) {
      const kind = wanted.get(resource);
      if (kind === undefined) {
        this.#byResource.delete(resource);
        void this.#finish(collected.informer);
      } else if (kind !== collected.kind) {
        collected.kind = kind;
        for (const { metadata } of collected.informer.values()) this.#graph.serveBy(metadata.uid ?? '', kind);
      }
    }
    for (const [resource, kind] of wanted) if (!this.#byResource.has(resource)) this.#add(kind).start();
  }

  /** Waits until the graph has the objects of a kind, in any version, up to a resource version. */
  catchUp(kind: ServedKind, revision: number): Promise<void> | undefined {
    const collected = this.#byResource.get(resourceOf(kind));
    if (collected === undefined) return undefined;
    return collected.informer.revision >= revision ? Promise.resolve() : collected.catchUp();
  }

  /**
   * Looks for objects that may depend on an owner and cannot be read: among the kinds whose informers lack objects, in the
   * namespace of the owner. (A kind that cannot be converted holds up nothing.) One that could not be read until just now
   * may not have reached the graph yet.
   *
   * @throws ApiError 500 when there is one; Error when the graph lacks a dependent
   */
  async assertAllRead({ uid, namespace }: GraphNode): Promise<void> {
    const assertObserved = ({ metadata }: PartialObjectMetadata): void => {
      if (metadata.ownerReferences?.some((reference) => reference.uid === uid) !== true) return;
      if (this.#graph.get(metadata.uid ?? '')?.state === 'observed') return;
      throw new Error(`the dependent ${objectKey({ metadata })} could not be read until now`);
    };
    for (const { kind, informer, hasHidden } of this.#byResource.values()) {
      if (!(hasHidden || informer.isFailing) || (namespace !== '' && !kind.namespaced)) continue;
      await forEachReadable(kind.client.namespace(namespace).metadata(), assertObserved);
    }
  }

  #add(kind: ServedKind): Informer<PartialObjectMetadata> {
    const informer = this.#createInformer(() => collected);
    const catchUp = async (): Promise<void> => {
      await informer.caughtUpOrFailing();
      if (informer.isFailing) throw new Error(`the objects of ${resourceOf(collected.kind)} cannot be read`);
    };
    const collected: CollectedKind = { kind, informer, hasHidden: false, catchUp: shareRuns(catchUp) };
    this.#byResource.set(resourceOf(kind), collected);
    return informer;
  }

  /** Lets the graph know the last events of a kind, then forget the objects that still exist. */
  async #finish(informer: Informer<PartialObjectMetadata>): Promise<void> {
    this.#finishing.add(informer);
    await informer.finish();
    for (const { metadata } of informer.values()) this.#graph.lose(metadata.uid ?? '');
    this.#finishing.delete(informer);
  }
}

function resourceOf({ group, resource }: ServedKind): string {
  return `${group}/${resource}`;
}

/** Returns the uids of the dependents of owners that were never observed, because no watch reports those owners. */
function* dependentsOfUnobserved(graph: DependencyGraph): Generator<string, void, undefined> {
  for (const { dependents } of graph.virtual) for (const { uid } of dependents.keys()) yield uid;
}

function isCollectable({ verbs }: ServedKind): boolean {
  return verbs.has('list') && verbs.has('watch') && verbs.has('delete');
}

/** @param collected returns the kind in its current version */
function informerOf(
  collected: () => CollectedKind,
  { graph, clock, onError }: { readonly graph: DependencyGraph } & Pick<GarbageCollectorOptions, 'clock' | 'onError'>,
): Informer<PartialObjectMetadata> {
  const source: InformerSource<PartialObjectMetadata> = {
    list: (parameters) => collected().kind.client.metadata().list(parameters),
    watch: (parameters) => collected().kind.client.metadata().watch(parameters),
  };
  const noteHidden = (error: unknown): void => {
    if (error instanceof UnreadableObjectError) collected().hasHidden = true;
    onError(error);
  };
  const informer = new Informer<PartialObjectMetadata>({ source, clock, keep: graphPart, onError: noteHidden });
  const observe = (object: PartialObjectMetadata): void => graph.observe(object, collected().kind);
  informer.subscribe({
    added: observe,
    updated: observe,
    deleted: ({ metadata }) => graph.forget(metadata.uid ?? ''),
    unreadable: ({ metadata }) => graph.hide(metadata.uid ?? ''),
  });
  return informer;
}

/**
 * Calls back with each object of a source.
 *
 * @throws ApiError when the stored value of an object cannot be read, or the objects cannot be listed for a reason other
 *   than their conversion; what `visit` throws
 */
async function forEachReadable(
  source: InformerSource<PartialObjectMetadata>,
  visit: (object: PartialObjectMetadata) => void,
): Promise<void> {
  try {
    for await (const { items } of pagesOf((parameters) => source.list(parameters), {})) items.forEach(visit);
  } catch (error) {
    if (!isConversionFailure(error)) throw error;
  }
}

const isConversionFailure = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 500 &&
  error.reason !== 'ServerTimeout' &&
  !(error instanceof UnreadableObjectError);

/** Returns the part of the metadata that the graph needs. */
function graphPart({ apiVersion, kind, metadata }: PartialObjectMetadata): PartialObjectMetadata {
  const kept: ObjectMeta = {};
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = metadata;
  if (name !== undefined) kept.name = name;
  if (namespace !== undefined) kept.namespace = namespace;
  if (uid !== undefined) kept.uid = uid;
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (deletionTimestamp !== undefined) kept.deletionTimestamp = deletionTimestamp;
  if (ownerReferences !== undefined) kept.ownerReferences = ownerReferences;
  if (finalizers !== undefined) kept.finalizers = finalizers;
  return { apiVersion, kind, metadata: kept };
}

/**
 * Shares runs of an operation: each call gets a run that starts after the call, and at most one runs at a time.
 *
 * @param run the operation
 */
function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    const started = run().finally(() => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  };
  return () => {
    if (current === undefined) return begin();
    next ??= current.then(ignore, ignore).then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
}

function ignore(): void {
  // The next run does not depend on the result of the last one.
}
