import { constants } from 'node:http2';
import type { ApiResponse } from '../../server/http.js';
import { isGone } from './gone.js';
import type { ListenTimeouts } from './listen-options.js';
import type { NodeRequest, NodeResponse } from './peer.js';
import { writeApiResponse } from './response.js';
import type { WritePace } from './write-pace.js';

/** The answer to an HTTP/2 request whose body does not end; that of HTTP/1.1 is Node's own. */
const LATE: ApiResponse = {
  status: 408,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '408 Request Timeout',
};

/** When a look at an exchange happens. */
export interface Moment {
  readonly now: number;
  /** Since when the listener is closing. */
  readonly closingSince: number | undefined;
}

/**
 * One request and its answer, as far as the client can hold them up: by a body that it does not end, or by an answer that it does not
 * take. How long the server takes is not looked at here.
 */
export class Exchange implements WritePace {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly #begunAt: number;
  readonly #now: () => number;
  /** Since when the client has to take something before more is written. */
  #blockedSince: number | undefined;
  /** When the last byte of the answer was handed over. */
  #answeredAt: number | undefined;
  #brokenOffAt: number | undefined;

  constructor(request: NodeRequest, response: NodeResponse, now: () => number) {
    this.request = request;
    this.response = response;
    this.#now = now;
    this.#begunAt = now();
  }

  blocked(): void {
    this.#blockedSince = this.#now();
  }

  flowing(): void {
    this.#blockedSince = undefined;
  }

  /** The answer has been handed over. */
  answered(): void {
    this.#answeredAt ??= this.#now();
  }

  /** Whether nothing more is to come, either way. */
  get over(): boolean {
    const { request, response } = this;
    // An answer of HTTP/1.1 calls itself destroyed when it is out, however much of the body is still to come. A stream that was reset is
    // there until the reset is out.
    const gone = 'stream' in request ? request.stream.destroyed : request.destroyed && isGone(response);
    return gone || (response.writableFinished && this.#received);
  }

  /**
   * Ends what the client has held up for too long.
   *
   * @returns whether the connection has to go: it is one of HTTP/1.1, or its streams cannot be reset
   */
  check({ now, closingSince }: Moment, { requestMs, lingerMs, writeMs }: ListenTimeouts): boolean {
    const since = (at: number): number => now - (closingSince === undefined ? at : Math.max(at, closingSince));
    if (this.#brokenOffAt !== undefined) return now - this.#brokenOffAt > lingerMs;
    const patience = closingSince === undefined ? writeMs : lingerMs;
    if (this.#blockedSince !== undefined && since(this.#blockedSince) > patience)
      return this.#breakOff(constants.NGHTTP2_CANCEL);
    if (this.#answeredAt !== undefined) {
      if (!this.response.writableFinished)
        return since(this.#answeredAt) > patience && this.#breakOff(constants.NGHTTP2_CANCEL);
      return !this.#received && now - this.#answeredAt > lingerMs && this.#breakOff(constants.NGHTTP2_NO_ERROR);
    }
    if (this.#received) return false;
    if (closingSince !== undefined && now - closingSince > lingerMs) return this.#breakOff(constants.NGHTTP2_CANCEL);
    if (now - this.#begunAt <= requestMs) return false;
    return this.#tooLate(now - this.#begunAt > requestMs + lingerMs);
  }

  /** Whether the whole request has come in. */
  get #received(): boolean {
    const { request } = this;
    if (!('stream' in request)) return request.complete;
    const { stream } = request;
    return stream.endAfterHeaders || stream.readableEnded || stream.state.remoteClose === 1;
  }

  /** Answers a body that does not end: HTTP/1.1 by Node, whose parser knows where it is; what Node has not ended is cut off. */
  #tooLate(byFar: boolean): boolean {
    if (!('stream' in this.response)) return byFar;
    void writeApiResponse(this.response, LATE);
    this.answered();
    return false;
  }

  #breakOff(code: number): boolean {
    this.#brokenOffAt = this.#now();
    if (!('stream' in this.response)) return true;
    this.response.stream.close(code);
    return false;
  }
}
