/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importOutbound = () => import('./outbound/index.js');
export const importServerError = () => import('./outbound/server-error.js');
