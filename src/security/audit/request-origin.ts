/**
 * Where a request comes from and what it asks for, as its events show it.
 *
 * @module
 */
import { addressOctets } from '../pki/names/ip-address.js';

/** Header fields of a request. */
interface Headers {
  get(name: string): string | undefined;
}

/**
 * Returns the addresses of a request: those that the proxies state in `X-Forwarded-For` and `X-Real-Ip`, then the one of
 * the connection, which the client cannot choose. Texts that are not addresses are omitted.
 */
export function sourceIPs(headers: Headers, peer: string | undefined): string[] {
  const addresses = (headers.get('x-forwarded-for') ?? '').split(',').map(trimmed).filter(isAddress);
  const real = trimmed(headers.get('x-real-ip') ?? '');
  if (isAddress(real) && !addresses.includes(real)) addresses.push(real);
  const remote = (peer ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isAddress(remote) && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

const trimmed = (text: string): string => text.trim();

function isAddress(text: string): boolean {
  if (text === '') return false;
  try {
    addressOctets(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns path and query. A bearer token in the query (RFC 6750 section 2.3) is replaced. */
export function requestUri(path: string, query: string): string {
  if (query === '') return path;
  return `${path}?${query.includes('access_token') || query.includes('%') ? query.split('&').map(withoutToken).join('&') : query}`;
}

function withoutToken(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals < 0) return parameter;
  const name = parameter.slice(0, equals);
  return new URLSearchParams(parameter).has('access_token') ? `${name}=REDACTED` : parameter;
}
