/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importOutbound = () => import('./outbound/index.js');
