/**
 * JSON as values of expressions, read by its schema: integers and doubles by type, dates, durations and bytes by format,
 * lists by list type. Only the parts that an expression uses are converted.
 *
 * Source: `UnstructuredToVal` of Kubernetes 1.31.
 *
 * @module
 */
import {
  decodeBase64,
  isJsonObject,
  jsonText,
  ownMember,
  parseTime,
  type JsonObject,
  type Steps,
} from '../../foundation/index.js';
import {
  CelEvaluationError,
  CelList,
  CelMap,
  CelTimestamp,
  fromJson,
  parseTimestamp,
  ReadParts,
  type CelValue,
  type CountWork,
  type EqualParts,
} from '../cel/index.js';
import type { StructuralSchema } from '../schema/define/structural.js';
import { mapValuesOf, withResourceFields } from './declared-type.js';
import { escapedFieldName } from './field-names.js';
import { parseFormattedDuration } from './formatted-duration.js';

/**
 * Converts a value of one schema.
 *
 * @throws CelEvaluationError for a value that does not have the schema's type or format
 */
export type ValueReader = (value: unknown) => CelValue;

/** Makes the readers of schemas, each once. */
export class ValueReaders {
  readonly #values = new Map<StructuralSchema, ValueReader>();
  readonly #resources = new Map<StructuralSchema, ValueReader>();

  /**
   * Returns the reader of a schema's values.
   *
   * @param isResource as for `declaredType`
   */
  of(schema: StructuralSchema, isResource: boolean): ValueReader {
    const known = isResource ? this.#resources : this.#values;
    let reader = known.get(schema);
    if (reader === undefined) {
      reader = nullable(schema, this.#readerOf(isResource ? withResourceFields(schema) : schema));
      known.set(schema, reader);
    }
    return reader;
  }

  #readerOf(schema: StructuralSchema): ValueReader {
    switch (schema.type) {
      case 'object':
        return this.#objectOrMapReader(schema);
      case 'array':
        return this.#listReader(schema);
      case 'string':
        return textReaders.get(schema.format ?? '') ?? readText;
      case 'any':
        return schema.preserveUnknownFields === true ? readPreserved : readUntyped;
      default:
        return scalarReaders[schema.type];
    }
  }

  #objectOrMapReader(schema: StructuralSchema): ValueReader {
    const values = mapValuesOf(schema);
    return values === undefined ? this.#objectReader(schema) : this.#mapReader(values);
  }

  #objectReader({ properties }: StructuralSchema): ValueReader {
    let fields: ObjectFields | undefined;
    const fieldsOf = (): ObjectFields =>
      (fields ??= new Map(
        [...(properties ?? [])].map(([property, schema]) => [
          escapedFieldName(property) ?? property,
          { property, read: this.of(schema, schema.embeddedResource === true) },
        ]),
      ));
    return (value) => {
      if (isJsonObject(value)) return value instanceof CelMap ? value : new ObjectValue(value, fieldsOf());
      return fail('invalid data, expected a map for the provided schema with type=object');
    };
  }

  #mapReader(values: StructuralSchema): ValueReader {
    let read: ValueReader | undefined;
    return (value) => {
      read ??= this.of(values, values.embeddedResource === true);
      if (isJsonObject(value)) return value instanceof CelMap ? value : new MapValue(value, read);
      return fail('invalid data, expected a map for the provided schema with type=object');
    };
  }

  #listReader({ items, listType, listMapKeys = [] }: StructuralSchema): ValueReader {
    if (items === undefined) return () => fail('invalid array type, expected Items with a non-empty Schema');
    let read: ValueReader | undefined;
    return (value) => {
      read ??= this.of(items, items.embeddedResource === true);
      if (value instanceof CelList) return value;
      if (!Array.isArray(value)) return fail('invalid data, expected an array for the provided schema with type=array');
      if (listType === 'set') return new SetValue(value, read);
      return listType === 'map' ? new MapListValue(value, read, listMapKeys) : new ListValue(value, read);
    };
  }
}

function fail(message: string): never {
  throw new CelEvaluationError(message);
}

/** Returns the reader of a schema that may allow null. */
function nullable({ nullable: allowsNull }: StructuralSchema, read: ValueReader): ValueReader {
  return (value) => {
    if (value !== null) return read(value);
    return allowsNull === true ? null : fail('invalid data, got null for schema with nullable=false');
  };
}

/** Returns Go's name of a value's type. */
function goTypeOf(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

const readText: ValueReader = (value) =>
  typeof value === 'string' ? value : fail(`invalid data, expected string, got ${goTypeOf(value)}`);

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return Number.isInteger(value) ? BigInt(value as number) : undefined;
}

