/**
 * Encodes subject alternative names as Go's x509 library does.
 *
 * @module
 */
import { derSequence, derValue, encodeUtf8, goQuote, type Der } from '../../../foundation/index.js';
import { malformed } from '../x509-error.js';
import { GeneralNameTag } from './alternative-names.js';
import { addressOctets } from './ip-address.js';

/** Subject alternative names to encode. The parsed names of a certificate or request are accepted, too. */
export interface AlternativeNamesInput {
  readonly dnsNames?: readonly string[];
  readonly emailAddresses?: readonly string[];
  /** Texts, or 4 or 16 octets. */
  readonly ipAddresses?: readonly (string | Uint8Array)[];
  readonly uris?: readonly string[];
}

/**
 * Encodes the value of the extension: DNS names, email addresses, IP addresses, URIs.
 *
 * @returns undefined when there are no names
 * @throws X509Error when a name is not ASCII or an IP address is invalid
 */
export function encodeAlternativeNames({
  dnsNames = [],
  emailAddresses = [],
  ipAddresses = [],
  uris = [],
}: AlternativeNamesInput): Der | undefined {
  const names = [
    ...dnsNames.map((name) => asciiName(GeneralNameTag.dns, name)),
    ...emailAddresses.map((name) => asciiName(GeneralNameTag.email, name)),
    ...ipAddresses.map((address) => derValue(GeneralNameTag.ip, addressOctets(address))),
    ...uris.map((name) => asciiName(GeneralNameTag.uri, name)),
  ];
  return names.length === 0 ? undefined : derSequence(...names);
}

function asciiName(tag: number, name: string): Der {
  const bytes = encodeUtf8(name);
  if (bytes.some((octet) => octet > 0x7f)) throw malformed(`x509: ${goQuote(name)} cannot be encoded as an IA5String`);
  return derValue(tag, bytes);
}
