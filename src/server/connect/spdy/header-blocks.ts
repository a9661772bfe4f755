/**
 * The header blocks of SPDY/3.1. Those of each direction are one compressed stream.
 *
 * @see SPDY protocol, draft 3, section 2.6.10
 * @module
 */
import { concatBytes, decodeUtf8Lossy, hostModule } from '../../../foundation/index.js';
import { SpdyError } from './frames.js';
import { headerDictionary } from './header-dictionary.js';

/** Maximum length of a header block, in bytes. Those of kubectl have a hundred. */
const MAX_BLOCK = 8 * 1024;

/** The part of Node's decompression that is used. */
interface HostInflate {
  write(bytes: Uint8Array, done: (error: Error | null | undefined) => void): boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  destroy(): unknown;
}

interface HostZlib {
  createInflate(options: { readonly dictionary: Uint8Array }): HostInflate;
}

const isZlib = (module: unknown): module is HostZlib =>
  typeof module === 'object' &&
  module !== null &&
  'createInflate' in module &&
  typeof module.createInflate === 'function';

/** Reads the header blocks of a peer, in their order. */
export class HeaderReader {
  readonly #inflate: HostInflate;
  #parts: Uint8Array[] = [];
  #length = 0;
  #failed: ((error: Error) => void) | undefined;

  /** @returns undefined on a host that cannot decompress with a dictionary */
  static create(): HeaderReader | undefined {
    const zlib = hostModule('node:zlib');
    return isZlib(zlib) ? new HeaderReader(zlib.createInflate({ dictionary: headerDictionary() })) : undefined;
  }

  private constructor(inflate: HostInflate) {
    this.#inflate = inflate;
    inflate.on('data', (chunk) => {
      this.#length += chunk.length;
      if (this.#length > MAX_BLOCK) this.#fail(new SpdyError('a header block is too long'));
      else this.#parts.push(chunk);
    });
    inflate.on('error', () => this.#fail(new SpdyError('a header block is not compressed as SPDY says')));
  }

  /** Returns the headers of a block, names in lower case. @throws SpdyError */
  read(block: Uint8Array): Promise<ReadonlyMap<string, string>> {
    return new Promise((resolve, reject) => {
      this.#failed = reject;
      this.#inflate.write(block, (error) => {
        if (error != null) return reject(new SpdyError(error.message));
        const bytes = concatBytes(this.#parts);
        this.#parts = [];
        this.#length = 0;
        try {
          resolve(headersIn(bytes));
        } catch (cause) {
          reject(cause instanceof SpdyError ? cause : new SpdyError('a header block is cut off', { cause }));
        }
      });
    });
  }

  /** Frees what the host holds. */
  close(): void {
    this.#inflate.destroy();
  }

  #fail(error: SpdyError): void {
    this.#failed?.(error);
    this.#inflate.destroy();
  }
}

/** @throws RangeError for a block that is cut off */
function headersIn(bytes: Uint8Array): ReadonlyMap<string, string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const start = at + 4;
    at = start + view.getUint32(at);
    if (at > bytes.length) throw new RangeError('a text is cut off');
    return decodeUtf8Lossy(bytes.subarray(start, at));
  };
  for (let left = view.getUint32(0); left > 0; left -= 1) {
    const name = text();
    headers.set(name.toLowerCase(), text());
  }
  return headers;
}

/** A block without headers, uncompressed (RFC 1951 section 3.2.4), and the empty one that ends a flush. */
const EMPTY_BLOCK = [0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Returns a block without headers. @param isFirst whether it begins the compressed stream (RFC 1950 section 2.2) */
export const emptyBlock = (isFirst: boolean): Uint8Array =>
  Uint8Array.from(isFirst ? [0x78, 0x01, ...EMPTY_BLOCK] : EMPTY_BLOCK);
