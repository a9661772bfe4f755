/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importPageEndpoints = () => import('./endpoints/page-endpoints.js');
