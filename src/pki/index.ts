/**
 * Certificates: PEM, X.509, chains. Pure, without I/O; usable without a server.
 *
 * @module
 */
export type { AlternativeNames } from './alternative-names.js';
export { isSelfIssued, parseCertificate, type Certificate } from './certificate.js';
export { parseCertificateBundle } from './certificate-bundle.js';
export { CertificatePool } from './certificate-pool.js';
export { verifyCertificate, type Chain, type Verification, type VerifyOptions } from './chains.js';
export { NameAttributeType, type DistinguishedName, type NameAttribute } from './distinguished-name.js';
export {
  ExtendedKeyUsage, ExtensionType, keyUsages, type BasicConstraints, type CertificateExtension, type ExtensionFacts, type KeyUsage,
} from './extensions.js';
export type { NameConstraints, NameTrees } from './name-constraints.js';
export { encodePem, parsePem, type PemBlock, type PemDocument, type PemJunk, type PemLimits } from './pem.js';
export type { EllipticCurve, PublicKey, PublicKeyFacts } from './public-key.js';
export { checkSignature, type SignedBytes } from './signature.js';
export type { SignatureAlgorithm, SignatureHash } from './signature-algorithm.js';
export type { Validity } from './validity.js';
export { X509Error, type X509Problem } from './x509-error.js';
