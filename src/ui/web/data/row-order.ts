import { passes, rowOrder, type Row, type RowView } from './rows.js';

/**
 * The rows of a table in their order. It looks at each row once for a filter and an order, and moves only the rows that
 * change, so that ten changes a second of 30,000 rows cost little.
 */
export class RowOrder {
  #view: RowView | undefined;
  #shown: readonly Row[] = [];
  /** Whether the rows that were looked at pass the filter. */
  #passes = new WeakMap<Row, boolean>();

  /** Returns the rows to show. @param rows all rows by uid; a row that changes is another one */
  shown(rows: ReadonlyMap<string, Row>, view: RowView): readonly Row[] {
    const isNew = this.#view === undefined || !isSameView(this.#view, view);
    if (isNew) this.#passes = new WeakMap();
    this.#view = view;
    const compare = rowOrder(view);
    const news: Row[] = [];
    const passing: Row[] = [];
    for (const row of rows.values()) {
      const known = this.#passes.get(row);
      const does = known ?? passes(row, view);
      if (known === undefined) this.#passes.set(row, does);
      if (!does) continue;
      passing.push(row);
      if (known === undefined) news.push(row);
    }
    if (compare === undefined) this.#shown = passing;
    else if (isNew) this.#shown = passing.sort(compare);
    else {
      const kept = this.#shown.filter((row) => rows.get(row.uid) === row);
      this.#shown = news.length === 0 && kept.length === this.#shown.length ? this.#shown : merged(kept, news, compare);
    }
    return this.#shown;
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
