import type { Dialect } from '../names/dialect.js';

/** The default issuer of service-account tokens of a dialect: the name under which programs in a cluster reach its API server. */
export const defaultIssuer = (dialect: Dialect): string => `https://${dialect.product}.default.svc.cluster.local`;
