/**
 * Encodes the DER values for which X.509 has special rules or Kubernetes has an error text.
 *
 * @module
 */
import { DerTag, derValue, encodeObjectIdentifier, encodeUtf8, goQuote, type Der } from '../../../foundation/index.js';
import { malformed } from '../x509-error.js';

/** Encodes an OBJECT IDENTIFIER. @throws X509Error when the text is invalid or the reader would refuse it */
export function derObjectIdentifier(dotted: string): Der {
  const content = encodeObjectIdentifier(dotted);
  if (content === undefined) throw malformed(`x509: invalid object identifier ${goQuote(dotted)}`);
  return derValue(DerTag.objectIdentifier, content);
}

const PRINTABLE = /^[-A-Za-z0-9 '()+,./:=?]*$/;

/**
 * Encodes a text as Go does: as PrintableString if possible, otherwise as UTF8String.
 *
 * @throws X509Error when it is not valid Unicode
 */
export function derText(text: string): Der {
  const bytes = encodeUtf8(text);
  if (PRINTABLE.test(text)) return derValue(DerTag.printableString, bytes);
  if (/[\ud800-\udfff]/u.test(text)) throw malformed('asn1: string not valid UTF-8');
  return derValue(DerTag.utf8String, bytes);
}

/**
 * Encodes a time in seconds: UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5280 section 4.1.2.5).
 *
 * @param ms milliseconds since the epoch; truncated to seconds
 * @throws X509Error when the year does not have four digits
 */
export function derTime(ms: number): Der {
  const date = new Date(Math.floor(ms / 1000) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw malformed('asn1: structure error: cannot represent time as GeneralizedTime');
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return year >= 1950 && year < 2050
    ? derValue(DerTag.utcTime, encodeUtf8(text.slice(2)))
    : derValue(DerTag.generalizedTime, encodeUtf8(text));
}
