/**
 * The order in which objects are created: what others need comes first, what judges others comes last. Within a stage
 * they keep the order of their sources.
 *
 * @module
 */
import { isArray, isJsonObject } from '../../foundation/index.js';
import { DEFINITION_KIND } from '../../kinds/index.js';
import type { SourceObject } from './sources.js';

/** Kinds by stage. Kinds that are not listed are in the stage of {@link REST}. */
const STAGES: readonly (readonly string[])[] = [
  ['Namespace'],
  [DEFINITION_KIND],
  ['PriorityClass', 'RuntimeClass', 'StorageClass', 'VolumeAttributesClass', 'IngressClass', 'DeviceClass', 'Node'],
  ['ServiceAccount', 'Secret', 'ConfigMap', 'LimitRange', 'ResourceQuota'],
  ['ClusterRole', 'Role'],
  ['ClusterRoleBinding', 'RoleBinding'],
  ['PersistentVolume', 'PersistentVolumeClaim', 'Service'],
  [],
  ['ValidatingAdmissionPolicy', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  ['ValidatingAdmissionPolicyBinding'],
];
/** The stage without kinds: all others. */
const REST = STAGES.findIndex((kinds) => kinds.length === 0);

const STAGE_OF: ReadonlyMap<string, number> = new Map(
  STAGES.flatMap((kinds, stage) => kinds.map((kind) => [kind, stage] as const)),
);

/** Returns the objects of each stage that has any. */
export function inStages(objects: readonly SourceObject[]): SourceObject[][] {
  const stages = STAGES.map((): SourceObject[] => []);
  for (const object of objects) stages[STAGE_OF.get(object.kind) ?? REST]?.push(object);
  return stages.filter((stage) => stage.length > 0).map(ownersFirst);
}

/** Returns the objects of a stage with owners before the objects that refer to them by uid. */
function ownersFirst(objects: readonly SourceObject[]): SourceObject[] {
  const known = new Map(objects.map((object) => [uidOf(object), object]));
  known.delete(undefined);
  if (known.size === 0) return [...objects];
  const ordered = new Set<SourceObject>();
  const visiting = new Set<SourceObject>();
  const visit = (object: SourceObject): void => {
    if (ordered.has(object) || visiting.has(object)) return;
    visiting.add(object);
    for (const uid of ownerUids(object)) {
      const owner = known.get(uid);
      if (owner !== undefined) visit(owner);
    }
    ordered.add(object);
  };
  for (const object of objects) visit(object);
  return [...ordered];
}

/** Returns the uid that an object had on the server that it comes from. */
export function uidOf({ value: { metadata } }: SourceObject): string | undefined {
  const uid = isJsonObject(metadata) ? metadata['uid'] : undefined;
  return typeof uid === 'string' ? uid : undefined;
}

function ownerUids({ value: { metadata } }: SourceObject): string[] {
  const owners = isJsonObject(metadata) ? metadata['ownerReferences'] : undefined;
  return isArray(owners)
    ? owners.flatMap((owner) => (isJsonObject(owner) && typeof owner['uid'] === 'string' ? [owner['uid']] : []))
    : [];
}
