import { LruMap, networkOf, type Clock } from '../../../foundation/index.js';

/** Resets are counted over that time. */
const WINDOW_MS = 10_000;
/** How long the offences of a source count. */
const MEMORY_MS = 60_000;
/** Offences before the first wait. */
const FIRST_OFFENCES = 2;
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;
/** Sources that are remembered; beyond it the one whose last offence is the oldest is forgotten. */
const MOST_SOURCES = 10_000;

interface Offences {
  readonly count: number;
  readonly until: number;
}

/**
 * Bounds the requests that clients reset before they are answered, and the control frames that they send: each costs the
 * server more than the client (HTTP/2 rapid reset, CVE-2023-44487). A connection beyond the limit is closed. The third
 * such connection of a source within a minute, and each later one, makes its new connections wait: 1 second, then twice
 * as long each time, at most a minute; and its open connections may reset half as many each time.
 */
export class ResetGuard {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #sources = new LruMap<string, Offences>(MOST_SOURCES);

  /** @param limit resets of one connection in 10 seconds */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Starts to count the resets of a connection from an address. */
  connection(address: string | undefined): ResetCount {
    return new ResetCount(this, networkOf(address ?? ''), this.#clock.now());
  }

  /** How long a new connection from an address waits, in milliseconds. */
  waitMs(address: string | undefined): number {
    return waitAfter(this.#offences(networkOf(address ?? '')));
  }

  /**
   * Counts a reset of a connection.
   *
   * @returns whether the connection is beyond the limit
   */
  count(connection: ResetCount): boolean {
    const now = this.#clock.now();
    const allowed = Math.max(1, this.#limit / 2 ** Math.max(0, this.#offences(connection.source) - 1));
    // A level that drains evenly: no window begins, at whose border twice as many would fit.
    const drained = ((now - connection.at) / WINDOW_MS) * allowed;
    connection.level = Math.max(0, connection.level - drained) + 1;
    connection.at = now;
    if (connection.level <= allowed) return false;
    this.#offend(connection.source, now);
    return true;
  }

  #offences(source: string): number {
    const offences = this.#sources.get(source);
    if (offences === undefined) return 0;
    if (offences.until > this.#clock.now()) return offences.count;
    this.#sources.delete(source);
    return 0;
  }

  #offend(source: string, now: number): void {
    const count = this.#offences(source) + 1;
    this.#sources.set(source, { count, until: now + MEMORY_MS + waitAfter(count) });
  }
}

/** The recent resets of one connection. */
export class ResetCount {
  readonly source: string;
  level = 0;
  at: number;
  readonly #guard: ResetGuard;

  constructor(guard: ResetGuard, source: string, now: number) {
    this.#guard = guard;
    this.source = source;
    this.at = now;
  }

  /** Counts a reset. Returns whether the connection is beyond the limit. */
  add(): boolean {
    return this.#guard.count(this);
  }
}

/** How long a connection waits after that many offences of its source. */
function waitAfter(offences: number): number {
  return offences < FIRST_OFFENCES ? 0 : Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (offences - FIRST_OFFENCES));
}
