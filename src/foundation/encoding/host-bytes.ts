/** The part of Node's `Buffer` that is used. Other hosts have it too. */
export interface HostBytes {
  /** Decodes a text. Base64 skips characters outside of both alphabets. The memory may be shared with other values. */
  from(text: string, encoding: 'utf8' | 'base64' | 'base64url'): Uint8Array;
  /** Returns a view of memory. */
  from(memory: ArrayBufferLike, offset: number, length: number): HostView;
  /** Returns the number of UTF-8 bytes of a text; a lone surrogate counts as three. */
  byteLength(text: string): number;
  /** Returns memory of its own with any content. */
  allocUnsafeSlow(length: number): Uint8Array;
}

interface HostView {
  toString(encoding: 'base64' | 'base64url' | 'latin1'): string;
  write(text: string, offset: number, length: number, encoding: 'latin1'): number;
  /** Does the same; the other one spends as much time on its arguments as on a text of 500 bytes. */
  latin1Write?(text: string, offset: number): number;
}

/**
 * Returns the native conversions between bytes and text; undefined on a host with only those of the web platform.
 * Measured on Node 20: base64 of 1 kB takes 0.5 µs instead of 23 µs, and back 0.7 µs instead of 15 µs.
 */
export function hostBytes(): HostBytes | undefined {
  return (globalThis as { readonly Buffer?: HostBytes | undefined }).Buffer;
}
