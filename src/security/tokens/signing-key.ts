import { encodePem } from '../../foundation/index.js';
import { keyBlocks, privateKeyForm, type KeyForm } from './key-forms.js';
import { makeSign } from './signatures.js';
import type { SigningAlgorithm } from './signing-algorithms.js';
import type { KeyOptions, TokenSigner, TokenVerifier } from './token-key.js';
import { makeVerifier } from './verification-keys.js';
import { generatePrivateKey, publicPartOf } from './web-keys.js';

/** A signer with a local key. The key is in a private member, so that printing the object does not reveal it. */
class LocalSigner implements TokenSigner {
  readonly publicKey: TokenVerifier;
  readonly sign: TokenSigner['sign'];
  readonly #form: KeyForm;

  constructor(form: KeyForm, publicKey: TokenVerifier, sign: TokenSigner['sign']) {
    this.#form = form;
    this.publicKey = publicKey;
    this.sign = sign;
  }

  get keyId(): string {
    return this.publicKey.keyId;
  }

  get algorithm(): SigningAlgorithm {
    return this.publicKey.algorithm;
  }

  static pemOf(signer: TokenSigner): string {
    if (!(#form in signer)) throw new TypeError('the signer does not hold its key');
    return encodePem('PRIVATE KEY', signer.#form.der);
  }
}

/**
 * Parses the key that signs tokens, as the server's `--service-account-signing-key-file` takes it: the first private
 * key in the PEM. RSA keys sign with RS256; ECDSA keys on P-256, P-384 and P-521 with ES256, ES384 and ES512.
 *
 * @param pem PKCS#8, PKCS#1 or SEC1, not encrypted; RSA of at least 2048 bits
 * @throws Error when the PEM contains no such key; the message contains nothing of it
 * @throws RangeError when the PEM is too long
 */
export async function parseSigningKey(pem: string, options: KeyOptions = {}): Promise<TokenSigner> {
  let problem = '';
  for (const { label, bytes } of keyBlocks(pem)) {
    try {
      const form = privateKeyForm(label, bytes);
      if (form !== undefined) return await makeSigner(form, options);
    } catch (error) {
      problem = `: ${error instanceof RangeError ? error.message : 'the key cannot be read'}`;
    }
  }
  throw new Error(`data does not contain a valid RSA or ECDSA private key${problem}`);
}

/** Options of a new key. */
export interface GenerateKeyOptions extends KeyOptions {
  /** Default `ES256`, which has small keys and signs fast. */
  readonly algorithm?: SigningAlgorithm | undefined;
}

/** Generates a key with the platform's WebCrypto, since repeatable randomness would not be secret. */
export async function generateSigningKey(options: GenerateKeyOptions = {}): Promise<TokenSigner> {
  return makeSigner(await generatePrivateKey(options.algorithm ?? 'ES256'), options);
}

/**
 * Exports the key of a signer as PKCS#8 in PEM, which {@link parseSigningKey} reads. Secret.
 *
 * @throws TypeError when the signer does not come from {@link parseSigningKey} or {@link generateSigningKey}
 */
export function exportSigningKey(signer: TokenSigner): string {
  return LocalSigner.pemOf(signer);
}

async function makeSigner(form: KeyForm, options: KeyOptions): Promise<TokenSigner> {
  const publicKey = await makeVerifier(await publicPartOf(form), options);
  return new LocalSigner(form, publicKey, await makeSign(form, options));
}
