import type { NodeResponse } from './peer.js';

/** Returns whether the client has disconnected. For HTTP/2 the stream knows this, not the response. */
export function isGone(response: NodeResponse): boolean {
  return 'stream' in response ? response.stream.destroyed || response.stream.closed : response.destroyed;
}
