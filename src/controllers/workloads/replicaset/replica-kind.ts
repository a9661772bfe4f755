import type { ResourceClient } from '../../../client/index.js';
import type { ObjectMeta } from '../../../foundation/index.js';
import type { appsV1 } from '../../../kinds/index.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import type { SeenObjects } from '../../runtime/unseen-writes.js';
import type { PodObject, PodTemplate } from '../shared/kinds.js';

/** An object that keeps a number of replicas of a pod: a replica set or a replication controller. */
export interface ReplicaOwner {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: ReplicaSpec | undefined;
  status?: appsV1.ReplicaSetStatus | undefined;
}

interface ReplicaSpec {
  replicas?: number | undefined;
  minReadySeconds?: number | undefined;
  template?: PodTemplate | undefined;
}

/** The kind of objects that a controller of replicas works on. */
export interface ReplicaKind<Item extends ReplicaOwner> {
  /** Component that reports events. */
  readonly component: string;
  readonly client: Pick<ResourceClient<Item, never>, 'namespace'>;
  readonly informer: SeenObjects;
  readonly selectorOf: SelectorOf<Item>;
  /** Returns the pods that count for the crowding of nodes, when pods of the owner are deleted. */
  readonly relatedPods: (owner: Item, own: readonly PodObject[]) => readonly PodObject[];
}
