import { formatTime, shareTurn } from '../../foundation/index.js';
import type { ServedResource } from '../../registry/index.js';
import type { Storage, StorageRecord } from '../../storage/index.js';
import type { JournalEntry } from '../past/journal.js';
import type { LoggedRequest } from '../requests/logged-request.js';
import {
  stateLine,
  type FailedTest,
  type StateHead,
  type StateKind,
  type StateRecord,
  type StateWrite,
} from './format.js';

/** A server whose state can be saved. */
export interface StateSource {
  /** Its storage, or a fork of it. */
  readonly storage: Storage;
  /** Its writes, oldest first. */
  readonly writes: () => readonly JournalEntry[];
  /** Its requests, oldest first. */
  readonly requests: () => Iterable<LoggedRequest>;
  readonly served: () => readonly ServedResource[];
  /** Time on its clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly settings: Pick<StateHead, 'dialect' | 'featureGates' | 'runtimeConfig' | 'release'>;
}

/** The lines of a state. */
export interface GatheredState {
  readonly head: StateHead;
  readonly lines: readonly string[];
}

/** Longest body or answer of a request that is saved, in bytes of its line. */
const LONGEST_BODY = 64 * 1024;
/** The part of the room beside the objects that requests take at most. */
const REQUESTS_SHARE = 0.25;
/** Lines between two looks at the time. */
const STEPS = 32;

/**
 * Gathers the state of a server: all its objects, and of its requests and writes the newest that fit.
 *
 * @param maxBytes length of the lines together
 * @param savedAt time of the host, in milliseconds since the epoch
 * @throws Error when the objects alone are longer; as the storage fails
 */
export async function gather(
  source: StateSource,
  test: FailedTest,
  maxBytes: number,
  savedAt: number,
): Promise<GatheredState> {
  const { revision, records } = await source.storage.list('');
  const objects = new Map(records.map((record) => [record.key, record]));
  let room = maxBytes;
  let count = 0;
  for (const record of records) {
    room -= recordLine(record).length;
    count += 1;
    if (count % STEPS === 0) await shareTurn();
  }
  if (room < 0)
    throw new Error(`its ${records.length} objects take more than ${maxBytes} bytes: raise snapshots.maxBytes`);
  const requests = await newestRequests([...source.requests()], room * REQUESTS_SHARE);
  room -= lengthOf(requests.lines);
  const past = pastOf(
    source.writes().filter(({ event }) => event.revision <= revision),
    objects,
    room,
  );
  const head: StateHead = {
    ...{ ...source.settings, savedAt: formatTime(savedAt), now: source.now, test },
    base: past.writes[0] === undefined ? revision : past.writes[0].revision - 1,
    kinds: source.served().map(kindOf),
    leftOut: { writes: past.leftOut, requests: requests.leftOut, bodies: requests.bodiesLeftOut },
  };
  const lines = [...past.records.map(recordLine), ...past.writes.map((write) => stateLine({ write }))];
  return { head, lines: [...lines, ...requests.lines] };
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** Returns the line of a record: it is of ASCII, so its length is its size. */
const recordLine = ({ key, text, createRevision, modRevision }: StorageRecord | StateRecord): string =>
  stateLine({ record: { key, text, createRevision, modRevision } });

const kindOf = ({ group, version, kind, resource, singular, namespaced }: ServedResource): StateKind => ({
  ...{ group, version, kind, resource, singular, namespaced },
});

/** Returns the lines of the newest requests that fit, oldest first. Bodies that are too long are left out of theirs. */
async function newestRequests(requests: readonly LoggedRequest[], room: number) {
  const lines: string[] = [];
  let [left, bodiesLeftOut] = [room, 0];
  for (const request of requests.toReversed()) {
    const { number, time, via, user, groups, userAgent, verb, apply, group, version, resource, subresource } = request;
    const { namespace, name, path, query, contentType, body, status, answer, duration, written } = request;
    const facts = {
      ...{ number, time, via, user, groups: [...groups], userAgent, verb, apply, group, version, resource },
      ...{ subresource, namespace, name, path, query, contentType, status, duration, written: [...written] },
    };
    let line = stateLine({ request: { ...facts, body, answer } });
    if (line.length > LONGEST_BODY) {
      line = stateLine({ request: facts });
      bodiesLeftOut += 1;
    }
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
    if (lines.length % STEPS === 0) await shareTurn();
  }
  return { lines: lines.reverse(), leftOut: requests.length - lines.length, bodiesLeftOut };
}

/** Returns the newest writes that fit, and the records before them. @param objects the records after them */
function pastOf(entries: readonly JournalEntry[], objects: ReadonlyMap<string, StorageRecord>, room: number) {
  const before = new Map(objects);
  const writes: StateWrite[] = [];
  let left = room;
  for (const { event, timeMs } of entries.toReversed()) {
    const { type, key, revision, record, previous } = event;
    const write: StateWrite = { type, key, revision, text: record.text, time: timeMs };
    // The version before is a record now, or was one in a write before.
    left -= stateLine({ write }).length + (previous === undefined ? 0 : recordLine(previous).length);
    if (left < 0) break;
    writes.push(write);
    if (previous === undefined) before.delete(key);
    else before.set(key, previous);
  }
  const [oldest] = writes.slice(-1);
  const records = [...before.values()];
  // A storage may tell of its writes later than it shows them.
  if (oldest !== undefined && records.some(({ modRevision }) => modRevision >= oldest.revision))
    return { writes: [], records: [...objects.values()], leftOut: entries.length };
  return { writes: writes.reverse(), records, leftOut: entries.length - writes.length };
}
