/**
 * The server as a dispatcher: the object that `fetch` of undici hands its requests to instead of a socket. The interface
 * is undici's (`Dispatcher.dispatch` and its handler, since undici 7), written out here so that nothing is imported.
 *
 * @module
 */
import { toError } from '../meta/error-message.js';
import { joinedText, type ApiResponse, type Handler } from '../server/http.js';
import { toFieldValue } from '../transport/field-value.js';
import { DispatchedRequest, type DispatchOptions } from './client-node-request.js';

export type { DispatchOptions } from './client-node-request.js';

/** Header fields of an answer as the handler takes them. */
export type DispatchHeaders = Record<string, string | string[]>;

/** By which the sender of a request steers it. */
export interface DispatchController {
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  /** The header fields; `fetch` reads them here. */
  readonly rawHeaders: DispatchHeaders;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** What the sender of a request is told. */
export interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: unknown): void;
  onResponseStart?(
    controller: DispatchController,
    status: number,
    headers: DispatchHeaders,
    statusMessage?: string,
  ): void;
  onResponseData?(controller: DispatchController, chunk: Uint8Array): void;
  onResponseEnd?(controller: DispatchController, trailers: DispatchHeaders): void;
  onResponseError?(controller: DispatchController, error: Error): void;
}

/** What answers requests instead of sockets. */
export interface InProcessDispatcher {
  /** Sends one request. Always takes more: true. */
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
  /** Nothing is held open; for callers that close what they were given. */
  close(): Promise<void>;
  /** As {@link InProcessDispatcher.close}. */
  destroy(): Promise<void>;
}

const encoder = new TextEncoder();

/**
 * A dispatcher whose requests go to the server in this process, whatever their host is.
 *
 * @param target an `ApiServer`, or anything with its `handle`
 */
export function inProcessDispatcher(target: { readonly handle: Handler }): InProcessDispatcher {
  return {
    dispatch(options, handler) {
      void new Exchange(options, handler).run(target.handle);
      return true;
    },
    close: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
}

/** One request and its answer. */
class Exchange implements DispatchController {
  readonly #handler: DispatchHandler;
  readonly #request: DispatchedRequest;
  readonly #gone = new AbortController();
  #resumed: (() => void) | undefined;
  #over = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders: DispatchHeaders = {};

  constructor(options: DispatchOptions, handler: DispatchHandler) {
    this.#handler = handler;
    this.#request = new DispatchedRequest(options, this.#gone.signal);
  }

  get aborted(): boolean {
    return this.#gone.signal.aborted;
  }

  abort(reason: Error): void {
    if (this.aborted || this.#over) return;
    this.reason = reason;
    this.#gone.abort(reason);
    this.resume();
    this.#fail(reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    const resumed = this.#resumed;
    this.#resumed = undefined;
    resumed?.();
  }

  /** Never rejects: what goes wrong is told to the handler. */
  async run(handle: Handler): Promise<void> {
    try {
      this.#handler.onRequestStart?.(this, {});
      if (this.aborted) return;
      const answer = await handle(this.#request);
      if (this.aborted) await release(answer);
      else await this.#respond(answer);
    } catch (error) {
      // A stream that fails is a connection that breaks.
      this.#fail(toError(error));
    }
  }

  async #respond(answer: ApiResponse): Promise<void> {
    this.rawHeaders = fieldsOf(answer);
    this.#handler.onResponseStart?.(this, answer.status, this.rawHeaders);
    const { body } = answer;
    const bodiless = this.#request.method === 'HEAD' || answer.status === 204 || answer.status === 304;
    if (bodiless) await release(answer);
    else if (typeof body === 'object' && 'stream' in body) await this.#stream(body.stream);
    else if (body !== undefined) this.#push(bytesOf(body));
    if (this.aborted) return;
    this.#over = true;
    this.#handler.onResponseEnd?.(this, {});
  }

  /** Takes a chunk from the source when the reader has taken the one before. */
  async #stream(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) {
      if (!this.aborted) this.#push(chunk);
      if (this.paused && !this.aborted) await new Promise<void>((resolve) => (this.#resumed = resolve));
      if (this.aborted) return;
    }
  }

  #push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#handler.onResponseData?.(this, chunk);
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onResponseError?.(this, error);
  }
}

function fieldsOf(answer: ApiResponse): DispatchHeaders {
  const fields: DispatchHeaders = {};
  for (const name in answer.headers) {
    const value = answer.headers[name] as string | readonly string[];
    if (name !== 'transfer-encoding')
      fields[name] = typeof value === 'string' ? toFieldValue(value) : value.map(toFieldValue);
  }
  return fields;
}

function bytesOf(body: Exclude<ApiResponse['body'], undefined | { stream: unknown }>): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return encoder.encode(typeof body === 'string' ? body : joinedText(body));
}

/** Lets go of a stream that nobody will read. */
async function release({ body }: ApiResponse): Promise<void> {
  if (typeof body === 'object' && 'stream' in body) await body.stream[Symbol.asyncIterator]().return?.();
}
