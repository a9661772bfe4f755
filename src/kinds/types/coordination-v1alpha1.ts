// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** LeaseCandidate of version v1alpha1 of the group coordination. */
export type LeaseCandidate = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: LeaseCandidateSpec | undefined;
};

/** LeaseCandidateList of version v1alpha1 of the group coordination. */
export type LeaseCandidateList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: LeaseCandidate[];
};

export type LeaseCandidateSpec = {
  leaseName: string;
  pingTime?: string | undefined;
  renewTime?: string | undefined;
  binaryVersion?: string | undefined;
  emulationVersion?: string | undefined;
  preferredStrategies: string[];
};
