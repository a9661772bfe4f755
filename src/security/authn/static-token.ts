/**
 * The static token file: `token,user,uid,"group1,group2"` per line. Tokens are valid until the server stops.
 *
 * @module
 */
import { appendTo, definedOnly, frozenUser, type Entropy, type UserInfo } from '../../foundation/index.js';
import { equalInConstantTime } from '../tokens/constant-time.js';
import type { AuthResult, TokenAuthenticator } from './authenticator.js';
import { parseCsv } from './csv.js';

/** A token and its user. */
export interface StaticToken {
  readonly token: string;
  readonly user: UserInfo;
}

/** A parsed token file. */
export interface TokenFile {
  readonly tokens: readonly StaticToken[];
  /** Warnings about skipped and replaced lines, in the words of Kubernetes. */
  readonly warnings: readonly string[];
}

/**
 * Parses a token file. The fourth column holds groups separated by commas; several groups need quotes around the
 * column. Further columns are ignored, as in Kubernetes.
 *
 * @param csv content of the file
 * @param path name of the file, for messages
 * @throws Error for invalid CSV, and for a record with fewer than three columns
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
      user: { username, ...definedOnly({ uid: uid || undefined }), groups: groups?.split(',') ?? [] },
    });
  }
  return { tokens: [...byToken.values()], warnings };
}

interface Entry {
  readonly token: string;
  readonly result: AuthResult;
}

/**
 * Creates an authenticator for a list of tokens.
 *
 * The duration of a lookup must not reveal how much of a guess is correct. A map of tokens would compare characters and
 * stop at the first difference. Here a hash with a secret seed selects the bucket, and the few tokens of a bucket are
 * compared in constant time. Only the length of a guess shows. A guess that is longer than every token is not hashed:
 * whoever sends long ones without a right to anything would keep the thread busy.
 */
export function createStaticTokenAuthenticator(tokens: readonly StaticToken[], entropy: Entropy): TokenAuthenticator {
  const seed = new DataView(entropy.bytes(4).slice().buffer).getUint32(0);
  const buckets = new Map<number, Entry[]>();
  let longest = 0;
  for (const { token, user } of tokens) {
    longest = Math.max(longest, token.length);
    const hash = seededHash(token, seed);
    appendTo(buckets, hash, { token, result: Object.freeze({ user: frozenUser(user) }) });
  }
  return (token) => {
    if (token.length > longest) return undefined;
    let found: AuthResult;
    for (const entry of buckets.get(seededHash(token, seed)) ?? [])
      if (equalInConstantTime(entry.token, token)) found = entry.result;
    return found;
  };
}

/** FNV-1a over UTF-16 units with a secret start value and a final mix, so that every bit depends on the seed. */
function seededHash(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16) ^ seed, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
