/**
 * The second door of this wing: what needs Node. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { KubeConfig } from './kubeconfig/config.js';
export { openOnNode } from './kubeconfig/connect-node.js';
export { createConnection } from './kubeconfig/connection.js';
export { parseKubeConfig } from './kubeconfig/decode.js';
export { aggregate } from './kubeconfig/errors.js';
export { readBoundedFile } from './kubeconfig/files.js';
export { hostCredentials } from './kubeconfig/host-credentials.js';
export { loadKubeConfig } from './kubeconfig/load.js';
