import type { Bounds } from './bounds.js';
import { UNSHOWN, type History, type Notification, type WatchRecord } from './history.js';
import { firstAbove, type Replay, type Write } from './replay.js';
import type { Rule, Violation } from './violation.js';

/** Checks the six guarantees of watches, and the contents of their events, against the replay. */
export function checkWatches(history: History, replay: Replay, bounds: Bounds): Violation[] {
  return history.watches().flatMap((watch) => new WatchCheck(history, replay, bounds, watch).run());
}

/** Distinguishes the keys of one revision: there are never so many of them. */
const KEYS = 65_536;
const nameOf = (revision: number, key: number): number => revision * KEYS + key;

class WatchCheck {
  readonly #history: History;
  readonly #replay: Replay;
  readonly #bounds: Bounds;
  readonly #watch: WatchRecord;
  /** The writes that it must deliver, as far as it comes. */
  readonly #expected: readonly Write[];
  readonly #violations: Violation[] = [];
  /** Time of the delivery, by {@link nameOf}. */
  readonly #received = new Map<number, number>();
  #first: number | undefined;
  #last: number;
  #lastDelivery = 0;
  #bookmark = 0;
  #hasEnded = false;

  constructor(history: History, replay: Replay, bounds: Bounds, watch: WatchRecord) {
    this.#history = history;
    this.#replay = replay;
    this.#bounds = bounds;
    this.#watch = watch;
    this.#last = watch.from;
    const below = replay.writesBelow(watch.prefix);
    this.#expected = below.slice(firstAbove(below, watch.from));
  }

  run(): Violation[] {
    for (const notification of this.#watch.notifications) {
      const { kind, at, key } = notification;
      if (this.#hasEnded) this.#fail('event', `a ${kind} after the end`, at, key);
      if (kind === 'create' || kind === 'update' || kind === 'delete') this.#event(notification);
      else if (kind === 'progress') this.#progress(notification);
      else this.#end(notification);
    }
    this.#complete();
    return this.#violations;
  }

  #fail(rule: Rule, message: string, at: number, key?: number): void {
    const { number, prefix, from } = this.#watch;
    const text = `watch of ${prefix} from ${from}: ${message}`;
    this.#violations.push({ rule, message: text, key, watch: number, at });
  }

  #event(event: Notification): void {
    const { key, revision, at, delivery } = event;
    const name = nameOf(revision, key);
    if (this.#received.has(name)) return this.#fail('unique', `revision ${revision} came twice`, at, key);
    this.#received.set(name, at);
    this.#contents(event);
    if (revision <= this.#watch.from) this.#fail('resumable', `revision ${revision} is not after it`, at, key);
    else if (revision < this.#last && this.#first !== undefined)
      this.#fail('ordered', `revision ${revision} after ${this.#last}`, at, key);
    else if (revision <= this.#bookmark)
      this.#fail('bookmarkable', `revision ${revision} after the bookmark ${this.#bookmark}`, at, key);
    if (revision === this.#last && this.#first !== undefined && delivery !== this.#lastDelivery)
      this.#fail('atomic', `revision ${revision} came in parts`, at, key);
    this.#first = Math.min(this.#first ?? revision, revision);
    this.#last = Math.max(this.#last, revision);
    this.#lastDelivery = delivery;
  }

  /** The type, the version and the version before are those of the write. */
  #contents(event: Notification): void {
    const { kind, key, revision, value, createRevision, previousRevision, previousValue, at } = event;
    const write = this.#replay.writeAt(key, revision);
    if (write?.revision !== revision) return this.#fail('event', `nothing was written at ${revision}`, at, key);
    if (!this.#history.textOf(key).startsWith(this.#watch.prefix))
      return this.#fail('event', `${this.#history.textOf(key)} is another prefix`, at, key);
    if (write.invoked > at) this.#fail('event', `revision ${revision} was not written yet`, at, key);
    const found = { kind, value, createRevision, previousRevision, previousValue };
    for (const part of ['kind', 'value', 'createRevision', 'previousRevision', 'previousValue'] as const)
      if (found[part] !== write[part] && found[part] !== UNSHOWN)
        this.#fail('event', `${part} at ${revision} is ${found[part]} instead of ${write[part]}`, at, key);
  }

  #progress({ revision, at }: Notification): void {
    for (let index = firstAbove(this.#expected, this.#bookmark); ; index += 1) {
      const write = this.#expected[index];
      if (write === undefined || write.revision > revision) break;
      if (!this.#received.has(nameOf(write.revision, write.key)))
        // If it comes later, this is the rule that it breaks; if it never does, both are.
        this.#fail('bookmarkable', `the bookmark ${revision} came before ${write.revision}`, at, write.key);
    }
    this.#bookmark = Math.max(this.#bookmark, revision);
  }

  #end({ kind, at }: Notification): void {
    this.#hasEnded = true;
    if (kind !== 'compacted') return;
    const requested = this.#bounds.compactedAt(at);
    const position = Math.max(this.#last, this.#bookmark);
    if (position >= requested)
      this.#fail('resumable', `compacted at ${position}, but only ${requested} was requested`, at);
  }

  /** Nothing is missing before the newest event, and, if it was awaited, nothing at all. */
  #complete(): void {
    const end = Math.max(this.#first === undefined ? 0 : this.#last, this.#hasEnded ? 0 : this.#watch.settled);
    for (const { revision, key } of this.#expected) {
      if (revision > end) break;
      if (this.#received.has(nameOf(revision, key))) continue;
      const isStart = this.#first !== undefined && revision < this.#first;
      this.#fail(isStart ? 'resumable' : 'reliable', `revision ${revision} is missing`, this.#history.time, key);
    }
  }
}
