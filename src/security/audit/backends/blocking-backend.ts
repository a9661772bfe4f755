import { messageOf } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import type { AuditBackend, DeliverEvents } from './backend.js';
import type { AuditBackendParts } from './delivery.js';

/** Writes each event while its request waits. */
export class BlockingBackend implements AuditBackend {
  readonly name: string;
  readonly #deliver: DeliverEvents;
  readonly #parts: AuditBackendParts;
  readonly #strict: boolean;
  readonly #writing = new Set<Promise<boolean>>();

  /** @param strict whether a request is refused whose first event cannot be written */
  constructor(deliver: DeliverEvents, strict: boolean, parts: AuditBackendParts) {
    this.name = parts.name;
    this.#deliver = deliver;
    this.#strict = strict;
    this.#parts = parts;
  }

  take(record: AuditRecord): boolean | Promise<boolean> {
    try {
      const written = this.#deliver([record]);
      if (!(written instanceof Promise)) return true;
      const settled = written.then(
        () => true,
        (error: unknown) => this.#failed(error),
      );
      this.#writing.add(settled);
      return settled.finally(() => this.#writing.delete(settled));
    } catch (error) {
      return this.#failed(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #failed(error: unknown): boolean {
    this.#parts.lost(1, messageOf(error));
    return !this.#strict;
  }
}
