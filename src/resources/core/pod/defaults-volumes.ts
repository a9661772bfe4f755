import { defaultPullPolicy } from './image-name.js';
import type { Volume } from './types.js';

/** 0644. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

type FieldRef = { apiVersion?: string | undefined };

/** Fields are named in version v1 unless the pod says otherwise. */
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

/** Fills in a volume, in place. One without a source is an empty directory. */
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
