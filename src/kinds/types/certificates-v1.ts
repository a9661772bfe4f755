// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** Requests a certificate from a signer, which issues it once the request is approved. */
export type CertificateSigningRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The request. Immutable. */
  spec: CertificateSigningRequestSpec;
  /** Whether the request is approved, and the certificate. */
  status?: CertificateSigningRequestStatus | undefined;
};

export type CertificateSigningRequestCondition = {
  /** Approved, Denied, Failed, or a type defined by another client. */
  type: string;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Human-readable message. */
  message?: string | undefined;
  /** Time when the condition last changed. */
  lastUpdateTime?: string | null | undefined;
  /** Time when the status last changed. Default: now, for a new type or another status. */
  lastTransitionTime?: string | null | undefined;
  /** True, False or Unknown; Approved, Denied and Failed can only be True. */
  status: string;
};

/** CertificateSigningRequestList of version v1 of the group certificates. */
export type CertificateSigningRequestList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CertificateSigningRequest[];
};

/** The request. Immutable. */
export type CertificateSigningRequestSpec = {
  /** The request (PKCS#10) as PEM, in a block CERTIFICATE REQUEST. */
  request: string;
  /** Name of the requester. Set by the server. */
  username?: string | undefined;
  /** Uid of the requester. Set by the server. */
  uid?: string | undefined;
  /** Groups of the requester. Set by the server. */
  groups?: string[] | undefined;
  /** Requested key usages: at least one, without duplicates. */
  usages?: string[] | undefined;
  /** Additional information about the requester. Set by the server. */
  extra?: Record<string, string[]> | undefined;
  /** The requested signer, as a domain and a path: example.com/signer. */
  signerName: string;
  /** Requested duration of the validity, at least 600 seconds. The signer may issue another duration. */
  expirationSeconds?: number | undefined;
};

/** Whether the request is approved, and the certificate. */
export type CertificateSigningRequestStatus = {
  /** Decisions on the request. Approved and Denied are mutually exclusive. Approved, Denied and Failed cannot be removed. */
  conditions?: CertificateSigningRequestCondition[] | undefined;
  /** The issued certificate as PEM, followed by its intermediate certificates. Written once. */
  certificate?: string | undefined;
};
