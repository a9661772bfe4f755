// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { ListMeta } from './meta-v1.js';

/** CertificateSigningRequest of `certificates.k8s.io/v1`. */
export type CertificateSigningRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus | undefined;
};

export type CertificateSigningRequestCondition = {
  type: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  status: string;
};

/** CertificateSigningRequestList of `certificates.k8s.io/v1`. */
export type CertificateSigningRequestList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CertificateSigningRequest[];
};

export type CertificateSigningRequestSpec = {
  request: string;
  username?: string | undefined;
  uid?: string | undefined;
  groups?: string[] | undefined;
  usages?: string[] | undefined;
  extra?: Record<string, string[]> | undefined;
  signerName: string;
  expirationSeconds?: number | undefined;
};

export type CertificateSigningRequestStatus = {
  conditions?: CertificateSigningRequestCondition[] | undefined;
  certificate?: string | undefined;
};
