import { goDurationNanos } from '../../../foundation/index.js';

const SECOND = 1_000_000_000n;

/** Names of the units. A unit may also be any longer word that starts with the last name: `seconds`, `hours`. */
const units: readonly { readonly names: readonly string[]; readonly nanos: bigint }[] = [
  { names: ['ns', 'nano'], nanos: 1n },
  { names: ['us', 'µs', 'micro'], nanos: 1000n },
  { names: ['ms', 'milli'], nanos: 1_000_000n },
  { names: ['s', 'sec'], nanos: SECOND },
  { names: ['m', 'min'], nanos: 60n * SECOND },
  { names: ['h', 'hr', 'hour'], nanos: 3600n * SECOND },
  { names: ['d', 'day'], nanos: 86_400n * SECOND },
  { names: ['w', 'wk', 'week'], nanos: 604_800n * SECOND },
];

const nanosOf = (unit: string): bigint | undefined =>
  units.find(({ names }) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))?.nanos;

/** Longest number that fits 64 bits. */
const MAX_DIGITS = 18;

/**
 * Returns the nanoseconds of amounts with the names of units, as `1 day 2 hours`; what is between them does not matter.
 *
 * @returns undefined for a text without them, or with a larger number
 */
export function wordedDurationNanos(text: string): bigint | undefined {
  const digits = /\d+/g;
  const word = /[\t\n\f\r ]*([A-Za-zµ]+)/y;
  let total: bigint | undefined;
  for (let amount = digits.exec(text); amount !== null; amount = digits.exec(text)) {
    word.lastIndex = digits.lastIndex;
    const unit = word.exec(text)?.[1];
    if (unit === undefined) continue;
    const significant = amount[0].replace(/^0+/, '');
    if (significant.length > MAX_DIGITS) return undefined;
    const nanos = nanosOf(unit.toLowerCase());
    if (nanos !== undefined) total = (total ?? 0n) + BigInt(significant === '' ? 0 : significant) * nanos;
  }
  return total;
}

/** Returns whether a text has the format `duration`: a duration of Go, or amounts with the names of units. */
export const isFormattedDuration = (text: string): boolean =>
  goDurationNanos(text) !== undefined || wordedDurationNanos(text) !== undefined;
