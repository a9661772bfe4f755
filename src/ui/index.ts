/**
 * The door of the page. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { ControllersReport, ReportedController, ReportedFailure } from './answers.js';
export type { ExplainedAccess, PageParts } from './endpoints/page-parts.js';
export type { PageEndpoints } from './endpoints/page-endpoints.js';
export { aPage, type PageOptions, type PageProviderOptions } from './options.js';
export { OneTimeCodes } from './session/one-time-codes.js';
export type { PageHost, PageProvider } from './session/page-host.js';
export type { TestCommands } from './serving/test-command.js';
export { withPage, type PagedHandlers } from './serving/with-page.js';
