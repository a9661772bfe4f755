/**
 * Certificates: PEM, X.509, chains, requests, authorities and trust bundles. Has no I/O and works without a server.
 *
 * @module
 */
export {
  encodePem,
  parsePem,
  type PemBlock,
  type PemDocument,
  type PemJunk,
  type PemLimits,
  type WebKey,
  type WebKeyPair,
} from '../foundation/index.js';
export {
  ExtendedKeyUsage,
  type BasicConstraints,
  type CertificateExtension,
  type ExtensionFacts,
  type KeyUsage,
} from '../security/pki/asn1/extensions.js';
export { CertificateAuthority, type CertificateAuthorityOptions } from '../security/pki/certificate-authority.js';
export { parseCertificateBundle } from '../security/pki/certificate-bundle.js';
export { CertificatePool } from '../security/pki/certificate-pool.js';
export {
  parseCertificateRequest,
  readCertificateRequestPem,
  type CertificateRequest,
} from '../security/pki/certificate-request.js';
export type { CertificateTemplate } from '../security/pki/certificate-template.js';
export { parseCertificate, type Certificate } from '../security/pki/certificate.js';
export { verifyCertificate, type Chain, type Verification, type VerifyOptions } from '../security/pki/chains.js';
export {
  createCertificateRequest,
  type CertificateRequestOptions,
} from '../security/pki/create-certificate-request.js';
export { encodePrivateKey, encodePublicKey, generateKeyPair, type KeyKind } from '../security/pki/keys/key-pair.js';
export { parsePrivateKey } from '../security/pki/keys/private-key.js';
export type { EllipticCurve, PublicKey, PublicKeyFacts } from '../security/pki/keys/public-key.js';
export type { SignatureAlgorithm, SignatureHash } from '../security/pki/keys/signature-algorithm.js';
export { checkRequestSignature, checkSignature, type SignedBytes } from '../security/pki/keys/signature.js';
export type { AlternativeNamesInput } from '../security/pki/names/alternative-names-input.js';
export type { AlternativeNames } from '../security/pki/names/alternative-names.js';
export type { DistinguishedName, NameAttribute } from '../security/pki/names/distinguished-name.js';
export type { NameConstraints, NameTrees } from '../security/pki/names/name-constraints.js';
export type { SubjectNames } from '../security/pki/names/subject-names.js';
export { checkTrustBundle, mergeTrustBundles } from '../security/pki/trust-bundle.js';
export { requestUsages, usageNamesOf, usagesOf, type CertificateUsages } from '../security/pki/usages.js';
export type { Validity } from '../security/pki/validity.js';
export { X509Error, type X509Problem } from '../security/pki/x509-error.js';
