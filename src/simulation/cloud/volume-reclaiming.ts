import {
  ignoring,
  keyedReconciler,
  objectKey,
  watched,
  type EventSink,
  type Reconciler,
} from '../../controllers/index.js';
import { PersistentVolume, PersistentVolumeClaim } from '../../kinds/index.js';
import type { ClaimBinding } from './claim-binding.js';
import { BY_VOLUME, claimKeyOf, setPhase, undefinedIfMissing, type VolumeContext } from './volume-context.js';
import { refersTo, type ClaimObject, type VolumeObject } from './volume-match.js';

/** Keeps the states of volumes, and reclaims those whose claim is gone by their policy. */
export class VolumeReclaiming {
  readonly controller: Reconciler;
  readonly #context: VolumeContext;
  readonly #binding: ClaimBinding;
  readonly #events: EventSink;
  /** Labels of claims by uid, which rules about their volumes need after their deletion. */
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();

  constructor(context: VolumeContext, binding: ClaimBinding) {
    this.#context = context;
    this.#binding = binding;
    this.#events = context.recorder.of('external-provisioner');
    this.controller = keyedReconciler(context, {
      name: 'external-provisioner',
      queue: 'volumes',
      watches: [watched(PersistentVolume)],
      reconcile: (name) => ignoring(this.#process(name), 'NotFound', 'Conflict'),
    });
  }

  /** Remembers what rules need of a claim. */
  remember({ metadata }: ClaimObject): void {
    this.#labels.set(metadata.uid ?? '', metadata.labels ?? {});
  }

  /** Forgets a claim without volumes. */
  forget(uid: string): void {
    this.#context.jobs.forget(uid);
    this.#labels.delete(uid);
  }

  async #process(name: string): Promise<void> {
    const volume = this.#context.volumes.get(name);
    if (volume === undefined) return;
    const key = claimKeyOf(volume);
    if (key === undefined) {
      if (volume.status?.phase !== 'Available') await setPhase(this.#context.client, volume, 'Available');
      for (const claim of this.#context.claims.find(BY_VOLUME, name)) this.#binding.controller.add(objectKey(claim));
      this.#binding.retry();
      return;
    }
    const claim = this.#context.claims.get(key) ?? (await this.#storedClaim(volume));
    if (claim !== undefined && refersTo(volume, claim)) {
      if (claim.spec?.volumeName !== name || volume.status?.phase !== 'Bound') this.#binding.controller.add(key);
    } else if (volume.spec?.claimRef?.uid) await this.#reclaim(name, volume);
    else if (volume.status?.phase !== 'Available') await setPhase(this.#context.client, volume, 'Available');
  }

  async #reclaim(name: string, volume: VolumeObject): Promise<void> {
    const { phase } = volume.status ?? {};
    const released =
      phase === 'Released' || phase === 'Failed' ? volume : await setPhase(this.#context.client, volume, 'Released');
    const { persistentVolumeReclaimPolicy: policy, claimRef } = released.spec ?? {};
    if (policy === 'Recycle') {
      const { claimRef: _, ...spec } = released.spec ?? {};
      await this.#context.client.resource(PersistentVolume).update({ ...released, spec });
    }
    if (policy !== 'Delete' || released.metadata.deletionTimestamp !== undefined) return;
    const answer = this.#context.jobs.ask('delete', {
      uid: claimRef?.uid ?? '',
      metadata: { name: claimRef?.name, namespace: claimRef?.namespace, labels: this.#labels.get(claimRef?.uid ?? '') },
      storageClass: released.spec?.storageClassName,
    });
    if (answer.state === 'wait') {
      this.controller.addAfter(name, answer.afterMs);
      return;
    }
    if (answer.state === 'failed') {
      if (released.status?.phase !== 'Failed') await setPhase(this.#context.client, released, 'Failed', answer.message);
      this.#events.event(released, 'Warning', 'VolumeFailedDelete', answer.message);
      this.controller.addAfter(name, answer.retryMs);
      return;
    }
    await this.#context.client.resource(PersistentVolume).delete(name);
  }

  /** Asks the server for a claim: the informer may not know a new one yet. */
  async #storedClaim({ spec }: VolumeObject): Promise<ClaimObject | undefined> {
    const claims = this.#context.client.resource(PersistentVolumeClaim).namespace(spec?.claimRef?.namespace ?? '');
    return claims.get(spec?.claimRef?.name ?? '').catch(undefinedIfMissing);
  }
}
