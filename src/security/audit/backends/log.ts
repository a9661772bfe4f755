import { goQuote } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import type { AuditEventFields } from '../event.js';
import type { DeliverEvents } from './backend.js';
import type { AuditDeliveryDefaults, AuditDeliveryOptions } from './delivery.js';

/** Where lines go: a file, or a stream of the process. */
export interface AuditOutput {
  /** Writes whole lines. @throws Error when they cannot be written */
  write(lines: string): void | Promise<void>;
  /** Releases the output, after the last write. */
  close?(): void | Promise<void>;
}

/** The formats of a line. */
export const auditLogFormats = ['json', 'legacy'] as const satisfies readonly AuditLogFormat[];

/** The format of a line: the event as JSON, or the plain line of old releases, which has no objects. */
export type AuditLogFormat = 'json' | 'legacy';

/** A log with one line for each event. */
export interface AuditLogOptions extends AuditDeliveryOptions {
  /** Such as `auditFile()` of `orch-apiserver/node` returns. */
  readonly output: AuditOutput;
  /** Default `json`. */
  readonly format?: AuditLogFormat | undefined;
}

/** As in Kubernetes, a request waits until its line is written. */
export const logDefaults: AuditDeliveryDefaults = { mode: 'blocking', maxSize: 1, maxWaitMs: 0, throttled: false };

/** Returns the delivery to a log. */
export function logDelivery({ output, format = 'json' }: AuditLogOptions): DeliverEvents {
  const lineOf = format === 'json' ? ({ text }: AuditRecord) => text : ({ fields }: AuditRecord) => legacyLine(fields);
  return (records) => output.write(records.map((record) => `${lineOf(record)}\n`).join(''));
}

/** Returns an event in the format `legacy`. Every text of the client is quoted. */
export function legacyLine(event: AuditEventFields): string {
  const { user, impersonatedUser, objectRef, responseStatus, sourceIPs = [] } = event;
  const hasName = user.username !== undefined;
  const members: readonly (readonly [string, string])[] = [
    ['id', event.auditID],
    ['stage', event.stage],
    ['ip', sourceIPs[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user.username ?? '<none>'],
    ['groups', hasName && user.groups !== undefined ? quotedList(user.groups) : '<none>'],
    ['as', impersonatedUser === undefined ? '<self>' : (impersonatedUser.username ?? '')],
    ['asgroups', impersonatedUser?.groups === undefined ? '<lookup>' : quotedList(impersonatedUser.groups)],
    ['user-agent', event.userAgent ?? ''],
    ['namespace', objectRef?.namespace ?? '<none>'],
    ['uri', event.requestURI],
  ];
  const code = responseStatus?.code;
  const text = members.map(([name, value]) => `${name}=${goQuote(value)}`).join(' ');
  return `${event.requestReceivedTimestamp} AUDIT: ${text} response="${code === undefined ? '<deferred>' : code}"`;
}

const quotedList = (texts: readonly string[]): string => texts.map(goQuote).join(',');
