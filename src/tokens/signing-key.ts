import { keyBlocks, privateKeyForm, type KeyForm } from './key-forms.js';
import { encodePem } from '../encoding/pem.js';
import { signingWith } from './signatures.js';
import type { SigningAlgorithm } from './signing-algorithms.js';
import type { KeyOptions, TokenSigner, TokenVerifier } from './token-key.js';
import { makeVerifier } from './verification-keys.js';
import { generatePrivateKey, publicPartOf } from './web-keys.js';

/** A signer whose key is in this process. The key is in a private field, so that no printing of the object shows it. */
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
 * Reads the key that signs tokens, as the server's `--service-account-signing-key-file` takes it: the first private key of the
 * text. RSA keys sign with RS256; ECDSA keys on P-256, P-384 and P-521 with ES256, ES384 and ES512.
 *
 * @param pem PKCS#8, PKCS#1 or SEC1, not encrypted; RSA of at least 2048 bits
 * @throws Error when there is no such key in the text; nothing of the text is in its message
 * @throws RangeError when the text is too long
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

/** What a new key is to be. */
export interface GenerateKeyOptions extends KeyOptions {
  /** Default `ES256`: small, and quick to sign with. */
  readonly algorithm?: SigningAlgorithm;
}

/** Makes a new key. It is random by the platform's WebCrypto, since nothing that a test could repeat is secret. */
export async function generateSigningKey(options: GenerateKeyOptions = {}): Promise<TokenSigner> {
  return makeSigner(await generatePrivateKey(options.algorithm ?? 'ES256'), options);
}

/**
 * The key of a signer, to be kept: PEM of PKCS#8, which {@link parseSigningKey} reads. Secret.
 *
 * @throws TypeError when the signer is not one of {@link parseSigningKey} or {@link generateSigningKey}
 */
export function exportSigningKey(signer: TokenSigner): string {
  return LocalSigner.pemOf(signer);
}

async function makeSigner(form: KeyForm, options: KeyOptions): Promise<TokenSigner> {
  const publicKey = await makeVerifier(await publicPartOf(form), options);
  return new LocalSigner(form, publicKey, await signingWith(form, options));
}
