import type { ApiError } from '../../foundation/index.js';
import {
  bytesHeldBy,
  type MemoryBudget,
  type Revision,
  type StorageEvent,
  type StorageRecord,
} from '../../storage/index.js';
import type { StoredForm } from '../records/stored-form.js';

/** One write, as watchers share it. */
export interface LogEvent {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly revision: Revision;
  readonly record: StorageRecord;
  readonly previous: StorageRecord | undefined;
  /** Error that watchers get instead when the object cannot be read. */
  readonly problem: ApiError | undefined;
  /** Returns encoded bytes that another watcher made in the same form; undefined when there are none. */
  frame(form: string): Uint8Array | undefined;
  /** Caches encoded bytes for other watchers as long as the log keeps the event. */
  cacheFrame(form: string, bytes: Uint8Array): void;
  /**
   * Returns encoded bytes that take long to make: those that are cached, those that another watcher makes at this time,
   * or new ones, which are cached.
   *
   * @param expectedBytes their expected length, which counts before they are made
   * @throws what `make` throws
   */
  sharedFrame(form: string, expectedBytes: number, make: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

/** Overhead of a cached frame and the name of its form, in bytes. */
const FRAME_BYTES = 200;
/** Copies of a cached frame: a transport keeps one with its own framing as long. */
const FRAME_COPIES = 2;

/** An event of a log. It counts its frames against the budget. */
export class BudgetedEvent implements LogEvent {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly revision: Revision;
  readonly record: StorageRecord;
  readonly previous: StorageRecord | undefined;
  readonly #form: StoredForm;
  /** As of {@link problem}; `later` until the value can be read. */
  #problem: ApiError | 'later' | undefined;
  #frames: Map<string, Uint8Array> | undefined;
  /** Those that are being made. */
  #making: Map<string, Promise<Uint8Array>> | undefined;
  /** Undefined after {@link release}. */
  #budget: MemoryBudget | undefined;

  /** @param form tells whether the object can be read */
  constructor({ type, key, revision, record, previous }: StorageEvent, form: StoredForm, budget: MemoryBudget) {
    this.type = type;
    this.key = key;
    this.revision = revision;
    this.record = record;
    this.previous = previous;
    this.#form = form;
    this.#problem = record.unreadable?.() === undefined ? form.problemOf(record) : 'later';
    this.#budget = budget;
    budget.hold(this);
  }

  /** As of {@link LogEvent}. Watchers ask for it when the value of the record can be read. */
  get problem(): ApiError | undefined {
    if (this.#problem === 'later') this.#problem = this.#form.problemOf(this.record);
    return this.#problem;
  }

  frame(form: string): Uint8Array | undefined {
    return this.#frames?.get(form);
  }

  cacheFrame(form: string, bytes: Uint8Array): void {
    if (this.#budget === undefined) return;
    (this.#frames ??= new Map()).set(form, bytes);
    this.#budget.holdBytes(FRAME_BYTES + FRAME_COPIES * bytes.length);
    this.#budget.enforceLimit();
  }

  async sharedFrame(form: string, expectedBytes: number, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    for (;;) {
      const known = this.frame(form);
      if (known !== undefined) return known;
      const making = this.#making?.get(form);
      if (making === undefined) return this.#make(form, expectedBytes, make);
      const made = await making.catch(() => undefined);
      // The watch that made it may have ended. Then another one does.
      if (made !== undefined) return made;
    }
  }

  async #make(form: string, expectedBytes: number, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const budget = this.#budget;
    const bytes = FRAME_COPIES * expectedBytes;
    budget?.holdBytes(bytes);
    budget?.enforceLimit();
    const making = make();
    const all = (this.#making ??= new Map());
    all.set(form, making);
    try {
      const frame = await making;
      this.cacheFrame(form, frame);
      return frame;
    } finally {
      all.delete(form);
      budget?.holdBytes(-bytes);
    }
  }

  /** Bytes of the texts that it keeps and of the event itself. */
  get bytes(): number {
    return bytesHeldBy(this);
  }

  /** Releases the event's share of the budget. The log calls it when it drops the event. */
  release(): void {
    const budget = this.#budget;
    this.#budget = undefined;
    budget?.release(this);
    for (const { length } of this.#frames?.values() ?? []) budget?.holdBytes(-FRAME_BYTES - FRAME_COPIES * length);
  }
}
