import { goQuote, inSlices, nextTurn, SharedWork } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import { bytesSteps } from '../audit-text.js';
import type { AuditEventFields } from '../event.js';
import type { DeliverEvents } from './backend.js';
import type { AuditDeliveryDefaults, AuditDeliveryOptions } from './delivery.js';

/** Where lines go: a file, or a stream of the process. */
export interface AuditOutput {
  /** Writes whole lines. @throws Error when they cannot be written */
  write(lines: string): void | Promise<void>;
  /**
   * Writes a long line as its bytes, which end with the line feed, in as many turns of the event loop as it takes. Nothing
   * else is written before the promise settles. Absent for an output that takes all lines as texts.
   *
   * @throws Error when it cannot be written
   */
  writeLong?(line: Uint8Array): Promise<void>;
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
  if (format === 'legacy')
    return (records) => output.write(records.map(({ fields }) => `${legacyLine(fields)}\n`).join(''));
  const log = new LineLog(output);
  return (records) => log.write(records);
}

/** Writes events to an output, long ones in slices. Lines never mix. */
class LineLog {
  readonly #output: AuditOutput;
  /** Settles when the long line that is being written has been written, or not. Never rejects. */
  #writing: Promise<unknown> | undefined;

  constructor(output: AuditOutput) {
    this.#output = output;
  }

  write(records: readonly AuditRecord[]): void | Promise<void> {
    const { writeLong } = this.#output;
    if (writeLong !== undefined && records.some(({ isLong }) => isLong)) return this.#inTurn(records);
    return this.#writing === undefined ? this.#writeNow(records) : this.#afterLong(records);
  }

  async #inTurn(records: readonly AuditRecord[]): Promise<void> {
    for (const record of records) await (record.isLong ? this.#long(record) : this.#afterLong([record]));
  }

  async #afterLong(records: readonly AuditRecord[]): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    await this.#writeNow(records);
  }

  #writeNow(records: readonly AuditRecord[]): void | Promise<void> {
    return this.#output.write(records.map(({ text }) => `${text}\n`).join(''));
  }

  /** Writes a long line. Others are written while its bytes are made, and before those of other long lines. */
  async #long(record: AuditRecord): Promise<void> {
    const work = new SharedWork();
    const line = await inSlices(work, bytesSteps(work, [...record.pieces(), '\n']));
    while (this.#writing !== undefined) {
      await this.#writing;
      await nextTurn();
    }
    const written = this.#output.writeLong?.(line);
    const settled = Promise.resolve(written).then(ignore, ignore);
    this.#writing = settled;
    void settled.then(() => (this.#writing = undefined));
    await written;
  }
}

const ignore = (): void => undefined;

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
