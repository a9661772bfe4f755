/** A question to the gauge in the server process. */
export interface GaugeQuestion {
  readonly number: number;
  /** Collect garbage before the memory is measured. */
  readonly collect: boolean;
  /** Begin a new measurement after the answer. */
  readonly reset: boolean;
}

/** The measurements of the gauge since the last reset. Times are those of the main thread on a processor. */
export interface Gauged {
  readonly number: number;
  /** Longest turn of the event loop, in milliseconds. */
  readonly turnMs: number;
  /** Number of turns longer than 20 ms. */
  readonly longTurns: number;
  /** Longest garbage collection, in milliseconds of the wall. */
  readonly collectionMs: number;
  /** Time of the thread since its start, in milliseconds. */
  readonly cpuMs: number;
  /** Most memory of the process, in bytes. */
  readonly peakRss: number;
  readonly heapUsed: number;
  /** Memory of buffers, in bytes. */
  readonly external: number;
}
