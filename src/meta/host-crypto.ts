/**
 * The synchronous cryptography of the host, where it has one.
 *
 * WebCrypto answers every call with a promise from a pool of threads. That costs several times what a hash or the check of a
 * signature does, on every request. Node's own module is synchronous; other platforms go the long way.
 *
 * @module
 */
import { hostModule } from './host-module.js';
import type { WebKey } from './web-crypto.js';

/** Key material that the host holds; opaque here. */
export type HostKey = object;

/** Hashes that signatures are made of. */
export type HostHash = 'sha256' | 'sha384' | 'sha512';

/** A key, and how its ECDSA signatures are written: the two numbers one after the other. Without, they are DER. */
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
  /** Takes up keys of WebCrypto. */
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

let found: HostCrypto | null | undefined;

/** The host's cryptography; undefined on a platform that has none but WebCrypto. Looked up once, on first use. */
export function hostCrypto(): HostCrypto | undefined {
  if (found === undefined) found = find() ?? null;
  return found ?? undefined;
}
