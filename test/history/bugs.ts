import { nextTurn } from '../../src/foundation/index.js';
import { decorateStorage, type StorageDecorator, type StorageOverrides } from '../../src/storage/decorate.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatchSink,
} from '../../src/storage/storage.js';
import type { Rule } from './violation.js';

/** A mistake that a storage could make, for the proof that the checker finds it. */
export interface Bug {
  readonly name: string;
  /** Rules one of which must be broken. */
  readonly rules: readonly Rule[];
  readonly decorate: StorageDecorator;
}

/** Returns a function that is true each so many calls. */
function every(calls: number): () => boolean {
  let count = 0;
  return () => (count += 1) % calls === 0;
}

/** A storage whose watches have other sinks. @param makeSink called for each watch */
const watching =
  (makeSink: (sink: StorageWatchSink) => Partial<StorageWatchSink>): StorageDecorator =>
  (inner) =>
    decorateStorage(inner, {
      watch: (prefix, from, sink) =>
        inner.watch(prefix, from, {
          events: (events) => sink.events(events),
          progress: (revision) => sink.progress(revision),
          end: (reason) => sink.end(reason),
          ...makeSink(sink),
        }),
    });

/** A storage whose watches deliver other events. */
const delivering = (change: (events: readonly StorageEvent[]) => readonly StorageEvent[]): StorageDecorator =>
  watching((sink) => ({
    events: (events) => {
      const changed = change(events);
      if (changed.length > 0) sink.events(changed);
    },
  }));

/** A storage with other members. */
const replacing =
  (members: (inner: Storage) => StorageOverrides): StorageDecorator =>
  (inner) =>
    decorateStorage(inner, members(inner));

function droppedEvent(): StorageDecorator {
  const isDropped = every(200);
  return delivering((events) => events.filter(() => !isDropped()));
}

/** A reconnection begins one revision too early. */
const repeatedEvent = replacing((inner) => ({ watch: (prefix, from, sink) => inner.watch(prefix, from - 1, sink) }));

/** A reconnection begins one revision too late. */
const lateStart = replacing((inner) => ({ watch: (prefix, from, sink) => inner.watch(prefix, from + 1, sink) }));

/** A feed that follows a sequence number: one commit becomes visible after a later one. */
function swappedEvents(): StorageDecorator {
  const isLate = every(100);
  return watching((sink) => {
    let late: readonly StorageEvent[] | undefined;
    return {
      events: (events) => {
        if (late === undefined && isLate()) {
          late = events;
          return;
        }
        sink.events(events);
        if (late !== undefined) sink.events(late);
        late = undefined;
      },
    };
  });
}

/** The notification of a commit is lost, and nothing is delivered before the next one. */
const lostNotification = watching((sink) => {
  let kept: readonly StorageEvent[] = [];
  return {
    events: (events) => {
      if (kept.length > 0) sink.events(kept);
      kept = events;
    },
    progress: (revision) => {
      if (kept.length === 0) sink.progress(revision);
    },
  };
});

const earlyBookmark = watching((sink) => ({
  events: (events) => {
    const last = events[events.length - 1];
    if (last !== undefined) sink.progress(last.revision);
    sink.events(events);
  },
}));

const deleteWithoutPrevious = delivering((events) =>
  events.map((event) => (event.type === 'delete' ? { ...event, previous: undefined } : event)),
);

const wrongType = delivering((events) =>
  events.map((event) => (event.type === 'create' ? { ...event, type: 'update' } : event)),
);

/** A create is acknowledged, and the process ends before the commit. */
const acknowledgedTooEarly = replacing((inner) => {
  const isLost = every(100);
  return {
    create: async (key, encode, options) => {
      const { record } = await inner.get(key);
      if (record !== undefined || !isLost()) return inner.create(key, encode, options);
      const revision = (await inner.currentRevision()) + 1;
      const lost: StorageRecord = {
        key,
        text: encode(revision),
        modRevision: revision,
        createRevision: revision,
        decoded: undefined,
      };
      return lost;
    },
  };
});

/** An update does not compare the version. */
const lostUpdate = replacing((inner) => ({
  update: async (key, encode, modRevision, options) => {
    try {
      return await inner.update(key, encode, modRevision, options);
    } catch (error) {
      if (!(error instanceof StorageError) || error.current === undefined) throw error;
      return inner.update(key, encode, error.current.modRevision, options);
    }
  },
}));

/** A write whose answer is lost is reported as one without effect. */
const unknownAsFailure = replacing((inner) => {
  const isUnknown = every(100);
  return {
    update: async (...given) => {
      const record = await inner.update(...given);
      if (isUnknown()) throw new StorageError('Unavailable', { message: 'the write has not taken effect' });
      return record;
    },
  };
});

/** A write whose answer is lost is sent again, and refused because of its own effect. */
const sentTwice = replacing((inner) => {
  const isUnknown = every(100);
  return {
    update: async (...given) => {
      const record = await inner.update(...given);
      return isUnknown() ? inner.update(...given) : record;
    },
  };
});

