/** Time and timers of the page. */
export interface PageClock {
  now(): number;
  /** Calls back after a time. @returns a function that cancels it */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the browser. */
export const browserClock: PageClock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
