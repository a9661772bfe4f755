/**
 * Parses private keys: PKCS #8 (RFC 5208), PKCS #1 (RFC 8017) and SEC 1 (RFC 5915).
 *
 * @module
 */
import { DerTag, parsePem, privateKeyAsPkcs8, type WebKey } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { malformed } from '../x509-error.js';
import { curveOfIdentifier, KeyType, parseAlgorithmIdentifier } from './public-key.js';

const PROBLEM = 'malformed private key';

/**
 * Parses the first unencrypted private key of a PEM file: RSA, ECDSA on P-256, P-384 or P-521, or Ed25519. Ignores other
 * blocks, such as the parameters that openssl writes before a key.
 *
 * @param pem blocks `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY`
 * @returns an extractable signing key
 * @throws Error when there is no key; the message contains nothing of the file
 * @throws RangeError when the PEM is longer than the limit of {@link parsePem}
 */
export async function parsePrivateKey(pem: string): Promise<WebKey> {
  for (const { label, bytes } of parsePem(pem).blocks) {
    const key = await privateKeyOf(label, bytes);
    if (key !== undefined) return key;
  }
  throw new Error('data does not contain a valid RSA or ECDSA private key');
}

async function privateKeyOf(label: string, bytes: Uint8Array): Promise<CryptoKey | undefined> {
  try {
    const der = privateKeyAsPkcs8(label, bytes, malformed);
    return der && (await crypto.subtle.importKey('pkcs8', der, importParameters(der), true, ['sign']));
  } catch {
    // The key is unsupported or invalid. The platform's error is dropped, because it may contain the key.
    return undefined;
  }
}

/** Returns the WebCrypto import parameters of a PKCS #8 key. @throws X509Error when the kind is not supported */
function importParameters(der: Uint8Array): Algorithm | RsaHashedImportParams | EcKeyImportParams {
  const reader = derReader(der).enter(DerTag.sequence, PROBLEM);
  reader.element(DerTag.integer, PROBLEM);
  const { identifier, parameters } = parseAlgorithmIdentifier(reader.enter(DerTag.sequence, PROBLEM));
  if (identifier === KeyType.rsa) return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  if (identifier === KeyType.ed25519) return { name: 'Ed25519' };
  if (identifier !== KeyType.ellipticCurve || parameters === undefined) throw malformed(PROBLEM);
  const namedCurve = curveOfIdentifier(derReader(parameters).objectIdentifier(PROBLEM));
  if (namedCurve === undefined) throw malformed(PROBLEM);
  return { name: 'ECDSA', namedCurve };
}
