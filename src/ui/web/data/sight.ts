import { onAbort } from '../../../foundation/index.js';
import type { PageClock } from './clock.js';

/** A tab, as far as its visibility goes. */
export interface Watched {
  readonly isHidden: () => boolean;
  /** Calls back whenever the tab is hidden or shown. */
  readonly changed: (callback: () => void) => void;
}

/** How long a tab that is opened behind others works as if it were seen: it is ready when somebody turns to it. */
const LOADS_MS = 3000;
/** How long a hidden tab keeps its streams. */
const KEEPS_MS = 5 * 60_000;
/** The same over HTTP/1.1, where a browser has six connections to a server for all its tabs, and each stream takes one. */
const KEEPS_SCARCE_MS = 3000;

/** Whether a browser has six connections to a server for all its tabs. @param protocol as the browser names it: `h2`, `http/1.1` */
export const isScarce = (protocol: string): boolean => /^http\//i.test(protocol);

/** Returns how long a hidden tab keeps its streams, in milliseconds. */
export const keepsMs = (protocol: string): number => (isScarce(protocol) ? KEEPS_SCARCE_MS : KEEPS_MS);

/**
 * Whether somebody sees the page. While nobody does, nothing is drawn and nothing is asked for again and again; after some
 * time the page is away: it gives up its streams, until it is seen again.
 */
export class Sight {
  readonly #tab: Watched;
  readonly #clock: PageClock;
  readonly #keepsMs: number;
  readonly #listeners = new Set<() => void>();
  #state: 'seen' | 'hidden' | 'away' = 'seen';
  #stopWaiting = (): void => undefined;

  /** @param keepsMs how long a hidden tab keeps its streams, in milliseconds */
  constructor(tab: Watched, clock: PageClock, keepsMs: number) {
    this.#tab = tab;
    this.#clock = clock;
    this.#keepsMs = keepsMs;
    tab.changed(() => this.#look());
    if (tab.isHidden()) this.#stopWaiting = clock.after(LOADS_MS, () => this.#look());
  }

  get isSeen(): boolean {
    return this.#state === 'seen';
  }

  /** Calls back when somebody begins to see the page, or nobody does any longer. @returns a function that ends that */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls back once somebody sees the page: at once if somebody does. @returns a function that cancels it */
  whenSeen(callback: () => void): () => void {
    if (this.isSeen) {
      callback();
      return () => undefined;
    }
    const stop = this.onChange(() => {
      if (!this.isSeen) return;
      stop();
      callback();
    });
    return stop;
  }

  /** Waits until somebody sees the page, at most until a signal aborts. */
  untilSeen(signal: AbortSignal): Promise<void> {
    if (this.isSeen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const ended = (): void => {
        stopListening();
        cancel();
        resolve();
      };
      const cancel = this.whenSeen(ended);
      const stopListening = onAbort(signal, ended);
    });
  }

  /**
   * Does something as long as the page is not away.
   *
   * @param action the signal aborts when the page is away, and when the signal of the view does
   * @returns what the action returns; undefined if the page went away meanwhile, whatever the action did then
   */
  async whileNotAway<Result>(
    signal: AbortSignal,
    action: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#state === 'away') return undefined;
    const giving = new AbortController();
    const stop = this.onChange(() => {
      if (this.#state === 'away') giving.abort();
    });
    try {
      const result = await action(AbortSignal.any([signal, giving.signal]));
      return giving.signal.aborted ? undefined : result;
    } catch (error) {
      if (giving.signal.aborted) return undefined;
      throw error;
    } finally {
      stop();
    }
  }

  #look(): void {
    this.#stopWaiting();
    if (!this.#tab.isHidden()) return this.#become('seen');
    this.#become('hidden');
    this.#stopWaiting = this.#clock.after(this.#keepsMs, () => this.#become('away'));
  }

  #become(state: 'seen' | 'hidden' | 'away'): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}
