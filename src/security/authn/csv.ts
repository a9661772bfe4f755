/**
 * Comma-separated values (RFC 4180), parsed like the Kubernetes library: records can differ in length, empty lines are
 * skipped, a quoted field can contain commas, doubled quotes and line breaks, and a quote elsewhere is an error.
 *
 * @module
 */

const BARE_QUOTE = 'bare " in non-quoted field';
const QUOTE = 'extraneous or missing " in quoted-field';

/** Position of the parser. Lines and columns count from one. */
class Cursor {
  at = 0;
  line = 1;
  lineStart = 0;
  recordLine = 1;

  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Skips a line break. */
  newLine(): void {
    this.at += 1;
    this.line += 1;
    this.lineStart = this.at;
  }

  fail(problem: string, at = this.at): Error {
    const record = this.recordLine === this.line ? '' : `record on line ${this.recordLine}; `;
    return new Error(`${record}parse error on line ${this.line}, column ${at - this.lineStart + 1}: ${problem}`);
  }
}

/**
 * Parses all records.
 *
 * @throws Error with line and column for a misplaced quote
 */
export function parseCsv(text: string): string[][] {
  const cursor = new Cursor(text.replaceAll('\r\n', '\n'));
  const records: string[][] = [];
  while (cursor.at < cursor.text.length) {
    if (cursor.text[cursor.at] === '\n') cursor.newLine();
    else records.push(readRecord(cursor));
  }
  return records;
}

function readRecord(cursor: Cursor): string[] {
  const { text } = cursor;
  cursor.recordLine = cursor.line;
  const fields: string[] = [];
  for (;;) {
    fields.push(text[cursor.at] === '"' ? readQuoted(cursor) : readPlain(cursor));
    if (text[cursor.at] === ',') {
      cursor.at += 1;
      continue;
    }
    if (cursor.at < text.length) cursor.newLine();
    return fields;
  }
}

function readPlain(cursor: Cursor): string {
  const { text, at: start } = cursor;
  for (; cursor.at < text.length; cursor.at += 1) {
    const character = text[cursor.at];
    if (character === ',' || character === '\n') break;
    if (character === '"') throw cursor.fail(BARE_QUOTE);
  }
  return text.slice(start, cursor.at);
}

function readQuoted(cursor: Cursor): string {
  const { text } = cursor;
  let value = '';
  cursor.at += 1;
  while (cursor.at < text.length) {
    const character = text[cursor.at] as string;
    if (character === '"') {
      const next = text[cursor.at + 1];
      if (next !== '"') {
        if (next !== undefined && next !== ',' && next !== '\n') throw cursor.fail(QUOTE);
        cursor.at += 1;
        return value;
      }
      cursor.at += 1;
    }
    value += character;
    if (character === '\n') cursor.newLine();
    else cursor.at += 1;
  }
  throw cursor.fail(QUOTE);
}
