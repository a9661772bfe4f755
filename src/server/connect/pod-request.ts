import type { Dialect, UserInfo } from '../../foundation/index.js';
import type { StoredPod } from '../../kinds/index.js';

/** A request for the streams of a pod, over a WebSocket or from a client in the process. */
export interface PodRequest {
  readonly pod: StoredPod;
  readonly user: UserInfo;
  /** The options, as in the query of the request. */
  readonly query: URLSearchParams;
  /** The subprotocols that the client offers, as in the header field `Sec-WebSocket-Protocol`. */
  readonly offered: string;
  readonly dialect: Dialect;
}
