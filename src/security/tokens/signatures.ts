/**
 * Creates and verifies signatures with the host's cryptography, which is synchronous, or else with WebCrypto.
 *
 * jose uses WebCrypto, and each of its calls costs about 80 µs more CPU time than `node:crypto`; docs/internals/dependencies.md
 * has the measurements. jose also signs and verifies whole tokens only, whereas a {@link TokenSigner} signs a given
 * text.
 *
 * @module
 */
import {
  encodeBase64Url,
  encodePem,
  encodeUtf8,
  hostCrypto,
  viewBase64Url,
  viewUtf8,
  type HostCrypto,
  type HostKey,
} from '../../foundation/index.js';
import type { KeyForm } from './key-forms.js';
import { algorithmFacts, type SigningAlgorithm } from './signing-algorithms.js';
import type { KeyOptions, TokenSigner, TokenVerifier } from './token-key.js';

/** A cryptography of the platform. */
interface Cryptography {
  verify(key: KeyForm): Verify | Promise<Verify>;
  sign(key: KeyForm): TokenSigner['sign'] | Promise<TokenSigner['sign']>;
}

/** Verifies a signature of the right length. */
type Verify = (signingInput: string, signature: Uint8Array) => boolean | Promise<boolean>;

/** Returns the function that verifies signatures of a public key. */
export async function makeVerify(key: KeyForm, options: KeyOptions): Promise<TokenVerifier['verify']> {
  const verify = await cryptographyOf(options).verify(key);
  const { signatureBytes } = algorithmFacts(key.algorithm);
  return (signingInput, signature) => {
    const bytes = viewBase64Url(signature);
    // The other encoding of ECDSA signatures, DER, is longer.
    if (bytes === undefined || (signatureBytes !== undefined && bytes.length !== signatureBytes)) return false;
    return verify(signingInput, bytes);
  };
}

/** Returns the function that signs with a private key. */
export async function makeSign(key: KeyForm, options: KeyOptions): Promise<TokenSigner['sign']> {
  return cryptographyOf(options).sign(key);
}

/** Returns the requested cryptography. @throws TypeError when the platform does not have it */
function cryptographyOf({ cryptography }: KeyOptions): Cryptography {
  const host = cryptography === 'web' ? undefined : hostCrypto();
  if (host === undefined && cryptography === 'host') throw new TypeError('this platform has no host cryptography');
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

/** Sets the encoding of ECDSA signatures in tokens: the two numbers concatenated (RFC 7518 section 3.4). */
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
