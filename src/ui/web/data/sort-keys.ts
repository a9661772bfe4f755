import { extraValue, isAge, isExtra, plainText, type Row, type RowView } from './rows.js';

/** The value that a row is sorted by, prepared once for its many comparisons. */
export interface SortKey {
  /** The value of its cell. */
  readonly value: unknown;
  /** A string whose code units are in the order of the collator; undefined for a text that only the collator can compare. */
  readonly plain: string | undefined;
}

/** The order of rows by their keys. */
export interface SortOrder {
  readonly keyOf: (row: Row) => SortKey;
  readonly compare: (a: SortKey, b: SortKey) => number;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Returns the order of rows; undefined for that of the server. */
export function sortOrder(view: RowView): SortOrder | undefined {
  const valueOf = sortedValue(view);
  if (valueOf === undefined) return undefined;
  const sign = view.sort.startsWith('-') ? -1 : 1;
  return {
    keyOf(row) {
      const value = valueOf(row);
      return { value, plain: typeof value === 'number' ? undefined : plainKey(plainText(value)) };
    },
    compare: (a, b) => sign * compareKeys(a, b),
  };
}

/** Returns the function that reads the value of a row for sorting; undefined for the order of the server. */
function sortedValue({ columns, sort }: RowView): ((row: Row) => unknown) | undefined {
  const name = sort.startsWith('-') ? sort.slice(1) : sort;
  if (name === '') return undefined;
  if (name === 'namespace') return (row) => row.namespace ?? '';
  if (isExtra(name)) return (row) => extraValue(row, name) ?? '';
  const index = columns.findIndex((column) => column.name.toLowerCase() === name);
  const column = columns[index];
  if (column === undefined) return undefined;
  // An older object has the greater age.
  if (isAge(column)) return ({ created = '' }) => -(Date.parse(created) || 0);
  return ({ cells }) => cells[index];
}

function compareKeys(a: SortKey, b: SortKey): number {
  if (typeof a.value === 'number' && typeof b.value === 'number') return a.value - b.value;
  if (a.plain === undefined || b.plain === undefined) return collator.compare(plainText(a.value), plainText(b.value));
  return a.plain < b.plain ? -1 : a.plain > b.plain ? 1 : 0;
}

/** Texts such as the names of objects: in this alphabet, the order of the collator is that of code units, but for numbers. */
const PLAIN = /^[-.a-z0-9]*$/;
const NUMBERS = /\d+/g;
/** The longest number in a plain key: its length is one character, before those of letters. */
const LONGEST_NUMBER = 40;

/** Returns a string in the order of the collator, or undefined. A number begins with its length: `row-9` is before `row-10`. */
export function plainKey(text: string): string | undefined {
  if (!PLAIN.test(text)) return undefined;
  let isTooLong = false;
  const key = text.replace(NUMBERS, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    isTooLong ||= number.length > LONGEST_NUMBER;
    return String.fromCharCode(ZERO + number.length) + number;
  });
  return isTooLong ? undefined : key;
}

const ZERO = '0'.charCodeAt(0);
