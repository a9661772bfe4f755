/**
 * The `Audit-Id` of a request: the id that identifies the request to client, server and logs. Every response carries
 * it.
 *
 * @module
 */
import { headerText } from '../authn/request-header/header-text.js';
import type { Entropy } from '../meta/clock.js';
import type { ApiRequest, ApiResponse } from './http.js';

const AUDIT_ID = 'audit-id';

/** Returns the id that the client sent, unchanged and of any length, as Kubernetes does; otherwise a new id. */
export function auditIdOf({ headers }: ApiRequest, entropy: Entropy): string {
  const given = headers.get(AUDIT_ID) === undefined ? undefined : headers.getAll(AUDIT_ID)[0];
  return given === undefined || given === '' ? entropy.uuid() : headerText(given);
}

/** Returns the header field of a response. */
export const auditIdField = (auditId: string): Readonly<Record<string, string>> => ({ [AUDIT_ID]: auditId });

/** Adds the id of the request to a response. */
export function withAuditId({ status, headers, body }: ApiResponse, auditId: string): ApiResponse {
  return { status, headers: { [AUDIT_ID]: auditId, ...headers }, body };
}
