/** All that happened in a world, as a number: two runs of one seed must have the same. */
export class Trace {
  #hash = 0x811c9dc5;
  /** The events, line by line; undefined when only the hash is wanted. */
  readonly lines: string[] | undefined;

  /** @param keepsLines whether the lines are kept, to find the first difference */
  constructor(keepsLines = false) {
    this.lines = keepsLines ? [] : undefined;
  }

  /** Adds what happened at a time. */
  add(at: number, what: string): void {
    let hash = Math.imul(this.#hash ^ (at | 0), 0x01000193);
    for (let index = 0; index < what.length; index += 1) hash = Math.imul(hash ^ what.charCodeAt(index), 0x01000193);
    this.#hash = hash;
    this.lines?.push(`${at} ${what}`);
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }
}

/** Returns the first line in which two traces differ, with the lines before it; undefined when they are equal. */
export function firstDifference(one: readonly string[], other: readonly string[]): string | undefined {
  const at = one.findIndex((line, index) => line !== other[index]);
  const from = at === -1 ? one.length : at;
  if (at === -1 && one.length === other.length) return undefined;
  return [
    ...one.slice(Math.max(0, from - 12), from).map((line) => `   ${line}`),
    `1: ${one[from] ?? 'the end'}`,
    `2: ${other[from] ?? 'the end'}`,
  ].join('\n');
}
