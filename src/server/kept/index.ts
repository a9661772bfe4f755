/**
 * The encodings of lists that are kept: single items, and runs of successive ones. `KeptEncodings` has a `KeptForm` for each
 * kind of objects in each form of lists, and a `RunList` assembles a list from the runs of one.
 *
 * @module
 */
export { KeptEncodings } from './kept-encodings.js';
export type { KeptForm } from './kept-form.js';
export type { KeptPages } from './kept-pages.js';
export { MANY, RunList } from './run-list.js';
