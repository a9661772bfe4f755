import { messageOf, parseTime, type Clock } from '../../foundation/index.js';
import { hasReason } from '../runtime/failures.js';
import type { AnyObject, ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import type { ContentFindings } from './conditions.js';

/** The remaining content of a namespace after an attempt to delete it. */
export interface ContentOutcome extends ContentFindings {
  /** Kinds with remaining objects. */
  readonly kinds: readonly ServedKind[];
  /** Estimated seconds until the remaining objects are gone; 0 when none remain or there is no estimate. */
  readonly estimateSeconds: number;
}

/** Estimate for objects with finalizers. */
const FINALIZER_ESTIMATE_SECONDS = 15;

/** Deletes the content of namespaces. */
export class NamespaceContent {
  readonly #kinds: ServedKinds;
  readonly #clock: Clock;
  readonly #ordered: boolean;

  /** @param ordered whether other content is deleted only after the pods are gone */
  constructor(kinds: ServedKinds, clock: Clock, ordered: boolean) {
    this.#kinds = kinds;
    this.#clock = clock;
    this.#ordered = ordered;
  }

  /**
   * Deletes the content of a namespace, pods first. Failures are part of the outcome.
   *
   * @param deletionTimestamp deletion timestamp of the namespace, RFC 3339
   */
  async delete(namespace: string, deletionTimestamp: string): Promise<ContentOutcome> {
    const remaining = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const failures: string[] = [];
    const kinds: ServedKind[] = [];
    let estimateSeconds = 0;
    for (const kind of this.#deletable()) {
      try {
        const left = await this.#deleteKind(kind, namespace, deletionTimestamp);
        if (left.objects.length === 0) continue;
        remaining.set(`${kind.resource}.${kind.group}`, left.objects.length);
        kinds.push(kind);
        for (const [finalizer, count] of left.finalizers)
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
        estimateSeconds = Math.max(estimateSeconds, left.estimateSeconds);
        if (left.failure !== undefined) failures.push(left.failure);
      } catch (error) {
        failures.push(messageOf(error));
      }
      if (this.#ordered && isPods(kind) && (kinds.length > 0 || failures.length > 0)) break;
    }
    return { remaining, finalizers, failures, kinds, estimateSeconds };
  }

  /** Returns the kinds with content in namespaces, pods first. */
  #deletable(): ServedKind[] {
    const kinds = this.#kinds.preferred().filter(({ namespaced, verbs }) => namespaced && verbs.has('delete'));
    return [...kinds.filter(isPods), ...kinds.filter((kind) => !isPods(kind))];
  }

  async #deleteKind(kind: ServedKind, namespace: string, deletionTimestamp: string): Promise<KindOutcome> {
    const client = kind.client.namespace(namespace);
    const listable = kind.verbs.has('list');
    const isCollected = kind.verbs.has('deletecollection');
    // Where only presence counts, one object shows it: the items of a list are copies.
    const before = listable ? (await client.list(isCollected && !isPods(kind) ? { limit: 1 } : {})).items : [];
    if (listable && before.length === 0) return { objects: [], finalizers: new Map(), estimateSeconds: 0 };
    const graceSeconds = isPods(kind) ? this.#remainingGraceSeconds(before, deletionTimestamp) : 0;
    if (isCollected) await client.deleteCollection({ propagationPolicy: 'Background' });
    else await deleteEach(kind, namespace, before);
    const objects = listable ? (await client.list()).items : [];
    const finalizers = new Map<string, number>();
    for (const { metadata } of objects)
      for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    if (objects.length === 0) return { objects, finalizers, estimateSeconds: 0 };
    if (graceSeconds > 0) return { objects, finalizers, estimateSeconds: graceSeconds };
    if (finalizers.size > 0) return { objects, finalizers, estimateSeconds: FINALIZER_ESTIMATE_SECONDS };
    const failure = `unexpected items still remain in namespace: ${namespace} for gvr: ${kind.group}/${kind.version}, Resource=${kind.resource}`;
    return { objects, finalizers, estimateSeconds: 0, failure };
  }

  /**
   * Returns the longest grace period of the pods, in seconds; 0 when it has passed since the deletion of the namespace.
   */
  #remainingGraceSeconds(pods: readonly AnyObject[], deletionTimestamp: string): number {
    let longest = 0;
    for (const pod of pods) longest = Math.max(longest, graceOfPod(pod));
    const passed = this.#clock.now() - (parseTime(deletionTimestamp) ?? 0);
    return passed >= longest * 1000 ? 0 : longest;
  }
}

interface KindOutcome {
  readonly objects: readonly AnyObject[];
  readonly finalizers: ReadonlyMap<string, number>;
  readonly estimateSeconds: number;
  readonly failure?: string | undefined;
}

function isPods({ group, resource }: ServedKind): boolean {
  return group === '' && resource === 'pods';
}

function graceOfPod(object: AnyObject): number {
  const pod: AnyObject & {
    spec?: { terminationGracePeriodSeconds?: number | undefined } | undefined;
    status?: { phase?: string | undefined } | undefined;
  } = object;
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return 0;
  return pod.spec?.terminationGracePeriodSeconds ?? 0;
}

async function deleteEach(kind: ServedKind, namespace: string, objects: readonly AnyObject[]): Promise<void> {
  for (const { metadata } of objects) {
    try {
      await kind.client.namespace(namespace).delete(metadata.name ?? '', { propagationPolicy: 'Background' });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }
}
