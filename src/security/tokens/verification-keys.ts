import { encodePem, type PemBlock } from '../../foundation/index.js';
import { digestOf } from './digest.js';
import { keyBlocks, privateKeyForm, publicKeyForm, type KeyForm } from './key-forms.js';
import { makeVerify } from './signatures.js';
import type { KeyOptions, TokenVerifier } from './token-key.js';
import { publicPartOf, validPublicKey } from './web-keys.js';

/** Maximum number of keys in one text: an unauthenticated request can make the server try each. */
const MAX_KEYS = 100;

/**
 * Parses the public keys that verify tokens, as the server's `--service-account-key-file` takes them: any number of PEM
 * blocks. Of a private key (PKCS#8, PKCS#1, SEC1) and of a certificate, the public key is used; a
 * certificate's dates and issuer are ignored. Other blocks and duplicate keys are skipped.
 *
 * @param pem public keys, private keys and certificates; RSA of at least 2048 bits, or ECDSA on P-256, P-384 or P-521
 * @throws Error when the PEM contains no such key
 * @throws RangeError when the PEM is too long or has more than 100 keys
 */
export async function parseVerificationKeys(pem: string, options: KeyOptions = {}): Promise<TokenVerifier[]> {
  const keys = new Map<string, TokenVerifier>();
  let problem = '';
  for (const block of keyBlocks(pem)) {
    try {
      const form = await publicFormOf(block);
      if (form === undefined) continue;
      const key = await makeVerifier(form, options);
      keys.set(key.keyId, key);
    } catch (error) {
      problem = `: ${error instanceof RangeError ? error.message : 'the key cannot be read'}`;
    }
    if (keys.size > MAX_KEYS) throw new RangeError(`more than ${MAX_KEYS} keys in one text`);
  }
  if (keys.size === 0) throw new Error(`data does not contain any valid RSA or ECDSA public keys${problem}`);
  return [...keys.values()];
}

/** Creates the verifier of a public key. */
export async function makeVerifier(form: KeyForm, options: KeyOptions): Promise<TokenVerifier> {
  const verify = await makeVerify(form, options);
  return Object.freeze({
    keyId: digestOf(form.der),
    algorithm: form.algorithm,
    publicKeyPem: encodePem('PUBLIC KEY', form.der),
    verify,
  });
}

async function publicFormOf({ label, bytes }: PemBlock): Promise<KeyForm | undefined> {
  const form = publicKeyForm(label, bytes);
  if (form !== undefined) return validPublicKey(form);
  const secret = privateKeyForm(label, bytes);
  return secret && (await publicPartOf(secret));
}
