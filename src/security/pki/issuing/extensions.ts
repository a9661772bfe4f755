/**
 * The extensions of certificates and requests to create, as Go's x509 library writes them, with the same criticality.
 *
 * @module
 */
import { sha1 } from '@noble/hashes/legacy.js';
import { DerTag, encodeHex, encodeObjectIdentifier, goQuote } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { ExtendedKeyUsage, keyUsages, type CertificateExtension, type KeyUsage } from '../asn1/extensions.js';
import { parsePublicKey } from '../keys/public-key.js';
import { malformed } from '../x509-error.js';
import type { X509Library } from './library.js';

/** An extension of the library. */
export type LibraryExtension = InstanceType<X509Library['Extension']>;

/** Returns an extension with a given value. @throws X509Error when its type is not an object identifier */
export function givenExtension(x509: X509Library, { type, critical, value }: CertificateExtension): LibraryExtension {
  return new x509.Extension(checkedIdentifier(type), critical, new Uint8Array(value));
}

/** Returns the key usage extension, or undefined without usages. */
export function keyUsageExtension(x509: X509Library, usages: readonly KeyUsage[]): LibraryExtension | undefined {
  if (usages.length === 0) return undefined;
  // The library's flags are the bits of RFC 5280 in the same order.
  const flags = usages.reduce((all, usage) => all | (1 << keyUsages.indexOf(usage)), 0);
  const KeyUsages: new (usages: number, critical: boolean) => LibraryExtension = x509.KeyUsagesExtension;
  return new KeyUsages(flags, true);
}

/**
 * Returns the extended key usage extension, or undefined without usages.
 *
 * @param usages object identifiers, or names of {@link ExtendedKeyUsage}
 * @throws X509Error when a string is neither
 */
export function extendedKeyUsageExtension(x509: X509Library, usages: readonly string[]): LibraryExtension | undefined {
  if (usages.length === 0) return undefined;
  return new x509.ExtendedKeyUsageExtension(usages.map((usage) => checkedIdentifier(purposes.get(usage) ?? usage)));
}

const purposes: ReadonlyMap<string, string> = new Map(Object.entries(ExtendedKeyUsage));

/** Returns the basic constraints extension. @throws X509Error when a path length is given without an authority */
export function basicConstraintsExtension(
  x509: X509Library,
  isAuthority: boolean,
  maxPathLength: number | undefined,
): LibraryExtension {
  if (!isAuthority && maxPathLength !== undefined) throw malformed('x509: only CAs are allowed to specify MaxPathLen');
  return new x509.BasicConstraintsExtension(isAuthority, maxPathLength, true);
}

/**
 * Returns the extension that identifies the subject's key: the SHA-1 of its bits (RFC 5280 section 4.2.1.2, method 1).
 * It is an identifier, not a proof.
 *
 * @throws X509Error when the key is malformed or of an unsupported type
 */
export function subjectKeyExtension(x509: X509Library, publicKey: Uint8Array): LibraryExtension {
  const element = derReader(publicKey).only(DerTag.sequence, 'x509: malformed spki');
  if (parsePublicKey(element).facts.algorithm === 'unknown') throw malformed('x509: unsupported public key type');
  const reader = derReader(element.content);
  reader.element(DerTag.sequence, '');
  return new x509.SubjectKeyIdentifierExtension(encodeHex(sha1(reader.bitString('').bytes)));
}

/** Returns an object identifier. @throws X509Error when it is not one: the library would write something else */
function checkedIdentifier(dotted: string): string {
  if (encodeObjectIdentifier(dotted) === undefined)
    throw malformed(`x509: invalid object identifier ${goQuote(dotted)}`);
  return dotted;
}
