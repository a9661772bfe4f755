/**
 * Encodes extensions as Go's x509 library does, with the same criticality.
 *
 * @module
 */
import {
  contextTag,
  derBitString,
  derBoolean,
  derInteger,
  derOctetString,
  derSequence,
  derValue,
  greatest,
  type Der,
} from '../../../foundation/index.js';
import { malformed } from '../x509-error.js';
import { derObjectIdentifier } from './der-writer.js';
import { ExtendedKeyUsage, ExtensionType, keyUsages, type CertificateExtension, type KeyUsage } from './extensions.js';

/** Encodes the extension list of a certificate or request. @throws X509Error when a type is not an object identifier */
export function encodeExtensions(extensions: readonly CertificateExtension[]): Der {
  return derSequence(
    ...extensions.map(({ type, critical, value }) =>
      derSequence(derObjectIdentifier(type), ...(critical ? [derBoolean(true)] : []), derOctetString(value)),
    ),
  );
}

/** Returns the key usage extension, or undefined without usages. */
export function keyUsageExtension(usages: readonly KeyUsage[]): CertificateExtension | undefined {
  const bits = usages.map((usage) => keyUsages.indexOf(usage));
  const last = greatest(bits, -1);
  if (last < 0) return undefined;
  // DER omits the bits after the last one that is set.
  const octets = new Uint8Array((last >> 3) + 1);
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return { type: ExtensionType.keyUsage, critical: true, value: derBitString(octets, 7 - (last & 7)) };
}

/**
 * Returns the extended key usage extension, or undefined without usages.
 *
 * @param usages object identifiers, or names of {@link ExtendedKeyUsage}
 * @throws X509Error when a text is neither
 */
export function extendedKeyUsageExtension(usages: readonly string[]): CertificateExtension | undefined {
  if (usages.length === 0) return undefined;
  const identifiers = usages.map((usage) => purposes.get(usage) ?? usage);
  return {
    type: ExtensionType.extendedKeyUsage,
    critical: false,
    value: derSequence(...identifiers.map(derObjectIdentifier)),
  };
}

const purposes: ReadonlyMap<string, string> = new Map(Object.entries(ExtendedKeyUsage));

/** Returns the basic constraints extension. @throws X509Error when a path length is given without an authority */
export function basicConstraintsExtension(
  isAuthority: boolean,
  maxPathLength: number | undefined,
): CertificateExtension {
  if (!isAuthority && maxPathLength !== undefined) throw malformed('x509: only CAs are allowed to specify MaxPathLen');
  const fields = [
    ...(isAuthority ? [derBoolean(true)] : []),
    ...(maxPathLength === undefined ? [] : [derInteger(maxPathLength)]),
  ];
  return { type: ExtensionType.basicConstraints, critical: true, value: derSequence(...fields) };
}

/** Returns the subject key identifier extension. */
export function subjectKeyExtension(identifier: Uint8Array): CertificateExtension {
  return { type: ExtensionType.subjectKeyIdentifier, critical: false, value: derOctetString(identifier) };
}

/** Returns the authority key identifier extension. */
export function authorityKeyExtension(identifier: Uint8Array): CertificateExtension {
  return {
    type: ExtensionType.authorityKeyIdentifier,
    critical: false,
    value: derSequence(derValue(contextTag(0), identifier)),
  };
}