const scalarReaders: Readonly<Record<'boolean' | 'number' | 'integer' | 'int-or-string', ValueReader>> = {
  boolean: (value) =>
    typeof value === 'boolean' ? value : fail(`invalid data, expected bool, got ${goTypeOf(value)}`),
  number: (value) =>
    typeof value === 'number' || typeof value === 'bigint'
      ? Number(value)
      : fail(`invalid data, expected float, got ${goTypeOf(value)}`),
  integer: (value) => readInteger(value) ?? fail(`invalid data, expected int, got ${goTypeOf(value)}`),
  'int-or-string': (value) =>
    typeof value === 'string'
      ? value
      : (readInteger(value) ?? fail('invalid data, expected XIntOrString value to be either a string or integer')),
};

/** Returns the reader of a format; `read` returns undefined for a text without the format. */
const formatted =
  (problem: (text: string) => string, read: (text: string) => CelValue | undefined): ValueReader =>
  (value) => {
    if (typeof value !== 'string') return isSelfReading(value) ? value : readText(value);
    return read(value) ?? fail(problem(value));
  };

const NANOS_PER_MS = 1_000_000n;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const SECOND_PRECISION = '2006-01-02T15:04:05Z'.length;

function parseDateTime(text: string): CelTimestamp | undefined {
  // Most times are written as the server writes them, which is faster to parse.
  const ms = text.length === SECOND_PRECISION ? parseTime(text) : undefined;
  if (ms !== undefined) return new CelTimestamp(BigInt(ms) * NANOS_PER_MS);
  return /[tz]/.test(text) ? undefined : parseTimestamp(text);
}

const textReaders: ReadonlyMap<string, ValueReader> = new Map([
  [
    'duration',
    formatted((text) => `Invalid duration ${text}: unable to parse ${text} as duration`, parseFormattedDuration),
  ],
  [
    'date',
    formatted(
      (text) => `Invalid date formatted string ${text}`,
      (text) => (DATE.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined),
    ),
  ],
  ['date-time', formatted((text) => `Invalid date-time formatted string ${text}`, parseDateTime)],
  ['byte', formatted((text) => `Invalid byte formatted string ${text}`, decodeBase64)],
]);

const readUntyped: ValueReader = (value) =>
  isSelfReading(value) ? value : fail('invalid type, expected object, array, number, integer, boolean or string');

/**
 * Reads a value of any type whose unknown fields are preserved. Expressions only compare it, as a part of the values
 * around it.
 */
const readPreserved: ValueReader = (value) => {
  if (Array.isArray(value)) return new ListValue(value, readPreserved);
  if (isJsonObject(value)) return new MapValue(value, readPreserved);
  return isScalar(value) ? value : readUntyped(value);
};

const isScalar = (value: unknown): value is string | number | bigint | boolean | null =>
  value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

/** Returns true for a CEL value that is not JSON: an item that an expression added to a list. */
function isSelfReading(value: unknown): value is Extract<CelValue, object> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) !== Object.prototype
  );
}

/** The fields of an object, by their names in expressions. */
type ObjectFields = ReadonlyMap<string, { readonly property: string; readonly read: ValueReader }>;

/** Returns the names of the members that are set. */
const keysOf = (members: JsonObject): readonly string[] =>
  Object.keys(members).filter((name) => members[name] !== undefined);

/** An object with known fields. A null field is absent. Fields without a schema are visible only to `==`. */
class ObjectValue extends CelMap {
  readonly json: JsonObject;
  readonly #fields: ObjectFields;
  readonly #read = new ReadParts<string>();
  #size: number | undefined;

  constructor(json: JsonObject, fields: ObjectFields) {
    super();
    this.json = json;
    this.#fields = fields;
  }

