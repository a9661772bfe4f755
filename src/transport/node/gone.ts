import type { NodeResponse } from './peer.js';

/** Whether the client can no longer be written to. A response of HTTP/2 does not say so itself, its stream does. */
export function isGone(response: NodeResponse): boolean {
  return 'stream' in response ? response.stream.destroyed || response.stream.closed : response.destroyed;
}
