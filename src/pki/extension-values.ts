/**
 * Extensions, written as production's library writes them: which ones are critical, and with the values in their one encoding.
 *
 * @module
 */
import {
  type Der,
  derBitString,
  derBoolean,
  derInteger,
  derOctetString,
  derSequence,
  derValue,
} from '../encoding/der-writer.js';
import { contextTag } from '../encoding/der.js';
import { derObjectIdentifier } from './der-writer.js';
import { ExtendedKeyUsage, ExtensionType, keyUsages, type CertificateExtension, type KeyUsage } from './extensions.js';
import { malformed } from './x509-error.js';

/** Writes the list of the extensions of a certificate or of a request. @throws X509Error for a type that is no object identifier */
export function encodeExtensions(extensions: readonly CertificateExtension[]): Der {
  return derSequence(
    ...extensions.map(({ type, critical, value }) =>
      derSequence(derObjectIdentifier(type), ...(critical ? [derBoolean(true)] : []), derOctetString(value)),
    ),
  );
}

/** What the key may be used for; undefined when nothing is named. */
export function keyUsageExtension(usages: readonly KeyUsage[]): CertificateExtension | undefined {
  const bits = usages.map((usage) => keyUsages.indexOf(usage));
  const last = Math.max(-1, ...bits);
  if (last < 0) return undefined;
  // The bits behind the last one that is set are left out.
  const octets = new Uint8Array((last >> 3) + 1);
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return { type: ExtensionType.keyUsage, critical: true, value: derBitString(octets, 7 - (last & 7)) };
}

/**
 * The purposes; undefined when none is named.
 *
 * @param usages object identifiers, or names of {@link ExtendedKeyUsage}
 * @throws X509Error for a text that is neither
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

/** Whether it is an authority's. @throws X509Error for a path length of one that is none */
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

/** The identifier of the subject's key. */
export function subjectKeyExtension(identifier: Uint8Array): CertificateExtension {
  return { type: ExtensionType.subjectKeyIdentifier, critical: false, value: derOctetString(identifier) };
}

/** The identifier of the key that signs. */
export function authorityKeyExtension(identifier: Uint8Array): CertificateExtension {
  return {
    type: ExtensionType.authorityKeyIdentifier,
    critical: false,
    value: derSequence(derValue(contextTag(0), identifier)),
  };
}
