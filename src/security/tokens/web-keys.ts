/**
 * Generates, completes and checks keys with jose, when a key is loaded and never for a token.
 *
 * @module
 */
import { encodePem, parsePem, type WebKey } from '../../foundation/index.js';
import type { KeyForm } from './key-forms.js';
import type { SigningAlgorithm } from './signing-algorithms.js';

/** Minimum size of an RSA key, in bits (RFC 7518 section 3.3). */
const MIN_RSA_BITS = 2048;

/** Public members of a JSON Web Key (RFC 7518 section 6). */
const PUBLIC_MEMBERS: ReadonlySet<string> = new Set(['kty', 'crv', 'x', 'y', 'n', 'e']);

/** Generates a private key. */
export async function generatePrivateKey(algorithm: SigningAlgorithm): Promise<KeyForm> {
  const [{ generateKeyPair }, { exportPKCS8 }] = await Promise.all([
    import('jose/key/generate/keypair'),
    import('jose/key/export'),
  ]);
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength: MIN_RSA_BITS });
  return { algorithm, der: derOf(await exportPKCS8(privateKey)) };
}

/**
 * Returns the public part of a private key.
 *
 * @throws RangeError when an RSA key is too short
 * @throws Error when the bytes are not a key
 */
export async function publicPartOf({ algorithm, der }: KeyForm): Promise<KeyForm> {
  const [{ importPKCS8, importJWK }, { exportJWK }] = await Promise.all([
    import('jose/key/import'),
    import('jose/key/export'),
  ]);
  const secret = await importPKCS8(encodePem('PRIVATE KEY', der), algorithm, { extractable: true });
  const members = Object.entries(await exportJWK(secret)).filter(([name]) => PUBLIC_MEMBERS.has(name));
  const key = await importJWK(Object.fromEntries(members), algorithm, { extractable: true });
  if (key instanceof Uint8Array) throw new TypeError('a secret has no public part');
  return exported(key, algorithm);
}

/**
 * Checks a public key and returns it in its canonical form.
 *
 * @throws RangeError when an RSA key is too short
 * @throws Error when the bytes are not a key
 */
export async function validPublicKey({ algorithm, der }: KeyForm): Promise<KeyForm> {
  const { importSPKI } = await import('jose/key/import');
  return exported(await importSPKI(encodePem('PUBLIC KEY', der), algorithm, { extractable: true }), algorithm);
}

async function exported(key: WebKey, algorithm: SigningAlgorithm): Promise<KeyForm> {
  checkSize(key);
  const { exportSPKI } = await import('jose/key/export');
  return { algorithm, der: derOf(await exportSPKI(key)) };
}

function derOf(pem: string): Uint8Array {
  const [block] = parsePem(pem, { blocks: 1 }).blocks;
  if (block === undefined) throw new TypeError('the key was not exported');
  return block.bytes;
}

function checkSize({ algorithm }: WebKey): void {
  if (
    !('modulusLength' in algorithm) ||
    typeof algorithm.modulusLength !== 'number' ||
    algorithm.modulusLength >= MIN_RSA_BITS
  )
    return;
  throw new RangeError(`an RSA key must have at least ${MIN_RSA_BITS} bits, this one has ${algorithm.modulusLength}`);
}
