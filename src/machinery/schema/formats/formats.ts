import { parseRequestUri, parseTime, utf8Length } from '../../../foundation/index.js';
import { isFormattedDuration } from './duration-format.js';
import { isMailAddress } from './mail-address.js';
import { cidr, ipv4, ipv6, mac } from './network-formats.js';

/** Returns true when a text has a format. */
export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

// The texts come from clients: every pattern below matches in linear time of the text, or of one label of a name.
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[-+]\d{2}:\d{2})$/u;

const date: FormatCheck = (text) => DATE.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;

/** A date and a time. As in Kubernetes, letters may be lower-case, and a second `T` ends the text. */
function dateTime(text: string): boolean {
  const [day = '', time = ''] = text.toLowerCase().split('t', 2);
  const [, hour = '', minute = '', second = ''] = TIME.exec(time) ?? [];
  return date(day) && hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}

const uuid = (version: string, variant: string): FormatCheck =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));
const HEX = '[0-9a-f]';

const MAX_HOSTNAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;
/** A character of a name. A name without dots may have a hyphen only after its first character, as in Kubernetes. */
const LABEL = String.raw`[a-z0-9\p{S}\p{L}]`;
const HOSTNAME = new RegExp(
  String.raw`^(?:${LABEL}(?:-?${LABEL}{0,62})?|(?:${LABEL}(?:[-a-z0-9\p{S}\p{L}]{0,61}${LABEL})?\.)+[a-z\p{L}]{2,63})$`,
  'iu',
);

const hostname: FormatCheck = (text) =>
  text.length <= MAX_HOSTNAME_BYTES &&
  utf8Length(text) <= MAX_HOSTNAME_BYTES &&
  text.split('.').every((label) => utf8Length(label) <= MAX_LABEL_BYTES) &&
  HOSTNAME.test(text);

const uri: FormatCheck = (text) => typeof parseRequestUri(text) !== 'string';

const withoutSpaces = (text: string): string => text.replace(/[-\t\n\f\r ]+/g, '');

function isbn10(text: string): boolean {
  const digits = withoutSpaces(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).entries()) sum += (index + 1) * (digit === 'X' ? 10 : Number(digit));
  return sum % 11 === 0;
}

function isbn13(text: string): boolean {
  const digits = withoutSpaces(text);
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).entries()) sum += (index % 2 === 0 ? 1 : 3) * Number(digit);
  return sum % 10 === 0;
}

const CREDIT_CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** The number of a card, with any other characters between its digits. The last digit is a check sum (Luhn). */
function creditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).reverse().entries()) {
    const value = index % 2 === 0 ? Number(digit) : 2 * Number(digit);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

const BYTE_OF_COLOR = String.raw`[\t\n\f\r ]*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])[\t\n\f\r ]*`;

/**
 * The string formats that Kubernetes checks in custom resources, by their names without hyphens. Other formats are not
 * checked.
 */
const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['cidr', cidr],
  ['creditcard', creditCard],
  ['date', date],
  ['datetime', dateTime],
  ['duration', isFormattedDuration],
  ['email', isMailAddress],
  ['hexcolor', matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['hostname', hostname],
  ['ipv4', ipv4],
  ['ipv6', ipv6],
  ['isbn', (text) => isbn10(text) || isbn13(text)],
  ['isbn10', isbn10],
  ['isbn13', isbn13],
  ['mac', mac],
  ['password', () => true],
  ['rgbcolor', matches(new RegExp(String.raw`^rgb\(${BYTE_OF_COLOR},${BYTE_OF_COLOR},${BYTE_OF_COLOR}\)$`))],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['uri', uri],
  ['uuid', uuid(HEX, HEX)],
  ['uuid3', uuid('3', HEX)],
  ['uuid4', uuid('4', '[89ab]')],
  ['uuid5', uuid('5', '[89ab]')],
]);

/** Returns the check of a format; undefined for a format that is not checked. */
export const formatCheck = (format: string | undefined): FormatCheck | undefined =>
  format === undefined ? undefined : (formats.get(format) ?? formats.get(format.replaceAll('-', '')));
