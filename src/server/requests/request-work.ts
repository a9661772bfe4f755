import { apiVersionOf, whenReady, type Clock } from '../../foundation/index.js';
import type { Catalogue, WatchOptions } from '../../registry/index.js';
import type { RequestFlow } from '../fairness/flow-control.js';
import type { PriorityLevel } from '../fairness/queues/priority-level.js';
import { WatchCounts } from '../fairness/watch-counts.js';
import { listWork, writeWork } from '../fairness/work-estimator.js';
import { ONE_SEAT, type WorkEstimate } from '../fairness/work.js';
import type { RequestScope } from './request-scope.js';

/** Time for which a number of objects is used, in milliseconds. */
const COUNTED_FOR_MS = 1_000;
/** A list whose options are invalid is as wide as possible, as in Kubernetes. */
const WIDEST = { stored: Number.MAX_SAFE_INTEGER, limit: 0, hasSelector: false, fromStorage: false };

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

interface ObjectCount {
  value: number | undefined;
  countedMs: number;
  counting: Promise<void> | undefined;
}

/** Estimates the work of requests by the stored objects and the open watches of a server. */
export class RequestWork {
  readonly #watches = new WatchCounts();
  readonly #catalogue: Catalogue;
  readonly #clock: Clock;
  /** Numbers of objects, by the prefix of their keys. */
  readonly #counts = new Map<string, ObjectCount>();

  constructor(catalogue: Catalogue, clock: Clock) {
    this.#catalogue = catalogue;
    this.#clock = clock;
  }

  /** Returns the work of a request; a promise while its objects are counted. */
  estimate(scope: RequestScope, { level, classification }: RequestFlow): WorkEstimate | Promise<WorkEstimate> {
    const { info } = scope;
    if (!info.isResource) return ONE_SEAT;
    if (info.verb === 'list' || info.verb === 'watch') return this.#list(scope, level);
    // A token is not stored, so that nobody watches it.
    if (!WRITES.has(info.verb) || (info.resource === 'serviceaccounts' && info.subresource === 'token'))
      return ONE_SEAT;
    const count = this.#watches.concerned(info);
    level.flow(classification.flowSchema.name).watchers(count);
    return writeWork(count, level.maxRequestSeats);
  }

  /** Counts a watch that begins. @returns a function to call when it has ended */
  watch(scope: RequestScope): () => void {
    const { info, request } = scope;
    const selector = request.query === '' ? undefined : optionsOf(scope)?.fieldSelector;
    // A write sends its events only to the watch of its own node, by an index. Kubernetes leaves all of them out.
    if (info.resource === 'pods' && (selector?.exact('spec.nodeName') ?? '') !== '') return () => undefined;
    const { group, resource, namespace, name } = info;
    return this.#watches.add({ group, resource, namespace, name: name || (selector?.exact('metadata.name') ?? '') });
  }

  #list(scope: RequestScope, level: PriorityLevel): WorkEstimate | Promise<WorkEstimate> {
    const { info, request } = scope;
    const isWatch = info.verb === 'watch';
    if (info.name !== '' || (isWatch && request.query === '')) return ONE_SEAT;
    const options = request.query === '' ? {} : optionsOf(scope);
    if (options === undefined) return listWork(WIDEST, level.maxRequestSeats);
    if (isWatch && options.sendInitialEvents !== true) return ONE_SEAT;
    if (options.fieldSelector?.exact('metadata.name') !== undefined) return ONE_SEAT;
    const work = (stored: number | undefined): WorkEstimate =>
      listWork(
        {
          ...{ stored, limit: options.limit ?? 0 },
          hasSelector: options.fieldSelector !== undefined || options.labelSelector !== undefined,
          fromStorage: !isWatch && readsStorage(options),
        },
        level.maxRequestSeats,
      );
    const stored = this.#stored(scope);
    return whenReady(stored, work);
  }

  /** Returns the number of stored objects of a kind, which is counted at most once in a second. */
  #stored({ info }: RequestScope): number | undefined | Promise<number | undefined> {
    const found = this.#catalogue.ofResource(apiVersionOf(info.group, info.version), info.resource);
    const { storage, computed } = this.#catalogue.environment;
    if (found === undefined || found.definition.virtual === true || computed?.has(found.definition) === true)
      return undefined;
    let count = this.#counts.get(found.keyPrefix);
    if (count === undefined)
      this.#counts.set(found.keyPrefix, (count = { value: undefined, countedMs: -Infinity, counting: undefined }));
    const known = count;
    if (this.#clock.now() - known.countedMs >= COUNTED_FOR_MS)
      known.counting ??= storage
        .list(found.keyPrefix, { limit: 1 })
        .then(
          ({ records, remaining }) => {
            known.value = records.length + remaining;
          },
          // The list itself reports the failure.
          () => undefined,
        )
        .finally(() => {
          known.countedMs = this.#clock.now();
          known.counting = undefined;
        });
    return known.value ?? known.counting?.then(() => known.value);
  }
}

/** Whether a list reads the storage in Kubernetes, which answers the others from a cache of the current state. */
function readsStorage({
  limit = 0,
  continue: token = '',
  resourceVersion = '',
  resourceVersionMatch,
}: WatchOptions): boolean {
  if (token !== '') return true;
  if (resourceVersionMatch === undefined) return limit > 0 && resourceVersion !== '' && resourceVersion !== '0';
  return resourceVersionMatch !== 'NotOlderThan';
}

function optionsOf(scope: RequestScope): WatchOptions | undefined {
  try {
    return scope.listOptions;
  } catch {
    return undefined;
  }
}
