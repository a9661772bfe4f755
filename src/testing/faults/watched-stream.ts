import type { Status } from '../../foundation/index.js';
import type { WatchNotice } from '../../registry/index.js';
import { ConnectionLostError, type InterceptedRequest } from '../../server/index.js';

/** How a watch ends: without an answer, as after its timeout, or after an ERROR event. */
export type WatchEnding =
  { readonly kind: 'lost' } | { readonly kind: 'closed' } | { readonly kind: 'error'; readonly status: Status };

const DONE = { done: true, value: undefined } as const;

/** The events of a watch, which rules can hold back and end while its reader waits. */
export class WatchedStream implements AsyncIterableIterator<WatchNotice> {
  readonly request: InterceptedRequest;
  readonly #events: AsyncIterableIterator<WatchNotice>;
  readonly #delivered: (stream: WatchedStream) => void;
  readonly #over: (stream: WatchedStream) => void;
  /** The event that has been pulled and not been delivered. */
  #pulled: Promise<IteratorResult<WatchNotice, undefined>> | undefined;
  #ending: WatchEnding | undefined;
  #ended = false;
  /** The rules that hold the events back. */
  readonly #holders = new Set<object>();
  #wake: (() => void) | undefined;
  /** Number of events that the reader got. */
  events = 0;

  /**
   * @param delivered called before each event is delivered
   * @param over called once when the watch has ended
   */
  constructor(
    request: InterceptedRequest,
    events: AsyncIterableIterator<WatchNotice>,
    callbacks: {
      readonly delivered: (stream: WatchedStream) => void;
      readonly over: (stream: WatchedStream) => void;
    },
  ) {
    this.request = request;
    this.#events = events;
    this.#delivered = callbacks.delivered;
    this.#over = callbacks.over;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchNotice, undefined>> {
    for (;;) {
      if (this.#ended) return DONE;
      if (this.#ending !== undefined) return this.#finish(this.#ending);
      if (this.#holders.size > 0) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      this.#pulled ??= this.#events.next();
      const pulled = await this.#unlessWoken(this.#pulled);
      if (pulled === undefined || this.#holders.size > 0 || this.#ending !== undefined) continue;
      this.#pulled = undefined;
      if (pulled.done === true) return this.#close();
      this.#delivered(this);
      // A rule may have ended the watch in place of this event.
      if (this.#isEnding()) continue;
      this.events += 1;
      return pulled;
    }
  }

  /** Ends the watch from the reader's side. */
  async return(): Promise<IteratorResult<WatchNotice, undefined>> {
    this.#close();
    await this.#events.return?.();
    return DONE;
  }

  /** Ends the watch; a reader that waits learns of it at once. */
  end(ending: WatchEnding): void {
    if (this.#ended || this.#ending !== undefined) return;
    this.#ending = ending;
    this.#wakeUp();
  }

  /** Holds events back until {@link release} is called with the same holder. */
  hold(holder: object): void {
    this.#holders.add(holder);
    this.#wakeUp();
  }

  /** Ends {@link hold}. */
  release(holder: object): void {
    if (this.#holders.delete(holder)) this.#wakeUp();
  }

  #isEnding(): boolean {
    return this.#ending !== undefined;
  }

  #finish(ending: WatchEnding): IteratorResult<WatchNotice, undefined> {
    this.#close();
    void this.#events.return?.().catch(() => undefined);
    if (ending.kind === 'lost') throw new ConnectionLostError();
    return ending.kind === 'closed' ? DONE : { done: false, value: { type: 'ERROR', status: ending.status } };
  }

  #close(): typeof DONE {
    if (!this.#ended) {
      this.#ended = true;
      this.#over(this);
      this.#wakeUp();
    }
    return DONE;
  }

  /** Waits for an event; undefined when a rule has changed something first. */
  #unlessWoken(
    pulled: Promise<IteratorResult<WatchNotice, undefined>>,
  ): Promise<IteratorResult<WatchNotice, undefined> | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      pulled.then(resolve, reject);
    });
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
