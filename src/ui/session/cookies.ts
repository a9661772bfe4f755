/** The cookies of one purpose, each named by what it holds. */
export interface CookieJar {
  /** The beginning of their names. */
  readonly prefix: string;
  /** The most of them in a browser; a further one ends the oldest. */
  readonly most: number;
}

/**
 * The most bytes of the cookies of one purpose, in a request: the oldest end for more. Node refuses a head of more than 16
 * KiB. Of long tokens, three fit, of short ones, dozens.
 */
const MOST_BYTES = 12 * 1024;

/** The cookies of sessions. */
export const SESSIONS: CookieJar = { prefix: 'ui-session-', most: 40 };

/** The cookies of sign-ins that a provider has not answered yet. */
export const ATTEMPTS: CookieJar = { prefix: 'ui-sign-in-', most: 4 };

/** Longest cookie that browsers keep, in bytes (RFC 6265 section 6.1). */
export const LONGEST_COOKIE = 4096;

/** Prefix of names over TLS: no other host, and no port without TLS, can set such a cookie. */
const SECURE = '__Host-';

const prefixOf = ({ prefix }: CookieJar, tls: boolean): string => (tls ? SECURE + prefix : prefix);

/** Returns the value of a cookie; undefined without one. */
export function cookieIn(
  jar: CookieJar,
  header: string | undefined,
  id: string | undefined,
  tls: boolean,
): string | undefined {
  const name = `${prefixOf(jar, tls)}${id}`;
  return id === undefined ? undefined : cookiesIn(header).find((cookie) => cookie.name === name)?.value;
}

/** Returns the value of `Set-Cookie` that keeps a cookie. @param seconds how long */
export const keptCookie = (jar: CookieJar, id: string, value: string, tls: boolean, seconds: number): string =>
  `${prefixOf(jar, tls)}${id}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${tls ? '; Secure' : ''}`;

/** Returns the value of `Set-Cookie` that ends a cookie. */
export const endedCookie = (jar: CookieJar, id: string, tls: boolean): string => keptCookie(jar, id, '', tls, 0);

/** Returns the values of `Set-Cookie` that end the oldest cookies, so that there is room for another one. */
export function endedForRoom(jar: CookieJar, header: string | undefined, tls: boolean, kept: string): string[] {
  const prefix = prefixOf(jar, tls);
  // A browser sends the oldest first (RFC 6265 section 5.4).
  const newestFirst = cookiesIn(header)
    .filter(({ name }) => name.startsWith(prefix))
    .reverse();
  let bytes = kept.length;
  const surplus = newestFirst.filter(({ name, value }, index) => {
    bytes += name.length + value.length + SEPARATORS;
    return index + 1 >= jar.most || bytes > MOST_BYTES;
  });
  const ids = surplus.map(({ name }) => name.slice(prefix.length)).filter((id) => /^[0-9a-f]{1,64}$/.test(id));
  return ids.reverse().map((id) => endedCookie(jar, id, tls));
}

/** Bytes of a cookie in a request besides its name and its value: `=` and `; `. */
const SEPARATORS = 3;

function cookiesIn(header: string | undefined): { readonly name: string; readonly value: string }[] {
  return (header ?? '').split(/[;,]/).flatMap((part) => {
    const equals = part.indexOf('=');
    return equals < 0 ? [] : [{ name: part.slice(0, equals).trim(), value: part.slice(equals + 1).trim() }];
  });
}
