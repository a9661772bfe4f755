import { isArray, type JsonObject, type JsonValue } from '../meta/json.js';
import { goFloat } from '../meta/go-values.js';
import { hexNumber } from '../encoding/hex.js';
import { utf8Length } from '../encoding/utf8.js';
import { compareYamlKeys } from './yaml-key-order.js';
import { isPrintable, styleOf, type ScalarStyle } from './yaml-style.js';

/** Spaces per indentation level. */
const STEP = 2;
/** Lines are broken at the first space after this column. */
const WIDTH = 80;
/** Maximum length of a simple key, in bytes. Longer keys use the form `? key` and `: value` on separate lines. */
const LONGEST_SIMPLE_KEY = 128;

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

/**
 * Encodes an object as YAML, byte for byte as Kubernetes does: keys sorted, lists not indented under their key, strings
 * quoted only if needed, lines folded after column 80.
 *
 * @returns the document with a trailing newline
 */
export function encodeYaml(object: JsonValue): string {
  const writer = new YamlWriter();
  writer.document(object);
  return writer.text;
}

/** The output, and the state that determines spaces and line breaks (libyaml's emitter, block style only). */
class YamlWriter {
  text = '';
  #column = 0;
  /** True when the output ends with white space or the start of a line. */
  #whitespace = true;
  /** True when the line contains only indentation and `-`, `?`, `:` so far. */
  #onlyIndentation = true;

  document(value: JsonValue): void {
    this.#node(value, -1, false);
    if (this.#column > 0) this.text += '\n';
  }

  /** @param indent indentation of the parent @param inMapping whether the node is a value of a mapping */
  #node(value: JsonValue, indent: number, inMapping: boolean): void {
    if (typeof value === 'string') this.#string(value, indent, false);
    else if (typeof value === 'number') this.plain(numberText(value), indent, true);
    else if (typeof value !== 'object' || value === null) this.plain(String(value), indent, true);
    else if (isArray(value)) this.#sequence(value, indent, inMapping);
    else this.#mapping(value, indent);
  }

