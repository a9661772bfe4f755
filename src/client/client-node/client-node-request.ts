import { concatBytes, encodeUtf8 } from '../../foundation/index.js';
import { BodyTooLargeError, type ApiRequest, type Peer, type RequestHeaders } from '../../server/index.js';

/** A request in the form that undici passes to a dispatcher. */
export interface DispatchOptions {
  /** Path and query. */
  readonly path: string;
  readonly method: string;
  readonly headers?: unknown;
  readonly body?: unknown;
}

const PEER: Peer = { address: undefined, tls: false };

/** Converts a dispatched request for the server. */
export class DispatchedRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly peer = PEER;
  readonly signal: AbortSignal;
  readonly #body: unknown;

  constructor(options: DispatchOptions, signal: AbortSignal) {
    const mark = options.path.indexOf('?');
    this.method = options.method;
    this.path = mark < 0 ? options.path : options.path.slice(0, mark);
    this.query = mark < 0 ? '' : options.path.slice(mark + 1);
    this.headers = new DispatchedHeaders(options.headers);
    this.signal = signal;
    this.#body = options.body;
  }

  async body(limit: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of chunksOf(this.#body)) {
      length += chunk.length;
      if (length > limit) throw new BodyTooLargeError(limit);
      chunks.push(chunk);
    }
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : concatBytes(chunks);
  }
}

/** Yields the chunks of a body in one of the forms that undici accepts. @throws TypeError for any other form */
async function* chunksOf(body: unknown): AsyncGenerator<Uint8Array> {
  if (body === undefined || body === null) return;
  if (typeof body === 'string') yield encodeUtf8(body);
  else if (body instanceof Uint8Array) yield body;
  else if (isAsyncIterable(body)) for await (const chunk of body) yield* chunksOf(chunk);
  else throw new TypeError('a request body must be a string, bytes, or an async iterable of them');
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Header fields in the forms that undici accepts: a record, a flat list of names and values, or pairs. */
class DispatchedHeaders implements RequestHeaders {
  readonly #values = new Map<string, string[]>();

  constructor(headers: unknown) {
    for (const [name, value] of fieldsOf(headers)) {
      const lower = name.toLowerCase();
      const values = this.#values.get(lower) ?? [];
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) values.push(String(one));
      if (values.length > 0) this.#values.set(lower, values);
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.join(', ');
  }

  getAll(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }

  hasPrefix(prefix: string): boolean {
    for (const name of this.#values.keys()) if (name.startsWith(prefix)) return true;
    return false;
  }
}

function* fieldsOf(headers: unknown): Generator<readonly [string, unknown]> {
  if (typeof headers !== 'object' || headers === null) return;
  if (Array.isArray(headers) && typeof headers[0] === 'string') {
    for (let at = 0; at + 1 < headers.length; at += 2) yield [String(headers[at]), headers[at + 1]];
  } else if (Symbol.iterator in headers) yield* headers as Iterable<readonly [string, unknown]>;
  else yield* Object.entries(headers);
}
