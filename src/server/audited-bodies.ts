import { workOf, type JsonObject, type JsonValue } from '../foundation/index.js';
import type { RequestScope } from './requests/request-scope.js';

/**
 * Records the object in the body of a request.
 *
 * @returns undefined when nothing has to wait
 * @throws ApiError 429 when its text does not fit into the memory budget
 */
export const recordSent = ({ audit, work }: RequestScope, object: JsonObject): void | Promise<void> =>
  audit?.sent(object, workOf({ work }));

/** Records the patch in the body of a request; see {@link recordSent}. */
export const recordSentPatch = ({ audit, work }: RequestScope, patch: JsonValue): void | Promise<void> =>
  audit?.sentPatch(patch, workOf({ work }));
