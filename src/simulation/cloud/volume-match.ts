/**
 * Which existing volume fits a claim.
 *
 * @see release 1.31, `pkg/controller/volume/persistentvolume` and `pkg/volume/util` for the rules
 * @module
 */
import { compareQuantity } from '../../foundation/index.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { ObjectOf } from '../../registry/index.js';

/** A claim of the API. */
export type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
/** A volume of the API. */
export type VolumeObject = ObjectOf<typeof PersistentVolume>;

/** Returns whether a volume names a claim; one without a uid names it before it exists. */
export function refersTo({ spec }: VolumeObject, { metadata }: ClaimObject): boolean {
  const { name, namespace, uid = '' } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (uid === '' || uid === metadata.uid);
}

/** Returns the amount of storage that a claim requests. */
export const requestOf = ({ spec }: ClaimObject): string => spec?.resources?.requests?.['storage'] ?? '0';

/** Returns the capacity of a volume. */
export const capacityOf = ({ spec }: VolumeObject): string => spec?.capacity?.['storage'] ?? '0';

/** Returns the volume that names the claim, otherwise the smallest free one that fits it; undefined when none does. */
export function volumeFor(claim: ClaimObject, volumes: Iterable<VolumeObject>): VolumeObject | undefined {
  let best: VolumeObject | undefined;
  for (const volume of volumes) {
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    if (volume.spec?.claimRef !== undefined) {
      if (refersTo(volume, claim)) return volume;
      continue;
    }
    if (volume.status?.phase !== 'Available' || !fits(claim, volume)) continue;
    if (best === undefined || isLess(capacityOf(volume), capacityOf(best))) best = volume;
  }
  return best;
}

function fits({ spec = {}, ...claim }: ClaimObject, volume: VolumeObject): boolean {
  const { spec: offered = {}, metadata } = volume;
  const { accessModes = [], volumeMode = 'Filesystem', storageClassName = '', selector } = spec;
  return (
    storageClassName === (offered.storageClassName ?? '') &&
    volumeMode === (offered.volumeMode ?? 'Filesystem') &&
    accessModes.every((mode) => (offered.accessModes ?? []).includes(mode)) &&
    !isLess(capacityOf(volume), requestOf({ ...claim, spec })) &&
    (selector === undefined || LabelSelector.fromObject(selector).matches(metadata.labels))
  );
}

const isLess = (a: string, b: string): boolean => (compareQuantity(a, b) ?? 0) < 0;
