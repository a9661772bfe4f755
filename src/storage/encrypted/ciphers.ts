/**
 * The ciphers of the providers, in the formats of Kubernetes: the bytes that follow the prefix of a stored value.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Entropy } from '../../foundation/index.js';

/** Encrypts and decrypts values with one key. */
export interface Cipher {
  /** @param context the storage key of the value, which an authenticated cipher binds to it */
  encrypt(plain: Buffer, context: string): Buffer;
  /** @throws Error when the bytes were not encrypted with this key, or for another context */
  decrypt(data: Buffer, context: string): Buffer;
}

/** Names of the ciphers in the prefixes of stored values. */
export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

const CBC_IV = 16;
const GCM_NONCE = 12;
const GCM_TAG = 16;
const SECRETBOX_NONCE = 24;
/** Message for bytes that are not those of any value: the cause would tell an attacker more than an operator. */
const UNREADABLE = 'the value was damaged, or encrypted with another key or for another storage key';

/** Returns a cipher. @param key of a length that the cipher allows */
export function cipherOf(name: CipherName, key: Uint8Array, entropy: Pick<Entropy, 'bytes'>): Cipher {
  if (name === 'aescbc') return aesCbc(key, entropy);
  return name === 'aesgcm' ? aesGcm(key, entropy) : secretbox(key, entropy);
}

/** AES-CBC with PKCS#7: the IV, then the encrypted bytes. It detects no changes. */
function aesCbc(key: Uint8Array, entropy: Pick<Entropy, 'bytes'>): Cipher {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    encrypt(plain) {
      const iv = entropy.bytes(CBC_IV);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    },
    decrypt: (data) =>
      orUnreadable(() => {
        const decipher = createDecipheriv(algorithm, key, data.subarray(0, CBC_IV));
        return Buffer.concat([decipher.update(data.subarray(CBC_IV)), decipher.final()]);
      }),
  };
}

/** AES-GCM: the nonce, the encrypted bytes, and the tag. The storage key is authenticated, so values cannot be moved. */
function aesGcm(key: Uint8Array, entropy: Pick<Entropy, 'bytes'>): Cipher {
  const algorithm: CipherGCMTypes =
    key.length === 32 ? 'aes-256-gcm' : key.length === 24 ? 'aes-192-gcm' : 'aes-128-gcm';
  return {
    encrypt(plain, context) {
      const nonce = entropy.bytes(GCM_NONCE);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt: (data, context) =>
      orUnreadable(() => {
        const tagAt = data.length - GCM_TAG;
        const decipher = createDecipheriv(algorithm, key, data.subarray(0, GCM_NONCE), { authTagLength: GCM_TAG })
          .setAAD(Buffer.from(context))
          .setAuthTag(data.subarray(tagAt));
        return Buffer.concat([decipher.update(data.subarray(GCM_NONCE, tagAt)), decipher.final()]);
      }),
  };
}

/** XSalsa20 and Poly1305: the nonce, the tag, and the encrypted bytes. */
function secretbox(key: Uint8Array, entropy: Pick<Entropy, 'bytes'>): Cipher {
  return {
    encrypt(plain) {
      const nonce = entropy.bytes(SECRETBOX_NONCE);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
    },
    decrypt: (data) =>
      orUnreadable(() =>
        Buffer.from(xsalsa20poly1305(key, data.subarray(0, SECRETBOX_NONCE)).decrypt(data.subarray(SECRETBOX_NONCE))),
      ),
  };
}

function orUnreadable(decrypt: () => Buffer): Buffer {
  try {
    return decrypt();
  } catch {
    throw new Error(UNREADABLE);
  }
}
