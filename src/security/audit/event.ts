/**
 * The events of the audit log: the kind `Event` of `audit.<suffix>/v1`, as Kubernetes 1.31 writes it.
 *
 * @module
 */
import type { JsonObject, StatusDetails } from '../../foundation/index.js';

/** How much of a request is recorded, in ascending order. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const satisfies readonly AuditLevel[];

/** How much of a request is recorded. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** The stages of a request, in order; `Panic` replaces the last one when the server fails. */
export const auditStages = [
  'RequestReceived',
  'ResponseStarted',
  'ResponseComplete',
  'Panic',
] as const satisfies readonly AuditStage[];

/** The stage of a request at which an event is written. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** A user in an event. Members without a value are absent. */
export interface AuditUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The object of a request. Members without a value are absent. */
export interface AuditObjectReference {
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly apiGroup?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The outcome of a request. A success without a Status has only the code. */
export interface AuditResponseStatus {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | JsonObject | undefined;
  readonly code?: number | undefined;
}

/** An event of the audit log. */
export interface AuditEvent {
  readonly kind: 'Event';
  /** `audit.<suffix>/v1`. */
  readonly apiVersion: string;
  readonly level: AuditLevel;
  /** Identifies the request; all events of a request share it. Also the header `Audit-Id` of the response. */
  readonly auditID: string;
  readonly stage: AuditStage;
  /** Path and query as the client sent them; the value of `access_token` is replaced. */
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser | undefined;
  /** Addresses of the proxies, as the client and the proxies state them, then the address of the connection. */
  readonly sourceIPs?: readonly string[] | undefined;
  readonly userAgent?: string | undefined;
  /** Absent for requests that name no resource. */
  readonly objectRef?: AuditObjectReference | undefined;
  readonly responseStatus?: AuditResponseStatus | undefined;
  /** RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  /** RFC 3339 with microseconds. */
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The object or patch that the client sent; from level Request. */
  readonly requestObject?: JsonObject | readonly unknown[] | undefined;
  /** The object that the client received; from level RequestResponse. */
  readonly responseObject?: JsonObject | undefined;
}

/** An event without the bodies of request and response. */
export type AuditEventFields = Omit<AuditEvent, 'requestObject' | 'responseObject'>;
