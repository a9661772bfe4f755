/**
 * Offsets of time zones, from the host's time zone data (`Intl`).
 *
 * @module
 */

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
/** Names in the time zone database begin with a capital letter, and contain no offsets from UTC. */
const NAME = /^[A-Z][A-Za-z0-9_+\-/]*$/;

/**
 * A time zone of the IANA time zone database, such as `Europe/Berlin`. `UTC` and the empty name mean UTC, as does
 * `Local`, since a server runs in UTC.
 */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat | undefined;

  /** @throws Error with the message of Go's `time.LoadLocation` for an unknown name */
  constructor(name: string) {
    if (name === '' || name === 'UTC' || name === 'Local') return;
    if (/(^|[/\\])\.\.([/\\]|$)/.test(name) || name.startsWith('/') || name.startsWith('\\'))
      throw new Error('time: invalid location name');
    const format = formatOf(name);
    if (format === undefined) throw new Error(`unknown time zone ${name}`);
    this.#format = format;
  }

  /** Returns the offset from UTC at a time, in milliseconds: positive in the east. */
  offsetMs(atMs: number): number {
    if (this.#format === undefined) return 0;
    const second = Math.floor(atMs / SECOND_MS) * SECOND_MS;
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.#format.formatToParts(second)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
  }

  /** Returns the first time after `fromMs`, and at most `untilMs`, at which the offset differs from that at `fromMs`. */
  nextChange(fromMs: number, untilMs: number): number | undefined {
    if (this.#format === undefined) return undefined;
    const offset = this.offsetMs(fromMs);
    for (let before = fromMs; before < untilMs; before += DAY_MS) {
      const after = Math.min(before + DAY_MS, untilMs);
      if (this.offsetMs(after) !== offset) return this.#changeWithin(before, after, offset);
    }
    return undefined;
  }

  /** Returns the second in `(before, after]` at which the offset stops being `offset`. */
  #changeWithin(before: number, after: number, offset: number): number {
    let same = Math.floor(before / SECOND_MS);
    let different = Math.ceil(after / SECOND_MS);
    while (different - same > 1) {
      const middle = Math.floor((same + different) / 2);
      if (this.offsetMs(middle * SECOND_MS) === offset) same = middle;
      else different = middle;
    }
    return different * SECOND_MS;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!NAME.test(timeZone)) return undefined;
  try {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    const rest = { minute: 'numeric', second: 'numeric', hourCycle: 'h23', calendar: 'gregory' } as const;
    return new Intl.DateTimeFormat('en-US', { timeZone, ...fields, ...rest });
  } catch {
    return undefined;
  }
}
