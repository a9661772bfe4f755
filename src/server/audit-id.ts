/**
 * The `Audit-Id` of a request: a name under which client, server and logs speak of the same request. It is on every answer.
 *
 * @module
 */
import { headerText } from '../authn/request-header/header-text.js';
import type { Entropy } from '../meta/clock.js';
import type { ApiRequest, ApiResponse } from './http.js';

const AUDIT_ID = 'audit-id';

/** The id that the client gave the request, as it is and whatever its length, as in Kubernetes; a new one where it gave none. */
export function auditIdOf({ headers }: ApiRequest, entropy: Entropy): string {
  const given = headers.get(AUDIT_ID) === undefined ? undefined : headers.getAll(AUDIT_ID)[0];
  return given === undefined || given === '' ? entropy.uuid() : headerText(given);
}

/** The header field of an answer. */
export const auditIdField = (auditId: string): Readonly<Record<string, string>> => ({ [AUDIT_ID]: auditId });

/** The answer with the id of its request. */
export function withAuditId({ status, headers, body }: ApiResponse, auditId: string): ApiResponse {
  return { status, headers: { [AUDIT_ID]: auditId, ...headers }, body };
}
