import type { Client, ResourceClient } from '../../../client/index.js';
import { dnsSubdomainErrors, messageOf, type ObjectMeta } from '../../../foundation/index.js';
import { Pod } from '../../../kinds/index.js';
import type { InputOf } from '../../../registry/index.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import { controllerReference, type Owner } from '../../runtime/controller-ref.js';
import type { PodObject, PodTemplate } from './kinds.js';

type PodInput = InputOf<typeof Pod>;

/** Changes of a pod of a template before it is created. */
export interface PodChanges {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: PodTemplate['spec'] | undefined;
}

/** Creates and deletes the pods of workloads, and reports that as events of the workload. */
export class PodControl {
  readonly #pods: ResourceClient<PodObject, PodInput>;
  readonly #events: EventSink;

  constructor(client: Client, events: EventSink) {
    this.#pods = client.resource(Pod);
    this.#events = events;
  }

  /**
   * Creates a pod of a template, with a generated name unless the changes name it.
   *
   * @returns undefined when the namespace is being deleted
   * @throws ApiError when the server refuses the pod
   */
  async create(
    owner: Owner,
    template: PodTemplate | undefined,
    changes: PodChanges = {},
  ): Promise<PodObject | undefined> {
    const namespace = owner.metadata.namespace ?? '';
    try {
      const pod = await this.#pods.namespace(namespace).create(podOf(owner, template, changes));
      this.#events.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name ?? ''}`);
      return pod;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      this.#events.event(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  /**
   * Deletes a pod.
   *
   * @returns false when the pod is gone already
   * @throws ApiError when the server refuses the deletion
   */
  async delete(owner: Owner, { metadata }: PodObject): Promise<boolean> {
    const { namespace = '', name = '', uid } = metadata;
    try {
      await this.#pods.namespace(namespace).delete(name, { preconditions: { uid } });
      this.#events.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      return true;
    } catch (error) {
      // A conflict means that another pod has the name now.
      if (hasReason(error, 'NotFound') || hasReason(error, 'Conflict')) return false;
      this.#events.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
      throw error;
    }
  }
}

/** Returns a pod of a template. */
export function podOf(owner: Owner, template: PodTemplate | undefined, changes: PodChanges = {}): PodInput {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const metadata: ObjectMeta = {
    ...(changes.metadata?.name === undefined ? { generateName: namePrefix(owner.metadata.name ?? '') } : {}),
    namespace: owner.metadata.namespace ?? '',
    ownerReferences: [controllerReference(owner)],
    labels: { ...labels },
    annotations: { ...annotations },
    ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
    ...changes.metadata,
  };
  const spec = changes.spec ?? template?.spec;
  // The client reads it, and keeps nothing of it.
  return { metadata, ...(spec === undefined ? {} : { spec }) };
}

/** Returns the prefix of generated names of pods: with a hyphen, unless the name is too long for it. */
function namePrefix(name: string): string {
  const prefix = `${name}-`;
  return dnsSubdomainErrors(`${prefix}x`).length === 0 ? prefix : name;
}
