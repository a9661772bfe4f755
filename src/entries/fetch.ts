/**
 * The server as a handler of web-standard requests, for every runtime, and the client of the server's own requests that
 * uses `fetch`.
 *
 * @module
 */
export { fetchHttpClient, type FetchFunction } from '../foundation/outbound/fetch-http-client.js';
export {
  BodyTooLargeError,
  type ApiRequest,
  type ApiResponse,
  type ByteChunks,
  type ClientBlocked,
  type Handler,
  type Peer,
  type PeerCertificate,
  type RequestHeaders,
  type ResponseBody,
  type StreamBody,
  type TextParts,
  type WebSocketAnswer,
  type WebSocketHandler,
} from '../server/index.js';
export {
  toFetchHandler,
  type FetchHandler,
  type FetchOptions,
  type MountOptions,
  type Servable,
  type ServerTarget,
  type TransportTarget,
} from '../transport/fetch/fetch.js';
export type { PageOptions, PageProviderOptions } from '../ui/index.js';
