import type { Dialect } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import type { AuditBackend } from './backend.js';
import type { AuditBackendParts, AuditDelivery } from './delivery.js';

/** Removes the bodies of events that are too large, before another backend takes them. */
export class TruncatingBackend implements AuditBackend {
  readonly name: string;
  readonly maxEventBytes: number;
  readonly #inner: AuditBackend;
  readonly #annotation: string;
  readonly #parts: AuditBackendParts;

  constructor(
    inner: AuditBackend,
    { maxEventBytes }: Exclude<AuditDelivery['truncate'], false>,
    dialect: Dialect,
    parts: AuditBackendParts,
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.maxEventBytes = maxEventBytes;
    this.#annotation = `audit.${dialect.groupSuffix}/truncated`;
    this.#parts = parts;
  }

  take(record: AuditRecord): boolean | Promise<boolean> {
    const { requestObject, responseObject, isTooLong = false } = record.bodies;
    if (!isTooLong && record.length <= this.maxEventBytes) return this.#inner.take(record);
    const hasBodies = isTooLong || requestObject !== undefined || responseObject !== undefined;
    const shorter = hasBodies ? record.withoutBodies(this.#annotation) : record;
    if (shorter.length <= this.maxEventBytes) return this.#inner.take(shorter);
    this.#parts.lost(1, 'an audit event is too large even after truncating');
    // As in Kubernetes, the request goes on.
    return true;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
