import { constants } from 'node:http2';
import { Linked } from '../../foundation/index.js';
import type { ApiResponse } from '../../server/index.js';
import { isGone } from './gone.js';
import type { ResolvedTimeouts } from './listening/listen-options.js';
import type { NodeRequest, NodeResponse } from './peer.js';
import { writeApiResponse } from './responses/response.js';
import type { WritePace } from './responses/write-pace.js';

/** Response to an HTTP/2 request whose body does not end; for HTTP/1.1 Node responds. */
const REQUEST_TIMEOUT: ApiResponse = {
  status: 408,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '408 Request Timeout',
};

/** Time of a check. */
export interface Moment {
  readonly now: number;
  /** Time since which the listener has been closing. */
  readonly closingSince: number | undefined;
}

/**
 * One request and its response, to limit how long a client can block them: by a body that does not end, or by a
 * response that it does not read. The time that the server takes is not limited here.
 */
export class Exchange extends Linked<Exchange> implements WritePace {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly #startedAt: number;
  readonly #now: () => number;
  /** Time since which writing has been blocked by the client. */
  #blockedSince: number | undefined;
  /** Time when the last byte of the response was passed to the socket. */
  #answeredAt: number | undefined;
  #resetAt: number | undefined;

  constructor(request: NodeRequest, response: NodeResponse, now: () => number) {
    super();
    this.request = request;
    this.response = response;
    this.#now = now;
    this.#startedAt = now();
  }

  blocked(): void {
    this.#blockedSince = this.#now();
  }

  flowing(): void {
    this.#blockedSince = undefined;
  }

  /** Registers that the response has been passed to the socket. */
  answered(now: number): void {
    this.#answeredAt ??= now;
  }

  /** Whether both request and response are complete. */
  get over(): boolean {
    const { request, response } = this;
    // An HTTP/1.1 response is destroyed once it is sent, even if the request body is incomplete. A reset stream is
    // destroyed only after the reset has been sent.
    const gone = 'stream' in request ? request.stream.destroyed : request.destroyed && isGone(response);
    return gone || (response.writableFinished && this.#received);
  }

  /**
   * Ends the exchange if the client has blocked it for too long.
   *
   * @returns whether the connection must be closed: it uses HTTP/1.1, or its streams cannot be reset
   */
  check({ now, closingSince }: Moment, { requestMs, lingerMs, writeMs }: ResolvedTimeouts): boolean {
    const since = (at: number): number => now - (closingSince === undefined ? at : Math.max(at, closingSince));
    if (this.#resetAt !== undefined) return now - this.#resetAt > lingerMs;
    const limitMs = closingSince === undefined ? writeMs : lingerMs;
    if (this.#blockedSince !== undefined && since(this.#blockedSince) > limitMs)
      return this.#reset(constants.NGHTTP2_CANCEL);
    if (this.#answeredAt !== undefined) {
      if (!this.response.writableFinished)
        return since(this.#answeredAt) > limitMs && this.#reset(constants.NGHTTP2_CANCEL);
      return !this.#received && now - this.#answeredAt > lingerMs && this.#reset(constants.NGHTTP2_NO_ERROR);
    }
    if (this.#received) return false;
    if (closingSince !== undefined && now - closingSince > lingerMs) return this.#reset(constants.NGHTTP2_CANCEL);
    if (now - this.#startedAt <= requestMs) return false;
    return this.#timeOut(now - this.#startedAt > requestMs + lingerMs);
  }

  /** Whether the complete request has arrived. */
  get #received(): boolean {
    const { request } = this;
    if (!('stream' in request)) return request.complete;
    const { stream } = request;
    return stream.endAfterHeaders || stream.readableEnded || stream.state.remoteClose === 1;
  }

  /**
   * Responds to a body that does not end. For HTTP/1.1 Node's parser responds; connections that Node did not end are
   * closed.
   */
  #timeOut(pastLinger: boolean): boolean {
    if (!('stream' in this.response)) return pastLinger;
    void writeApiResponse(this.response, REQUEST_TIMEOUT);
    this.answered(this.#now());
    return false;
  }

  #reset(code: number): boolean {
    this.#resetAt = this.#now();
    if (!('stream' in this.response)) return true;
    this.response.stream.close(code);
    return false;
  }
}
