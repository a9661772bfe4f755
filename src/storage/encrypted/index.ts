/**
 * Encryption at rest: the values of a store are encrypted by an EncryptionConfiguration before an engine stores them.
 *
 * @module
 */
export { Encryption, type EncryptionOptions } from './encryption.js';
export { parseEncryptionConfiguration } from './parse.js';
export type { ResourcePaths } from './resources.js';
export type { EncryptionConfiguration } from './types.js';
