/**
 * The door of the page. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { withPage, type PagedHandlers } from './serving/with-page.js';
