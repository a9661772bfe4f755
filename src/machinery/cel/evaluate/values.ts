/**
 * The values of expressions.
 *
 * | CEL type | JavaScript type |
 * |---|---|
 * | `int` | `bigint` |
 * | `uint` | {@link CelUint} |
 * | `double` | `number` |
 * | `bool`, `string`, `null` | themselves |
 * | `bytes` | `Uint8Array` |
 * | `list`, `map` | {@link CelList}, {@link CelMap} |
 * | `timestamp`, `duration` | {@link CelTimestamp}, {@link CelDuration} |
 * | optional, type | {@link CelOptional}, {@link CelTypeValue} |
 * | types of libraries | subclasses of {@link CelOpaque} |
 *
 * JSON input is wrapped, not converted: only the parts that an expression uses are converted.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type Steps } from '../../../foundation/index.js';
import { CelDuration, CelTimestamp } from './time-values.js';

/** An unsigned 64-bit integer. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value, the result of `type(x)`. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be absent. */
export class CelOptional {
  static readonly none = new CelOptional(undefined);
  readonly value: CelValue | undefined;

  private constructor(value: CelValue | undefined) {
    this.value = value;
  }

  static of(value: CelValue | undefined): CelOptional {
    return value === undefined ? CelOptional.none : new CelOptional(value);
  }
}

/** Compares parts of values, and charges for it. */
export type EqualParts = (a: CelValue, b: CelValue) => Steps<boolean>;

/**
 * Counts work that costs nothing, such as reading the items of a list. Returns true when steps may pause.
 *
 * @throws what ends or abandons the evaluation
 */
export type CountWork = (units: number) => boolean;

/** A list. */
export abstract class CelList implements Iterable<CelValue> {
  abstract readonly size: number;
  /** Returns the item at an index from 0 to size - 1. */
  abstract at(index: number): CelValue;

  /**
   * Compares lists of equal size in another way than item by item, in steps; absent on most lists.
   *
   * @internal
   */
  equals?(other: CelList, equal: EqualParts, work: CountWork): Steps<boolean>;
  /**
   * Adds a list in another way than by appending its items, in steps; absent on most lists.
   *
   * @internal
   */
  plus?(other: CelList, work: CountWork): Steps<CelList>;

  *[Symbol.iterator](): Iterator<CelValue> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }
}

/** A map. Equal numbers of different types are the same key. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Returns the value of a key; undefined when it is absent. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;

  /**
   * Compares maps of equal size in another way than entry by entry, in steps; absent on most maps.
   *
   * @internal
   */
  equals?(other: CelMap, equal: EqualParts, work: CountWork): Steps<boolean>;
}

/** A value that only functions can read, such as an IP address. */
export abstract class CelOpaque {
  /** The name of its type. */
  abstract readonly typeName: string;
  /** Its size in computations of cost: bytes, or 1. */
  readonly size: number = 1;
  /** Returns true for an equal value of the same type. */
  abstract equals(other: CelOpaque): boolean;
}

/** A value of CEL. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTypeValue
  | CelOptional
  | CelList
  | CelMap
  | CelOpaque
  | CelTimestamp
  | CelDuration;

/**
 * The parts of a JSON list or object that were read and are not scalars, by index or name: a part that is read again
 * has its keys already.
 */
export class ReadParts<Place> {
  #parts: Map<Place, CelValue> | undefined;

  /** Returns the value of a part. @param read converts its JSON */
  of(place: Place, json: unknown, read: (json: unknown) => CelValue): CelValue {
    const known = this.#parts?.get(place);
    if (known !== undefined) return known;
    const value = read(json);
    if (typeof value === 'object' && value !== null) (this.#parts ??= new Map()).set(place, value);
    return value;
  }
}

/** A list that an expression created. */
export class ValueList extends CelList {
  readonly items: readonly CelValue[];

  constructor(items: readonly CelValue[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.items[index] ?? null;
  }
}

/** Lists that are added to each other without a copy; a deeper sum is copied. */
const MAX_SUM_DEPTH = 32;
/** Size of the lists that are copied at once when they are added. */
const SHORT_SUM = 64;

/** The sum of two lists, which it refers to. */
class ListSum extends CelList {
  readonly size: number;
  readonly depth: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList, depth: number) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
    this.depth = depth;
  }

  at(index: number): CelValue {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size);
  }

  override *[Symbol.iterator](): Iterator<CelValue> {
    yield* this.#first;
    yield* this.#second;
  }
}

