import type { Clock, Logger } from '../../../foundation/index.js';
import { loggedUri, type ApiRequest } from '../../../server/index.js';
import type { ServerTarget } from '../../../transport/index.js';

/** RFC 9110 section 15.2.2. */
const SWITCHING_PROTOCOLS = 101;

/** Called for each request; returns a function to call with the status of the response. */
export type RequestObserver = (request: ApiRequest) => ((status: number) => void) | undefined;

/** Minimum level of `--v` that logs every request. */
export const REQUESTS_LEVEL = 3;

/**
 * Returns an observer that logs every request when its response begins; for a watch this is the start of the stream.
 */
export function requestLog(logger: Logger, clock: Clock): RequestObserver {
  return ({ method, path, query, headers, peer }) => {
    const started = clock.now();
    return (status) =>
      logger.info('request', {
        method,
        uri: loggedUri(path, query),
        status,
        latencyMs: clock.now() - started,
        userAgent: headers.get('user-agent') ?? '',
        from: peer.address ?? '',
      });
  };
}

/** Wraps a target so that an observer sees each request. */
export function observed(
  { handle, handleWebSocket, listening, handshakeFailed, page }: ServerTarget,
  observe: RequestObserver,
): ServerTarget {
  return {
    listening,
    handshakeFailed,
    page,
    handle: async (request) => {
      const answered = observe(request);
      const answer = await handle(request);
      answered?.(answer.status);
      return answer;
    },
    handleWebSocket: async (request) => {
      const answered = observe(request);
      const outcome = await handleWebSocket(request);
      answered?.('refuse' in outcome ? outcome.refuse.status : SWITCHING_PROTOCOLS);
      return outcome;
    },
  };
}
