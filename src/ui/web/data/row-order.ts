import { passes, type Row, type RowView } from './rows.js';
import { sortOrder, type SortKey, type SortOrder } from './sort-keys.js';

/** A row that has been looked at. */
interface Entry {
  row: Row;
  /** Its place among the others; undefined in the order of the server. It stays while the row is held in its place. */
  readonly key: SortKey | undefined;
  readonly passes: boolean;
  /** Whether the row has to leave its place. */
  leaves: boolean;
}

/**
 * The rows of a table in their order. It looks at each row once for a filter and an order, and afterwards only at the rows
 * that change, so that a change of 30,000 rows costs little. Rows that somebody is about to use can be held in their places.
 */
export class RowOrder {
  #view: RowView | undefined;
  #order: SortOrder | undefined;
  /** The rows that were looked at, by uid. */
  readonly #entries = new Map<string, Entry>();
  #places: readonly Entry[] = [];
  #shown: readonly Row[] = [];
  #isReleased = false;
  /** The uids of rows that have changed while rows were held in their places; undefined while none are. */
  #changed: Set<string> | undefined;
  readonly #waiting = new Set<string>();
  readonly #gone = new Set<string>();

  /** How many rows wait to be shown until the others need no longer stay in their places. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** How many rows are still shown, and no longer exist. */
  get gone(): number {
    return this.#gone.size;
  }

  /** Lets the rows go to their places, even if they are held again at once. */
  release(): void {
    this.#isReleased = true;
  }

  /**
   * Returns the rows to show: the same list when nothing has changed.
   *
   * @param rows all rows by uid; a row that changes is another one
   * @param held whether rows that are shown stay where they are: others wait, also those that no longer exist
   * @param touched the uids of all rows that were added, changed or removed since the last call; undefined when they are not known
   */
  shown(
    rows: ReadonlyMap<string, Row>,
    view: RowView,
    held = false,
    touched: Iterable<string> = new Set([...this.#entries.keys(), ...rows.keys()]),
  ): readonly Row[] {
    const isNew = this.#view === undefined || !isSameView(this.#view, view);
    const isHeld = held && !isNew && !this.#isReleased;
    this.#isReleased = false;
    this.#view = view;
    if (isNew) this.#begin(rows, view);
    else if (isHeld) this.#hold(rows, view, touched);
    else this.#settle(rows, view, touched);
    return this.#shown;
  }

  /** Looks at all rows. */
  #begin(rows: ReadonlyMap<string, Row>, view: RowView): void {
    this.#endHold();
    this.#order = sortOrder(view);
    this.#entries.clear();
    const all = [...rows.values()].map((row) => this.#look(row, view));
    this.#show(sorted(all.filter(isPassing), this.#order));
  }

  /** Moves the rows that have changed to their places. */
  #settle(rows: ReadonlyMap<string, Row>, view: RowView, touched: Iterable<string>): void {
    const news: Entry[] = [];
    let [hasKnown, hasLeft] = [false, false];
    for (const uid of this.#changed === undefined ? touched : new Set([...this.#changed, ...touched])) {
      const row = rows.get(uid);
      const known = this.#entries.get(uid);
      // A row that was held has changed already, but not its place.
      if (known?.row === row && this.#changed?.has(uid) !== true) continue;
      hasKnown ||= known !== undefined;
      if (known?.passes === true) hasLeft = known.leaves = true;
      if (row === undefined) this.#entries.delete(uid);
      else news.push(this.#look(row, view));
    }
    this.#endHold();
    const passing = news.filter(isPassing);
    if (!hasLeft && passing.length === 0) return;
    const order = this.#order;
    // The server has sent the new rows last; one that it had sent before keeps its place there.
    if (order === undefined && hasKnown) this.#show(this.#entriesOf(rows).filter(isPassing));
    else {
      const stay = hasLeft ? this.#places.filter(({ leaves }) => !leaves) : this.#places;
      this.#show(order === undefined ? [...stay, ...passing] : merged(stay, sorted(passing, order), order));
    }
  }

  /** Shows the rows as they are now, in the places that they had. */
  #hold(rows: ReadonlyMap<string, Row>, view: RowView, touched: Iterable<string>): void {
    const changed = (this.#changed ??= new Set());
    let isSame = true;
    for (const uid of touched) {
      const row = rows.get(uid);
      const known = this.#entries.get(uid);
      if (known?.row === row) continue;
      changed.add(uid);
      if (known?.passes !== true) note(this.#waiting, uid, row !== undefined && passes(row, view));
      else {
        note(this.#gone, uid, row === undefined);
        if (row === undefined) continue;
        known.row = row;
        isSame = false;
      }
    }
    if (!isSame) this.#show(this.#places);
  }

  #endHold(): void {
    this.#changed = undefined;
    this.#waiting.clear();
    this.#gone.clear();
  }

  #look(row: Row, view: RowView): Entry {
    const entry = { row, key: this.#order?.keyOf(row), passes: passes(row, view), leaves: false };
    this.#entries.set(row.uid, entry);
    return entry;
  }

  #entriesOf(rows: ReadonlyMap<string, Row>): Entry[] {
    return [...rows.keys()].flatMap((uid) => this.#entries.get(uid) ?? []);
  }

  #show(places: readonly Entry[]): void {
    this.#places = places;
    this.#shown = places.map(({ row }) => row);
  }
}

const isPassing = (entry: Entry): boolean => entry.passes;

/** Puts a member into a set, or takes it out. */
function note(set: Set<string>, member: string, on: boolean): void {
  if (on) set.add(member);
  else set.delete(member);
}

const isSameView = (a: RowView, b: RowView): boolean =>
  a.columns === b.columns &&
  a.text === b.text &&
  a.sort === b.sort &&
  a.namespaces.join() === b.namespaces.join() &&
  a.extras?.join() === b.extras?.join();

const compare = (a: Entry, b: Entry, order: SortOrder): number =>
  a.key === undefined || b.key === undefined ? 0 : order.compare(a.key, b.key);

const sorted = (entries: Entry[], order: SortOrder | undefined): Entry[] =>
  order === undefined ? entries : entries.sort((a, b) => compare(a, b, order));

/** Returns sorted rows with others among them, which are sorted, too. */
function merged(some: readonly Entry[], others: readonly Entry[], order: SortOrder): Entry[] {
  const all: Entry[] = [];
  let from = 0;
  for (const entry of others) {
    const to = placeOf(entry, some, from, order);
    for (const before of some.slice(from, to)) all.push(before);
    all.push(entry);
    from = to;
  }
  return all.concat(some.slice(from));
}

/** Returns the place of the first row that comes after another one: looks twice as far each time, and then by halves. */
function placeOf(entry: Entry, some: readonly Entry[], from: number, order: SortOrder): number {
  const isAfter = (at: number): boolean => {
    const other = some[at];
    return other === undefined || compare(other, entry, order) > 0;
  };
  let step = 1;
  while (!isAfter(from + step - 1)) step *= 2;
  let [low, high] = [from + (step >> 1), Math.min(some.length, from + step - 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
