import { encodeUtf8, latin1 } from '../../foundation/index.js';

/** Escapes a key for a header name: percent-encodes all that is not a token character (RFC 9110 section 5.6.2), and a few that are. */
const escapeHeaderKey = (key: string): string => encodeURIComponent(key).replaceAll('(', '%28').replaceAll(')', '%29');

/** A user that another one acts as. */
export interface ImpersonatedUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Iterable<readonly [string, readonly string[]]> | undefined;
}

/** Returns the headers of a user who acts as another one, names in lower case. */
export function impersonationHeaders({
  username,
  uid,
  groups = [],
  extra = [],
}: ImpersonatedUser): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, readonly string[]>([['impersonate-user', [username]]]);
  if (uid !== undefined) headers.set('impersonate-uid', [uid]);
  if (groups.length > 0) headers.set('impersonate-group', groups);
  for (const [key, values] of extra) {
    // Keys that differ only in case share a header.
    const name = `impersonate-extra-${escapeHeaderKey(key).toLowerCase()}`;
    if (values.length > 0) headers.set(name, [...(headers.get(name) ?? []), ...values]);
  }
  return headers;
}

/** Encodes a value for a header field: each byte of its UTF-8 becomes one character. */
export function fieldText(value: string): string {
  return latin1(encodeUtf8(value));
}
