import { isJsonObject, parsedJson } from '../../foundation/index.js';
import { tokenDigest } from '../../security/index.js';
import {
  replaceRecord,
  untilWritten,
  type Storage,
  type StorageRecord,
  type ValueEncoder,
} from '../../storage/index.js';

/** Prefix of the keys of owner tokens, each the SHA-256 of one. No request can read them. */
export const OWNER_TOKENS = '/internal/owner-tokens/';

/** Returns the storage key of an owner token. */
export const ownerTokenKey = (token: string): string => OWNER_TOKENS + tokenDigest(token);

/** Returns the hash of the token of a key. */
export const digestIn = (key: string): string => key.slice(OWNER_TOKENS.length);

/** Returns an encoder of the record of an owner token. */
export const ownerTokenText =
  (revoked: boolean): ValueEncoder =>
  (revision) =>
    JSON.stringify({
      kind: 'OwnerToken',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      ...(revoked ? { revoked } : {}),
    });

/** Returns whether a record says that its token was revoked. */
export function isRevoked({ text }: Pick<StorageRecord, 'text'>): boolean {
  const value = parsedJson(text);
  return isJsonObject(value) && value['revoked'] === true;
}

/** Returns whether a token was revoked in a store. @throws StorageError when the storage fails */
export async function isRevokedOwnerToken(storage: Storage, token: string): Promise<boolean> {
  const { record } = await storage.get(ownerTokenKey(token));
  return record !== undefined && isRevoked(record);
}

/**
 * Revokes an owner token for ever on all servers of a store. They follow its record, so none accepts it from then on.
 *
 * @throws StorageError when the storage fails
 */
export async function revokeOwnerToken(storage: Storage, token: string): Promise<void> {
  const key = ownerTokenKey(token);
  await untilWritten('the token', async () => {
    const { record } = await storage.get(key);
    return (
      (record !== undefined && isRevoked(record)) || (await replaceRecord(storage, key, record, ownerTokenText(true)))
    );
  });
}
