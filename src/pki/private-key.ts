/**
 * Parses private keys: PKCS #8 (RFC 5208), PKCS #1 (RFC 8017) and SEC 1 (RFC 5915).
 *
 * @module
 */
import type { WebKey } from '../meta/web-crypto.js';
import { type Der, derInteger, derNull, derOctetString, derSequence } from '../encoding/der-writer.js';
import { constructedContextTag, DerTag } from '../encoding/der.js';
import { derObjectIdentifier } from './der-writer.js';
import { derReader } from './der.js';
import { parsePem } from '../encoding/pem.js';
import { curveOfIdentifier, KeyType, parseAlgorithmIdentifier } from './public-key.js';
import { malformed } from './x509-error.js';

/** Conversions to PKCS #8, by PEM label. */
const forms: ReadonlyMap<string, (der: Uint8Array) => Der> = new Map([
  ['PRIVATE KEY', (der: Uint8Array) => new Uint8Array(der)],
  ['RSA PRIVATE KEY', (der: Uint8Array) => pkcs8(derSequence(derObjectIdentifier(KeyType.rsa), derNull()), der)],
  [
    'EC PRIVATE KEY',
    (der: Uint8Array) => pkcs8(derSequence(derObjectIdentifier(KeyType.ellipticCurve), curveParameters(der)), der),
  ],
]);

/** `PrivateKeyInfo ::= SEQUENCE { version, privateKeyAlgorithm, privateKey OCTET STRING }` */
function pkcs8(algorithm: Der, key: Uint8Array): Der {
  return derSequence(derInteger(0), algorithm, derOctetString(key));
}

const PROBLEM = 'malformed private key';

/** `ECPrivateKey ::= SEQUENCE { version, privateKey, parameters [0] OPTIONAL, publicKey [1] OPTIONAL }` */
function curveParameters(der: Uint8Array): Uint8Array {
  const reader = derReader(der).enter(DerTag.sequence, PROBLEM);
  reader.element(DerTag.integer, PROBLEM);
  reader.element(DerTag.octetString, PROBLEM);
  return reader.element(constructedContextTag(0), PROBLEM).content;
}

/**
 * Parses the first unencrypted private key of a text: RSA, ECDSA on P-256, P-384 or P-521, or Ed25519. Ignores other
 * blocks, such as the parameters that openssl writes before a key.
 *
 * @param pem blocks `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY`
 * @returns an extractable signing key
 * @throws Error when there is no key; the message contains nothing of the text
 * @throws RangeError when the text is longer than the limit of {@link parsePem}
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
    const der = forms.get(label)?.(bytes);
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
