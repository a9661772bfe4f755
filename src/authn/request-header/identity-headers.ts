import type { UserInfo } from '../../meta/object.js';
import type { AuthRequest } from '../authenticator.js';
import { headerText, percentDecoded } from './header-text.js';

/** The headers that say who a request is from. Names in any case. */
export interface IdentityHeaderNames {
  /** The first that has a value holds. Default `X-Remote-User`. */
  readonly usernameHeaders?: readonly string[];
  /** All values of all of them. Default `X-Remote-Group`. */
  readonly groupHeaders?: readonly string[];
  /** What the names of the headers of `extra` begin with; the rest of the name is the key. Default `X-Remote-Extra-`. */
  readonly extraHeaderPrefixes?: readonly string[];
}

/** Reads who a request is from; undefined when its headers do not say. */
export type IdentityReader = (headers: AuthRequest['headers']) => UserInfo | undefined;

/** Names as requests have them. @throws Error for a name that is blank */
function lowerNames(names: readonly string[]): string[] {
  return names.map((name) => {
    const trimmed = name.trim().toLowerCase();
    if (trimmed === '') throw new Error(`empty header ${JSON.stringify(name)}`);
    return trimmed;
  });
}

/**
 * Makes a reader of the headers, as production reads them: of a header that is sent twice the first value is the user's name;
 * groups that are empty are left out; keys of `extra` are in lower case, and values of one key in the order of the request.
 *
 * @throws Error for a name that is blank
 */
export function identityReader(names: IdentityHeaderNames): IdentityReader {
  const usernameHeaders = lowerNames(names.usernameHeaders ?? ['x-remote-user']);
  const groupHeaders = lowerNames(names.groupHeaders ?? ['x-remote-group']);
  const prefixes = lowerNames(names.extraHeaderPrefixes ?? ['x-remote-extra-']);
  return (headers) => {
    const username = usernameHeaders.map((name) => headers.getAll(name)[0] ?? '').find((value) => value !== '');
    if (username === undefined) return undefined;
    const groups = groupHeaders.flatMap((name) => headers.getAll(name)).filter((value) => value !== '');
    const extra = readExtra(headers, prefixes);
    return {
      username: headerText(username),
      groups: groups.map(headerText),
      // A key such as __proto__ is a key like any other.
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
