import {
  goFloat,
  isArray,
  sortedSteps,
  UNBOUNDED_WORK,
  utf8Length,
  type JsonObject,
  type JsonValue,
  type Work,
} from '../../../../foundation/index.js';
import { compareYamlKeys } from '../yaml-key-order.js';
import { STEP, YamlWriter, type OpenString } from './yaml-writer.js';

/** Maximum length of a simple key, in bytes. Longer keys use the form `? key` and `: value` on separate lines. */
const LONGEST_SIMPLE_KEY = 128;
/** Number of keys that are sorted in one piece. */
const MANY_KEYS = 1024;
/** Length of a chunk, in characters; it may be exceeded by a part of a scalar. */
const CHUNK = 256 * 1024;

/**
 * Encodes an object as YAML, byte for byte as Kubernetes does: keys sorted, lists not indented under their key, strings
 * quoted only if needed, lines folded after column 80.
 *
 * @returns the document with a trailing newline
 */
export function encodeYaml(object: JsonValue): string {
  const emitter = new Emitter(UNBOUNDED_WORK);
  for (const chunk of emitter.chunks(object, Infinity)) if (chunk !== undefined) return chunk;
  return '';
}

/**
 * Encodes like {@link encodeYaml}, in chunks of about 256 KiB.
 *
 * @param work spends a unit for each 16 characters, and two for each value
 * @returns the chunks, and undefined where the work should pause
 */
export function yamlChunks(object: JsonValue, work: Work): Generator<string | undefined, void, void> {
  return new Emitter(work).chunks(object, CHUNK);
}

/** A list or object of which a part has been written. */
type OpenCollection =
  | { readonly items: readonly JsonValue[]; readonly indent: number; next: number }
  | {
      readonly items: undefined;
      readonly members: JsonObject;
      keys: readonly string[];
      isSorted: boolean;
      readonly indent: number;
      /** Index of the next key, or of the one whose value follows. */
      next: number;
      /** Whether the key has been written. */
      atValue: boolean;
    };

class Emitter {
  readonly #writer = new YamlWriter();
  readonly #open: OpenCollection[] = [];
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Writes a value, in chunks of a length. Returns undefined where the work should pause. */
  *chunks(value: JsonValue, length: number): Generator<string | undefined, void, void> {
    const writer = this.#writer;
    const work = this.#work;
    let string = this.#node(value, -1, false);
    let counted = 0;
    for (;;) {
      if (work.spend(2 + ((writer.text.length - counted) >> 4))) yield undefined;
      if (writer.text.length >= length) yield writer.take();
      counted = writer.text.length;
      if (string !== undefined) {
        if (writer.part(string)) string = undefined;
        continue;
      }
      const collection = this.#open[this.#open.length - 1];
      if (collection === undefined) break;
      if (collection.items === undefined && !collection.isSorted) {
        collection.keys = yield* sorted(collection.keys, work);
        collection.isSorted = true;
      }
      string = this.#entry(collection);
    }
    writer.end();
    yield writer.take();
  }

  /** Writes the next part of a collection: an item, a key, or the value of a key. */
  #entry(collection: OpenCollection): OpenString | undefined {
    const { items, indent, next } = collection;
    const writer = this.#writer;
    if (next === (items ?? collection.keys).length) {
      this.#open.pop();
      return undefined;
    }
    if (items !== undefined) {
      collection.next += 1;
      writer.lineStart(indent);
      writer.indicator('-', true, true);
      return this.#node(items[next] ?? null, indent, false);
    }
    const key = collection.keys[next] ?? '';
    const simple = isSimpleKey(key);
    if (!collection.atValue) {
      collection.atValue = true;
      writer.lineStart(indent);
      if (!simple) writer.indicator('?', true, true);
      const open = writer.string(key, indent + STEP, simple);
      if (open !== undefined) return open;
    }
    collection.atValue = false;
    collection.next += 1;
    if (!simple) writer.lineStart(indent);
    writer.indicator(':', !simple, !simple);
    return this.#node(collection.members[key] ?? null, indent, true);
  }

  /**
   * Writes a value, or begins with it.
   *
   * @param indent indentation of the parent @param inMapping whether the value is one of a mapping
   * @returns a string whose parts must be written first
   */
  #node(value: JsonValue, indent: number, inMapping: boolean): OpenString | undefined {
    const writer = this.#writer;
    if (typeof value === 'string') return writer.string(value, indent < 0 ? STEP : indent + STEP, false);
    if (typeof value === 'number') writer.plain(numberText(value));
    else if (typeof value !== 'object' || value === null) writer.plain(String(value));
    else if (isArray(value)) this.#list(value, indent, inMapping);
    else this.#object(value, indent);
    return undefined;
  }

  #list(items: readonly JsonValue[], parent: number, inMapping: boolean): void {
    const writer = this.#writer;
    if (items.length === 0) return writer.indicator('[]', true, false);
    const indent = parent < 0 ? 0 : inMapping && !writer.onlyIndentation ? parent : parent + STEP;
    this.#open.push({ items, indent, next: 0 });
  }

  #object(members: JsonObject, parent: number): void {
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    if (keys.length === 0) return this.#writer.indicator('{}', true, false);
    const isSorted = keys.length <= MANY_KEYS;
    if (isSorted) keys.sort(compareYamlKeys);
    const indent = parent < 0 ? 0 : parent + STEP;
    this.#open.push({ items: undefined, members, keys, isSorted, indent, next: 0, atValue: false });
  }
}

function* sorted(keys: readonly string[], work: Work): Generator<undefined, readonly string[], void> {
  const steps = sortedSteps([...keys], compareYamlKeys, work);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield undefined;
  }
}

function isSimpleKey(key: string): boolean {
  if (key.length > LONGEST_SIMPLE_KEY || key.includes('\n')) return false;
  return key.length <= LONGEST_SIMPLE_KEY / 3 || utf8Length(key) <= LONGEST_SIMPLE_KEY;
}

/** Formats a number: integers as in JSON, others as Go formats doubles. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value === 0 ? 0 : value);
  return Number.isFinite(value) ? goFloat(value) : 'null';
}
