import { precedesByCodePoint } from '../../src/storage/state/records/key-order.js';

export interface ModelRecord {
  key: string;
  text: string;
  modRevision: number;
  createRevision: number;
}

export interface ModelEvent {
  type: 'create' | 'update' | 'delete';
  revision: number;
  time: number;
  record: ModelRecord;
  previous: ModelRecord | undefined;
}

/** Encodes a value in the form of stored objects, for engines that insert the revision when they read. */
export const encoding = (value: string) => (revision: number) =>
  JSON.stringify({ metadata: { resourceVersion: String(revision) }, value });

/** The value that {@link encoding} put into a text. */
export const valueOf = (text: string): string => (JSON.parse(text) as { value: string }).value;

/**
 * The required behaviour of an engine, implemented in the slow way: a map, the list of all events, and replays for past
 * states.
 */
export class StorageModel {
  readonly live = new Map<string, ModelRecord>();
  readonly events: ModelEvent[] = [];
  readonly ttls = new Map<string, { deadline: number; expired: string | undefined }>();
  revision = 1;
  compacted = 0;

  constructor(
    readonly historyMs: number,
    readonly maxEvents: number,
  ) {}

  write(type: ModelEvent['type'], key: string, text: string, time: number): ModelRecord {
    const previous = this.live.get(key);
    const revision = ++this.revision;
    const record = { key, text, modRevision: revision, createRevision: previous?.createRevision ?? revision };
    if (type === 'delete') this.live.delete(key);
    else this.live.set(key, record);
    this.ttls.delete(key);
    this.events.push({ type, revision, time, record, previous });
    return record;
  }

  /** Advances the compacted revision according to age and number. */
  age(now: number): void {
    for (const event of this.events)
      if (event.time < now - this.historyMs) this.compacted = Math.max(this.compacted, event.revision);
    const surplus = this.events[this.events.length - this.maxEvents - 1];
    if (surplus !== undefined) this.compacted = Math.max(this.compacted, surplus.revision);
  }

  /**
   * Expires every key whose time comes until `end`, in order; `timeOf` returns the time at which such a delete is
   * written.
   */
  expireUntil(end: number, timeOf: (deadline: number) => number): void {
    for (;;) {
      const due = [...this.ttls]
        .filter(([, ttl]) => ttl.deadline <= end)
        .sort(
          ([leftKey, left], [rightKey, right]) =>
            left.deadline - right.deadline ||
            (this.live.get(leftKey)?.modRevision ?? 0) - (this.live.get(rightKey)?.modRevision ?? 0),
        )[0];
      if (due === undefined) return;
      const [key, { deadline, expired }] = due;
      this.write(
        'delete',
        key,
        expired === undefined ? (this.live.get(key)?.text ?? '') : encoding(expired)(this.revision + 1),
        timeOf(deadline),
      );
    }
  }

  /** Reopens the store: the expiry callbacks of its writers are gone, and the time in between does not count as age. */
  restart(now: number): void {
    const last = this.events[this.events.length - 1];
    if (last !== undefined) for (const event of this.events) event.time += now - last.time;
    for (const ttl of this.ttls.values()) ttl.expired = undefined;
  }

  stateAt(revision: number): ModelRecord[] {
    const state = new Map(this.live);
    for (let index = this.events.length - 1; index >= 0; index--) {
      const event = this.events[index];
      if (event === undefined || event.revision <= revision) break;
      if (event.previous === undefined) state.delete(event.record.key);
      else state.set(event.record.key, event.previous);
    }
    return [...state.values()].sort((left, right) => (precedesByCodePoint(left.key, right.key) ? -1 : 1));
  }

  page(
    prefix: string,
    revision: number,
    after: string | undefined,
    limit: number,
  ): { records: ModelRecord[]; remaining: number } {
    const range = this.stateAt(revision).filter(
      (record) => record.key.startsWith(prefix) && (after === undefined || precedesByCodePoint(after, record.key)),
    );
    const records = limit > 0 ? range.slice(0, limit) : range;
    return { records, remaining: range.length - records.length };
  }
}
