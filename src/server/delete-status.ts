import type { Status } from '../meta/api-error.js';
import { definedOnly } from '../meta/defined-only.js';
import type { DeleteOutcome } from '../registry/delete.js';
import type { ResourceStore } from '../registry/store.js';

/** Returns the Status that a delete responds with, or undefined when it responds with the object. */
export function deleteStatus(store: ResourceStore, outcome: DeleteOutcome): Status | undefined {
  const { info } = store;
  const returnsObject =
    info.definition.strategy?.deleteReturnsObject === true || info.definition.strategy?.finalization !== undefined;
  if (!outcome.deleted || returnsObject) return undefined;
  const { name, uid } = store.read(outcome.record).metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: name ?? '',
      ...(info.group === '' ? {} : { group: info.group }),
      kind: info.resource,
      ...definedOnly({ uid }),
    },
  };
}
