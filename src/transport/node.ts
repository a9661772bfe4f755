/**
 * The second door of this wing: what needs Node. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { auditFile } from './node/audit-file.js';
export { serveNode } from './node/edge.js';
export { nodeHttpClient } from './node/outbound/http-client.js';
export { environmentProxy, proxyUrl } from './node/outbound/proxy.js';
export { isLoopback } from './node/listening/accepted-hosts.js';
export { loadOrCreateServingCertificate } from './node/listening/certificate-files.js';
export { createServingCertificate, type ServingCertificate } from './node/listening/certificates.js';
export type { ListenOptions } from './node/listening/listen-options.js';
export { listen, type Listener } from './node/listening/listen.js';