  #sequence(items: readonly JsonValue[], indent: number, inMapping: boolean): void {
    if (items.length === 0) return this.#indicator('[]', true, false);
    const own = indent < 0 ? 0 : inMapping && !this.#onlyIndentation ? indent : indent + STEP;
    for (const item of items) {
      this.#lineStart(own);
      this.#indicator('-', true, true);
      this.#node(item, own, false);
    }
  }

  #mapping(object: JsonObject, indent: number): void {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    if (keys.length === 0) return this.#indicator('{}', true, false);
    const own = indent < 0 ? 0 : indent + STEP;
    for (const key of keys.sort(compareYamlKeys)) {
      this.#lineStart(own);
      if (isSimpleKey(key)) {
        this.#string(key, own, true);
        this.#indicator(':', false, false);
      } else {
        this.#indicator('?', true, true);
        this.#string(key, own, false);
        this.#lineStart(own);
        this.#indicator(':', true, true);
      }
      this.#node(object[key] ?? null, own, true);
    }
  }

  #string(text: string, indent: number, key: boolean): void {
    const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd');
    STYLES[styleOf(wellFormed, key)](this, wellFormed, indent < 0 ? STEP : indent + STEP, !key);
  }

  plain(text: string, indent: number, mayFold: boolean): void {
    this.#spaceBefore();
    this.#folded(text, indent, mayFold, false);
  }

  single(text: string, indent: number, mayFold: boolean): void {
    this.#indicator("'", true, false);
    this.#folded(text, indent, mayFold, true);
    this.#indicator("'", false, false);
  }

  /** Writes plain or single-quoted text: a single space after the width becomes a line break. */
  #folded(text: string, indent: number, mayFold: boolean, quoted: boolean): void {
    if (this.#column + text.length <= WIDTH || !mayFold || !text.includes(' ')) {
      this.#put(quoted ? text.replaceAll("'", "''") : text);
    } else {
      const characters = Array.from(text);
      let afterSpace = false;
      for (let at = 0; at < characters.length; at += 1) {
        const character = characters[at] as string;
        const inside = !quoted || (at > 0 && at < characters.length - 1);
        if (character === ' ' && !afterSpace && inside && this.#column > WIDTH && characters[at + 1] !== ' ')
          this.#lineStart(indent);
        else this.#put(quoted && character === "'" ? "''" : character);
        afterSpace = character === ' ';
        this.#onlyIndentation = false;
      }
    }
    this.#whitespace = false;
    this.#onlyIndentation = false;
  }

  double(text: string, indent: number, mayFold: boolean): void {
    this.#indicator('"', true, false);
    const characters = Array.from(text);
    let afterSpace = false;
    for (let at = 0; at < characters.length; at += 1) {
      const character = characters[at] as string;
      if (character === ' ' && mayFold && !afterSpace && this.#column > WIDTH && at > 0 && at < characters.length - 1) {
        this.#lineStart(indent);
        if (characters[at + 1] === ' ') this.#put('\\');
      } else {
        this.#put(escape(character));
      }
      afterSpace = character === ' ';
      this.#onlyIndentation = false;
    }
    this.#whitespace = false;
    this.#indicator('"', false, false);
  }

  literal(text: string, indent: number): void {
    const lines = text.split('\n');
    const hint = text.startsWith(' ') || text.startsWith('\n') ? String(STEP) : '';
    this.#indicator(`|${hint}${chomping(text)}`, true, false);
    this.text += '\n';
    this.#column = 0;
    const ended = lines[lines.length - 1] === '';
    if (ended) lines.pop();
    for (const [index, line] of lines.entries()) {
      if (line !== '') this.text += ' '.repeat(indent) + line;
      if (index < lines.length - 1 || ended) this.text += '\n';
      else this.#column = indent + line.length;
    }
    this.#whitespace = ended;
    this.#onlyIndentation = ended;
  }

  /** Starts a new line, unless the current one has only indentation, and indents to `indent`. */
  #lineStart(indent: number): void {
    if (!this.#onlyIndentation || this.#column > indent || (this.#column === indent && !this.#whitespace)) {
      this.text += '\n';
      this.#column = 0;
    }
    if (this.#column < indent) {
      this.text += ' '.repeat(indent - this.#column);
      this.#column = indent;
    }
    this.#whitespace = true;
    this.#onlyIndentation = true;
  }

  #indicator(text: string, apart: boolean, keepsIndentation: boolean): void {
    if (apart) this.#spaceBefore();
    this.#put(text);
    this.#whitespace = false;
    this.#onlyIndentation &&= keepsIndentation;
  }

  #spaceBefore(): void {
    if (!this.#whitespace) this.#put(' ');
  }

  #put(text: string): void {
    this.text += text;
    this.#column += text.length;
  }
}

const STYLES: Readonly<
  Record<ScalarStyle, (writer: YamlWriter, text: string, indent: number, mayFold: boolean) => void>
> = {
  plain: (writer, text, indent, mayFold) => writer.plain(text, indent, mayFold),
  single: (writer, text, indent, mayFold) => writer.single(text, indent, mayFold),
  double: (writer, text, indent, mayFold) => writer.double(text, indent, mayFold),
  literal: (writer, text, indent) => writer.literal(text, indent),
};

function isSimpleKey(key: string): boolean {
  return !key.includes('\n') && (key.length <= LONGEST_SIMPLE_KEY / 3 || utf8Length(key) <= LONGEST_SIMPLE_KEY);
}

/** Returns the chomping indicator: `-` for no line break at the end, `+` for several, none for one. */
function chomping(text: string): string {
  if (!text.endsWith('\n')) return '-';
  return text.length === 1 || text.endsWith('\n\n') ? '+' : '';
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character !== '"' && character !== '\\' && character !== '\n' && isPrintable(character)) return character;
  const short = ESCAPES.get(code);
  if (short !== undefined) return `\\${short}`;
  if (code <= 0xff) return `\\x${hexNumber(code, 2).toUpperCase()}`;
  return code <= 0xffff ? `\\u${hexNumber(code, 4).toUpperCase()}` : `\\U${hexNumber(code, 8).toUpperCase()}`;
}

/** Formats a number: integers as in JSON, others as Go formats doubles. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value === 0 ? 0 : value);
  return Number.isFinite(value) ? goFloat(value) : 'null';
}
