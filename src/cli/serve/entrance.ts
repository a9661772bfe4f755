import { delay, type Clock } from '../../meta/index.js';
import type { ApiRequest, ApiResponse, Handler, WebSocketHandler } from '../../server/http.js';
import type { Logger } from '../../server/logger.js';
import type { TransportTarget } from '../../transport/node/index.js';
import { loggedUri } from './logged-uri.js';

/** Where an entrance tells of requests. */
export interface EntranceOptions {
  readonly clock: Clock;
  /** Given, every request is told to it. */
  readonly requestLog: Logger | undefined;
  /** Called with the path of every request. */
  readonly asked: (path: string) => void;
}

/** Stands before a server, counts the requests that have no answer yet, and tells of those that have. */
export class Entrance implements TransportTarget {
  readonly #target: Required<TransportTarget>;
  readonly #options: EntranceOptions;
  #unanswered = 0;
  #whenIdle: (() => void) | undefined;

  constructor(target: Required<TransportTarget>, options: EntranceOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** Never rejects, as its target does not. A watch is answered when it begins. */
  readonly handle: Handler = async (request) => {
    const started = this.#begin(request);
    const answer = await this.#target.handle(request);
    this.#end(request, answer.status, started);
    return answer;
  };

  readonly handleWebSocket: WebSocketHandler = async (request) => {
    const started = this.#begin(request);
    const outcome = await this.#target.handleWebSocket(request);
    this.#end(request, 'refuse' in outcome ? outcome.refuse.status : SWITCHING_PROTOCOLS, started);
    return outcome;
  };

  /** Resolves when every request has its answer, or when `timeoutMs` have passed. */
  async idle(timeoutMs: number): Promise<void> {
    if (this.#unanswered === 0) return;
    const idle = new AbortController();
    this.#whenIdle = () => idle.abort();
    await delay(this.#options.clock, timeoutMs, idle.signal);
  }

  #begin({ path }: ApiRequest): number {
    this.#unanswered += 1;
    this.#options.asked(path);
    return this.#options.requestLog === undefined ? 0 : this.#options.clock.now();
  }

  #end(request: ApiRequest, status: ApiResponse['status'], started: number): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#whenIdle?.();
    const { requestLog, clock } = this.#options;
    if (requestLog === undefined) return;
    const { method, path, query, headers, peer } = request;
    requestLog.info('request', {
      method,
      uri: loggedUri(path, query),
      status,
      latencyMs: clock.now() - started,
      userAgent: headers.get('user-agent') ?? '',
      from: peer.address ?? '',
    });
  }
}

/** RFC 9110 section 15.2.2. */
const SWITCHING_PROTOCOLS = 101;
