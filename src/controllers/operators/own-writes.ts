import type { Call } from '../../client/index.js';
import type { DialectGroups } from '../../foundation/index.js';
import type { InformedObject } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { RunWrites } from '../runtime/run-writes.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import { UnseenWrites } from '../runtime/unseen-writes.js';
import { calledKey, deliveringSources, isStoredObject, storesNothing, type Followed } from './own-calls.js';

/**
 * The writes of the runs of a controller. A key waits until the informers have delivered its writes, and the events
 * of its own writes are told from those of others.
 */
export class OwnWrites implements RunWrites {
  readonly #followed: readonly Followed[];
  readonly #dialect: DialectGroups;
  readonly #unseen = new UnseenWrites();
  /** The versions that runs have written, by key. */
  readonly #versions = new Map<string, Set<string>>();
  /** The versions that were delivered during the current run of a key: the run may have written them. */
  readonly #delivered = new Map<string, Set<string>>();
  /** The keys that wait for their writes. */
  readonly #waiting = new Set<string>();

  /** @param again runs a key whose writes have been delivered */
  constructor(followed: readonly Followed[], dialect: DialectGroups, again: (key: string) => void) {
    this.#followed = followed;
    this.#dialect = dialect;
    const delivered = (): void => {
      for (const key of this.#waiting) {
        if (!this.#unseen.allSeen(key)) continue;
        this.#waiting.delete(key);
        again(key);
      }
    };
    const informers = new Set(followed.map(({ informer }) => informer));
    for (const informer of informers) informer.subscribe({ added: delivered, updated: delivered, deleted: delivered });
  }

  /** Returns whether a key may run. Otherwise it runs as soon as its writes have been delivered. */
  allSeen(key: string): boolean {
    const seen = this.#unseen.allSeen(key);
    if (seen) this.#waiting.delete(key);
    else this.#waiting.add(key);
    return seen;
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
    const followed = deliveringSources(this.#followed, call, this.#dialect);
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
