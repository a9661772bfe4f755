import { hasReason } from '../../controllers/index.js';
import type { PodObject } from '../scheduling/scheduler.js';
import type { ClaimBinding } from './claim-binding.js';
import { claimsIn, type VolumeContext } from './volume-context.js';
import type { ClaimObject } from './volume-match.js';

/** The meaning of the claims of a pod for the scheduler. */
export interface ClaimsOfPod {
  /** Why the pod fits no node; undefined when its claims do not prevent it. */
  readonly problem?: string | undefined;
  /** Claims that get their volumes when a node is chosen. */
  readonly delayed: readonly ClaimObject[];
}

/** Keeps pods from nodes until their claims have volumes. */
export class VolumeGate {
  readonly #context: VolumeContext;
  readonly #binding: ClaimBinding;

  constructor(context: VolumeContext, binding: ClaimBinding) {
    this.#context = context;
    this.#binding = binding;
  }

  /** Registers a function that is called when claims change. */
  onChange(changed: () => void): void {
    this.#context.claims.subscribe({ added: changed, updated: changed, deleted: changed });
  }

  /** Returns what the claims of a pod mean for it. */
  claimsOf({ metadata, spec }: PodObject): ClaimsOfPod {
    const delayed: ClaimObject[] = [];
    for (const { persistentVolumeClaim } of spec?.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      const claim = this.#context.claims.get(`${metadata.namespace ?? ''}/${claimName}`);
      if (claim === undefined)
        return { problem: `persistentvolumeclaim ${JSON.stringify(claimName)} not found`, delayed };
      if (claim.metadata.deletionTimestamp !== undefined)
        return { problem: `persistentvolumeclaim ${JSON.stringify(claimName)} is being deleted`, delayed };
      if (claim.status?.phase === 'Lost')
        return {
          problem: `persistentvolumeclaim ${JSON.stringify(claimName)} bound to non-existent persistentvolume ${JSON.stringify(claim.spec?.volumeName ?? '')}`,
          delayed,
        };
      if (claim.status?.phase === 'Bound') continue;
      if (this.#binding.classOf(claim)?.volumeBindingMode === 'WaitForFirstConsumer') delayed.push(claim);
      else return { problem: 'pod has unbound immediate PersistentVolumeClaims', delayed };
    }
    return { delayed };
  }

  /** Tells the claims of a pod its node: they get their volumes now. */
  async select(claims: readonly ClaimObject[], nodeName: string): Promise<void> {
    const { selectedNode } = this.#context.annotations;
    for (const claim of claims) {
      const { metadata } = claim;
      if (metadata.annotations?.[selectedNode] !== undefined) continue;
      const resource = claimsIn(this.#context.client, claim);
      try {
        await resource.patch(metadata.name ?? '', { metadata: { annotations: { [selectedNode]: nodeName } } });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
  }
}
