export type { LoggedRequest } from './logged-request.js';
export type { EventMatch, RecordedEvent } from './recorded-events.js';
export { RequestList, type RequestMatch } from './request-list.js';
