import type { CertificateExtension, KeyUsage } from './asn1/extensions.js';
import type { AlternativeNamesInput } from './names/alternative-names-input.js';
import type { SubjectNames } from './names/subject-names.js';

/** The contents of a certificate to issue. */
export interface CertificateTemplate {
  /** The subject: names, or a DER name that is used unchanged. */
  readonly subject: SubjectNames | Uint8Array;
  /** The subject's key: `SubjectPublicKeyInfo`, DER. */
  readonly publicKey: Uint8Array;
  /** Serial number: a positive big-endian number of at most 20 octets. Default: 16 random octets. */
  readonly serialNumber?: Uint8Array | undefined;
  /** Milliseconds since the epoch; truncated to seconds. */
  readonly notBefore: number;
  /** Milliseconds since the epoch, inclusive; truncated to seconds. */
  readonly notAfter: number;
  readonly keyUsages?: readonly KeyUsage[] | undefined;
  /** Object identifiers, or names of `ExtendedKeyUsage`. */
  readonly extendedKeyUsages?: readonly string[] | undefined;
  readonly alternativeNames?: AlternativeNamesInput | undefined;
  /** Whether the certificate can sign others. Default false. */
  readonly isCertificateAuthority?: boolean | undefined;
  /** Maximum number of authorities between this one and a certificate. Default: unlimited. */
  readonly maxPathLength?: number | undefined;
  /** Further extensions. They replace extensions of the same type from the fields above. */
  readonly extensions?: readonly CertificateExtension[] | undefined;
}
