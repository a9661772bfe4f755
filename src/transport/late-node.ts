/**
 * The parts of this wing that load on first use, and need Node.
 *
 * @module
 */
export const importCertificates = () => import('./node/listening/certificates.js');
export const importListen = () => import('./node/listening/listen.js');
