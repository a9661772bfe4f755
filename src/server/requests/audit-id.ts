import type { Entropy } from '../../foundation/index.js';
import { headerText } from '../../security/index.js';
import type { ApiRequest, ApiResponse } from './http.js';
import type { RequestScope } from './request-scope.js';
import { timingField } from './request-works.js';

/** Header of the id that identifies a request to client, server and logs. Every response carries it. */
const AUDIT_ID = 'audit-id';

/** Returns the id that the client sent, unchanged and of any length, as Kubernetes does; otherwise a new id. */
export function auditIdOf({ headers }: ApiRequest, entropy: Entropy): string {
  const given = headers.get(AUDIT_ID) === undefined ? undefined : headers.getAll(AUDIT_ID)[0];
  return given === undefined || given === '' ? entropy.uuid() : headerText(given);
}

/** Returns the header field of a response. */
export const auditIdField = (auditId: string): Readonly<Record<string, string>> => ({ [AUDIT_ID]: auditId });

/** Adds the id of the request to a response, which may have it. */
export function withAuditId(answer: ApiResponse, auditId: string): ApiResponse {
  const { status, headers, body } = answer;
  if (answer.lost === true || headers[AUDIT_ID] !== undefined) return answer;
  return { status, headers: { [AUDIT_ID]: auditId, ...headers }, body };
}

/** Adds the id of the request to a response, and the fields that tell its flow and the cost of long work. */
export function withIds(answer: ApiResponse, scope: RequestScope): ApiResponse {
  const { auditId, flowHeaders } = scope;
  const timing = timingField(scope);
  if ((flowHeaders === undefined && timing === undefined) || answer.lost === true) return withAuditId(answer, auditId);
  const { status, headers, body } = answer;
  return { status, headers: { [AUDIT_ID]: auditId, ...flowHeaders, ...timing, ...headers }, body };
}
