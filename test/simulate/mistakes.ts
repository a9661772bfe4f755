import { decorateStorage, type StorageDecorator } from '../../src/storage/decorate.js';
import { SIGNING_KEY } from '../../src/security/authorities/stored-key-record.js';
import type { Storage, StorageRecord } from '../../src/storage/storage.js';
import { FAMILY } from './deeds.js';
import { VALUE_KEYS } from './value-client.js';

/** Returns a function that is true each so many calls. */
function every(calls: number): () => boolean {
  let count = 0;
  return () => (count += 1) % calls === 0;
}

/** A mistake of a server, for the proof that the simulation finds it. */
export interface Mistake {
  /** The invariants one of which must be broken. */
  readonly breaks: readonly string[];
  /** Called for each process of a server. */
  readonly make: () => StorageDecorator;
}

/** Watches do not deliver some events of values. */
const droppedEvent: Mistake = {
  breaks: ['the history keeps its rules', 'every informer equals the store at rest'],
  make: () => {
    const isDropped = every(10);
    return (inner) =>
      decorateStorage(inner, {
        watch: (prefix, from, sink) =>
          inner.watch(prefix, from, {
            events: (events) => {
              const left = events.filter(({ key }) => !key.startsWith(VALUE_KEYS) || !isDropped());
              if (left.length > 0) sink.events(left);
            },
            progress: (revision) => sink.progress(revision),
            end: (reason) => sink.end(reason),
          }),
      });
  },
};

/** Some updates of values are acknowledged, and never committed. */
const acknowledgedTooEarly: Mistake = {
  breaks: ['the history keeps its rules'],
  make: () => {
    const isLost = every(10);
    return (inner) =>
      decorateStorage(inner, {
        update: async (key, encode, modRevision, options) => {
          if (!key.startsWith(VALUE_KEYS) || !isLost()) return inner.update(key, encode, modRevision, options);
          const revision = (await inner.currentRevision()) + 1;
          const text = encode(revision);
          const lost: StorageRecord = {
            key,
            text,
            modRevision: revision,
            createRevision: modRevision,
            decoded: undefined,
          };
          return lost;
        },
      });
  },
};

/** The share of a quota that a request takes is not written. */
const lostCharge: Mistake = {
  breaks: ['usage never exceeds the quota'],
  make: () => (inner) =>
    decorateStorage(inner, {
      update: async (key, encode, modRevision, options) => {
        const { record } = await inner.get(key);
        if (!key.startsWith('/registry/resourcequotas/') || record?.modRevision !== modRevision)
          return inner.update(key, encode, modRevision, options);
        return record;
      },
    }),
};

/** The garbage collector does not find some owners that exist. */
const collectsTooMuch: Mistake = {
  breaks: ['nothing with an owner is collected'],
  make: () => {
    const isHidden = every(3);
    return (inner) =>
      decorateStorage(inner, {
        get: async (key, options) => {
          const answer = await inner.get(key, options);
          return key.startsWith(`/registry/configmaps/${FAMILY}/owner-`) && isHidden()
            ? { ...answer, record: undefined }
            : answer;
        },
        watch: (prefix, from, sink) =>
          inner.watch(prefix, from, {
            events: (events) => {
              const left = events.filter(({ key }) => !key.startsWith(`/registry/configmaps/${FAMILY}/owner-`));
              if (left.length > 0) sink.events(left);
            },
            progress: (revision) => sink.progress(revision),
            end: (reason) => sink.end(reason),
          }),
      });
  },
};

/** A process knows only the signing key that it read first, and those that it makes itself. */
const firstKeyOnly: Mistake = {
  breaks: ['servers at rest accept the same tokens'],
  make: () => (inner) => {
    let first: ReturnType<Storage['get']> | undefined;
    return decorateStorage(inner, {
      get: async (key, options) => {
        if (key !== SIGNING_KEY) return inner.get(key, options);
        first ??= inner.get(key, options);
        // A read that failed has shown none.
        first.catch(() => (first = undefined));
        return first;
      },
      watch: (prefix, from, sink) =>
        inner.watch(prefix, from, {
          events: (events) => {
            const left = events.filter(({ key }) => key !== SIGNING_KEY);
            if (left.length > 0) sink.events(left);
          },
          progress: (revision) => sink.progress(revision),
          end: (reason) => sink.end(reason),
        }),
    });
  },
};

/** The mistakes by name. */
export const mistakes: ReadonlyMap<string, Mistake> = new Map([
  ['a watch event is dropped', droppedEvent],
  ['a write is acknowledged before the commit', acknowledgedTooEarly],
  ['the charge of a quota is lost', lostCharge],
  ['the garbage collector deletes too much', collectsTooMuch],
  ['an exchanged signing key is not followed', firstKeyOnly],
]);