const sumDepth = (list: CelList): number => (list instanceof ListSum ? list.depth : 0);

/** Adds two lists, in steps. @param makeItems counts items before they are copied */
export function* sumOfLists(first: CelList, second: CelList, makeItems: (count: number) => void): Steps<CelList> {
  if (first.size === 0) return second;
  if (second.size === 0) return first;
  const depth = 1 + Math.max(sumDepth(first), sumDepth(second));
  const size = first.size + second.size;
  if (size > SHORT_SUM && depth <= MAX_SUM_DEPTH) return new ListSum(first, second, depth);
  makeItems(size);
  const items: CelValue[] = [];
  for (const list of [first, second])
    for (const item of list) {
      items.push(item);
      if (items.length % COPIED_AT_ONCE === 0) yield;
    }
  return new ValueList(items);
}

/** Items that are copied before a sum may pause. */
const COPIED_AT_ONCE = 1024;

/** A JSON array. */
class JsonList extends CelList {
  readonly items: readonly unknown[];
  readonly #read = new ReadParts<number>();

  constructor(items: readonly unknown[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.#read.of(index, this.items[index], fromJson);
  }
}

/** A map that an expression created, with keys of any allowed type. */
export class ValueMap extends CelMap {
  readonly #entries = new Map<string | boolean | bigint, { readonly key: CelValue; readonly value: CelValue }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Adds an entry. Returns false for a repeated key, undefined for an invalid key type. */
  add(key: CelValue, value: CelValue): boolean | undefined {
    const identity = typeof key === 'number' ? undefined : keyIdentity(key);
    if (identity === undefined) return undefined;
    if (this.#entries.has(identity)) return false;
    this.#entries.set(identity, { key, value });
    return true;
  }

  get(key: CelValue): CelValue | undefined {
    const identity = keyIdentity(key);
    return identity === undefined ? undefined : this.#entries.get(identity)?.value;
  }

  *keys(): Iterable<CelValue> {
    for (const { key } of this.#entries.values()) yield key;
  }
}

/** A JSON object. Undefined members are absent. */
class JsonMap extends CelMap {
  #keys: readonly string[] | undefined;
  readonly #read = new ReadParts<string>();

  readonly members: JsonObject;

  constructor(members: JsonObject) {
    super();
    this.members = members;
  }

  get size(): number {
    return this.#ownKeys().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.members, key)) return undefined;
    const value = this.members[key];
    return value === undefined ? undefined : this.#read.of(key, value, fromJson);
  }

  keys(): Iterable<CelValue> {
    return this.#ownKeys();
  }

  #ownKeys(): readonly string[] {
    return (this.#keys ??= Object.keys(this.members).filter((key) => this.members[key] !== undefined));
  }
}

/** Returns the identity of a key; undefined for an invalid key. A double is a valid key only as a whole number. */
function keyIdentity(key: CelValue): string | boolean | bigint | undefined {
  if (key instanceof CelUint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : undefined;
  return typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint' ? key : undefined;
}

/**
 * Converts a JSON value to a CEL value. Whole, exact numbers are `int`, others `double`: a parsed value no longer shows
 * whether it was written as `5` or `5.0`. CEL values are returned unchanged.
 */
export function fromJson(value: unknown): CelValue {
  switch (typeof value) {
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return new JsonList(value);
      if (isCelObject(value)) return value;
      return isJsonObject(value) ? new JsonMap(value) : null;
    default:
      return null;
  }
}

const celClasses = [
  CelList,
  CelMap,
  CelOpaque,
  CelUint,
  CelTimestamp,
  CelDuration,
  CelOptional,
  CelTypeValue,
  Uint8Array,
] as const;

function isCelObject(value: object): value is Extract<CelValue, object> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype !== Object.prototype && prototype !== null && celClasses.some((candidate) => value instanceof candidate)
  );
}

/** Returns the name of a value's type, as `type(x)` shows it. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    default:
      if (value instanceof CelOpaque) return value.typeName;
      return value === null
        ? 'null_type'
        : (objectNames.find(([candidate]) => value instanceof candidate)?.[1] ?? 'dyn');
  }
}

const objectNames = [
  [CelList, 'list'],
  [CelMap, 'map'],
  [CelUint, 'uint'],
  [Uint8Array, 'bytes'],
  [CelTimestamp, 'google.protobuf.Timestamp'],
  [CelDuration, 'google.protobuf.Duration'],
  [CelOptional, 'optional_type'],
  [CelTypeValue, 'type'],
] as const;
