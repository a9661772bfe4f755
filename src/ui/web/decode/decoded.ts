/** The meaning of a text: facts by name, and the things in it. */
export interface Decoded {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly parts: readonly Decoded[];
  /** Why it could not be decoded, or what is wrong with it; undefined if nothing is. */
  readonly problem: string | undefined;
}

/** A name, and its value as text. */
export type Fact = readonly [name: string, value: string];

/** Returns a thing that could not be decoded. */
export const broken = (title: string, problem: string): Decoded => ({ title, facts: [], parts: [], problem });

/** Returns the facts that are known. */
export const knownFacts = (facts: readonly (readonly [string, string | undefined])[]): Fact[] =>
  facts.flatMap(([name, value]): Fact[] => (value === undefined || value === '' ? [] : [[name, value]]));

const DAY_MS = 86_400_000;

/** Returns a time, here and in UTC. */
export const timeText = (time: Date): string => `${time.toLocaleString()} (${time.toISOString()})`;

/** Returns what a period of validity means at a time. */
export function validityText(from: Date | undefined, to: Date | undefined, now: number): string {
  if (from !== undefined && now < from.getTime()) return '▲ not valid yet';
  if (to === undefined) return '✓ does not expire';
  const left = to.getTime() - now;
  if (left < 0) return '✕ expired';
  const days = Math.floor(left / DAY_MS);
  return `${days < 30 ? '▲' : '✓'} valid, ${days} ${days === 1 ? 'day' : 'days'} left`;
}
