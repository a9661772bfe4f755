import type { apiserverinternalV1alpha1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** StorageVersion of version v1alpha1. */
export const StorageVersion = builtinKind<apiserverinternalV1alpha1.StorageVersion>(
  'apiserverinternal.v1alpha1.StorageVersion',
  { load: () => import('./storage-version.js').then((m) => m.storageVersion) },
);

/** An object of the kind {@link StorageVersion}. */
export type StorageVersion = apiserverinternalV1alpha1.StorageVersion;
