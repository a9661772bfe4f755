import { encodeUtf8, hexOfByte } from '../../foundation/index.js';
import type { KubeUser } from './config.js';

/**
 * Token characters of header names (RFC 9110 section 5.6.2), except the percent sign, which is the escape character.
 */
const LEGAL = /[!#$&'*+.^_`|~0-9A-Za-z-]/;

/** Escapes a key for a header name: percent-encodes the percent sign and all bytes that are not token characters. */
function escapeHeaderKey(key: string): string {
  let escaped = '';
  for (const byte of encodeUtf8(key)) {
    const character = String.fromCharCode(byte);
    escaped += byte < 0x80 && LEGAL.test(character) ? character : `%${hexOfByte(byte).toUpperCase()}`;
  }
  return escaped;
}

/** Returns the headers of a user who acts as another one, names in lower case. */
export function impersonationHeaders(user: KubeUser): ReadonlyMap<string, readonly string[]> {
  const {
    impersonate,
    impersonateUid,
    impersonateGroups = [],
    impersonateUserExtra = new Map<string, readonly string[]>(),
  } = user;
  const headers = new Map<string, readonly string[]>();
  if (impersonate === undefined) return headers;
  headers.set('impersonate-user', [impersonate]);
  if (impersonateUid !== undefined) headers.set('impersonate-uid', [impersonateUid]);
  if (impersonateGroups.length > 0) headers.set('impersonate-group', impersonateGroups);
  for (const [key, values] of impersonateUserExtra) {
    // Keys that differ only in case share a header.
    const name = `impersonate-extra-${escapeHeaderKey(key).toLowerCase()}`;
    if (values.length > 0) headers.set(name, [...(headers.get(name) ?? []), ...values]);
  }
  return headers;
}
