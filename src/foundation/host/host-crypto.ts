/**
 * The synchronous cryptography of the host, if available.
 *
 * WebCrypto returns a promise from a thread pool for every call. On every request, that costs several times as much as
 * the hash or signature check itself. Node's own module is synchronous; other platforms use WebCrypto.
 *
 * @module
 */
import { hostModule, hostModuleFinder } from './host-module.js';
import type { WebKey } from './web-crypto.js';

/** Key material in the host; opaque here. */
export type HostKey = object;

/** Hash functions of signatures. */
export type HostHash = 'sha256' | 'sha384' | 'sha512';

/** A key, and the encoding of its ECDSA signatures: the two numbers concatenated, or DER by default. */
type KeyAndEncoding = HostKey | { readonly key: HostKey; readonly dsaEncoding: 'ieee-p1363' };

/** The part of Node's `crypto` module that is used. */
export interface HostCrypto {
  hash(algorithm: 'sha256', data: string | Uint8Array, encoding: 'base64url'): string;
  createPrivateKey(pem: string): HostKey;
  createPublicKey(
    key: string | HostKey | { readonly key: Readonly<Record<string, unknown>>; readonly format: 'jwk' },
  ): HostKey;
  sign(
    algorithm: HostHash,
    data: Uint8Array,
    key: KeyAndEncoding,
  ): Uint8Array & { toString(encoding: 'base64url'): string };
  verify(algorithm: HostHash, data: Uint8Array, key: KeyAndEncoding, signature: Uint8Array): boolean;
  /** Converts keys of WebCrypto. */
  readonly KeyObject: { from(key: WebKey): HostKey };
}

const FUNCTIONS = ['hash', 'createPrivateKey', 'createPublicKey', 'sign', 'verify', 'KeyObject'] as const;

function isHostCrypto(module: unknown): module is HostCrypto {
  return (
    typeof module === 'object' &&
    module !== null &&
    FUNCTIONS.every((name) => name in module && typeof module[name as keyof typeof module] === 'function')
  );
}

function find(): HostCrypto | undefined {
  const module = hostModule('node:crypto');
  return isHostCrypto(module) ? module : undefined;
}

let found: HostCrypto | undefined;
let finder: unknown;

/**
 * Returns the host's cryptography; undefined on a platform with only WebCrypto. It is looked up on first use, and again
 * only when the host gets another way to find modules, as in tests of other platforms.
 */
export function hostCrypto(): HostCrypto | undefined {
  const current = hostModuleFinder();
  if (current !== finder) {
    finder = current;
    found = find();
  }
  return found;
}
