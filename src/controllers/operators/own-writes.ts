import type { Call } from '../../client/index.js';
import { monotonicMs, type Clock, type DialectGroups } from '../../foundation/index.js';
import type { InformedObject } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { RunWrites } from '../runtime/run-writes.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import { UnseenWrites } from '../runtime/unseen-writes.js';
import { calledKey, deliveringSources, isStoredObject, storesNothing, type Followed } from './own-calls.js';

/** Time after which a key no longer waits for its writes, in milliseconds. */
const PATIENCE_MS = 30_000;

/** The writes of a run were not delivered in time: its key runs again with what the caches have. */
export class UnseenWritesError extends Error {
  override readonly name = 'UnseenWritesError';
}

/** The parts of {@link OwnWrites}. */
export interface OwnWritesParts {
  readonly followed: readonly Followed[];
  readonly dialect: DialectGroups;
  readonly clock: Clock;
  /** Runs a key whose writes have been delivered. */
  readonly again: (key: string) => void;
  /** Called when a key has waited too long. */
  readonly onError: (error: UnseenWritesError, key: string) => void;
}

/**
 * The writes of the runs of a controller. A key waits until the informers have delivered its writes, and the events
 * of its own writes are told from those of others.
 *
 * Informers deliver a write by an event, a bookmark or a list: an object that others have deleted before an informer saw
 * it holds nobody up.
 */
export class OwnWrites implements RunWrites {
  readonly patienceMs = PATIENCE_MS;
  readonly #parts: OwnWritesParts;
  readonly #unseen = new UnseenWrites();
  /** The versions that runs have written, by key. */
  readonly #versions = new Map<string, Set<string>>();
  /** The versions that were delivered during the current run of a key: the run may have written them. */
  readonly #delivered = new Map<string, Set<string>>();
  /** The keys that wait for their writes, and since when. */
  readonly #waiting = new Map<string, number>();

  constructor(parts: OwnWritesParts) {
    this.#parts = parts;
    const reached = (): void => {
      for (const key of this.#waiting.keys()) {
        if (!this.#unseen.allSeen(key)) continue;
        this.#waiting.delete(key);
        parts.again(key);
      }
    };
    for (const informer of new Set(parts.followed.map((each) => each.informer))) informer.subscribe({ reached });
  }

  /** Returns whether a key may run. Otherwise it runs as soon as its writes have been delivered, or its patience ends. */
  allSeen(key: string): boolean {
    const seen = this.#unseen.allSeen(key) || this.#givesUp(key);
    if (seen) this.#waiting.delete(key);
    return seen;
  }

  /** Returns whether a key has waited too long, and notes that it waits otherwise. */
  #givesUp(key: string): boolean {
    const nowMs = monotonicMs(this.#parts.clock);
    const sinceMs = this.#waiting.get(key) ?? nowMs;
    this.#waiting.set(key, sinceMs);
    if (nowMs - sinceMs < PATIENCE_MS) return false;
    this.#unseen.forget(key);
    this.#parts.onError(
      new UnseenWritesError(
        `the informers have not delivered the writes of ${key} within ${PATIENCE_MS / 1000}s: it runs again with older caches`,
      ),
      key,
    );
    return true;
  }

  began(key: string): void {
    this.#versions.delete(key);
    this.#delivered.set(key, new Set());
  }

  ended(key: string): boolean {
    const own = this.#versions.get(key);
    const delivered = this.#delivered.get(key) ?? [];
    this.#delivered.delete(key);
    for (const version of delivered) if (own?.has(version) !== true) return true;
    return false;
  }

  /** Forgets a key, whose object is gone. */
  forget(key: string): void {
    this.#unseen.forget(key);
    this.#versions.delete(key);
    this.#delivered.delete(key);
    this.#waiting.delete(key);
  }

  /**
   * Returns whether a version of an object is known to be of others. The versions that are delivered during a run of the
   * key are judged when the run ends: an event may arrive before the answer of the write.
   */
  isForeign(key: string, { metadata }: InformedObject): boolean {
    const version = versionOf(metadata);
    if (this.#versions.get(key)?.has(version) === true) return false;
    const delivered = this.#delivered.get(key);
    delivered?.add(version);
    return delivered === undefined;
  }

  /** Notes a call that a run of a key has made, and its answer. */
  answered(key: string, call: Call, answer: unknown): void {
    if (storesNothing(call)) return;
    const followed = deliveringSources(this.#parts.followed, call, this.#parts.dialect);
    if (call.verb === 'delete') {
      for (const { informer } of followed) this.#deleted(key, informer, call);
      return;
    }
    if (!isStoredObject(answer)) return;
    const versions = this.#versions.get(key) ?? new Set();
    this.#versions.set(key, versions.add(versionOf(answer.metadata)));
    for (const { informer } of followed) this.#unseen.written(key, informer, answer);
  }

  #deleted(key: string, informer: Informer<AnyObject>, call: Call): void {
    const object = informer.get(calledKey(call));
    if (object !== undefined) this.#unseen.deleted(key, informer, object);
  }
}

const versionOf = ({ uid = '', resourceVersion = '' }: InformedObject['metadata']): string =>
  `${uid}/${resourceVersion}`;
