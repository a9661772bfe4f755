/**
 * Certificates: PEM, X.509, chains, requests, authorities and trust bundles. Has no I/O and works without a server.
 *
 * @module
 */
export type { AlternativeNames } from './names/alternative-names.js';
export type { AlternativeNamesInput } from './names/alternative-names-input.js';
export { isSelfIssued, parseCertificate, type Certificate } from './certificate.js';
export { CertificateAuthority, type CertificateAuthorityOptions } from './certificate-authority.js';
export { parseCertificateBundle, readableCertificates, type BundledCertificate } from './certificate-bundle.js';
export { CertificatePool } from './certificate-pool.js';
export { parseCertificateRequest, readCertificateRequestPem, type CertificateRequest } from './certificate-request.js';
export type { CertificateTemplate } from './certificate-template.js';
export { verifyCertificate, type Chain, type Verification, type VerifyOptions } from './chains.js';
export { createCertificateRequest, type CertificateRequestOptions } from './create-certificate-request.js';
export { NameAttributeType, type DistinguishedName, type NameAttribute } from './names/distinguished-name.js';
export {
  ExtendedKeyUsage,
  ExtensionType,
  keyUsages,
  readExtensions,
  type BasicConstraints,
  type CertificateExtension,
  type ExtensionFacts,
  type KeyUsage,
} from './asn1/extensions.js';
export { encodePrivateKey, encodePublicKey, generateKeyPair, type KeyKind } from './keys/key-pair.js';
export type { NameConstraints, NameTrees } from './names/name-constraints.js';
export {
  encodePem,
  parsePem,
  type PemBlock,
  type PemDocument,
  type PemJunk,
  type PemLimits,
} from '../../foundation/index.js';
export { parsePrivateKey } from './keys/private-key.js';
export type { EllipticCurve, PublicKey, PublicKeyFacts } from './keys/public-key.js';
export { checkRequestSignature, checkSignature, type SignedBytes } from './keys/signature.js';
export type { SignatureAlgorithm, SignatureHash } from './keys/signature-algorithm.js';
export type { SubjectNames } from './names/subject-names.js';
export { checkTrustBundle, mergeTrustBundles } from './trust-bundle.js';
export { requestUsages, usageNamesOf, usagesOf, type CertificateUsages } from './usages.js';
export type { Validity } from './validity.js';
export { X509Error, type X509Problem } from './x509-error.js';
