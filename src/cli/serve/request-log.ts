import type { Clock } from '../../meta/clock.js';
import type { Logger } from '../../meta/logger.js';
import type { ApiRequest } from '../../server/http.js';
import type { TransportTarget } from '../../transport/node/index.js';
import { loggedUri } from './logged-uri.js';

/** RFC 9110 section 15.2.2. */
const SWITCHING_PROTOCOLS = 101;

/** Called when a request comes in; returns what is called with the status of its answer. */
export type RequestObserver = (request: ApiRequest) => ((status: number) => void) | undefined;

/** Logs every request when it is answered. A watch is answered when it begins. */
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

/** A filter in front of a server: shows each request to an observer, and passes it on. */
export function observed(
  { handle, handleWebSocket, listening }: Required<TransportTarget>,
  observe: RequestObserver,
): Required<TransportTarget> {
  return {
    listening,
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
