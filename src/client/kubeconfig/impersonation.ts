import type { KubeUser } from './config.js';

/** Token characters of header names (RFC 9110 section 5.6.2). The percent sign is one, and escapes. */
const LEGAL = /[!#$&'*+.^_`|~0-9A-Za-z-]/;

/** A key as part of a header name: bytes that no name may have are percent-encoded, and the percent sign itself. */
export function escapeHeaderKey(key: string): string {
  let escaped = '';
  for (const byte of new TextEncoder().encode(key)) {
    const character = String.fromCharCode(byte);
    escaped +=
      byte < 0x80 && LEGAL.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

/** The headers that ask a server to take the request as another user's, in lower case, each with its values. */
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
    // Keys that differ in case alone are one header.
    const name = `impersonate-extra-${escapeHeaderKey(key).toLowerCase()}`;
    if (values.length > 0) headers.set(name, [...(headers.get(name) ?? []), ...values]);
  }
  return headers;
}
