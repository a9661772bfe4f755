/**
 * The DER values that X.509 has rules of its own for, or for which an error is reported in Kubernetes' words.
 *
 * @module
 */
import { encodeUtf8 } from '../encoding/utf8.js';
import { DerTag } from '../encoding/der.js';
import { encodeObjectIdentifier } from '../encoding/der-values.js';
import { type Der, derValue } from '../encoding/der-writer.js';
import { goQuote } from '../meta/go-text.js';
import { malformed } from './x509-error.js';

/** An OBJECT IDENTIFIER. @throws X509Error when the text is none, or one that the reader does not take */
export function derObjectIdentifier(dotted: string): Der {
  const content = encodeObjectIdentifier(dotted);
  if (content === undefined) throw malformed(`x509: invalid object identifier ${goQuote(dotted)}`);
  return derValue(DerTag.objectIdentifier, content);
}

const PRINTABLE = /^[-A-Za-z0-9 '()+,./:=?]*$/;

/** A text: PrintableString where that has all of its characters, UTF8String otherwise, as production chooses. @throws X509Error when it is not Unicode */
export function derText(text: string): Der {
  const bytes = encodeUtf8(text);
  if (PRINTABLE.test(text)) return derValue(DerTag.printableString, bytes);
  if (/[\ud800-\udfff]/u.test(text)) throw malformed('asn1: string not valid UTF-8');
  return derValue(DerTag.utf8String, bytes);
}

/**
 * A time to the second: UTCTime from 1950 to 2049, GeneralizedTime before and after (RFC 5280 section 4.1.2.5).
 *
 * @param ms since the epoch; what is less than a second is cut off
 * @throws X509Error for a year that has not four digits
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
