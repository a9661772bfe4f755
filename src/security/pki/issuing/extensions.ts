/**
 * The extensions of certificates and requests to create, as Go's x509 library writes them, with the same criticality.
 *
 * @module
 */
import { sha1 } from '@noble/hashes/legacy.js';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage as ExtendedKeyUsages,
  Extension,
  KeyIdentifier,
  KeyUsage as KeyUsageBits,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { DerTag, encodeObjectIdentifier, goQuote } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import {
  ExtendedKeyUsage,
  ExtensionType,
  keyUsages,
  type CertificateExtension,
  type KeyUsage,
} from '../asn1/extensions.js';
import { parsePublicKey } from '../keys/public-key.js';
import { malformed } from '../x509-error.js';

/** Returns an extension as the library writes it. @throws X509Error when its type is not an object identifier */
export function written({ type, critical, value }: CertificateExtension): Extension {
  return new Extension({
    extnID: checkedIdentifier(type),
    critical,
    extnValue: new OctetString(new Uint8Array(value)),
  });
}

/** Returns the key usage extension, or undefined without usages. */
export function keyUsageExtension(usages: readonly KeyUsage[]): CertificateExtension | undefined {
  if (usages.length === 0) return undefined;
  // The flags of the library are the bits of RFC 5280, in the same order.
  const flags = usages.reduce((all, usage) => all | (1 << keyUsages.indexOf(usage)), 0);
  return { type: ExtensionType.keyUsage, critical: true, value: encoded(new KeyUsageBits(flags)) };
}

/**
 * Returns the extended key usage extension, or undefined without usages.
 *
 * @param usages object identifiers, or names of {@link ExtendedKeyUsage}
 * @throws X509Error when a string is neither
 */
export function extendedKeyUsageExtension(usages: readonly string[]): CertificateExtension | undefined {
  if (usages.length === 0) return undefined;
  const identifiers = usages.map((usage) => checkedIdentifier(purposes.get(usage) ?? usage));
  return {
    type: ExtensionType.extendedKeyUsage,
    critical: false,
    value: encoded(new ExtendedKeyUsages(identifiers)),
  };
}

const purposes: ReadonlyMap<string, string> = new Map(Object.entries(ExtendedKeyUsage));

/** Returns the basic constraints extension. @throws X509Error when a path length is given without an authority */
export function basicConstraintsExtension(cA: boolean, maxPathLength: number | undefined): CertificateExtension {
  if (!cA && maxPathLength !== undefined) throw malformed('x509: only CAs are allowed to specify MaxPathLen');
  const limit = maxPathLength === undefined ? {} : { pathLenConstraint: maxPathLength };
  return {
    type: ExtensionType.basicConstraints,
    critical: true,
    value: encoded(new BasicConstraints({ cA, ...limit })),
  };
}

/**
 * Returns the extension that identifies the subject's key: the SHA-1 of its bits (RFC 5280 section 4.2.1.2, method 1).
 * It is an identifier, not a proof.
 *
 * @throws X509Error when the key is malformed or of an unsupported type
 */
export function subjectKeyExtension(publicKey: Uint8Array): CertificateExtension {
  const element = derReader(publicKey).only(DerTag.sequence, 'x509: malformed spki');
  if (parsePublicKey(element).facts.algorithm === 'unknown') throw malformed('x509: unsupported public key type');
  const reader = derReader(element.content);
  reader.element(DerTag.sequence, '');
  const identifier = new SubjectKeyIdentifier(new Uint8Array(sha1(reader.bitString('').bytes)));
  return { type: ExtensionType.subjectKeyIdentifier, critical: false, value: encoded(identifier) };
}

/** Returns the extension that identifies the issuer's key. */
export function authorityKeyExtension(identifier: Uint8Array): CertificateExtension {
  const value = new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(new Uint8Array(identifier)) });
  return { type: ExtensionType.authorityKeyIdentifier, critical: false, value: encoded(value) };
}

function encoded(value: unknown): Uint8Array {
  return new Uint8Array(AsnConvert.serialize(value));
}

/** Returns an object identifier. @throws X509Error when it is not one: the library would write something else */
export function checkedIdentifier(dotted: string): string {
  if (encodeObjectIdentifier(dotted) === undefined)
    throw malformed(`x509: invalid object identifier ${goQuote(dotted)}`);
  return dotted;
}
