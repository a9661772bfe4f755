/** The lines of a text, counted from one. The text of the editor has this form. */
export interface Lines {
  readonly lines: number;
  line(number: number): { readonly text: string };
}

/** The parts of a line that say where values are. Columns count from zero. */
export interface LineParts {
  /** The columns of the dashes of items that begin on this line. */
  readonly dashes: readonly number[];
  /** The column of what follows the dashes. */
  readonly column: number;
  /** The key that the line sets, without quotes; undefined for a line without one. */
  readonly key: string | undefined;
  /** The text behind the key and its colon, or behind the dashes, without comment and spaces; may be empty. */
  readonly value: string;
  /** The column of the value. */
  readonly valueColumn: number;
}

/** Returns the parts of a line; undefined for an empty line, a comment, and the mark of a document. */
export function partsOf(text: string): LineParts | undefined {
  let column = indentOf(text);
  if (column === text.length || text[column] === '#' || text === '---') return undefined;
  const dashes: number[] = [];
  while (beginsItem(text, column)) {
    dashes.push(column);
    column = afterSpaces(text, column + 1);
  }
  const colon = colonOf(text, column);
  if (colon === undefined)
    return { dashes, column, key: undefined, value: uncommented(text.slice(column)), valueColumn: column };
  const valueColumn = afterSpaces(text, colon + 1);
  const key = unquoted(text.slice(column, colon).trimEnd());
  return { dashes, column, key, value: uncommented(text.slice(valueColumn)), valueColumn };
}

/** Whether an item of a list begins at a column. */
export const beginsItem = (text: string, column: number): boolean => text[column] === '-' && isSpace(text, column + 1);

/** Returns the column where a line begins; the length of an empty one. */
export const indentOf = (text: string): number => afterSpaces(text, 0);

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at += 1;
  return at;
}

const isSpace = (text: string, at: number): boolean => at >= text.length || text[at] === ' ' || text[at] === '\t';

/** Returns where the colon after a key is; undefined where a line has no key. */
function colonOf(text: string, from: number): number | undefined {
  const quote = text[from];
  // The key may be in quotes; a flow collection is not a key.
  if (quote === '{' || quote === '[') return undefined;
  const begin = quote === '"' || quote === "'" ? text.indexOf(quote, from + 1) : from;
  if (begin < 0) return undefined;
  for (let at = text.indexOf(':', begin); at >= 0; at = text.indexOf(':', at + 1))
    if (isSpace(text, at + 1)) return text.slice(begin, at).includes(' #') ? undefined : at;
  return undefined;
}

const unquoted = (key: string): string => (/^(["']).*\1$/.test(key) ? key.slice(1, -1) : key);

/** Returns a value without the comment behind it. */
function uncommented(text: string): string {
  if (text.startsWith('#')) return '';
  const comment = /^["']/.test(text) ? -1 : text.indexOf(' #');
  return (comment < 0 ? text : text.slice(0, comment)).trim();
}
