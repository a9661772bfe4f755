/** Pause after the first failure, in milliseconds; it doubles with each further one. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 900_000;

interface Pause {
  readonly ms: number;
  readonly sinceMs: number;
}

/** Growing pauses before failed pods of a node are replaced again. */
export class FailedPods {
  readonly #pauses = new Map<string, Map<string, Pause>>();

  /**
   * Decides whether a failed pod may be replaced now, which it counts.
   *
   * @param set key of the daemon set
   * @param place node and generation of the set
   * @returns 0 when it may be replaced, otherwise the rest of the pause in milliseconds
   */
  pauseBefore(set: string, place: string, nowMs: number): number {
    const places = this.#pauses.get(set) ?? new Map<string, Pause>();
    this.#pauses.set(set, places);
    const pause = places.get(place);
    const expired = pause === undefined || nowMs - pause.sinceMs > 2 * LONGEST_PAUSE_MS;
    if (!expired && nowMs - pause.sinceMs < pause.ms) return pause.ms - (nowMs - pause.sinceMs);
    const ms = expired ? FIRST_PAUSE_MS : Math.min(2 * pause.ms, LONGEST_PAUSE_MS);
    places.set(place, { ms, sinceMs: nowMs });
    return 0;
  }

  /** Forgets a daemon set. */
  forget(set: string): void {
    this.#pauses.delete(set);
  }
}
