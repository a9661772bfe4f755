import { passes, rowOrder, type Row, type RowView } from './rows.js';

/**
 * The rows of a table in their order. It looks at each row once for a filter and an order, and moves only the rows that
 * change, so that ten changes a second of 30,000 rows cost little. Rows that somebody is about to use can be held in their places.
 */
export class RowOrder {
  #view: RowView | undefined;
  #shown: readonly Row[] = [];
  /** Whether the rows that were looked at pass the filter. */
  #passes = new WeakMap<Row, boolean>();

  /** The rows that are held in their places, by uid; undefined while none are. */
  #held: Map<string, Row> | undefined;
  #waiting = 0;
  #gone = 0;

  /** How many rows wait to be shown until the others need no longer stay in their places. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many rows are still shown, and no longer exist. */
  get gone(): number {
    return this.#gone;
  }

  /** Lets the rows go to their places, even if they are held again at once. */
  release(): void {
    this.#held = undefined;
    this.#view = undefined;
  }

  /**
   * Returns the rows to show.
   *
   * @param rows all rows by uid; a row that changes is another one
   * @param held whether rows that are shown stay where they are: others wait, also those that no longer exist
   */
  shown(rows: ReadonlyMap<string, Row>, view: RowView, held = false): readonly Row[] {
    const isNew = this.#view === undefined || !isSameView(this.#view, view);
    if (isNew) this.#passes = new WeakMap();
    this.#view = view;
    if (held && !isNew) return this.#hold(rows, view);
    this.#waiting = this.#gone = 0;
    const compare = rowOrder(view);
    const before = this.#held;
    this.#held = undefined;
    const isInPlace = (row: Row): boolean => rows.get(row.uid) === row && (before?.get(row.uid) ?? row) === row;
    const kept = isNew ? [] : this.#shown.filter(isInPlace);
    const placed = new Set(before === undefined ? [] : kept);
    const news: Row[] = [];
    const passing: Row[] = [];
    for (const row of rows.values()) {
      const known = this.#passes.get(row);
      if (!(known ?? this.#look(row, view))) continue;
      passing.push(row);
      if (before === undefined ? known === undefined : !placed.has(row)) news.push(row);
    }
    if (compare === undefined) this.#shown = passing;
    else if (isNew) this.#shown = passing.sort(compare);
    else if (news.length > 0 || kept.length < this.#shown.length)
      this.#shown = merged(
        kept.filter((row) => this.#passes.get(row) === true),
        news,
        compare,
      );
    return this.#shown;
  }

  /** Returns the rows that were shown, as they are now. */
  #hold(rows: ReadonlyMap<string, Row>, view: RowView): readonly Row[] {
    // Those that it began with: a row that has changed since finds its place later.
    const held = (this.#held ??= new Map(this.#shown.map((row) => [row.uid, row])));
    let isSame = true;
    const shown = this.#shown.map((row) => {
      const now = rows.get(row.uid) ?? row;
      isSame &&= now === row;
      return now;
    });
    let passing = 0;
    for (const row of rows.values())
      if (!held.has(row.uid) && (this.#passes.get(row) ?? this.#look(row, view))) passing += 1;
    this.#waiting = passing;
    this.#gone = shown.reduce((count, { uid }) => (rows.has(uid) ? count : count + 1), 0);
    if (!isSame) this.#shown = shown;
    return this.#shown;
  }

  /** Looks at a row for the first time. @returns whether it passes the filter */
  #look(row: Row, view: RowView): boolean {
    const does = passes(row, view);
    this.#passes.set(row, does);
    return does;
  }
}

const isSameView = (a: RowView, b: RowView): boolean =>
  a.columns === b.columns &&
  a.text === b.text &&
  a.sort === b.sort &&
  a.namespaces.join() === b.namespaces.join() &&
  a.extras?.join() === b.extras?.join();

/** Returns sorted rows with others among them: each finds its place by halves. */
function merged(sorted: readonly Row[], news: Row[], compare: (a: Row, b: Row) => number): Row[] {
  const all: Row[] = [];
  let from = 0;
  for (const row of news.sort(compare)) {
    const to = placeOf(row, sorted, from, compare);
    for (const before of sorted.slice(from, to)) all.push(before);
    all.push(row);
    from = to;
  }
  for (const row of sorted.slice(from)) all.push(row);
  return all;
}

/** Returns the place of the first row that comes after another one. */
function placeOf(row: Row, sorted: readonly Row[], from: number, compare: (a: Row, b: Row) => number): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle];
    if (other !== undefined && compare(other, row) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
