import type { Client } from '../../client/index.js';
import type { OwnerReference } from '../../foundation/index.js';
import { EndpointSlice } from '../../kinds/index.js';
import { hasReason, isNamespaceTerminating } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { UnseenWrites } from '../runtime/unseen-writes.js';
import type { SliceObject } from './objects.js';
import type { PlannedSlice, SlicePlan } from './slice-plan.js';

/** The object that slices belong to, and the fields that they take from it. */
export interface SliceOwner {
  /** Key of the owner in the queue of the controller. */
  readonly key: string;
  readonly namespace: string;
  /** Name of the service. */
  readonly name: string;
  readonly reference: OwnerReference;
  /** Whether the owner is being deleted: it gets no new slices, which the garbage collector would delete. */
  readonly isDeleted: boolean;
}

/** How a slice is written. */
export interface SliceForm {
  readonly addressType: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Returns the annotations of a slice. */
  readonly annotationsOf: (slice: SliceObject | undefined) => Readonly<Record<string, string>>;
}

/** Writes the slices of a plan. */
export class SliceWriter {
  readonly #client: Client;
  readonly #slices: Informer<SliceObject>;
  readonly #unseen: UnseenWrites;
  /** The resource version of the last write of each slice. */
  readonly #written = new Map<string, string>();

  constructor(client: Client, slices: Informer<SliceObject>, unseen: UnseenWrites) {
    this.#client = client;
    this.#slices = slices;
    this.#unseen = unseen;
  }

  /** Returns whether this writer has made the current state of a slice. */
  isOwn(slice: SliceObject): boolean {
    return this.#written.get(objectKey(slice)) === slice.metadata.resourceVersion;
  }

  /** Forgets a removed slice. */
  forget(slice: SliceObject): void {
    this.#written.delete(objectKey(slice));
  }

  /**
   * Carries out a plan.
   *
   * @returns false when another client has changed a slice meanwhile
   * @throws ApiError when a write is refused
   */
  async carryOut(plan: SlicePlan, owner: SliceOwner, form: SliceForm): Promise<boolean> {
    let isComplete = true;
    if (!owner.isDeleted) for (const planned of plan.create) await this.#create(planned, owner, form);
    for (const planned of plan.update) isComplete = (await this.#update(planned, owner, form)) && isComplete;
    for (const slice of plan.remove) await this.remove(slice, owner.key);
    return isComplete;
  }

  /** Removes a slice. */
  async remove(slice: SliceObject, key: string): Promise<void> {
    const { namespace = '', name = '', uid } = slice.metadata;
    try {
      await this.#inNamespace(namespace).delete(name, uid === undefined ? {} : { preconditions: { uid } });
      this.#unseen.deleted(key, this.#slices, slice);
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  async #create(planned: PlannedSlice, owner: SliceOwner, form: SliceForm): Promise<void> {
    const { namespace, name, key, reference } = owner;
    try {
      const created = await this.#inNamespace(namespace).create({
        metadata: {
          namespace,
          generateName: `${name}-`,
          labels: { ...form.labels },
          annotations: { ...form.annotationsOf(undefined) },
          ownerReferences: [reference],
        },
        addressType: form.addressType,
        endpoints: [...planned.endpoints],
        ports: [...planned.ports],
      });
      this.#note(key, created);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async #update({ slice, ports, endpoints }: PlannedSlice, owner: SliceOwner, form: SliceForm): Promise<boolean> {
    if (slice === undefined) return true;
    try {
      const updated = await this.#inNamespace(owner.namespace).update({
        ...slice,
        metadata: {
          ...slice.metadata,
          labels: { ...form.labels },
          annotations: { ...form.annotationsOf(slice) },
          ownerReferences: [owner.reference],
        },
        endpoints: [...endpoints],
        ports: [...ports],
      });
      this.#note(owner.key, updated);
      return true;
    } catch (error) {
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
      return false;
    }
  }

  #note(key: string, slice: SliceObject): void {
    this.#unseen.written(key, this.#slices, slice);
    this.#written.set(objectKey(slice), slice.metadata.resourceVersion ?? '');
  }

  #inNamespace(namespace: string) {
    return this.#client.resource(EndpointSlice).namespace(namespace);
  }
}
