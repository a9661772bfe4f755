import { nextTurn } from '../../foundation/index.js';

/** Number of turns of the event loop after which a client that has not asked for the next event counts as blocked. */
const PATIENCE = 2;

/** The watches of a user that have an initial state. */
interface Queue {
  readonly max: number;
  readonly sending: Set<InitialState>;
  /** In the order in which the watches began. */
  readonly waiting: InitialState[];
  /** Number of those that have not ended. */
  members: number;
}

/**
 * Limits how many watches of a user send their initial state at the same time. The others wait in the order in which
 * they began: a client that opens thousands of watches gets the first ones complete instead of all of them slowly, and
 * the pages that are read for them do not add up.
 *
 * A watch whose client does not ask for the next event lets another one proceed meanwhile.
 */
export class InitialStates {
  readonly #max: number;
  /** By user. */
  readonly #queues = new Map<string, Queue>();
  #began = 0;

  /** @param max maximum number of a user; 0 means no limit */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the initial state of a new watch of a user. Its {@link InitialState.end} must be called. */
  begin(user: string): InitialState {
    let queue = this.#queues.get(user);
    if (queue === undefined) {
      queue = { max: this.#max, sending: new Set(), waiting: [], members: 0 };
      this.#queues.set(user, queue);
    }
    queue.members += 1;
    this.#began += 1;
    return new InitialState(queue, this.#began, () => this.#queues.delete(user));
  }
}

/** The initial state of one watch. */
export class InitialState {
  readonly #queue: Queue;
  readonly #order: number;
  /** Called when the user has no other. */
  readonly #last: () => void;
  /** Lets the watch proceed. */
  #resolve: (() => void) | undefined;
  /** Number of events that have been asked for. */
  #asked = 0;
  /** Whether the client has an event and has not asked for the next one. */
  #isHandedOut = false;
  #isExpecting = false;
  #isOver = false;

  constructor(queue: Queue, order: number, last: () => void) {
    this.#queue = queue;
    this.#order = order;
    this.#last = last;
  }

  /**
   * Asks for the next event.
   *
   * @returns undefined when it may be sent; otherwise a promise that resolves when it may be, or when {@link end} is called
   */
  proceed(): Promise<void> | undefined {
    this.#isHandedOut = false;
    this.#asked += 1;
    const { max, sending } = this.#queue;
    if (max === 0 || this.#isOver || sending.has(this)) return undefined;
    if (sending.size < max) {
      sending.add(this);
      return undefined;
    }
    this.#wait();
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Notes that an event has been handed out. */
  handedOut(): void {
    this.#isHandedOut = true;
    if (this.#queue.waiting.length > 0) this.#expectClient();
  }

  /** Notes that everything has been sent, or that the watch has ended. Only the first call counts. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { waiting } = this.#queue;
    const place = waiting.indexOf(this);
    if (place >= 0) waiting.splice(place, 1);
    this.#leave();
    this.#continue();
    this.#queue.members -= 1;
    if (this.#queue.members === 0) this.#last();
  }

  #wait(): void {
    const { sending, waiting } = this.#queue;
    // One that was blocked comes before those that began later; a new one comes last.
    const place = waiting.findLastIndex((other) => other.#order < this.#order) + 1;
    waiting.splice(place, 0, this);
    for (const other of sending) other.#expectClient();
  }

  /** Lets the next one proceed. */
  #leave(): void {
    const { sending, waiting } = this.#queue;
    if (!sending.delete(this)) return;
    const next = waiting.shift();
    if (next === undefined) return;
    sending.add(next);
    next.#continue();
  }

  #continue(): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.();
  }

  /** Leaves when the client does not ask for the next event soon. */
  #expectClient(): void {
    if (!this.#isHandedOut || this.#isExpecting) return;
    this.#isExpecting = true;
    void this.#leaveUnlessAsked(this.#asked);
  }

  async #leaveUnlessAsked(asked: number): Promise<void> {
    for (let turns = 0; turns < PATIENCE && this.#asked === asked; turns += 1) await nextTurn();
    this.#isExpecting = false;
    if (this.#asked === asked) this.#leave();
  }
}
