// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** CA certificates that every user may read, for one signer or without a signer. */
export type ClusterTrustBundle = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The trust anchors and their signer. */
  spec: ClusterTrustBundleSpec;
};

/** ClusterTrustBundleList of version v1alpha1 of the group certificates. */
export type ClusterTrustBundleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ClusterTrustBundle[];
};

/** The trust anchors and their signer. */
export type ClusterTrustBundleSpec = {
  /** The signer whose certificates the trust anchors verify. Optional and immutable. The name of the bundle starts with it, with colons for slashes. */
  signerName?: string | undefined;
  /** CA certificates as PEM: CERTIFICATE blocks without headers and without duplicates. Readers may reorder them and drop the text between them. */
  trustBundle: string;
};
