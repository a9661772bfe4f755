/** The requests of a workspace. */
interface Share {
  /** Requests with a seat, and those that wait. */
  count: number;
  /** Called with a seat, in their order. */
  readonly waiting: (() => void)[];
}

/**
 * The seats of requests that execute. When all are taken, each workspace has a queue of its own, and the queues are
 * served in turn: a workspace with many requests delays its own, not those of others.
 */
export class Seats {
  readonly #max: number;
  readonly #shares = new Map<string, Share>();
  /** The workspaces that wait, in the order of their turns. */
  readonly #turns: string[] = [];
  #taken = 0;

  /** @param max number of seats */
  constructor(max: number) {
    this.#max = max;
  }

  /** Number of requests with a seat. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a seat. Each seat that is taken must be returned by {@link leave}.
   *
   * @param most maximum number of requests of the workspace, with those that wait
   * @returns `seated`; `refused` when the workspace has too many requests; or a promise that resolves when a seat is free
   */
  enter(workspace: string, most: number): 'seated' | 'refused' | Promise<void> {
    const share = this.#shareOf(workspace);
    // A new share is empty, and a quota allows at least one request: so a refused request leaves no share behind.
    if (share.count >= most) return 'refused';
    share.count += 1;
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return 'seated';
    }
    if (share.waiting.length === 0) this.#turns.push(workspace);
    return new Promise((resolve) => void share.waiting.push(resolve));
  }

  /** Returns a seat, which goes to the next workspace that waits. */
  leave(workspace: string): void {
    this.#ended(workspace);
    this.#taken -= 1;
    const next = this.#turns.shift();
    if (next === undefined) return;
    const { waiting } = this.#shareOf(next);
    const first = waiting.shift();
    if (waiting.length > 0) this.#turns.push(next);
    this.#taken += 1;
    first?.();
  }

  #shareOf(workspace: string): Share {
    let share = this.#shares.get(workspace);
    if (share === undefined) this.#shares.set(workspace, (share = { count: 0, waiting: [] }));
    return share;
  }

  #ended(workspace: string): void {
    const share = this.#shareOf(workspace);
    share.count -= 1;
    if (share.count === 0) this.#shares.delete(workspace);
  }
}
