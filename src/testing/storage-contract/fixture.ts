import { appendAll } from '../../foundation/index.js';
import type {
  Revision,
  Storage,
  StorageEvent,
  StorageListOptions,
  StorageRecord,
  ValueEncoder,
} from '../../storage/index.js';
import { check, defined, equal } from '../assert.js';

/** An empty store, with the operations that a case may use. */
export interface ContractStore {
  /** Storage engine; empty and not used elsewhere. */
  readonly storage: Storage;
  /** Advances the time for the expiry of keys. */
  advance?(ms: number): Promise<void>;
  /** Releases all resources. Called once, even when the case has closed the storage. */
  close(): Promise<void>;
}

/** The context of a case. */
export interface CaseContext {
  readonly storage: Storage;
  /** See {@link ContractStore}; throws when the store has no `advance`. */
  advance(ms: number): Promise<void>;
}

/** A case of the suite, not bound to an engine. */
export interface CaseDefinition {
  readonly name: string;
  readonly body: (context: CaseContext) => Promise<void>;
}

/**
 * Encodes a sample object. It has the form of the values that a server stores, so that engines that set the revision on
 * reading can be tested too.
 */
export function sample(value: string): ValueEncoder {
  return (revision) =>
    JSON.stringify({ kind: 'Sample', metadata: { name: 'sample', resourceVersion: String(revision) }, value });
}

function parsed(record: StorageRecord): { value?: unknown; metadata?: { resourceVersion?: unknown } | undefined } {
  return JSON.parse(record.text) as ReturnType<typeof parsed>;
}

/** Returns the value that {@link sample} put into a record. */
export function valueOf(record: StorageRecord): unknown {
  return parsed(record).value;
}

/** Checks that the text of a record contains the value and the revision of the write. */
export function carries(record: StorageRecord, value: string, what: string): void {
  equal(valueOf(record), value, `${what}: value`);
  equal(parsed(record).metadata?.resourceVersion, String(record.modRevision), `${what}: revision in the text`);
}

/** Creates keys in order, each with its own key as the value. */
export async function createAll(storage: Storage, keys: readonly string[]): Promise<StorageRecord[]> {
  const records: StorageRecord[] = [];
  for (const key of keys) records.push(await storage.create(key, sample(key)));
  return records;
}

/** Updates a key, or creates it when it does not exist. */
export async function put(storage: Storage, key: string, value: string): Promise<StorageRecord> {
  const { record } = await storage.get(key);
  return record === undefined
    ? storage.create(key, sample(value))
    : storage.update(key, sample(value), record.modRevision);
}

/** Deletes a key that exists. */
export async function drop(storage: Storage, key: string): Promise<StorageRecord> {
  const record = defined((await storage.get(key)).record, `record of ${key}`);
  return storage.delete(key, sample(String(valueOf(record))), record.modRevision);
}

/** Returns the keys and revisions of records: enough to distinguish versions, and short in a message. */
export function versions(records: readonly StorageRecord[]): string[] {
  return records.map((record) => `${record.key}@${record.modRevision}`);
}

/** Returns a short description of each event. */
export function summary(events: readonly StorageEvent[]): string[] {
  return events.map((event) => `${event.type} ${event.key}@${event.revision}`);
}

/** Reads a range in pages and checks the `remaining` of each page. */
export async function readPages(
  storage: Storage,
  prefix: string,
  limit: number,
  options: StorageListOptions = {},
  between: () => Promise<void> = async () => undefined,
): Promise<{ readonly records: StorageRecord[]; readonly revision: Revision }> {
  const first = await storage.list(prefix, { ...options, limit });
  const total = first.records.length + first.remaining;
  const records = [...first.records];
  let remaining = first.remaining;
  while (remaining > 0) {
    await between();
    const after = defined(records[records.length - 1], 'a page with further records must not be empty').key;
    const page = await storage.list(prefix, { revision: first.revision, after, limit });
    equal(page.revision, first.revision, 'revision of a further page');
    appendAll(records, page.records);
    remaining = page.remaining;
    equal(records.length + remaining, total, `records read and remaining, after ${after}`);
    check(page.records.length === limit || remaining === 0, 'only the last page may be short');
  }
  return { records, revision: first.revision };
}
