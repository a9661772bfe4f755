/**
 * The encryption keys of the servers of a store: each must read what the others write.
 *
 * @module
 */
import { appendTo } from '../../foundation/index.js';
import { covers, parseMask, STORED_AS_IT_IS, type ResourceKeys } from '../../storage/index.js';
import type { Trust } from './statement.js';

/** Name of the encryption keys among the trust of a server. */
export const ENCRYPTION_KEYS = 'encryptionKeys';

/** A mask that covers what no other one names. */
const EVERYTHING = '*.*';
const OPTION = 'the encryption configuration (--encryption-provider-config)';

/** Returns the keys as a server states them: each with a mask before it, in order; the first one of a mask writes. */
export function encryptionTrust(entries: readonly ResourceKeys[]): Trust {
  const keysOf = new Map<string, readonly string[]>();
  // A mask that comes again is never reached.
  for (const { resources, keys } of entries)
    for (const mask of resources) if (!keysOf.has(mask)) keysOf.set(mask, keys);
  const stated = [...keysOf].map(([mask, keys]) => keys.map((key) => `${mask} ${key}`));
  return { uses: stated.flatMap((keys) => keys.slice(0, 1)), accepts: stated.flat() };
}

/** Returns what a server or one of the others does not read of what the other writes, as messages with the remedy. */
export function unreadKeys(own: Trust | undefined, others: Iterable<Trust | undefined>): string[] {
  const problems = new Set<string>();
  if (own === undefined) return [];
  for (const other of others) {
    // A former build states nothing.
    if (other === undefined) continue;
    for (const problem of unread(other, own))
      problems.add(`this server does not read ${problem}, as another server writes them: add the key to ${OPTION}`);
    for (const problem of unread(own, other))
      problems.add(
        `another server does not read ${problem}, as this server writes them: first add the key to ${OPTION} of every server, after the one that writes`,
      );
  }
  return [...problems];
}

/** Returns what one server writes that another does not read: the resources of each key. */
function unread(writer: Trust, reader: Trust): string[] {
  const [writes, reads] = [keysByMask(writer), keysByMask(reader)];
  const resources = new Map<string, string[]>();
  // Any other resource is covered by the same masks as one of these.
  for (const mask of new Set([...writes.keys(), ...reads.keys(), EVERYTHING])) {
    const [key = STORED_AS_IT_IS] = keysOf(mask, writes);
    if (!keysOf(mask, reads).includes(key)) appendTo(resources, key, mask);
  }
  return [...resources].map(([key, masks]) => `${masks.join(', ')} ${wordsOf(key)}`);
}

const wordsOf = (key: string): string =>
  key === STORED_AS_IT_IS ? 'stored as they are (identity)' : `encrypted with the key ${key}`;

function keysByMask({ accepts }: Trust): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of accepts) {
    const space = line.indexOf(' ');
    appendTo(found, line.slice(0, space), line.slice(space + 1));
  }
  return found;
}

/** Returns the keys of the first mask that covers the resource of another one. */
function keysOf(resource: string, byMask: ReadonlyMap<string, readonly string[]>): readonly string[] {
  for (const [mask, keys] of byMask) if (covers(parseMask(mask), parseMask(resource))) return keys;
  return [STORED_AS_IT_IS];
}
