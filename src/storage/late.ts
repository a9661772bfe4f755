/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importTransfer = () => import('./transfer/index.js');
