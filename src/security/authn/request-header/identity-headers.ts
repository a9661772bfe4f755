import type { UserInfo } from '../../../foundation/index.js';
import type { AuthRequest } from '../authenticator.js';
import { headerText, percentDecoded } from './header-text.js';

/** Names of the identity headers, in any case. */
export interface IdentityHeaderNames {
  /** The first header with a value is used. Default `X-Remote-User`. */
  readonly usernameHeaders?: readonly string[] | undefined;
  /** All values of all headers are used. Default `X-Remote-Group`. */
  readonly groupHeaders?: readonly string[] | undefined;
  /** Prefixes of `extra` headers; the rest of the header name is the key. Default `X-Remote-Extra-`. */
  readonly extraHeaderPrefixes?: readonly string[] | undefined;
}

/** The names that proxies use unless they are told others: the default of each list. */
export const defaultIdentityHeaders: Required<{ readonly [List in keyof IdentityHeaderNames]: readonly string[] }> =
  Object.freeze({
    usernameHeaders: ['X-Remote-User'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
  });

/** Returns the user in the headers, or undefined when they name none. */
export type IdentityReader = (headers: AuthRequest['headers']) => UserInfo | undefined;

/**
 * Returns the names in lowercase.
 *
 * @throws Error for a blank name
 */
function lowerNames(names: readonly string[]): string[] {
  return names.map((name) => {
    const trimmed = name.trim().toLowerCase();
    if (trimmed === '') throw new Error(`empty header ${JSON.stringify(name)}`);
    return trimmed;
  });
}

/**
 * Creates a reader with the rules of Kubernetes: the first value of a repeated user header is used; empty groups are
 * dropped; keys of `extra` are lowercase, and the values of a key keep the order of the request.
 *
 * @throws Error for a blank header name
 */
export function identityReader(names: IdentityHeaderNames): IdentityReader {
  const defaults = defaultIdentityHeaders;
  const usernameHeaders = lowerNames(names.usernameHeaders ?? defaults.usernameHeaders);
  const groupHeaders = lowerNames(names.groupHeaders ?? defaults.groupHeaders);
  const prefixes = lowerNames(names.extraHeaderPrefixes ?? defaults.extraHeaderPrefixes);
  return (headers) => {
    const username = usernameHeaders.map((name) => headers.getAll(name)[0] ?? '').find((value) => value !== '');
    if (username === undefined) return undefined;
    const groups = groupHeaders.flatMap((name) => headers.getAll(name)).filter((value) => value !== '');
    const extra = readExtra(headers, prefixes);
    return {
      username: headerText(username),
      groups: groups.map(headerText),
      // Keys such as __proto__ need no special treatment.
      ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  };
}

function readExtra(headers: AuthRequest['headers'], prefixes: readonly string[]): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const header of headers.names()) {
      const name = header.toLowerCase();
      if (!name.startsWith(prefix)) continue;
      const key = percentDecoded(name.slice(prefix.length)).toLowerCase();
      const values = headers.getAll(header).map(headerText);
      extra.set(key, [...(extra.get(key) ?? []), ...values]);
    }
  }
  return extra;
}
