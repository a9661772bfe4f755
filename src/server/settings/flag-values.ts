import { goQuote } from '../../foundation/index.js';

const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/**
 * Parses the boolean value of a flag, in every spelling that Kubernetes accepts.
 *
 * @throws Error in the words of Go for anything else
 */
export function parseBool(text: string): boolean {
  const value = BOOLS.get(text);
  if (value === undefined) throw new Error(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
  return value;
}

/** One `key[=value]` of a comma-separated flag, without surrounding spaces. */
export interface FlagPair {
  readonly key: string;
  /** Undefined without an equals sign. */
  readonly value: string | undefined;
}

/** Splits a flag into its pairs. Empty pairs are skipped. */
export function parsePairs(text: string): FlagPair[] {
  const pairs: FlagPair[] = [];
  for (const item of text.split(',')) {
    if (item === '') continue;
    const equals = item.indexOf('=');
    if (equals < 0) pairs.push({ key: item.trim(), value: undefined });
    else pairs.push({ key: item.slice(0, equals).trim(), value: item.slice(equals + 1).trim() });
  }
  return pairs;
}
