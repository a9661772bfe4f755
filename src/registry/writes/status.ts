import {
  definedOnly,
  equalInSlices,
  whenReady,
  type ApiObject,
  type JsonObject,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { PartSubresource } from '../definition/definition.js';
import type { ResourceInfo } from '../definition/resource-info.js';

/** Returns whether only the subresource writes the status, as for user-defined kinds. */
function splitsStatus(info: ResourceInfo): boolean {
  return info.definition.origin !== 'builtin' && info.subresources.has('status');
}

/**
 * Returns whether metadata.generation counts changes of the kind. User-defined kinds always count; the platform's own
 * kinds declare it.
 */
export function countsGeneration(info: ResourceInfo): boolean {
  return info.strategy?.countsGeneration ?? info.definition.origin !== 'builtin';
}

/** Removes the status of a new object when only the subresource writes it. */
export function resetForCreate(info: ResourceInfo, object: ApiObject): void {
  if (splitsStatus(info)) delete object['status'];
}

/** Restores the old status when only the subresource writes it. */
export function resetForUpdate(info: ResourceInfo, object: ApiObject, old: StoredObject): void {
  if (!splitsStatus(info)) return;
  if (old['status'] === undefined) delete object['status'];
  else object['status'] = old['status'];
}

/**
 * Returns the generation of a changed object: incremented when any field but metadata and the subresource's status has
 * changed. A kind that does not count every change keeps the generation that its strategy has set.
 */
export function nextGeneration(
  info: ResourceInfo,
  object: ApiObject,
  old: StoredObject,
  work: Work | undefined,
): number | undefined | Promise<number | undefined> {
  const before = old.metadata.generation;
  if (!countsGeneration(info)) return object.metadata.generation;
  const ignored = info.subresources.has('status') ? NO_METADATA_NOR_STATUS : NO_METADATA;
  const equal = equalInSlices(work, { ...(object as JsonObject), ...ignored }, { ...old, ...ignored });
  return whenReady(equal, (isSame) => (isSame ? before : (before ?? 0) + 1));
}

const NO_METADATA = { apiVersion: undefined, kind: undefined, metadata: undefined };
const NO_METADATA_NOR_STATUS = { ...NO_METADATA, status: undefined };

/** Fields that every object has. They stay in their places, which the text of an object begins with. */
const COMMON_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The `status` subresource of a kind: reads the whole object, writes only the status. Pass it to `defineResource` as
 * `subresources: { status: statusSubresource }`.
 */
export const statusSubresource: PartSubresource = {
  verbs: ['get', 'update', 'patch'],
  strategy: {
    prepareForUpdate(object: ApiObject, old: StoredObject) {
      const { status } = object;
      const { managedFields } = object.metadata;
      for (const field of Object.keys(object)) if (!COMMON_FIELDS.has(field)) delete object[field];
      for (const field of Object.keys(old))
        if (!COMMON_FIELDS.has(field) && field !== 'status') object[field] = old[field];
      if (status !== undefined) object['status'] = status;
      object.metadata = {
        ...old.metadata,
        ...definedOnly({ resourceVersion: object.metadata.resourceVersion }),
      };
      if (managedFields !== undefined) object.metadata.managedFields = managedFields;
    },
  },
};
