import { ArrivalWait, nextTurn, SLICE_MS } from '../foundation/index.js';

/** Maximum number of requests that start in one turn of the event loop, so that a turn remains short. */
const MAX_COHORT = 32;

/** A request that is started with the others of its turn. */
interface Member {
  readonly start: () => void;
  /** Called when the others have been started. */
  readonly finish: (() => void) | undefined;
  /** Names the client. */
  readonly client: () => string;
}

/**
 * Starts the requests that arrive in one turn of the event loop together, once all of them have been read: cohort
 * scheduling (Larus and Parkes, "Using Cohort Scheduling to Enhance Server Performance", 2002).
 *
 * Reading a request and handling it run different code, each more than the caches and the branch predictor of a
 * processor hold. Requests that are read one after another, and then take the steps of the server side by side, find
 * the code of each step there; a write then takes half the time. A request on its own waits only for the end of the
 * turn.
 *
 * Requests that one turn cannot start wait for further ones, in which clients take turns: one that sends hundreds at a
 * time waits for itself.
 * While connections arrive, requests wait for them ({@link ArrivalWait}).
 */
export class Cohort {
  /** The requests of this turn, in their order. */
  #arrived: Member[] = [];
  /** Those that wait for a further turn. */
  readonly #waiting = new ClientTurns();
  #isPlanned = false;
  readonly #arrivals = new ArrivalWait();
  readonly #onTurn: (() => void) | undefined;

  /** @param onTurn called in each turn after one in which a request arrived; must not throw */
  constructor(onTurn?: () => void) {
    this.#onTurn = onTurn;
  }

  /**
   * Starts a request when the others of its turn have arrived. Requests of a client start in the order of their calls.
   *
   * @param start must not throw
   * @param finish called when the others have been started, to send what is answered already; must not throw
   * @param client names the client; called for a request that cannot start with the others of its turn. By default all
   *   requests are those of one client
   */
  join(start: () => void, finish?: () => void, client: () => string = () => ''): void {
    const member = { start, finish, client };
    if (this.#waiting.isEmpty) this.#arrived.push(member);
    else this.#waiting.add(member);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    void this.#startAll();
  }

  async #startAll(): Promise<void> {
    do {
      await nextTurn();
      this.#onTurn?.();
      if (!this.#arrivals.mustWait()) this.#startTogether();
    } while (this.#arrived.length > 0 || !this.#waiting.isEmpty);
    this.#isPlanned = false;
  }

  /** Starts requests until a slice is used up: some take long. The others wait. */
  #startTogether(): void {
    const until = performance.now() + SLICE_MS;
    const arrived = this.#arrived;
    this.#arrived = [];
    const started: Member[] = [];
    let next = 0;
    for (let isTime = true; isTime && started.length < MAX_COHORT; isTime = performance.now() < until) {
      const member = arrived[next++] ?? this.#waiting.next();
      if (member === undefined) break;
      member.start();
      started.push(member);
    }
    for (const { finish } of started) finish?.();
    if (started.length < arrived.length) this.#wait(arrived.slice(started.length));
  }

  /** Lets requests wait, and those that have arrived since. */
  #wait(members: readonly Member[]): void {
    for (const member of members) this.#waiting.add(member);
    for (const member of this.#arrived) this.#waiting.add(member);
    this.#arrived = [];
  }
}

/** Requests that wait, of clients that take turns. */
class ClientTurns {
  /** The client whose turn is next comes first. */
  readonly #byClient = new Map<string, Member[]>();

  get isEmpty(): boolean {
    return this.#byClient.size === 0;
  }

  add(member: Member): void {
    const client = member.client();
    const members = this.#byClient.get(client);
    if (members === undefined) this.#byClient.set(client, [member]);
    else members.push(member);
  }

  /** Removes and returns the request whose turn it is; undefined without one. */
  next(): Member | undefined {
    for (const [client, members] of this.#byClient) {
      const member = members.shift();
      this.#byClient.delete(client);
      if (members.length > 0) this.#byClient.set(client, members);
      return member;
    }
    return undefined;
  }
}
