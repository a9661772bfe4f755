/**
 * The JSON text of a large value, in steps. The engine encodes a value in one piece, which takes a hundred milliseconds
 * for some megabytes of small values.
 *
 * @module
 */
import type { Steps, Work } from '../work/work.js';
import { asciiText } from './ascii-json.js';
import { hasBigIntegers, jsonText } from './json-text.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { TEXT_SHIFT } from './large-value.js';

/** Number of values that the engine encodes in one piece. */
const TOGETHER = 512;
/** Length of the pieces of the text, in characters. */
const PIECE_LENGTH = 16 * 1024;
/** Units of work to encode a member, and characters that take a unit. */
const MEMBER_UNITS = 4;
const CHARACTERS_PER_UNIT = 8;
/** Units of work to list a key, and the number of keys up to which they cost next to nothing. */
const KEY_UNITS = 6;
const FEW_KEYS = 64;

/** A JSON text that is made in pieces. Its memory is reserved as it grows. */
export class JsonTextSteps {
  readonly #work: Work;
  readonly #written: (text: string) => string;
  #pieces: string[] = [];
  /** The end of the text, shorter than a piece. */
  #end = '';
  #hasBigIntegers = false;
  /** Keys of the objects with many: the engine lists them in one piece, so they are listed once. */
  readonly #keys = new WeakMap<object, readonly string[]>();
  /** Whether listing keys has used the slice up. */
  #isDue = false;

  /** @param written returns a piece as it is written; default: in ASCII */
  constructor(work: Work, written: (text: string) => string = asciiText) {
    this.#work = work;
    this.#written = written;
  }

  /** Whether the value of the text has integers that a double may round; see `holdAsWritten`. */
  get hasBigIntegers(): boolean {
    return this.#hasBigIntegers;
  }

  /** Adds a part of the text. @throws ApiError 429 when the text does not fit into the memory budget */
  add(text: string): void {
    this.#end += text;
    if (this.#end.length >= PIECE_LENGTH) this.#endPiece();
  }

  /** Returns the text since the last call. */
  take(): string {
    return this.takePieces().join('');
  }

  /** Returns the pieces of the text since the last call. */
  takePieces(): readonly string[] {
    this.#endPiece();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Adds the text of a value, as `asciiJson` returns it unless it is written otherwise. */
  *value(value: JsonValue): Steps<void> {
    if (typeof value === 'string' && value.length > PIECE_LENGTH) yield* this.#longString(value);
    else if (this.#roomAfter(value, TOGETHER) >= 0) this.#together(jsonText(value));
    else if (isArray(value)) yield* this.#list(value);
    else if (isJsonObject(value) && !hasOwnForm(value)) yield* this.#object(value);
    else this.#together(jsonText(value));
    if (this.#spend(0)) yield;
  }

  /** Counts work. Returns whether the steps should pause. */
  #spend(units: number): boolean {
    const isDue = this.#work.spend(units) || this.#isDue;
    this.#isDue = false;
    return isDue;
  }

  #keysOf(object: object): readonly string[] {
    const known = this.#keys.get(object) ?? this.#work.keysOfSets?.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length > FEW_KEYS) {
      this.#keys.set(object, keys);
      if (this.#work.spend(keys.length * KEY_UNITS)) this.#isDue = true;
    }
    return keys;
  }

  /** Subtracts the number of values, and of long texts, from the room; negative when it does not suffice. */
  #roomAfter(value: JsonValue | undefined, room: number): number {
    let left = room - 1;
    if (typeof value === 'string') return left - (value.length >> TEXT_SHIFT);
    if (typeof value !== 'object' || value === null) return left;
    if (isArray(value)) {
      for (let index = 0; index < value.length && left >= 0; index += 1) left = this.#roomAfter(value[index], left);
      return left;
    }
    const keys = this.#keysOf(value);
    if (keys.length > left) return -1;
    for (const key of keys) {
      if (left < 0) break;
      left = this.#roomAfter(value[key], left - (key.length >> TEXT_SHIFT));
    }
    return left;
  }

  *#longString(value: string): Steps<void> {
    this.add('"');
    for (let from = 0, to = 0; from < value.length; from = to) {
      to = from + PIECE_LENGTH;
      // A surrogate that is cut off its pair would be escaped.
      if (isHighSurrogate(value.charCodeAt(to - 1))) to -= 1;
      this.add(jsonText(value.slice(from, to)).slice(1, -1));
      if (this.#work.spend(PIECE_LENGTH / CHARACTERS_PER_UNIT)) yield;
    }
    this.add('"');
  }

  /** Adds the text of values that were encoded together. */
  #together(text: string): void {
    if (!this.#hasBigIntegers && hasBigIntegers(text)) this.#hasBigIntegers = true;
    this.add(text);
    if (this.#work.spend(text.length / CHARACTERS_PER_UNIT)) this.#isDue = true;
  }

  *#list(list: readonly JsonValue[]): Steps<void> {
    this.add('[');
    let from = 0;
    let room = TOGETHER;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as JsonValue;
      let left = this.#roomAfter(item, room);
      if (left < 0) {
        this.#items(list, from, index);
        if (this.#spend(0)) yield;
        from = index;
        left = this.#roomAfter(item, TOGETHER);
      }
      if (left < 0) {
        if (index > 0) this.add(',');
        yield* this.value(item);
        from = index + 1;
        left = TOGETHER;
      }
      room = left;
    }
    this.#items(list, from, list.length);
    this.add(']');
  }

  #items(list: readonly JsonValue[], from: number, to: number): void {
    if (from === to) return;
    const text = jsonText(list.slice(from, to)).slice(1, -1);
    this.#together(from === 0 ? text : `,${text}`);
  }

  *#object(object: JsonObject): Steps<void> {
    const keys = this.#keysOf(object);
    if (this.#spend(0)) yield;
    let before = '{';
    for (const key of keys) {
      const member = object[key];
      // Neither has a form in JSON; a definition of a kind has functions.
      if (member === undefined || typeof member === 'function') continue;
      this.add(`${before}${jsonText(key)}:`);
      before = ',';
      if (this.#roomAfter(member, TOGETHER) < 0) yield* this.value(member);
      else this.#together(jsonText(member));
      if (this.#spend(MEMBER_UNITS)) yield;
    }
    this.add(before === '{' ? '{}' : '}');
  }

  #endPiece(): void {
    if (this.#end === '') return;
    const piece = this.#written(this.#end);
    this.#end = '';
    this.#work.reserve(piece.length);
    this.#pieces.push(piece);
  }
}

/** Returns the JSON of a value, which is made in pieces. @param written as in {@link JsonTextSteps} */
export function* jsonTextSteps(value: JsonValue, work: Work, written?: (text: string) => string): Steps<string> {
  const text = new JsonTextSteps(work, written);
  yield* text.value(value);
  return text.take();
}

/** Returns whether a value determines its JSON itself. */
const hasOwnForm = (value: object): boolean => 'toJSON' in value && typeof value.toJSON === 'function';

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
