/**
 * The synchronous cryptography of the host, where it has one.
 *
 * WebCrypto answers every call with a promise from a pool of threads. That costs several times what a hash or the check of a
 * signature does, on every request. Node's own module is synchronous; other platforms go the long way.
 *
 * @module
 */

/** Key material that the host holds; opaque here. */
export type HostKey = object;

/** Hashes that signatures are made of. */
export type HostHash = 'sha256' | 'sha384' | 'sha512';

/** The part of Node's `crypto` module that is used. */
export interface HostCrypto {
  hash(algorithm: 'sha256', data: string | Uint8Array, encoding: 'base64url'): string;
  createPrivateKey(pem: string): HostKey;
  createPublicKey(key: string | HostKey): HostKey;
  sign(algorithm: HostHash, data: Uint8Array, key: { readonly key: HostKey; readonly dsaEncoding?: 'ieee-p1363' }): Uint8Array;
  verify(algorithm: HostHash, data: Uint8Array, key: { readonly key: HostKey; readonly dsaEncoding?: 'ieee-p1363' }, signature: Uint8Array): boolean;
}

interface HostProcess {
  getBuiltinModule?(name: string): unknown;
}

const FUNCTIONS = ['hash', 'createPrivateKey', 'createPublicKey', 'sign', 'verify'] as const;

function isHostCrypto(module: unknown): module is HostCrypto {
  return typeof module === 'object' && module !== null && FUNCTIONS.every((name) => name in module && typeof module[name as keyof typeof module] === 'function');
}

function find(): HostCrypto | undefined {
  const { process } = globalThis as { readonly process?: HostProcess };
  const module = process?.getBuiltinModule?.('node:crypto');
  return isHostCrypto(module) ? module : undefined;
}

let found: HostCrypto | null | undefined;

/** The host's cryptography; undefined on a platform that has none but WebCrypto. Looked up once, on first use. */
export function hostCrypto(): HostCrypto | undefined {
  if (found === undefined) found = find() ?? null;
  return found ?? undefined;
}
