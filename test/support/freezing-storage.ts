import { parseRecord } from '../../src/registry/records/record-codec.js';
import { decorateStorage, type Storage, type StorageEvent, type StorageRecord } from '../../src/entries/storage.js';

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
}

/** Decodes a record and freezes its object, so that a write to a stored object throws at once. */
function frozen<Held extends StorageRecord | undefined>(record: Held): Held {
  if (record !== undefined) deepFreeze((record.decoded ??= parseRecord(record)));
  return record;
}

function frozenEvents(events: readonly StorageEvent[]): readonly StorageEvent[] {
  for (const { record, previous } of events) {
    frozen(record);
    frozen(previous);
  }
  return events;
}

/** An engine that freezes every object: stored objects are shared and must never change. */
export function freezingStorage(engine: Storage): Storage {
  return decorateStorage(engine, {
    index:
      engine.index &&
      ((prefix, termsOf) => {
        const index = engine.index?.(prefix, termsOf);
        return {
          find: async (query) => {
            const found = await index?.find(query);
            found?.records.forEach(frozen);
            return found;
          },
          drop: () => index?.drop(),
        };
      }),
    get: async (key) => {
      const found = await engine.get(key);
      frozen(found.record);
      return found;
    },
    list: async (prefix, options) => {
      const page = await engine.list(prefix, options);
      page.records.forEach(frozen);
      return page;
    },
    create: async (key, encode, options) => frozen(await engine.create(key, encode, options)),
    update: async (key, encode, modRevision, options) => frozen(await engine.update(key, encode, modRevision, options)),
    delete: async (key, encode, modRevision, options) => frozen(await engine.delete(key, encode, modRevision, options)),
    watch: (prefix, fromRevision, sink) =>
      engine.watch(prefix, fromRevision, {
        events: (events) => sink.events(frozenEvents(events)),
        progress: (revision) => sink.progress(revision),
        end: (reason) => sink.end(reason),
      }),
  });
}
