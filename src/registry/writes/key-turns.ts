/**
 * The turns of updates that change the same object. Without them, of many that begin at once one succeeds, and all others
 * fail at the end of their work and begin again.
 *
 * @module
 */
import type { Clock, Timer } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';

/** Number of keys from which those that nobody updates are forgotten. */
const KEPT_KEYS = 1024;

/** Time after which an update that others wait for loses its turn, in milliseconds: its write may never end. */
const MOST_MS = 1_000;

/**
 * Lets the updates of a key that begin in this process take turns, in the order in which they ask. They only spare work:
 * the storage decides which write succeeds, also between this process and others.
 */
export class KeyTurns {
  readonly #clock: Clock;
  /** Entries stay where nobody updates the key: a map whose entries come and go makes garbage that lives long. */
  #queues = new Map<string, KeyQueue>();
  #sweepAt = KEPT_KEYS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of keys that are remembered. */
  get size(): number {
    return this.#queues.size;
  }

  /** Returns the turn of an update, which it has to take. */
  of(key: string): KeyTurn {
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      if (this.#queues.size >= this.#sweepAt) this.#forgetIdle();
      this.#queues.set(key, (queue = new KeyQueue(this.#clock)));
    }
    return new KeyTurn(queue);
  }

  #forgetIdle(): void {
    const busy = new Map<string, KeyQueue>();
    for (const [key, queue] of this.#queues) if (queue.isBusy) busy.set(key, queue);
    this.#queues = busy;
    this.#sweepAt = Math.max(KEPT_KEYS, 2 * busy.size);
  }
}

/**
 * A version that the storage has accepted and that is not durable yet, see {@link StorageWriteOptions.accepted}. An update
 * that begins with it may write; nothing else may come of it before it is durable.
 */
export class AcceptedVersion {
  readonly record: StorageRecord;
  #isWritten: boolean | undefined;
  readonly #waiting: ((isWritten: boolean) => void)[] = [];

  constructor(record: StorageRecord) {
    this.record = record;
  }

  /** Returns whether the version has become durable, once that is known. */
  isWritten(): boolean | Promise<boolean> {
    return this.#isWritten ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  settle(isWritten: boolean): void {
    this.#isWritten = isWritten;
    for (const resolve of this.#waiting.splice(0)) resolve(isWritten);
  }
}

/** The updates of one key. */
class KeyQueue {
  /** The update that has the turn. */
  holder: KeyTurn | undefined;
  /** The newest version that is not durable yet, as far as updates wrote it. */
  accepted: AcceptedVersion | undefined;
  readonly #clock: Clock;
  /** The updates that wait, the one that has waited longest first. */
  readonly #waiting: { readonly turn: KeyTurn; readonly proceed: () => void }[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isBusy(): boolean {
    return this.holder !== undefined || this.accepted !== undefined;
  }

  join(turn: KeyTurn): Promise<void> {
    this.#watchHolder();
    return new Promise((proceed) => this.#waiting.push({ turn, proceed }));
  }

  /** Gives the turn to the update that has waited longest. */
  pass(): void {
    const next = this.#waiting.shift();
    this.holder = next?.turn;
    if (this.#waiting.length === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    next?.proceed();
  }

  /** Ends the turn of the update that has it now, if it still has it later. */
  #watchHolder(): void {
    const { holder } = this;
    this.#timer ??= this.#clock.after(MOST_MS, () => {
      this.#timer = undefined;
      if (this.holder === holder) this.pass();
      if (this.#waiting.length > 0) this.#watchHolder();
    });
  }
}

/**
 * The turn of one update. The update has it while it reads, computes and writes, also in slices. It ends it before it
 * waits for anybody else, such as a webhook, who may update the object as well.
 */
export class KeyTurn {
  readonly #queue: KeyQueue;
  #own: AcceptedVersion | undefined;

  constructor(queue: KeyQueue) {
    this.#queue = queue;
  }

  /** Takes the turn, unless the update has it. Returns a promise when it has to wait for it. */
  take(): Promise<void> | undefined {
    const queue = this.#queue;
    if (queue.holder === this) return undefined;
    if (queue.holder !== undefined) return queue.join(this);
    queue.holder = this;
    return undefined;
  }

  /** Ends the turn, if the update has it: the next one continues. */
  end(): void {
    if (this.#queue.holder === this) this.#queue.pass();
  }

  /** The newest version of the key that is not durable yet; undefined when the storage has the newest one, or may have. */
  get accepted(): AcceptedVersion | undefined {
    return this.#queue.accepted;
  }

  /** Whether the storage has accepted a version of this update. */
  get isAccepted(): boolean {
    return this.#own !== undefined;
  }

  /** Ends the turn with the version that the storage has accepted, with which the next update begins. */
  accept(record: StorageRecord): void {
    this.#own = this.#queue.accepted = new AcceptedVersion(record);
    this.end();
  }

  /** Says whether the accepted version, if there is one, has become durable. */
  settle(isWritten: boolean): void {
    if (this.#own === undefined) return;
    if (this.#queue.accepted === this.#own) this.#queue.accepted = undefined;
    this.#own.settle(isWritten);
  }

  /** Ends the turn when a step of the update waits for somebody else. Returns the step as it is. */
  endIfWaiting<Step>(step: Step): Step {
    if (step instanceof Promise) this.end();
    return step;
  }
}
