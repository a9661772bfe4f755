import { durationOf, parseDuration, type CelDuration } from '../cel/index.js';

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
  { names: ['w', 'week'], nanos: 604_800n * SECOND },
];

/**
 * Parses a text of the format `duration`: a duration of Go, or amounts with the names of units, as `1 day 2 hours`.
 *
 * @returns undefined for any other text
 */
export function parseFormattedDuration(text: string): CelDuration | undefined {
  const ofGo = parseDuration(text);
  if (ofGo !== undefined) return ofGo;
  let total: bigint | undefined;
  for (const [, amount = '0', unit = ''] of text.matchAll(/(\d{1,18})\s*([A-Za-zµ]+)/g)) {
    const nanos = nanosOf(unit.toLowerCase());
    if (nanos !== undefined) total = (total ?? 0n) + BigInt(amount) * nanos;
  }
  return total === undefined ? undefined : durationOf(total);
}

const nanosOf = (unit: string): bigint | undefined =>
  units.find(({ names }) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))?.nanos;
