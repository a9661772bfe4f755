import type { ResourceClient } from '../../../client/index.js';
import {
  cloneJson,
  equalJson,
  messageOf,
  SharedWork,
  type OwnerReference,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { PersistentVolumeClaim } from '../../../kinds/index.js';
import type { InputOf } from '../../../registry/index.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { hasReason } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import { controllerOf, controllerReference, type Owner } from '../../runtime/controller-ref.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { claimName, claimTemplates, isWanted, podName } from './identity.js';
import type { ClaimObject, ClaimTemplate, StatefulSetObject } from './types.js';

type ClaimInput = InputOf<typeof PersistentVolumeClaim>;

/** The part of a pod that its claims refer to. */
export type ClaimingPod = Owner;

/** Units of work to look at a claim of a pod, and at an owner of it. */
const CLAIM_UNITS = 8;

/** Keeps the claims of the pods of stateful sets: creates them, and sets their owners by the retention policy. */
export class PodClaims {
  readonly informer: Informer<ClaimObject>;
  readonly #claims: ResourceClient<ClaimObject, ClaimInput>;
  readonly #events: EventSink;
  readonly #unseen: UnseenWrites;
  readonly #work = new SharedWork();

  constructor({ client, informers }: RecordingHost, events: EventSink, unseen: UnseenWrites) {
    this.informer = informers.of(PersistentVolumeClaim);
    this.#claims = client.resource(PersistentVolumeClaim);
    this.#events = events;
    this.#unseen = unseen;
  }

  /**
   * Creates the missing claims of a pod.
   *
   * @throws Error when a claim is being deleted; ApiError when the server refuses one
   */
  async ensure(key: string, set: StatefulSetObject, ordinal: number): Promise<void> {
    for (const template of claimTemplates(set)) {
      if (this.#work.spend(CLAIM_UNITS)) await this.#work.next();
      const present = this.#get(set, template, ordinal);
      if (present?.metadata.deletionTimestamp !== undefined)
        throw new Error(`pvc ${present.metadata.name ?? ''} is being deleted`);
      if (present === undefined) await this.#create(key, set, template, ordinal);
    }
  }

  async #create(key: string, set: StatefulSetObject, template: ClaimTemplate, ordinal: number): Promise<void> {
    const claim = claimOf(set, template, ordinal);
    const { name = '', namespace = '' } = claim.metadata;
    const [pod, owner] = [podName(set, ordinal), set.metadata.name ?? ''];
    try {
      this.#unseen.written(key, this.informer, await this.#claims.namespace(namespace).create(claim));
      const message = `create Claim ${name} Pod ${pod} in StatefulSet ${owner} success`;
      this.#events.event(set, 'Normal', 'SuccessfulCreate', message);
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return;
      const message = `create Claim ${name} for Pod ${pod} in StatefulSet ${owner} failed error: ${messageOf(error)}`;
      this.#events.event(set, 'Warning', 'FailedCreate', message);
      throw error;
    }
  }

  /** Returns whether a claim of a pod belongs to an earlier pod of the same name: it will be collected with it. */
  *areStale(set: StatefulSetObject, ordinal: number, work: Work): Steps<boolean> {
    const pod = podName(set, ordinal);
    for (const template of claimTemplates(set)) {
      const owners = this.#get(set, template, ordinal)?.metadata.ownerReferences ?? [];
      if (work.spend(CLAIM_UNITS + owners.length)) yield;
      if (owners.some(({ kind, name }) => kind === 'Pod' && name === pod)) return true;
    }
    return false;
  }

  /** Returns whether the owners of the claims of a pod follow the retention policy. */
  *followPolicy(set: StatefulSetObject, pod: ClaimingPod, ordinal: number, work: Work): Steps<boolean> {
    for (const template of claimTemplates(set)) {
      const claim = this.#get(set, template, ordinal);
      const owners = claim?.metadata.ownerReferences ?? [];
      if (work.spend(CLAIM_UNITS * (1 + owners.length))) yield;
      if (claim !== undefined && !equalJson(owners, ownersOf(claim, set, pod, ordinal))) return false;
    }
    return true;
  }

  /** Sets the owners of the claims of a pod by the retention policy. */
  async applyPolicy(key: string, set: StatefulSetObject, pod: ClaimingPod, ordinal: number): Promise<void> {
    for (const template of claimTemplates(set)) {
      if (this.#work.spend(CLAIM_UNITS)) await this.#work.next();
      const claim = this.#get(set, template, ordinal);
      if (claim === undefined) continue;
      if (hasOtherController(claim, set, pod)) {
        const name = claim.metadata.name ?? '';
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#events.event(set, 'Warning', 'ConflictingController', message);
      }
      const ownerReferences = ownersOf(claim, set, pod, ordinal);
      if (equalJson(claim.metadata.ownerReferences ?? [], ownerReferences)) continue;
      const changed = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
      this.#unseen.written(
        key,
        this.informer,
        await this.#claims.namespace(claim.metadata.namespace ?? '').update(changed),
      );
    }
  }

  #get(set: StatefulSetObject, template: ClaimTemplate, ordinal: number): ClaimObject | undefined {
    return this.informer.get(`${set.metadata.namespace ?? ''}/${claimName(set, template, ordinal)}`);
  }
}

/** Returns the claim of a pod. */
function claimOf(set: StatefulSetObject, template: ClaimTemplate, ordinal: number): ClaimInput {
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: {
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...labels, ...set.spec?.selector.matchLabels },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    ...(template.spec === undefined ? {} : { spec: cloneJson(template.spec) }),
  };
}

/** Returns whether a claim is controlled by something else than the set or the pod. */
function hasOtherController(claim: ClaimObject, set: StatefulSetObject, pod: ClaimingPod): boolean {
  const controller = controllerOf(claim);
  return controller !== undefined && controller.uid !== set.metadata.uid && controller.uid !== pod.metadata.uid;
}

/** Returns the owners of a claim: the set or the pod with which it is deleted, and its other owners. */
function ownersOf(claim: ClaimObject, set: StatefulSetObject, pod: ClaimingPod, ordinal: number): OwnerReference[] {
  const present = claim.metadata.ownerReferences ?? [];
  const others = present.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  const owner = hasOtherController(claim, set, pod) ? undefined : ownerByPolicy(set, pod, ordinal);
  return owner === undefined ? others : [...others, controllerReference(owner)];
}

function ownerByPolicy(set: StatefulSetObject, pod: ClaimingPod, ordinal: number): Owner | undefined {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === 'Delete' && !isWanted(set, ordinal)) return pod;
  return whenDeleted === 'Delete' ? set : undefined;
}
