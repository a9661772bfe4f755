/**
 * The entry `client` of browsers and workers: the same names, without files and processes.
 *
 * @module
 */
export * from './client-common.js';
export { connectOnWeb as connect } from '../client/index.js';
