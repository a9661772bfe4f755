/**
 * The door of the transports. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { cancelStream } from './cancel-source.js';
export { toFetchHandler } from './fetch/fetch.js';
export { toFieldValue } from './field-value.js';
export type { ServingCertificate } from './serving-certificate.js';
export { aServer, targetOf, type Servable, type ServerTarget, type TransportTarget } from './target.js';
