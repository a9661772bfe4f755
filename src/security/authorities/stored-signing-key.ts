import type { ApiObject } from '../../foundation/index.js';
import { encodeAt, parseRecord } from '../../registry/index.js';
import { StorageError, type Storage, type StorageRecord } from '../../storage/index.js';
import { exportSigningKey, generateSigningKey, parseSigningKey, type TokenSigner } from '../tokens/index.js';

/** Storage key outside the API, so no request can read it. */
const KEY = '/internal/service-account-signing-key';

/**
 * Returns the default signing key of service account tokens. It is created on first use and stored in the storage, so it
 * survives restarts and is the same on all servers of one storage.
 *
 * @throws StorageError when the storage fails; TypeError when the stored key cannot be read
 */
export async function storedSigningKey(storage: Storage): Promise<TokenSigner> {
  const { record } = await storage.get(KEY);
  if (record !== undefined) return signerOf(record);
  const signer = await generateSigningKey();
  const object: ApiObject = {
    kind: 'SigningKey',
    apiVersion: 'internal/v1',
    metadata: {},
    pem: exportSigningKey(signer),
  };
  try {
    await storage.create(KEY, (revision) => encodeAt(object, revision), { growthWhenFull: Infinity });
    return signer;
  } catch (error) {
    // Another server on the same storage created it first.
    if (error instanceof StorageError && error.code === 'KeyExists' && error.current !== undefined)
      return signerOf(error.current);
    throw error;
  }
}

function signerOf(record: StorageRecord): Promise<TokenSigner> {
  const { pem } = parseRecord(record);
  if (typeof pem !== 'string') throw new TypeError('the stored signing key cannot be read');
  return parseSigningKey(pem);
}
