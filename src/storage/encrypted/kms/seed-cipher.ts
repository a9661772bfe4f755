import { createHmac } from 'node:crypto';
import type { Entropy } from '../../../foundation/index.js';
import { cipherOf, type Cipher } from '../ciphers.js';

/** Length of a seed, and of what derives a data key from it, in bytes. */
export const SEED_BYTES = 32;
const INFO_BYTES = 32;

/**
 * AES-GCM with a data key of its own for each value: 32 random bytes, from which HKDF-SHA256 (RFC 5869, expand only)
 * derives the key, and then the nonce, the encrypted bytes and the tag.
 *
 * @throws Error when the seed is too short
 */
export function seedCipher(seed: Uint8Array, entropy: Pick<Entropy, 'bytes'>): Cipher {
  if (seed.length < SEED_BYTES) throw new Error(`invalid seed length ${seed.length} used for key generation`);
  // The first block of the expansion is as long as the key.
  const keyOf = (info: Uint8Array): Buffer => createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest();
  return {
    encrypt(plain, context) {
      const info = entropy.bytes(INFO_BYTES);
      return Buffer.concat([info, cipherOf('aesgcm', keyOf(info), entropy).encrypt(plain, context)]);
    },
    decrypt(data, context) {
      if (data.length < INFO_BYTES) throw new Error('the stored data was shorter than the required size');
      const key = keyOf(data.subarray(0, INFO_BYTES));
      return cipherOf('aesgcm', key, entropy).decrypt(data.subarray(INFO_BYTES), context);
    },
  };
}
