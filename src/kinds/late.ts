/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importBuiltin = () => import('./builtin/index.js');
export const importCustom = () => import('./custom/index.js');
export type ImportOfCustom = typeof import('./custom/index.js');
export const importDescriptions = () => import('./facts/descriptions.js');
