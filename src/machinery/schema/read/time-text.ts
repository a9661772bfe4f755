import { canonicalTime, formatMicroseconds, goQuote, parseMicroTime } from '../../../foundation/index.js';
import { ScalarError } from './decode-error.js';

/** Layouts of the two time types of Kubernetes, in Go's notation. */
const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICROS_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  if (month === 2 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0))) return 28;
  return DAYS_IN_MONTH[month - 1] as number;
}

/** Parses a time from left to right, with the leniency and errors of Go's parser. */
class TimeParser {
  #rest: string;
  readonly #text: string;
  readonly #layout: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  fail(element: string): never {
    throw new ScalarError(
      'string',
      `parsing time ${goQuote(this.#text)} as ${goQuote(this.#layout)}: cannot parse ${goQuote(this.#rest)} as ${goQuote(element)}`,
    );
  }

  outOfRange(what: string): never {
    throw new ScalarError('string', `parsing time ${goQuote(this.#text)}: ${what} out of range`);
  }

  number(pattern: RegExp, element: string): number {
    const found = pattern.exec(this.#rest)?.[0];
    if (found === undefined) this.fail(element);
    this.#rest = this.#rest.slice(found.length);
    return Number(found);
  }

  literal(character: string): void {
    if (!this.#rest.startsWith(character)) this.fail(character);
    this.#rest = this.#rest.slice(character.length);
  }

  /**
   * Returns the digits after the seconds as text: any number of digits, or exactly six when the layout requires them.
   */
  fraction(): string {
    const exact = this.#layout === MICROS_LAYOUT;
    const found = (exact ? /^\.\d{6}/ : /^[.,]\d+/).exec(this.#rest)?.[0] ?? '';
    if (exact && found === '') this.fail('.000000');
    this.#rest = this.#rest.slice(found.length);
    return found.slice(1);
  }

  /** Returns the offset in minutes east of UTC. */
  zone(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const found = /^([+-])(\d\d):(\d\d)/.exec(this.#rest);
    if (found === null) this.fail('Z07:00');
    const hours = Number(found[2]);
    const minutes = Number(found[3]);
    if (hours > 24) this.outOfRange('time zone offset hour');
    if (minutes > 60) this.outOfRange('time zone offset minute');
    this.#rest = this.#rest.slice(6);
    return (found[1] === '-' ? -1 : 1) * (hours * 60 + minutes);
  }

  end(): void {
    if (this.#rest !== '')
      throw new ScalarError('string', `parsing time ${goQuote(this.#text)}: extra text: ${goQuote(this.#rest)}`);
  }
}

function parse(text: string, layout: string): { readonly milliseconds: number; readonly fraction: string } {
  const parser = new TimeParser(text, layout);
  const year = parser.number(/^\d{4}/, '2006');
  parser.literal('-');
  const month = parser.number(/^\d\d/, '01');
  if (month < 1 || month > 12) parser.outOfRange('month');
  parser.literal('-');
  const day = parser.number(/^\d\d/, '02');
  parser.literal('T');
  const hour = parser.number(/^\d\d?/, '15');
  if (hour > 23) parser.outOfRange('hour');
  parser.literal(':');
  const minute = parser.number(/^\d\d/, '04');
  if (minute > 59) parser.outOfRange('minute');
  parser.literal(':');
  const second = parser.number(/^\d\d/, '05');
  if (second > 59) parser.outOfRange('second');
  const fraction = parser.fraction();
  const offset = parser.zone();
  parser.end();
  if (day < 1 || day > daysIn(year, month)) parser.outOfRange('day');
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return { milliseconds: date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000, fraction };
}

/**
 * Returns a time in UTC with second precision, `2006-01-02T15:04:05Z`: truncates fractions and applies offsets.
 *
 * @throws ScalarError with the message of Go's parser when the text is not RFC 3339
 */
export function readTime(text: string): string {
  return canonicalTime(text) ?? `${new Date(parse(text, SECONDS_LAYOUT).milliseconds).toISOString().slice(0, 19)}Z`;
}

/**
 * Returns a time in UTC with microsecond precision, `2006-01-02T15:04:05.000000Z`. The text must have six digits:
 * Kubernetes refuses any other number.
 *
 * @throws ScalarError with the message of Go's parser
 */
export function readMicroTime(text: string): string {
  const micros = parseMicroTime(text);
  if (micros !== undefined) return formatMicroseconds(micros);
  const { milliseconds, fraction } = parse(text, MICROS_LAYOUT);
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${fraction}Z`;
}
