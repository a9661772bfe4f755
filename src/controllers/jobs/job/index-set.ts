/** An interval of indexes, both ends included. */
type Interval = readonly [first: number, last: number];

/**
 * A set of completion indexes, as a Job's status writes it: `0,2-4`. Immutable. Its size in memory depends on the number
 * of intervals only.
 */
export class IndexSet {
  static readonly empty = new IndexSet([]);
  /** Ascending, with gaps between them. */
  readonly #intervals: readonly Interval[];

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  /** Reads a text, without invalid parts and indexes from `completions` on. */
  static parse(text: string, completions: number): IndexSet {
    const intervals: Interval[] = [];
    for (const part of text === '' ? [] : text.split(',')) {
      const [, first = '', last] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
      if (first === '' || Number(first) >= completions) continue;
      intervals.push([Number(first), Math.min(Number(last ?? first), completions - 1)]);
    }
    return IndexSet.#joined(intervals);
  }

  /** Returns the set of the given indexes. */
  static of(indexes: Iterable<number>): IndexSet {
    return IndexSet.#joined([...indexes].map((index) => [index, index] as const));
  }

  static #joined(intervals: readonly Interval[]): IndexSet {
    const joined: [number, number][] = [];
    for (const [first, last] of [...intervals].sort((a, b) => a[0] - b[0])) {
      const before = joined.at(-1);
      if (before === undefined || first > before[1] + 1) joined.push([first, last]);
      else before[1] = Math.max(before[1], last);
    }
    return joined.length === 0 ? IndexSet.empty : new IndexSet(joined);
  }

  /** Returns the indexes that are in this set or in another one. */
  union(other: IndexSet): IndexSet {
    if (other.#intervals.length === 0) return this;
    return IndexSet.#joined([...this.#intervals, ...other.#intervals]);
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const [first, last] = this.#intervals[middle] as Interval;
      if (index < first) high = middle;
      else if (index > last) low = middle + 1;
      else return true;
    }
    return false;
  }

  /** Number of indexes. */
  get size(): number {
    return this.#intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  /** Number of indexes that are in another set, too. */
  shared(other: IndexSet): number {
    let count = 0;
    let at = 0;
    for (const [first, last] of this.#intervals) {
      while ((other.#intervals[at]?.[1] ?? Infinity) < first) at += 1;
      for (let next = at; (other.#intervals[next]?.[0] ?? Infinity) <= last; next += 1) {
        const [otherFirst, otherLast] = other.#intervals[next] as Interval;
        count += Math.min(last, otherLast) - Math.max(first, otherFirst) + 1;
      }
    }
    return count;
  }

  /** Returns the lowest indexes below `completions` that are not in the set, at most `count`. */
  missing(count: number, completions: number): number[] {
    const found: number[] = [];
    let candidate = 0;
    const upTo = (end: number): void => {
      for (; candidate < end && found.length < count; candidate += 1) found.push(candidate);
    };
    for (const [first, last] of this.#intervals) {
      upTo(Math.min(first, completions));
      candidate = Math.max(candidate, last + 1);
    }
    upTo(completions);
    return found;
  }

  /** Returns the text in a Job's status. Two neighbours are listed, more are an interval. */
  toString(): string {
    return this.#intervals
      .map(([first, last]) => {
        if (first === last) return String(first);
        return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
      })
      .join(',');
  }
}
