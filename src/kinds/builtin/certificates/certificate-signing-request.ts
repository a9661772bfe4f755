import type { certificatesV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** Requests a certificate from a signer (identity-resources.md, "CertificateSigningRequest"). */
export const CertificateSigningRequest = builtinKind<certificatesV1.CertificateSigningRequest>(
  'certificates.v1.CertificateSigningRequest',
  { load: () => import('./request-behaviour.js').then((module) => module.requestBehaviour) },
);

/** An object of the kind {@link CertificateSigningRequest}. */
export type CertificateSigningRequest = certificatesV1.CertificateSigningRequest;
