import type { Status, StatusDetails } from '../../foundation/index.js';
import type { DeleteOutcome, ResourceStore } from '../../registry/index.js';

type MutableDetails = { -readonly [Member in keyof StatusDetails]: StatusDetails[Member] };

/** Returns the Status that a delete responds with, or undefined when it responds with the object. */
export function deleteStatus(store: ResourceStore, outcome: DeleteOutcome): Status | undefined {
  const { info } = store;
  const returnsObject = info.strategy?.deleteReturnsObject === true || info.strategy?.finalization !== undefined;
  if (!outcome.deleted || returnsObject) return undefined;
  const { name = '', uid } = store.read(outcome.record).metadata;
  const { group, resource: kind } = info;
  const details: MutableDetails = group === '' ? { name, kind } : { name, group, kind };
  if (uid !== undefined) details.uid = uid;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
