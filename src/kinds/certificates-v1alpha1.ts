// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { ListMeta } from './meta-v1.js';

/** ClusterTrustBundle of `certificates.k8s.io/v1alpha1`. */
export type ClusterTrustBundle = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: ClusterTrustBundleSpec;
};

/** ClusterTrustBundleList of `certificates.k8s.io/v1alpha1`. */
export type ClusterTrustBundleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ClusterTrustBundle[];
};

export type ClusterTrustBundleSpec = {
  signerName?: string | undefined;
  trustBundle: string;
};
