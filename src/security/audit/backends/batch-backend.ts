import { delay, messageOf, type Timer } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import type { AuditBackend, DeliverEvents } from './backend.js';
import type { AuditBackendParts, AuditDelivery } from './delivery.js';
import { TokenBucket } from './token-bucket.js';

/** Share of the buffer that is written together, where no option limits it: a batch is copied for its request. */
const BATCH_SHARE = 0.25;

/**
 * Keeps events in memory and writes them in batches, one after the other, in the order of their arrival. Events beyond
 * the limits of the buffer are lost and counted; requests never wait.
 */
export class BatchBackend implements AuditBackend {
  readonly name: string;
  readonly #deliver: DeliverEvents;
  readonly #parts: AuditBackendParts;
  readonly #options: AuditDelivery['batch'];
  readonly #maxBatchBytes: number;
  /** Whether the limit of a batch is that of its text; otherwise it is one of memory, and no text is made to count it. */
  readonly #countsText: boolean;
  readonly #bucket: TokenBucket | undefined;
  readonly #closing = new AbortController();
  /** Events that are not being written yet. */
  #waiting: AuditRecord[] = [];
  /** Number and memory of all events that are held, including those that are being written. */
  #held = 0;
  #heldBytes = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;

  constructor(deliver: DeliverEvents, { batch, truncate }: AuditDelivery, parts: AuditBackendParts) {
    this.name = parts.name;
    this.#deliver = deliver;
    this.#parts = parts;
    this.#options = batch;
    this.#maxBatchBytes = truncate === false ? batch.bufferBytes * BATCH_SHARE : truncate.maxBatchBytes;
    this.#countsText = truncate !== false;
    this.#bucket = batch.throttle === false ? undefined : new TokenBucket(parts.clock, batch.throttle);
  }

  take(record: AuditRecord): boolean {
    const { bufferSize, bufferBytes } = this.#options;
    const bytes = record.heldBytes;
    if (this.#closing.signal.aborted) {
      this.#parts.lost(1, 'the audit log is closed');
      return true;
    }
    if (this.#held >= bufferSize || this.#heldBytes + bytes > bufferBytes) {
      this.#parts.lost(1, 'the buffer of audit events is full');
      return true;
    }
    this.#held += 1;
    this.#heldBytes += bytes;
    this.#waiting.push(record);
    this.#schedule();
    return true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#waiting.length > 0) this.#write();
    while (this.#writing !== undefined) await this.#writing;
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    // In a later step, so that the events of one step share a batch.
    this.#writing ??= Promise.resolve()
      .then(() => this.#writeDue())
      .finally(() => {
        this.#writing = undefined;
        this.#schedule();
      });
  }

  /** Writes what waits now, or lets it wait for more. */
  #schedule(): void {
    const { maxSize, maxWaitMs } = this.#options;
    const count = this.#waiting.length;
    if (count === 0 || this.#writing !== undefined) return;
    if (count >= maxSize || maxWaitMs === 0 || this.#closing.signal.aborted) this.#write();
    else this.#timer ??= this.#parts.clock.after(maxWaitMs, () => this.#write());
  }

  /** Writes one batch, and further ones as long as they are full or the backend is closing. */
  async #writeDue(): Promise<void> {
    do {
      const waitMs = this.#closing.signal.aborted ? 0 : (this.#bucket?.take() ?? 0);
      if (waitMs > 0) await delay(this.#parts.clock, waitMs, this.#closing.signal);
      await this.#writeBatch(this.#nextBatch());
    } while (
      this.#waiting.length >= this.#options.maxSize ||
      (this.#closing.signal.aborted && this.#waiting.length > 0)
    );
  }

  #nextBatch(): AuditRecord[] {
    const { maxSize } = this.#options;
    let end = Math.min(maxSize, this.#waiting.length);
    let bytes = 0;
    for (let index = 0; index < end; index += 1) {
      const record = this.#waiting[index];
      bytes += (this.#countsText ? record?.length : record?.heldBytes) ?? 0;
      if (index > 0 && bytes > this.#maxBatchBytes) end = index;
    }
    return this.#waiting.splice(0, end);
  }

  async #writeBatch(batch: readonly AuditRecord[]): Promise<void> {
    try {
      await this.#deliver(batch);
    } catch (error) {
      this.#parts.lost(batch.length, messageOf(error));
    } finally {
      this.#held -= batch.length;
      for (const record of batch) this.#heldBytes -= record.heldBytes;
    }
  }
}
