import type { Dialect } from '../../../foundation/index.js';

/**
 * Returns the default issuer of service account tokens: the URL at which programs in a cluster reach the API server.
 *
 * @param dialect dialect of the server; its product name is the host name
 */
export const defaultIssuer = (dialect: Dialect): string => `https://${dialect.product}.default.svc.cluster.local`;
