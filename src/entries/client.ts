/**
 * The client of a server in the same process or over the wire, and the kubeconfig of a server.
 *
 * @module
 */
export * from './client-common.js';
export { connect } from '../client/index.js';
