import { workOf, type JsonObject, type JsonValue } from '../foundation/index.js';
import type { RequestScope } from './requests/request-scope.js';

/** A recorded body is held by itself, and in the text of its event, until the log has it. */
const COPIES = 2;

/** Records the object in the body of a request. @throws ApiError 429 when there is no memory for its text */
export function recordSent(scope: RequestScope, object: JsonObject): void {
  if (scope.audit === undefined) return;
  scope.audit.sent(object);
  reserveText(scope);
}

/** Records the patch in the body of a request. @throws ApiError 429 when there is no memory for its text */
export function recordSentPatch(scope: RequestScope, patch: JsonValue): void {
  if (scope.audit === undefined) return;
  scope.audit.sentPatch(patch);
  reserveText(scope);
}

function reserveText({ audit, work }: RequestScope): void {
  const length = audit?.sentLength ?? 0;
  if (length > 0) workOf({ work }).reserve(COPIES * length);
}
