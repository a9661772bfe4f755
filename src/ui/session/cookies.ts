/** The beginning of the names of session cookies. Over TLS no other host or port without TLS can set them. */
const PREFIX = 'ui-session-';
const SECURE_PREFIX = `__Host-${PREFIX}`;

/** The most sessions of a browser; a further one ends the oldest. */
const MOST = 4;

const prefixOf = (tls: boolean): string => (tls ? SECURE_PREFIX : PREFIX);

/** Returns the value of the cookie of a session; undefined without one. */
export function sessionCookie(header: string | undefined, id: string, tls: boolean): string | undefined {
  const name = prefixOf(tls) + id;
  return cookiesIn(header).find((cookie) => cookie.name === name)?.value;
}

/** Returns the value of `Set-Cookie` that keeps a session. @param seconds how long */
export const keptCookie = (id: string, value: string, tls: boolean, seconds: number): string =>
  `${prefixOf(tls)}${id}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${tls ? '; Secure' : ''}`;

/** Returns the value of `Set-Cookie` that ends a session. */
export const endedCookie = (id: string, tls: boolean): string => keptCookie(id, '', tls, 0);

/** Returns the names of the oldest sessions of a browser, which end when it begins another one. */
export function surplusSessions(header: string | undefined, tls: boolean): string[] {
  const prefix = prefixOf(tls);
  // A browser sends the oldest first (RFC 6265 section 5.4).
  const ids = cookiesIn(header).flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return ids.slice(0, Math.max(0, ids.length - MOST + 1)).filter((id) => /^[0-9a-f]{1,64}$/.test(id));
}

function cookiesIn(header: string | undefined): { readonly name: string; readonly value: string }[] {
  return (header ?? '').split(/[;,]/).flatMap((part) => {
    const equals = part.indexOf('=');
    return equals < 0 ? [] : [{ name: part.slice(0, equals).trim(), value: part.slice(equals + 1).trim() }];
  });
}
