/**
 * Private keys in the forms in which files have them: PKCS #8 (RFC 5208), PKCS #1 (RFC 8017) and SEC 1 (RFC 5915).
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

/** How a key of each label becomes PKCS #8. */
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
 * Reads the first private key of a text that is one of RSA, on P-256, P-384 or P-521, or of Ed25519, and not encrypted. Other blocks,
 * such as the parameters that openssl writes in front of a key, are passed over.
 *
 * @param pem blocks `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY`
 * @returns a key that signs, and can be exported
 * @throws Error when there is none; nothing of the text is in its message
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
    // A key of another kind or a broken one. What the platform says of it is not passed on: it may show the key.
    return undefined;
  }
}

/** How WebCrypto is to import a key in PKCS #8. @throws X509Error when it is of no kind that is taken */
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
