/**
 * Subject alternative names (RFC 5280 section 4.2.1.6), and the general names that name constraints share (section
 * 4.2.1.10).
 *
 * @module
 */
import { contextTag, DerTag } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { malformed } from '../x509-error.js';

/** Subject alternative names by type, in order. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** 4 or 16 octets each. */
  readonly ipAddresses: readonly Uint8Array[];
  /** Number of names of other types, such as directory names. */
  readonly others: number;
}

/** Tags of the types of general names. */
export const GeneralNameTag = {
  email: contextTag(1),
  dns: contextTag(2),
  uri: contextTag(6),
  ip: contextTag(7),
} as const;

/** Decodes ASCII text. Returns undefined for other bytes. */
export function asciiOf(content: Uint8Array): string | undefined {
  let text = '';
  for (const octet of content) {
    if (octet > 0x7f) return undefined;
    text += String.fromCharCode(octet);
  }
  return text;
}

/** Parses subject alternative names. @throws X509Error when they are malformed */
export function parseAlternativeNames(value: Uint8Array): AlternativeNames {
  const names = {
    dnsNames: [] as string[],
    emailAddresses: [] as string[],
    uris: [] as string[],
    ipAddresses: [] as Uint8Array[],
    others: 0,
  };
  const reader = derReader(value).enterOnly(DerTag.sequence, 'x509: invalid subject alternative names');
  while (!reader.done) {
    const { tag, content } = reader.any('x509: invalid subject alternative name');
    if (tag === GeneralNameTag.dns) names.dnsNames.push(text(content, 'x509: SAN dNSName is malformed'));
    else if (tag === GeneralNameTag.email)
      names.emailAddresses.push(text(content, 'x509: SAN rfc822Name is malformed'));
    else if (tag === GeneralNameTag.uri)
      names.uris.push(text(content, 'x509: SAN uniformResourceIdentifier is malformed'));
    else if (tag === GeneralNameTag.ip) names.ipAddresses.push(address(content));
    else names.others += 1;
  }
  return names;
}

function text(content: Uint8Array, problem: string): string {
  const found = asciiOf(content);
  if (found === undefined) throw malformed(problem);
  return found;
}

function address(content: Uint8Array): Uint8Array {
  if (content.length !== 4 && content.length !== 16)
    throw malformed(`x509: cannot parse IP address of length ${content.length}`);
  return content;
}
