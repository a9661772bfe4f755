/**
 * The audit events of calls in the process of the server.
 *
 * @module
 */
import { ApiError, errors, isJsonObject, messageOf, SharedWork } from '../../foundation/index.js';
import type { RequestAudit } from '../../security/index.js';
import type { Call } from '../backend.js';
import { pathOf, queryOf } from '../request-path.js';
import type { CallAuditing, ClientRequest } from './services.js';

/** A call that may be recorded. */
export interface AuditedCall {
  readonly call: Call;
  /** Status code of a successful answer. */
  readonly code: number;
  /** The events of the call; undefined when it is not recorded. */
  audit: RequestAudit | undefined;
  /** Name of the client. */
  readonly userAgent: string;
}

/**
 * Records that a call arrives.
 *
 * @throws ApiError 500 when an event that must be stored cannot be
 */
export async function beginAudit(running: AuditedCall, auditing: CallAuditing, request: ClientRequest): Promise<void> {
  const { call, userAgent } = running;
  const audit = auditing.begin(request, { requestUri: uriOf(request, call.parameters), userAgent });
  if (audit === undefined) return;
  running.audit = audit;
  if (await audit.received()) return;
  running.audit = undefined;
  auditing.rejected();
  throw errors.internal('failed to store audit event');
}

/** Records the answer of a call, a large one in slices. */
export async function recordAnswer({ audit, code }: AuditedCall, answer: unknown): Promise<void> {
  if (audit === undefined) return;
  // Deleted collections are lists.
  const object = Array.isArray(answer) ? { items: answer } : answer;
  if (isJsonObject(object)) await audit.respondedObject(object, new SharedWork());
  await audit.completed(code);
}

/** Status code of a call that its caller has aborted. */
const ABORTED = 499;

/** Records the failure of a call. */
export async function recordFailure({ audit }: Pick<AuditedCall, 'audit'>, error: unknown): Promise<void> {
  if (audit === undefined) return;
  if (!(error instanceof ApiError)) {
    audit.failed(messageOf(error));
    await audit.completed(ABORTED);
    return;
  }
  audit.outcome(error.status);
  audit.responded(JSON.stringify(error.status));
  await audit.completed(error.code);
}

/** Returns path and query of the same request over HTTP. */
function uriOf({ operations, verb, namespace, name, subresource }: ClientRequest, parameters: object): string {
  const isCollection = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
  const path = pathOf(operations.store.info, { namespace, name: isCollection ? '' : name, subresource });
  const query = queryOf(verb, parameters);
  return query === '' ? path : `${path}?${query}`;
}
