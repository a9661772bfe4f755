import type { Client, ResourceClient } from '../../client/index.js';
import { hasReason, type Informer } from '../../controllers/index.js';
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import type { CloudContext } from './context.js';
import type { CloudJobs } from './jobs.js';
import type { VolumeAnnotations } from './volume-annotations.js';
import type { ClaimObject, VolumeObject } from './volume-match.js';

/** A storage class of the API. */
export type ClassObject = ObjectOf<typeof StorageClass>;
/** The state of a volume. */
export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';

/** Name of the index of volumes by the claim that they name. */
export const BY_CLAIM = 'cloudClaim';
/** Name of the index of claims by their volume. */
export const BY_VOLUME = 'cloudVolume';

/** The context that the binding and the reclaiming of volumes share. */
export interface VolumeContext extends CloudContext {
  readonly claims: Informer<ClaimObject>;
  readonly volumes: Informer<VolumeObject>;
  readonly classes: Informer<ClassObject>;
  readonly annotations: VolumeAnnotations;
  readonly jobs: CloudJobs;
}

/** Returns the client of the claims in the namespace of one. */
export const claimsIn = (
  client: Client,
  { metadata }: ClaimObject,
): ResourceClient<ClaimObject, InputOf<typeof PersistentVolumeClaim>> =>
  client.resource(PersistentVolumeClaim).namespace(metadata.namespace ?? '');

/** Writes the state of a volume. */
export const setPhase = (
  client: Client,
  volume: VolumeObject,
  phase: VolumePhase,
  message?: string,
): Promise<VolumeObject> =>
  client
    .resource(PersistentVolume)
    .updateStatus({ ...volume, status: { ...volume.status, phase, ...(message === undefined ? {} : { message }) } });

/** Returns the key of the claim that a volume names. */
export function claimKeyOf({ spec }: VolumeObject): string | undefined {
  return spec?.claimRef === undefined ? undefined : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;
}

/** Returns undefined for an object that does not exist. @throws any other error */
export function undefinedIfMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}
