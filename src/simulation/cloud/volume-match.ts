/**
 * Which existing volume fits a claim.
 *
 * @see release 1.31, `pkg/controller/volume/persistentvolume` and `pkg/volume/util` for the rules
 * @module
 */
import { compareQuantity, type Steps, type Work } from '../../foundation/index.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kinds/index.js';
import { LabelSelector, SelectorByKey } from '../../machinery/index.js';
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

/** Units of work to look at a volume, besides the requirements of a selector. */
const VOLUME_UNITS = 16;

/**
 * Returns the volume that names the claim, otherwise the smallest free one that fits it; undefined when none does. In
 * steps: there may be as many volumes as the selector of the claim has requirements.
 */
export function* volumeFor(
  claim: ClaimObject,
  volumes: Iterable<VolumeObject>,
  work: Work,
): Steps<VolumeObject | undefined> {
  const object = claim.spec?.selector;
  const selector =
    object === undefined
      ? undefined
      : yield* SelectorByKey.of(yield* LabelSelector.fromObjectSteps(object, work), work);
  let best: VolumeObject | undefined;
  for (const volume of volumes) {
    const keys = selector === undefined ? [] : Object.keys(volume.metadata.labels ?? {});
    if (work.spend(VOLUME_UNITS + (selector?.units(keys) ?? 0))) yield;
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    if (volume.spec?.claimRef !== undefined) {
      if (refersTo(volume, claim)) return volume;
      continue;
    }
    if (volume.status?.phase !== 'Available' || !fits(claim, volume)) continue;
    if (selector?.matches(volume.metadata.labels, keys) === false) continue;
    if (best === undefined || isLess(capacityOf(volume), capacityOf(best))) best = volume;
  }
  return best;
}

/** Returns whether a volume has what a claim wants, besides its selector. */
function fits({ spec = {}, ...claim }: ClaimObject, volume: VolumeObject): boolean {
  const { spec: offered = {} } = volume;
  const { accessModes = [], volumeMode = 'Filesystem', storageClassName = '' } = spec;
  return (
    storageClassName === (offered.storageClassName ?? '') &&
    volumeMode === (offered.volumeMode ?? 'Filesystem') &&
    accessModes.every((mode) => (offered.accessModes ?? []).includes(mode)) &&
    !isLess(capacityOf(volume), requestOf({ ...claim, spec }))
  );
}

const isLess = (a: string, b: string): boolean => (compareQuantity(a, b) ?? 0) < 0;
