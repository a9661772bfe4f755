import { goQuote } from '../meta/go-text.js';

const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/**
 * A flag's boolean, in every spelling that Kubernetes takes.
 *
 * @throws Error for anything else
 */
export function parseBool(text: string): boolean {
  const value = BOOLS.get(text);
  if (value === undefined) throw new Error(`${goQuote(text)} is neither true nor false`);
  return value;
}

/** One `key[=value]` of a flag that takes several, separated by commas. Spaces around both are dropped. */
export interface FlagPair {
  readonly key: string;
  /** Undefined when there was no equals sign. */
  readonly value: string | undefined;
}

/** Takes a flag's pairs apart. Empty ones are passed over. */
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
