import type { ResourceClient } from '../../../client/index.js';
import { messageOf, type Dialect } from '../../../foundation/index.js';
import { Pod } from '../../../kinds/index.js';
import type { InputOf } from '../../../registry/index.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import type { PodObject, PodTemplate } from '../shared/kinds.js';
import { podOf } from '../shared/pod-control.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import type { PodClaims } from './claims.js';
import { identityLabels, podChanges, podName, volumesOf } from './identity.js';
import type { StatefulSetObject } from './types.js';

/** A revision of a set: its name and its template. */
export interface SetRevision {
  readonly name: string;
  readonly template: PodTemplate | undefined;
}

/** Creates, changes and deletes the pods of stateful sets with their claims, and reports that as events. */
export class StatefulPods {
  readonly claims: PodClaims;
  readonly #pods: ResourceClient<PodObject, InputOf<typeof Pod>>;
  readonly #informer: Informer<PodObject>;
  readonly #dialect: Dialect;
  readonly #events: EventSink;
  readonly #unseen: UnseenWrites;

  constructor(options: RecordingHost, events: EventSink, unseen: UnseenWrites, claims: PodClaims) {
    this.claims = claims;
    this.#pods = options.client.resource(Pod);
    this.#informer = options.informers.of(Pod);
    this.#dialect = options.dialect;
    this.#events = events;
    this.#unseen = unseen;
  }

  /** Creates the claims of a pod, and the pod. @throws ApiError when the server refuses one of them */
  async create(key: string, set: StatefulSetObject, ordinal: number, revision: SetRevision): Promise<void> {
    const name = podName(set, ordinal);
    await this.#reported(set, 'create', name, async () => {
      await this.claims.ensure(key, set, ordinal);
      const changes = podChanges(set, revision.template, ordinal, revision.name, this.#dialect);
      const { namespace = '' } = set.metadata;
      const pod = await this.#pods.namespace(namespace).create(podOf(set, revision.template, changes));
      this.#unseen.written(key, this.#informer, pod);
      await this.claims.applyPolicy(key, set, pod, ordinal);
    });
  }

  /** Deletes a pod. @throws ApiError when the server refuses that */
  async delete(key: string, set: StatefulSetObject, pod: PodObject): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata;
    await this.#reported(set, 'delete', name, async () => {
      try {
        await this.#pods.namespace(namespace).delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
      }
      this.#unseen.deleted(key, this.#informer, pod);
    });
  }

  /** Restores the identity, the claims and the volumes of a pod. @throws ApiError when the server refuses that */
  async repair(key: string, set: StatefulSetObject, pod: PodObject, ordinal: number): Promise<void> {
    await this.#reported(set, 'update', pod.metadata.name ?? '', async () => {
      await this.claims.ensure(key, set, ordinal);
      await this.claims.applyPolicy(key, set, pod, ordinal);
      const { metadata, spec } = pod;
      const volumes = volumesOf(set, ordinal, spec?.volumes);
      const changed = {
        ...pod,
        metadata: { ...metadata, labels: { ...metadata.labels, ...identityLabels(set, ordinal, this.#dialect) } },
        ...(spec === undefined ? {} : { spec: { ...spec, ...(volumes.length === 0 ? {} : { volumes }) } }),
      };
      const written = await this.#pods.namespace(metadata.namespace ?? '').update(changed);
      this.#unseen.written(key, this.#informer, written);
    });
  }

  /** Runs a change, and reports it. A conflict is not a failure: the next run repeats the change. */
  async #reported(
    set: StatefulSetObject,
    verb: 'create' | 'update' | 'delete',
    pod: string,
    change: () => Promise<void>,
  ): Promise<void> {
    const subject = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name ?? ''}`;
    const title = verb.charAt(0).toUpperCase() + verb.slice(1);
    try {
      await change();
      this.#events.event(set, 'Normal', `Successful${title}`, `${subject} successful`);
    } catch (error) {
      const expected =
        isNamespaceTerminating(error) || hasReason(error, 'AlreadyExists') || hasReason(error, 'Conflict');
      if (!expected)
        this.#events.event(set, 'Warning', `Failed${title}`, `${subject} failed error: ${messageOf(error)}`);
      throw error;
    }
  }
}
