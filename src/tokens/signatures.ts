/**
 * Making and checking signatures: by the host's cryptography, which is synchronous, or else by WebCrypto.
 *
 * jose stands on WebCrypto, and each of its calls costs some 80 µs of CPU more than `node:crypto` does: docs/dependencies.md has
 * what was measured. It signs and checks whole tokens only, where a {@link TokenSigner} signs the text that it is given.
 *
 * @module
 */
import { encodeUtf8, viewUtf8 } from '../encoding/utf8.js';
import { hostCrypto, type HostCrypto, type HostKey } from '../meta/host-crypto.js';
import { encodeBase64Url, viewBase64Url } from '../encoding/base64url.js';
import type { KeyForm } from './key-forms.js';
import { encodePem } from '../encoding/pem.js';
import { algorithmFacts, type SigningAlgorithm } from './signing-algorithms.js';
import type { KeyOptions, TokenSigner, TokenVerifier } from './token-key.js';

/** How one of a platform's cryptographies signs and verifies. */
interface Cryptography {
  verify(key: KeyForm): Verify | Promise<Verify>;
  sign(key: KeyForm): TokenSigner['sign'] | Promise<TokenSigner['sign']>;
}

/** Checks a signature whose length is right. */
type Verify = (signingInput: string, signature: Uint8Array) => boolean | Promise<boolean>;

/** What checks the signatures of a public key. */
export async function verificationWith(key: KeyForm, options: KeyOptions): Promise<TokenVerifier['verify']> {
  const verify = await cryptographyOf(options).verify(key);
  const { signatureBytes } = algorithmFacts(key.algorithm);
  return (signingInput, signature) => {
    const bytes = viewBase64Url(signature);
    // The other encoding of ECDSA signatures, DER, is longer.
    if (bytes === undefined || (signatureBytes !== undefined && bytes.length !== signatureBytes)) return false;
    return verify(signingInput, bytes);
  };
}

/** What signs with a private key. */
export async function signingWith(key: KeyForm, options: KeyOptions): Promise<TokenSigner['sign']> {
  return cryptographyOf(options).sign(key);
}

/** @throws TypeError when the host's is wanted and there is none */
function cryptographyOf({ cryptography }: KeyOptions): Cryptography {
  const host = cryptography === 'web' ? undefined : hostCrypto();
  if (host === undefined && cryptography === 'host')
    throw new TypeError('this platform has no cryptography of its own');
  return host === undefined ? webCryptography : hostCryptography(host);
}

function hostCryptography(host: HostCrypto): Cryptography {
  return {
    verify({ algorithm, der }) {
      const { hash } = algorithmFacts(algorithm);
      const key = withEncoding(host.createPublicKey(encodePem('PUBLIC KEY', der)), algorithm);
      return (signingInput, signature) => host.verify(hash, viewUtf8(signingInput), key, signature);
    },
    sign({ algorithm, der }) {
      const { hash } = algorithmFacts(algorithm);
      const key = withEncoding(host.createPrivateKey(encodePem('PRIVATE KEY', der)), algorithm);
      return (signingInput) => host.sign(hash, viewUtf8(signingInput), key).toString('base64url');
    },
  };
}

/** ECDSA signatures of tokens are the two numbers one after the other (RFC 7518 section 3.4). */
function withEncoding(key: HostKey, algorithm: SigningAlgorithm): HostKey {
  return algorithm === 'RS256' ? key : { key, dsaEncoding: 'ieee-p1363' };
}

const webCryptography: Cryptography = {
  async verify({ algorithm, der }) {
    const { webKey, webSignature } = algorithmFacts(algorithm);
    const key = await crypto.subtle.importKey('spki', new Uint8Array(der), webKey, false, ['verify']);
    return (signingInput, signature) =>
      crypto.subtle.verify(webSignature, key, new Uint8Array(signature), encodeUtf8(signingInput));
  },
  async sign({ algorithm, der }) {
    const { webKey, webSignature } = algorithmFacts(algorithm);
    const key = await crypto.subtle.importKey('pkcs8', new Uint8Array(der), webKey, false, ['sign']);
    return async (signingInput) =>
      encodeBase64Url(new Uint8Array(await crypto.subtle.sign(webSignature, key, encodeUtf8(signingInput))));
  },
};
