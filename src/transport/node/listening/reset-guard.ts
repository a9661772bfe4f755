import { LruMap, networkOf, type Clock } from '../../../foundation/index.js';

/** Resets are counted over that time. */
const WINDOW_MS = 10_000;
/** How long the offences of a source count. */
const MEMORY_MS = 60_000;
/** Offences before the first wait. */
const FIRST_OFFENCES = 2;
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;
/** Sources that are remembered; beyond it the one that was counted least recently is forgotten. */
const MOST_SOURCES = 10_000;
/** Requests of all connections of a source that may be reset, for each that one connection may reset. */
const SOURCE_SHARE = 5;

/** Resets that drain evenly: there is no window at whose border twice as many would fit. */
interface Level {
  level: number;
  /** When it was counted last, in milliseconds. */
  at: number;
}

/** The resets and offences of a source. */
interface Source extends Level {
  offences: number;
  /** Until when they count, in milliseconds. */
  until: number;
}

/**
 * Bounds the requests that clients reset before they are answered, and the control frames that they send: each costs the
 * server more than the client (HTTP/2 rapid reset, CVE-2023-44487), and their user is not known. A connection beyond the
 * limit is closed; so is one that resets a request when all connections of its source have reset five times as many. The
 * third such connection of a source within a minute, and each later one, makes its new connections wait: 1 second, then
 * twice as long each time, at most a minute; and its open connections may reset half as many each time.
 */
export class ResetGuard {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #sources = new LruMap<string, Source>(MOST_SOURCES);

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
   * @param weight number of resets that it counts as
   * @returns whether the connection is beyond the limit
   */
  count(connection: ResetCount, weight: number): boolean {
    const now = this.#clock.now();
    const source = this.#source(connection.source, now);
    const allowed = Math.max(1, this.#limit / 2 ** Math.max(0, offencesAt(source, now) - 1));
    return raise(connection, weight, allowed, now) && offend(source, now);
  }

  /** Counts a reset for the source of a connection. Returns whether its connections together are beyond their limit. */
  countForSource(connection: ResetCount): boolean {
    const now = this.#clock.now();
    const source = this.#source(connection.source, now);
    return raise(source, 1, SOURCE_SHARE * this.#limit, now) && offend(source, now);
  }

  #offences(key: string): number {
    const source = this.#sources.get(key);
    return source === undefined ? 0 : offencesAt(source, this.#clock.now());
  }

  #source(key: string, now: number): Source {
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const source = { level: 0, at: now, offences: 0, until: 0 };
    this.#sources.set(key, source);
    return source;
  }
}

const offencesAt = ({ offences, until }: Source, now: number): number => (until > now ? offences : 0);

function offend(source: Source, now: number): true {
  source.offences = offencesAt(source, now) + 1;
  source.until = now + MEMORY_MS + waitAfter(source.offences);
  return true;
}

/** Raises a level, from which as many resets drain in a window as are allowed. Returns whether it is beyond that. */
function raise(counted: Level, weight: number, allowed: number, now: number): boolean {
  const drained = ((now - counted.at) / WINDOW_MS) * allowed;
  counted.level = Math.max(0, counted.level - drained) + weight;
  counted.at = now;
  return counted.level > allowed;
}

/** The recent resets of one connection. */
export class ResetCount implements Level {
  readonly source: string;
  level = 0;
  at: number;
  readonly #guard: ResetGuard;

  constructor(guard: ResetGuard, source: string, now: number) {
    this.#guard = guard;
    this.source = source;
    this.at = now;
  }

  /**
   * Counts a control frame, or what costs as much as some.
   *
   * @returns whether the connection must be closed
   */
  add(weight = 1): boolean {
    return this.#guard.count(this, weight);
  }

  /** Counts a request that was reset before it was answered. Returns whether the connection must be closed. */
  addRequest(): boolean {
    return this.#guard.count(this, 1) || this.#guard.countForSource(this);
  }
}

/** How long a connection waits after that many offences of its source. */
function waitAfter(offences: number): number {
  return offences < FIRST_OFFENCES ? 0 : Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (offences - FIRST_OFFENCES));
}
