/**
 * The patches that differences of two objects make.
 *
 * @module
 */
export { createJsonPatch } from './json-diff.js';
export { createMergePatch } from './merge-patch.js';
