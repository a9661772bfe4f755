/**
 * A dispatcher for undici's `fetch` that passes requests to the server without a socket. The interface is undici's
 * (`Dispatcher.dispatch` and its handler, since undici 7); it is declared here to avoid the import.
 *
 * @module
 */
import { concatBytes, encodeUtf8, toError } from '../../foundation/index.js';
import { ConnectionLostError, isStream, joinedText, type ApiResponse, type Handler } from '../../server/index.js';
import { cancelStream, targetOf, toFieldValue, type Servable } from '../../transport/index.js';
import { DispatchedRequest, type DispatchOptions } from './client-node-request.js';

export type { DispatchOptions } from './client-node-request.js';

/** Header fields of a response, in the form that the handler receives. */
export type DispatchHeaders = Record<string, string | string[]>;

/** Lets the sender of a request pause, resume or abort it. */
export interface DispatchController {
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  /** Header fields of the response; `fetch` reads them here. */
  readonly rawHeaders: DispatchHeaders;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** Callbacks of the sender of a request. */
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

/** A dispatcher that passes requests to a server in the same process. */
export interface InProcessDispatcher {
  /** Sends one request. Returns true: the dispatcher always accepts more. */
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
  /** Does nothing, because nothing is held open; part of the interface. */
  close(): Promise<void>;
  /** Does the same as {@link InProcessDispatcher.close}. */
  destroy(): Promise<void>;
}

/**
 * Creates a dispatcher that passes all requests to a server in this process, whatever their host.
 *
 * @throws TypeError for an invalid server
 */
export function inProcessDispatcher(server: Servable): InProcessDispatcher {
  const target = targetOf('inProcessDispatcher', server);
  return {
    dispatch(options, handler) {
      void new Exchange(options, handler).run(target.handle);
      return true;
    },
    close: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
}

/** One request and its response. */
class Exchange implements DispatchController {
  readonly #handler: DispatchHandler;
  readonly #request: DispatchedRequest;
  readonly #abort = new AbortController();
  #resumed: (() => void) | undefined;
  #ended = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders: DispatchHeaders = {};

  constructor(options: DispatchOptions, handler: DispatchHandler) {
    this.#handler = handler;
    this.#request = new DispatchedRequest(options, this.#abort.signal);
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  abort(reason: Error): void {
    if (this.aborted || this.#ended) return;
    this.reason = reason;
    this.#abort.abort(reason);
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

  /** Runs the request. Never rejects: failures go to the handler. */
  async run(handle: Handler): Promise<void> {
    try {
      this.#handler.onRequestStart?.(this, {});
      if (this.aborted) return;
      const answer = await handle(this.#request);
      if (answer.lost === true) throw new ConnectionLostError();
      if (this.aborted) await release(answer.body);
      else await this.#respond(answer);
    } catch (error) {
      // A failed stream is reported like a broken connection.
      this.#fail(toError(error));
    }
  }

  async #respond(answer: ApiResponse): Promise<void> {
    this.rawHeaders = fieldsOf(answer);
    this.#handler.onResponseStart?.(this, answer.status, this.rawHeaders);
    const { body } = answer;
    const bodiless = this.#request.method === 'HEAD' || answer.status === 204 || answer.status === 304;
    if (bodiless) await release(body);
    else if (isStream(body)) await this.#stream(body.stream);
    else if (body !== undefined) this.#push(bytesOf(body));
    if (this.aborted) return;
    this.#ended = true;
    this.#handler.onResponseEnd?.(this, {});
  }

  /** Pulls a chunk from the source only when the reader has consumed the previous one. */
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
    if (this.#ended) return;
    this.#ended = true;
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
  if (typeof body === 'object' && 'chunks' in body) return concatBytes(body.chunks);
  return encodeUtf8(typeof body === 'string' ? body : joinedText(body));
}

async function release(body: ApiResponse['body']): Promise<void> {
  if (isStream(body)) await cancelStream(body);
}
