/**
 * The static token file: `token,user,uid,"group1,group2"` in every line. Tokens last as long as the server runs.
 *
 * @module
 */
import type { Entropy } from '../meta/clock.js';
import type { UserInfo } from '../meta/object.js';
import { equalInConstantTime } from '../tokens/constant-time.js';
import type { AuthResult, TokenAuthenticator } from './authenticator.js';
import { parseCsv } from './csv.js';

/** A token and whose it is. */
export interface StaticToken {
  readonly token: string;
  readonly user: UserInfo;
}

/** What a token file says. */
export interface TokenFile {
  readonly tokens: readonly StaticToken[];
  /** Lines that were passed over or replaced, in the production system's words. */
  readonly warnings: readonly string[];
}

/**
 * Reads a token file. The fourth column holds the groups, separated by commas: more than one need quotes around the
 * column. Further columns are ignored, as in the production system.
 *
 * @param csv content of the file
 * @param path name of the file, for messages
 * @throws Error when the file is not CSV, or a record has fewer than three columns
 */
export function parseTokenFile(csv: string, path: string): TokenFile {
  const byToken = new Map<string, StaticToken>();
  const warnings: string[] = [];
  let recordNumber = 0;
  for (const record of parseCsv(csv)) {
    const [token, username, uid, groups] = record;
    if (token === undefined || username === undefined || uid === undefined) {
      throw new Error(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      );
    }
    recordNumber += 1;
    if (token === '') {
      warnings.push(`empty token has been found in token file '${path}', record number '${recordNumber}'`);
      continue;
    }
    if (byToken.has(token))
      warnings.push(`duplicate token has been found in token file '${path}', record number '${recordNumber}'`);
    byToken.set(token, {
      token,
      user: { username, ...(uid === '' ? {} : { uid }), groups: groups === undefined ? [] : groups.split(',') },
    });
  }
  return { tokens: [...byToken.values()], warnings };
}

interface Entry {
  readonly token: string;
  readonly result: AuthResult;
}

/**
 * Knows the users of a list of tokens.
 *
 * How long a look-up takes must not tell how much of a guess is right. A map of the tokens themselves would compare a
 * guess with a token character by character and stop at the first difference. Here the bucket is found by a hash with a
 * secret seed, which says nothing about the characters to somebody who does not know the seed, and the few tokens of the
 * bucket are compared whole. Only the length of a guess shows.
 */
export function createStaticTokenAuthenticator(tokens: readonly StaticToken[], entropy: Entropy): TokenAuthenticator {
  const seed = new DataView(entropy.bytes(4).slice().buffer).getUint32(0);
  const buckets = new Map<number, Entry[]>();
  for (const { token, user } of tokens) {
    const hash = seededHash(token, seed);
    const entry: Entry = { token, result: Object.freeze({ user: Object.freeze({ ...user }) }) };
    const bucket = buckets.get(hash);
    if (bucket === undefined) buckets.set(hash, [entry]);
    else bucket.push(entry);
  }
  return (token) => {
    let found: AuthResult;
    for (const entry of buckets.get(seededHash(token, seed)) ?? [])
      if (equalInConstantTime(entry.token, token)) found = entry.result;
    return found;
  };
}

/** FNV-1a over UTF-16 units, started from a secret and finished with a mix so that every bit depends on the seed. */
function seededHash(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16) ^ seed, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