/** A refusal shows a version from a cache. */
const oldRefusal = replacing((inner) => {
  const first = new Map<string, StorageRecord>();
  return {
    create: async (key, encode, options) => {
      try {
        const record = await inner.create(key, encode, options);
        if (!first.has(key)) first.set(key, record);
        return record;
      } catch (error) {
        const old = first.get(key);
        if (!(error instanceof StorageError) || old === undefined) throw error;
        throw new StorageError(error.code, { key, current: old });
      }
    },
  };
});

/** A consistent read is answered from a copy that lags behind. */
const staleRead = replacing((inner) => {
  const isStale = every(20);
  const answers = new Map<string, { readonly record: StorageRecord | undefined; readonly revision: Revision }>();
  return {
    get: async (key, options) => {
      const old = answers.get(key);
      if (old !== undefined && isStale()) return old;
      const answer = await inner.get(key, options);
      answers.set(key, answer);
      return answer;
    },
  };
});

/** The records and the revision of a list come from two snapshots. */
const twoSnapshots = replacing((inner) => ({
  list: async (prefix, options) => {
    const page = await inner.list(prefix, options);
    if (options?.revision !== undefined) return page;
    await nextTurn();
    return { ...page, revision: await inner.currentRevision() };
  },
}));

/** A page of a list shows the current state instead of the state of the first page. */
const currentPage = replacing((inner) => ({
  list: async (prefix, options) => {
    if (options?.after === undefined) return inner.list(prefix, options);
    return { ...(await inner.list(prefix, { ...options, revision: undefined })), revision: options.revision ?? 0 };
  },
}));

const wrongRemaining = replacing((inner) => ({
  list: async (prefix, options) => {
    const page = await inner.list(prefix, options);
    return page.remaining > 0 ? { ...page, remaining: page.remaining + 1 } : page;
  },
}));

/** A read that should wait for a revision does not. */
const impatientRead = replacing((inner) => {
  let before: ReturnType<Storage['list']> | undefined;
  return {
    list: async (prefix, options) => {
      if ((options?.notOlderThan ?? 0) === 0 || prefix !== '/registry/') return inner.list(prefix, options);
      const answer = before ?? inner.list(prefix);
      before = inner.list(prefix);
      return answer;
    },
  };
});

const compactedTooFar = replacing((inner) => ({
  compact: async (revision) => inner.compact(Math.min(revision + 1, await inner.currentRevision())),
}));

/** The text of a record contains the revision of the version before. */
const wrongStamp = delivering((events) =>
  events.map((event) => {
    const { record, previous } = event;
    if (event.type !== 'update' || previous === undefined) return event;
    const text = record.text.replace(String(record.modRevision), String(previous.modRevision));
    return { ...event, record: { ...record, text } };
  }),
);

/** The mistakes; each is made by one of two servers. */
export const bugs: readonly Bug[] = [
  { name: 'an event is dropped', rules: ['reliable', 'bookmarkable'], decorate: droppedEvent() },
  { name: 'an event is repeated after a reconnection', rules: ['resumable'], decorate: repeatedEvent },
  { name: 'an event is missing after a reconnection', rules: ['resumable'], decorate: lateStart },
  { name: 'events follow a sequence instead of commits', rules: ['ordered'], decorate: swappedEvents() },
  { name: 'a notification is lost, and nobody polls', rules: ['reliable'], decorate: lostNotification },
  { name: 'a bookmark comes before its event', rules: ['bookmarkable'], decorate: earlyBookmark },
  { name: 'a delete has no version before', rules: ['event'], decorate: deleteWithoutPrevious },
  { name: 'a create comes as an update', rules: ['event'], decorate: wrongType },
  { name: 'an event has the text of another revision', rules: ['event'], decorate: wrongStamp },
  { name: 'a create is acknowledged before the commit', rules: ['state'], decorate: acknowledgedTooEarly },
  { name: 'an update does not compare versions', rules: ['precondition'], decorate: lostUpdate },
  { name: 'an unknown outcome is reported as a failure', rules: ['undone'], decorate: unknownAsFailure },
  { name: 'a write is sent twice', rules: ['undone'], decorate: sentTwice },
  { name: 'a refusal shows an old version', rules: ['refusal'], decorate: oldRefusal },
  { name: 'a read is stale', rules: ['stale'], decorate: staleRead },
  { name: 'a read does not wait for its revision', rules: ['stale'], decorate: impatientRead },
  { name: 'records and revision are of two snapshots', rules: ['state'], decorate: twoSnapshots },
  { name: 'a page shows the current state', rules: ['state'], decorate: currentPage },
  { name: 'the number of remaining records is wrong', rules: ['state'], decorate: wrongRemaining },
  { name: 'a compaction goes one revision too far', rules: ['compaction', 'resumable'], decorate: compactedTooFar },
];
