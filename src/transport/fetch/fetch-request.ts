import { concatBytes, onAbort } from '../../foundation/index.js';
import { BodyTooLargeError, type ApiRequest, type Peer, type RequestHeaders } from '../../server/index.js';
import { stripPrefix } from '../prefix.js';
import { splitTarget } from '../target.js';
import type { ResponseReader } from './fetch-response.js';

/**
 * Header fields of a `Request`. WHATWG joins repeated fields, so {@link getAll} splits them at `, `; a single value
 * that contains a comma and a space is split, too.
 */
class FetchHeaders implements RequestHeaders {
  readonly #headers: Headers;

  constructor(headers: Headers) {
    this.#headers = headers;
  }

  get(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  getAll(name: string): readonly string[] {
    const value = this.#headers.get(name);
    return value === null ? [] : value.split(', ');
  }

  names(): Iterable<string> {
    const names: string[] = [];
    this.#headers.forEach((_value, name) => names.push(name));
    return names;
  }

  hasPrefix(prefix: string): boolean {
    let found = false;
    this.#headers.forEach((_value, name) => (found ||= name.startsWith(prefix)));
    return found;
  }
}

/**
 * Converts a `Request` for the server.
 *
 * A response counts as answered when its stream has ended: it was read or cancelled, or the deadline of the request has
 * passed, which releases one that its owner has dropped unread. Bytes belong to whoever has the `Response`.
 */
export class FetchApiRequest implements ApiRequest, ResponseReader {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly #request: Request;
  readonly #peerOf: (request: Request) => Peer;
  #peer: Peer | undefined;
  #controller: AbortController | undefined;
  #abandoned = false;
  #isAnswered = false;
  /** Called when the response is answered. */
  readonly #whenAnswered: (() => void)[] = [];
  #close: (() => void) | undefined;

  constructor(request: Request, prefix: string, peerOf: (request: Request) => Peer) {
    const { url } = request;
    const fragment = url.indexOf('#');
    const { path, query } = splitTarget(originForm(fragment < 0 ? url : url.slice(0, fragment)));
    this.method = request.method;
    this.path = stripPrefix(path, prefix);
    this.query = query;
    this.headers = new FetchHeaders(request.headers);
    this.#request = request;
    this.#peerOf = peerOf;
  }

  get peer(): Peer {
    return (this.#peer ??= this.#peerOf(this.#request));
  }

  /** Aborts with the request's signal, and when the reader of the response cancels it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const { signal } = this.#request;
      this.#controller = controller;
      if (this.#abandoned || signal.aborted) controller.abort();
      else onAbort(signal, () => controller.abort());
    }
    return this.#controller.signal;
  }

  abandon(): void {
    this.#abandoned = true;
    this.#controller?.abort();
  }

  whenAnswered(done: () => void): void {
    if (this.#isAnswered) done();
    else this.#whenAnswered.push(done);
  }

  answered(): void {
    this.#isAnswered = true;
    this.#close = undefined;
    for (const done of this.#whenAnswered.splice(0)) done();
  }

  breakOff(): void {
    this.#close?.();
  }

  reads(close: () => void): void {
    this.#close = close;
  }

  body(limit: number, onChunk?: (bytes: number) => void): Promise<Uint8Array> {
    return readBody(this.#request, limit, onChunk);
  }
}

/** Returns the peer that a `Request` allows to derive: no address, and TLS from the URL. */
export function unknownPeer(request: Request): Peer {
  return { address: undefined, tls: request.url.startsWith('https:') };
}

/** Returns the part after scheme and authority. The URL of a `Request` is absolute, with a path of at least `/`. */
function originForm(url: string): string {
  const slash = url.indexOf('/', url.indexOf('://') + 3);
  return slash < 0 ? '/' : url.slice(slash);
}

async function readBody(
  request: Request,
  limit: number,
  onChunk: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0);
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  if (Number(request.headers.get('content-length') ?? 0) > limit) return refuse(reader, new BodyTooLargeError(limit));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > limit) return refuse(reader, new BodyTooLargeError(limit));
    try {
      onChunk?.(next.value.length);
    } catch (error) {
      return refuse(reader, error);
    }
    chunks.push(next.value);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : concatBytes(chunks);
}

/** Cancels the body without waiting for the sender to stop. */
function refuse(reader: ReadableStreamDefaultReader<Uint8Array>, reason: unknown): never {
  reader.cancel().catch(() => undefined);
  throw reason;
}