  get size(): number {
    return (this.#size ??= keysOf(this.json).length);
  }

  get(key: CelValue): CelValue | undefined {
    const field = typeof key === 'string' ? this.#fields.get(key) : undefined;
    const value = field && ownMember(this.json, field.property);
    if (field === undefined || value === undefined || value === null) return undefined;
    return this.#read.of(field.property, value, field.read);
  }

  *keys(): Iterable<CelValue> {
    for (const [name, { property }] of this.#fields) if (ownMember(this.json, property) !== undefined) yield name;
  }

  override *equals(other: CelMap, equal: EqualParts, work: CountWork): Steps<boolean> {
    const known = new Set<string>();
    for (const [name, { property }] of this.#fields) {
      known.add(property);
      if (ownMember(this.json, property) === undefined) continue;
      const [mine, theirs] = [this.get(name), other.get(name)];
      if (mine === undefined || theirs === undefined || !(yield* equal(mine, theirs))) return false;
    }
    const others = other instanceof ObjectValue ? other.json : {};
    // As in Kubernetes, a field without a schema may be missing on the other side.
    const names = Object.keys(this.json);
    work(names.length);
    for (const name of names) {
      const theirs = known.has(name) ? undefined : ownMember(others, name);
      if (theirs !== undefined && !(yield* equal(fromJson(this.json[name]), fromJson(theirs)))) return false;
    }
    return true;
  }
}

/** A map with values of one schema. */
class MapValue extends CelMap {
  readonly json: JsonObject;
  readonly #reader: ValueReader;
  readonly #read = new ReadParts<string>();
  #keys: readonly string[] | undefined;

  constructor(json: JsonObject, reader: ValueReader) {
    super();
    this.json = json;
    this.#reader = reader;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const value = ownMember(this.json, key);
    return value === undefined ? undefined : this.#read.of(key, value, this.#reader);
  }

  keys(): readonly string[] {
    return (this.#keys ??= keysOf(this.json));
  }
}

/** A list whose items are JSON, or values that an expression added. */
class ListValue extends CelList {
  readonly items: readonly unknown[];
  protected readonly reader: ValueReader;
  readonly #read = new ReadParts<number>();

  constructor(items: readonly unknown[], reader: ValueReader) {
    super();
    this.items = items;
    this.reader = reader;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.#read.of(index, this.items[index], this.reader);
  }
}

/** Returns the JSON of a value that was read from it, else the value. */
function unread(value: CelValue): unknown {
  if (value instanceof ListValue) return value.items;
  return value instanceof ObjectValue || value instanceof MapValue ? value.json : value;
}

/** Returns the identity of a scalar in a set or as a key; undefined for times and other values that are not JSON. */
function identityOf(value: unknown): string | undefined {
  if (typeof value === 'object' && isSelfReading(value)) return undefined;
  return jsonText(value);
}

/** Characters of an identity that are written in a unit of work. */
const CHARACTERS_OF_UNIT = 8;

/** Returns the work of finding an identity. */
const workOf = (identity: string | undefined): number => 1 + (identity?.length ?? 0) / CHARACTERS_OF_UNIT;

/** A list of type `set`: order does not matter, and adding a list adds its new items. */
class SetValue extends ListValue {
  #identities: ReadonlySet<string | undefined> | undefined;

  *#identitySet(work: CountWork): Steps<ReadonlySet<string | undefined>> {
    if (this.#identities !== undefined) return this.#identities;
    const identities = new Set<string | undefined>();
    for (const item of this.items) {
      const identity = identityOf(item);
      identities.add(identity);
      if (work(workOf(identity))) yield;
    }
    return (this.#identities = identities);
  }

  override *equals(other: CelList, _equal: EqualParts, work: CountWork): Steps<boolean> {
    const identities = yield* this.#identitySet(work);
    for (const item of other) {
      const identity = identityOf(unread(item));
      if (identity === undefined || !identities.has(identity)) return false;
      if (work(workOf(identity))) yield;
    }
    return true;
  }

  override *plus(other: CelList, work: CountWork): Steps<CelList> {
    const identities = new Set(yield* this.#identitySet(work));
    const items = [...this.items];
    work(2 * items.length);
    for (const added of other) {
      const item = unread(added);
      const identity = identityOf(item);
      if (identity === undefined || !identities.has(identity)) items.push(item);
      identities.add(identity);
      if (work(workOf(identity))) yield;
    }
    return new SetValue(items, this.reader);
  }
}

/** A list of type `map`: items are compared by their keys, and adding a list replaces items with equal keys. */
class MapListValue extends ListValue {
  readonly #keys: readonly string[];
  #places: ReadonlyMap<string, number> | undefined;

  constructor(items: readonly unknown[], reader: ValueReader, keys: readonly string[]) {
    super(items, reader);
    this.#keys = keys;
  }

  #keyOf(item: unknown): string {
    return jsonText(isJsonObject(item) ? this.#keys.map((name) => ownMember(item, name) ?? null) : item);
  }

  *#placesByKey(work: CountWork): Steps<ReadonlyMap<string, number>> {
    if (this.#places !== undefined) return this.#places;
    const places = new Map<string, number>();
    for (const [index, item] of this.items.entries()) {
      const key = this.#keyOf(item);
      places.set(key, index);
      if (work(workOf(key))) yield;
    }
    return (this.#places = places);
  }

  override *equals(other: CelList, equal: EqualParts, work: CountWork): Steps<boolean> {
    const places = yield* this.#placesByKey(work);
    for (const item of other) {
      const key = this.#keyOf(unread(item));
      const place = places.get(key);
      if (place === undefined || !(yield* equal(this.at(place), item))) return false;
      if (work(workOf(key))) yield;
    }
    return true;
  }

  override *plus(other: CelList, work: CountWork): Steps<CelList> {
    const items = [...this.items];
    work(items.length);
    const places = yield* this.#placesByKey(work);
    for (const added of other) {
      const item = unread(added);
      const key = this.#keyOf(item);
      const place = places.get(key);
      if (place === undefined) items.push(item);
      else items[place] = item;
      if (work(workOf(key))) yield;
    }
    return new MapListValue(items, this.reader, this.#keys);
  }
}
