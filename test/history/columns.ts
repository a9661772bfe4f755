/** The numbers of a column. */
type Numbers = Int32Array | Float64Array;

/** The width of a column: `small` holds 32 bits, `large` every whole number that a double holds. */
export type Width = 'small' | 'large';

const FIRST_ROWS = 1024;

/** A table of numbers with a fixed row size, kept by columns in typed arrays: a million rows of 15 columns take 90 MB. */
export class Columns<Name extends string> {
  readonly #widths: Readonly<Record<Name, Width>>;
  readonly #names: readonly Name[];
  #columns: Record<Name, Numbers>;
  #rows = 0;
  #capacity = FIRST_ROWS;

  constructor(widths: Readonly<Record<Name, Width>>) {
    this.#widths = widths;
    this.#names = Object.keys(widths) as Name[];
    this.#columns = this.#make(FIRST_ROWS);
  }

  /** Number of rows. */
  get length(): number {
    return this.#rows;
  }

  /** Adds a row. @returns its number */
  add(values: Readonly<Record<Name, number>>): number {
    if (this.#rows === this.#capacity) this.#grow();
    const row = this.#rows++;
    for (const name of this.#names) this.#columns[name][row] = values[name];
    return row;
  }

  /** Returns a value. @throws RangeError for a row that does not exist */
  at(name: Name, row: number): number {
    const value = row < this.#rows ? this.#columns[name][row] : undefined;
    if (value === undefined) throw new RangeError(`there is no row ${row}`);
    return value;
  }

  /** Replaces a value. */
  set(name: Name, row: number, value: number): void {
    this.#columns[name][row] = value;
  }

  #make(capacity: number): Record<Name, Numbers> {
    const columns: Partial<Record<Name, Numbers>> = {};
    for (const name of this.#names)
      columns[name] = this.#widths[name] === 'small' ? new Int32Array(capacity) : new Float64Array(capacity);
    return columns as Record<Name, Numbers>;
  }

  #grow(): void {
    const before = this.#columns;
    this.#capacity *= 2;
    this.#columns = this.#make(this.#capacity);
    for (const name of this.#names) this.#columns[name].set(before[name]);
  }
}
