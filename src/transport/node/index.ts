/**
 * The server on Node: `listen`, serving certificates, and adapters for Node requests.
 *
 * @module
 */

export { auditFile } from './audit-file.js';
export type { AuditFile, AuditFileOptions } from './audit-file.js';
export type { PageOptions, PageProviderOptions } from '../../ui/index.js';
export type { Servable, ServerTarget, TransportTarget } from '../target.js';
export { createServingCertificate } from './listening/certificates.js';
export type { ServingCertificate, ServingCertificateOptions } from './listening/certificates.js';
export { loadOrCreateServingCertificate } from './listening/certificate-files.js';
export { serveNode, toApiRequest, writeApiResponse } from './edge.js';
export type { NodeRequest, NodeResponse, ToApiRequestOptions } from './edge.js';
export { nodeHttpClient } from './outbound/http-client.js';
export type { NodeHttpClient, NodeHttpClientOptions } from './outbound/http-client.js';
export { listen } from './listening/listen.js';
export type {
  Listener,
  ListenLimits,
  ListenOptions,
  ListenedServer,
  ListenTimeouts,
  TlsOptions,
  WebSocketOptions,
} from './listening/listen.js';
export { serveUpgrades } from './websocket/websocket.js';
export type { ServeUpgradesOptions } from './websocket/websocket.js';
