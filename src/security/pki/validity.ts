import { DerTag, latin1, type DerReader } from '../../foundation/index.js';
import { malformed } from './x509-error.js';

/** Validity period of a certificate, in milliseconds since the epoch; both ends are inclusive. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Parses the validity period (RFC 5280 section 4.1.2.5). Times must have seconds and be in UTC, as DER requires.
 *
 * @throws X509Error when a time is invalid
 */
export function parseValidity(reader: DerReader): Validity {
  return { notBefore: readTime(reader), notAfter: readTime(reader) };
}

function readTime(reader: DerReader): number {
  const { tag, content } = reader.any('x509: malformed validity');
  const text = latin1(content.subarray(0, 32));
  if (tag === DerTag.utcTime) {
    const [, year = '', ...rest] = UTC_TIME.exec(text) ?? [];
    // Two digits stand for 1950 to 2049 (RFC 5280 section 4.1.2.5.1).
    return timeOf(Number(year) + (Number(year) >= 50 ? 1900 : 2000), rest, 'x509: malformed UTCTime');
  }
  if (tag === DerTag.generalizedTime) {
    const [, year = '', ...rest] = GENERALIZED_TIME.exec(text) ?? [];
    return timeOf(Number(year), rest, 'x509: malformed GeneralizedTime');
  }
  throw malformed('x509: unsupported time format');
}

/** @param rest month, day, hours, minutes, seconds */
function timeOf(year: number, rest: readonly string[], problem: string): number {
  const [month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = rest.map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hours, minutes, seconds);
  // Date would silently carry an invalid day or hour over into the next.
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hours &&
    date.getUTCMinutes() === minutes &&
    date.getUTCSeconds() === seconds;
  if (rest.length !== 5 || !exists) throw malformed(problem);
  return date.getTime();
}
