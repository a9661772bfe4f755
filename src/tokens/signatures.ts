/**
 * Making and checking signatures, by either of a platform's two cryptographies. The host's answers at once; on Node it takes
 * a fifth of the time that a promise of WebCrypto's takes (`npm run bench -- tokens`).
 *
 * @module
 */
import { decodeBase64Url, encodeBase64Url } from './base64url.js';
import { hostCrypto, type HostCrypto } from './host-crypto.js';
import type { KeyForm } from './key-forms.js';
import { writePem } from './pem.js';
import { algorithmFacts } from './signing-algorithms.js';
import type { KeyOptions, TokenSigner, TokenVerifier } from './token-key.js';

/** How one of a platform's cryptographies signs and verifies. */
interface Cryptography {
  verify(key: KeyForm): TokenVerifier['verify'] | Promise<TokenVerifier['verify']>;
  sign(key: KeyForm): TokenSigner['sign'] | Promise<TokenSigner['sign']>;
}

const encoder = new TextEncoder();

/**
 * The cryptography that is wanted.
 *
 * @throws TypeError when the host's is wanted and there is none
 */
export function cryptographyOf({ cryptography }: KeyOptions): Cryptography {
  const host = cryptography === 'web' ? undefined : hostCrypto();
  if (host === undefined && cryptography === 'host') throw new TypeError('this platform has no cryptography of its own');
  return host === undefined ? webCryptography : hostCryptography(host);
}

function hostCryptography(host: HostCrypto): Cryptography {
  return {
    verify({ algorithm, der }) {
      const { hash, signatureBytes } = algorithmFacts(algorithm);
      const key = { key: host.createPublicKey(writePem('PUBLIC KEY', der)), dsaEncoding: 'ieee-p1363' } as const;
      return (signingInput, signature) => {
        const bytes = decodeBase64Url(signature);
        // The other encoding of ECDSA signatures, DER, has no fixed length.
        if (bytes === undefined || (signatureBytes !== undefined && bytes.length !== signatureBytes)) return false;
        return host.verify(hash, encoder.encode(signingInput), key, bytes);
      };
    },
    sign({ algorithm, der }) {
      const { hash } = algorithmFacts(algorithm);
      const key = { key: host.createPrivateKey(writePem('PRIVATE KEY', der)), dsaEncoding: 'ieee-p1363' } as const;
      return (signingInput) => encodeBase64Url(host.sign(hash, encoder.encode(signingInput), key));
    },
  };
}

const webCryptography: Cryptography = {
  // Checking is what an attacker meets, so here the library does it, header included.
  async verify({ algorithm, der }) {
    const { compactVerify, errors, importSPKI } = await import('jose');
    const key = await importSPKI(writePem('PUBLIC KEY', der), algorithm);
    return async (signingInput, signature) => {
      try {
        await compactVerify(`${signingInput}.${signature}`, key, { algorithms: [algorithm] });
        return true;
      } catch (error) {
        if (error instanceof errors.JOSEError) return false;
        throw error;
      }
    };
  },
  async sign({ algorithm, der }) {
    const { webKey, webSignature } = algorithmFacts(algorithm);
    const key = await crypto.subtle.importKey('pkcs8', new Uint8Array(der), webKey, false, ['sign']);
    return async (signingInput) => encodeBase64Url(new Uint8Array(await crypto.subtle.sign(webSignature, key, encoder.encode(signingInput))));
  },
};
