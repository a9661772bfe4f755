import { defaultPullPolicy } from './image-name.js';
import type { Volume } from './types.js';

/** Default permission bits, 0644. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

type FieldRef = { apiVersion?: string | undefined };

/** Sets the default version of a field reference. */
export function defaultFieldRef(reference: FieldRef | undefined): void {
  if (reference !== undefined) reference.apiVersion ??= 'v1';
}

function hasSource(volume: Volume): boolean {
  for (const field in volume) if (field !== 'name' && volume[field as keyof Volume] !== undefined) return true;
  return false;
}

function defaultProjections(projected: NonNullable<Volume['projected']>): void {
  projected.defaultMode ??= FILE_MODE;
  for (const { serviceAccountToken, downwardAPI } of projected.sources ?? []) {
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
    for (const item of downwardAPI?.items ?? []) defaultFieldRef(item.fieldRef);
  }
}

/** Sets the defaults of a volume in place. A volume without a source becomes an emptyDir. */
export function defaultVolume(volume: Volume): void {
  if (!hasSource(volume)) volume.emptyDir = {};
  const { secret, configMap, downwardAPI, projected, hostPath, ephemeral, image } = volume;
  if (secret !== undefined) secret.defaultMode ??= FILE_MODE;
  if (configMap !== undefined) configMap.defaultMode ??= FILE_MODE;
  if (downwardAPI !== undefined) {
    downwardAPI.defaultMode ??= FILE_MODE;
    for (const item of downwardAPI.items ?? []) defaultFieldRef(item.fieldRef);
  }
  if (projected !== undefined) defaultProjections(projected);
  if (hostPath !== undefined) hostPath.type ??= '';
  if (ephemeral?.volumeClaimTemplate !== undefined) ephemeral.volumeClaimTemplate.spec.volumeMode ??= 'Filesystem';
  if (image !== undefined) image.pullPolicy ||= defaultPullPolicy(image.reference ?? '');
}
