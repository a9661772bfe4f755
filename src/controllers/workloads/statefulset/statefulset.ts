import { inSlices, SharedWork, type Steps, type Work } from '../../../foundation/index.js';
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import type { Controller } from '../../runtime/controller.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { hasReason, isNamespaceTerminating, retryingConflicts } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-runner.js';
import { BY_NAMESPACE, owned } from '../../runtime/owned.js';
import { specSelectors, type SelectorOf } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { watchedInSlices } from '../../runtime/sliced-watch.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import { claiming, type Claims } from '../shared/claiming.js';
import type { PodObject } from '../shared/kinds.js';
import { nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { PodClaims } from './claims.js';
import { SetHistory } from './history.js';
import { claimTemplates, ordinalOf } from './identity.js';
import { slotsOf } from './slots.js';
import { StatefulPods } from './stateful-pods.js';
import type { ClaimObject, StatefulSetObject, StatefulSetStatus } from './types.js';
import { SetStep } from './update.js';

/** Keeps the pods of stateful sets, one by one and in order. */
export function statefulSetController(host: RecordingHost): Controller {
  const { informers } = host;
  const sets = informers.of(StatefulSet);
  const selectorOf = specSelectors<StatefulSetObject>();
  const workers = new StatefulSets(host, selectorOf);
  const setsOfClaims = new SetsOfClaims(sets);
  return reconciler(host, {
    name: 'statefulset',
    queue: 'statefulset',
    gathers: true,
    kind: StatefulSet,
    owns: [owned(Pod, { selectorOf }), owned(ControllerRevision, { selectorOf })],
    // A set may wait for its own change of a claim, or until an old claim is gone.
    watches: [
      watchedInSlices(PersistentVolumeClaim, function* (claim, old, work) {
        const either = claim ?? old;
        return either === undefined ? [] : yield* setsOfClaims.of(either, work);
      }),
    ],
    writes: workers.unseen,
    reconcile: (set, run) => workers.reconcile(set, run),
  });
}

/** Units of work to compare the name of a claim with a set. */
const SET_UNITS = 4;

/** Finds the sets whose templates a claim may come from. */
class SetsOfClaims {
  readonly #sets: Informer<StatefulSetObject>;
  /** The names of the templates of each version of a set, which may have thousands. */
  readonly #templates = new WeakMap<StatefulSetObject, ReadonlySet<string>>();

  constructor(sets: Informer<StatefulSetObject>) {
    this.#sets = sets;
  }

  /** Returns the keys of the sets. The name of a claim consists of those of the template, the set, and an ordinal. */
  *of({ metadata: { name = '', namespace = '' } }: ClaimObject, work: Work): Steps<string[]> {
    const keys: string[] = [];
    for (const set of this.#sets.find(BY_NAMESPACE, namespace)) {
      if (work.spend(SET_UNITS)) yield;
      const middle = `-${set.metadata.name ?? ''}-`;
      for (let at = name.indexOf(middle); at >= 0; at = name.indexOf(middle, at + 1)) {
        if (!this.#templatesOf(set).has(name.slice(0, at))) continue;
        keys.push(objectKey(set));
        break;
      }
    }
    return keys;
  }

  #templatesOf(set: StatefulSetObject): ReadonlySet<string> {
    const known = this.#templates.get(set);
    if (known !== undefined) return known;
    const names = new Set(claimTemplates(set).map(({ metadata }) => metadata?.name ?? ''));
    this.#templates.set(set, names);
    return names;
  }
}

class StatefulSets {
  readonly unseen = new UnseenWrites();
  readonly claims: PodClaims;
  readonly #host: RecordingHost;
  readonly #sets: Informer<StatefulSetObject>;
  readonly #pods: Informer<PodObject>;
  readonly #events: EventSink;
  readonly #control: StatefulPods;
  readonly #history: SetHistory;
  readonly #claimPods: Claims<StatefulSetObject, PodObject>;

  constructor(host: RecordingHost, selectorOf: SelectorOf<StatefulSetObject>) {
    const { client, informers, recorder } = host;
    this.#host = host;
    this.#sets = informers.of(StatefulSet);
    this.#pods = informers.of(Pod);
    this.#events = recorder.of('statefulset-controller');
    this.claims = new PodClaims(host, this.#events, this.unseen);
    this.#control = new StatefulPods(host, this.#events, this.unseen, this.claims);
    this.#history = new SetHistory(host, informers.of(ControllerRevision), this.unseen, selectorOf);
    this.#claimPods = claiming({
      ...{ selectorOf, informer: this.#pods, unseen: this.unseen },
      owners: client.resource(StatefulSet),
      dependents: client.resource(Pod),
      accepts: (set, pod) => ordinalOf(set, pod) !== undefined,
    });
  }

  async reconcile(set: StatefulSetObject, run: Run): Promise<WorkResult> {
    try {
      return await retryingConflicts(this.#sync(set, run), isNamespaceTerminating);
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return 'retry';
      throw error;
    }
  }

  async #sync(set: StatefulSetObject, run: Run): Promise<void> {
    const { key } = run;
    const { clock, dialect } = this.#host;
    const selected = await this.#claimPods(key, set);
    const known = await this.#history.revisionsOf(key, set);
    const nowMs = clock.now();
    const work = new SharedWork();
    const step = new SetStep({
      ...{ key, set, ...known, nowMs, dialect, work, control: this.#control, events: this.#events },
      slots: await inSlices(work, slotsOf(set, selected, work)),
    });
    let failure: { readonly error: unknown } | undefined;
    try {
      await step.run();
    } catch (error) {
      failure = { error };
    }
    await this.#writeStatus(key, set, await inSlices(work, step.status()));
    if (failure !== undefined) throw failure.error;
    await this.#history.truncate(key, set, known, selected);
    run.requeueAfter(nextAvailable(selected, set.spec?.minReadySeconds ?? 0, nowMs) - nowMs);
  }

  async #writeStatus(key: string, set: StatefulSetObject, status: StatefulSetStatus): Promise<void> {
    if (sameStatus(set.status, status)) return;
    const written = await this.#host.client.resource(StatefulSet).updateStatus({ ...set, status });
    this.unseen.written(key, this.#sets, written);
  }
}
