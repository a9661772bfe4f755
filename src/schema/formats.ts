import { canonicalBase64 } from '../encoding/base64.js';
import { canonicalQuantity } from '../meta/quantity.js';
import { parseTime } from '../meta/time.js';
import { parseRequestUri } from '../meta/go-url.js';

/** Returns true when a text has a format. */
export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

// The texts come from clients: every pattern below matches in linear time of the text, or of one label of a name.
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const HOSTNAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/i;
const MAC = /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})$/i;
const GO_DURATION = /^[-+]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h|d|w))+$/;

const date: FormatCheck = (text) => DATE.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;

/** Kubernetes also accepts a lower-case `t` and `z`. */
const dateTime: FormatCheck = (text) => parseTime(text.toUpperCase()) !== undefined;

const base64: FormatCheck = (text) => text !== '' && typeof canonicalBase64(text) === 'string';

function ipv6(text: string): boolean {
  if (!text.includes(':') || /[^0-9a-f:.]/i.test(text)) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const hasIpv4 = last.includes('.');
  if (hasIpv4 && !IPV4.test(last)) return false;
  if (!groups.slice(0, hasIpv4 ? -1 : undefined).every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = groups.length + (hasIpv4 ? 1 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

function cidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) return false;
  return (IPV4.test(address) && Number(length) <= 32) || (ipv6(address) && Number(length) <= 128);
}

function email(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && at < text.length - 1 && !/[\s<>]/.test(text) && HOSTNAME.test(text.slice(at + 1));
}

const uri: FormatCheck = (text) => typeof parseRequestUri(text) !== 'string';

/**
 * The string formats that Kubernetes checks in custom resources. Other formats are not checked.
 */
export const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['date-time', dateTime],
  ['datetime', dateTime],
  ['date', date],
  ['byte', base64],
  ['uuid', matches(UUID)],
  ['uuid3', matches(UUID)],
  ['uuid4', matches(UUID)],
  ['uuid5', matches(UUID)],
  ['ipv4', matches(IPV4)],
  ['ipv6', ipv6],
  ['cidr', cidr],
  ['mac', matches(MAC)],
  ['hostname', (text) => text.length <= 255 && HOSTNAME.test(text)],
  ['email', email],
  ['uri', uri],
  ['duration', matches(GO_DURATION)],
  ['hexcolor', matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['quantity', (text) => canonicalQuantity(text) !== undefined],
]);
