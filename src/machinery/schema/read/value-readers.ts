import {
  cloneJson,
  integerValue,
  keysInSteps,
  setOwnMember,
  withoutRoom,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
  type Steps,
} from '../../../foundation/index.js';
import { cloneSteps } from './clone-steps.js';
import { BOOLEAN_OR_OBJECT, ScalarError, jsonTypeName } from './decode-error.js';
import { fillOf, type Fill, type ReadState } from './read-state.js';

/** Units of work to read a field or an item. */
export const FIELD_UNITS = 4;

/**
 * Copies one value by its schema. A reader is created once per schema and origin, and used for every object.
 */
export abstract class Reader {
  /** Returns the value that is written when a required value is absent. */
  abstract zero(state: ReadState): MutableJsonValue;
  /** Returns a copy of the value, which is not null. */
  abstract read(value: JsonValue, state: ReadState): MutableJsonValue;
  /** Does the same as {@link read}, in steps. Only a value with other values in it needs more than one. */
  abstract steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue>;
}

/** Copies a scalar, or a value of any type. */
export class LeafReader extends Reader {
  readonly #copy: (value: JsonValue, state: ReadState) => MutableJsonValue;
  readonly #empty: MutableJsonValue;

  constructor(copy: (value: JsonValue, state: ReadState) => MutableJsonValue, empty: MutableJsonValue) {
    super();
    this.#copy = copy;
    this.#empty = empty;
  }
  override zero(): MutableJsonValue {
    return this.#empty;
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    // A bigint of an in-process client may be any integer.
    return this.#copy(typeof value === 'bigint' ? integerValue(value) : value, state);
  }
  override *steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    return this.#copy === cloneJson ? yield* cloneSteps(value, state.work) : this.read(value, state);
  }
}

/** Prunes a value whose shape differs from its schema: its fields are unknown, and its lists keep their items. */
export function pruned(value: JsonValue, state: ReadState): MutableJsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => pruned(item, state));
  for (const key in value as JsonObject) if ((value as JsonObject)[key] !== undefined) state.unknown = true;
  return {};
}

/** Reads a value with one of several JSON types. Null takes the place of a value with none of them. */
export class VariantsReader extends Reader {
  object: Reader = anyReader;
  list: Reader | undefined;
  readonly #allowsBoolean: boolean;

  constructor(allowsBoolean: boolean) {
    super();
    this.#allowsBoolean = allowsBoolean;
  }
  override zero(): MutableJsonValue {
    return null;
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (typeof value !== 'object') return this.#scalar(value);
    const reported = state.unknown;
    const reader = this.#reader(value);
    const read = reader === undefined ? this.#otherwise() : reader.read(value, state);
    state.unknown = reported;
    return Array.isArray(value) ? nullIfEmpty(read) : read;
  }
  override *steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    if (typeof value !== 'object') return this.#scalar(value);
    const reported = state.unknown;
    const reader = this.#reader(value);
    const read = reader === undefined ? this.#otherwise() : yield* reader.steps(value, state);
    state.unknown = reported;
    return Array.isArray(value) ? nullIfEmpty(read) : read;
  }
  /** Returns the reader of an object or a list, whose unknown fields are not reported. */
  #reader(value: JsonValue): Reader | undefined {
    return Array.isArray(value) ? this.list : this.object;
  }
  #scalar(value: JsonValue): MutableJsonValue {
    return typeof value === 'boolean' && this.#allowsBoolean ? value : this.#otherwise();
  }
  #otherwise(): null {
    if (this.#allowsBoolean) throw new ScalarError('', BOOLEAN_OR_OBJECT);
    return null;
  }
}

/** Reads a value of any type whose members have schemas. */
export class OpenReader extends Reader {
  object: Reader = anyReader;
  list: Reader = anyReader;

  override zero(): MutableJsonValue {
    return null;
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    return typeof value === 'object' ? this.#reader(value).read(value, state) : value;
  }
  override *steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    return typeof value === 'object' ? yield* this.#reader(value).steps(value, state) : value;
  }
  #reader(value: JsonValue): Reader {
    return Array.isArray(value) ? this.list : this.object;
  }
}

const nullIfEmpty = (value: MutableJsonValue): MutableJsonValue =>
  Array.isArray(value) && value.length === 0 ? null : value;

/** Reads objects and lists. */
export abstract class ContainerReader extends Reader {
  /** True for a built-in kind, whose values must have the shape of their schema. */
  readonly typed: boolean;
  /** True when unknown fields are kept, and a value of another shape. */
  readonly preserves: boolean;

  constructor(typed: boolean, preserves: boolean) {
    super();
    this.typed = typed;
    this.preserves = preserves;
  }

  /** Reads a value of another shape. @throws ScalarError for a built-in kind */
  readOther(value: JsonValue, state: ReadState): MutableJsonValue {
    if (this.typed) throw new ScalarError(jsonTypeName(value));
    return this.preserves ? cloneJson(value) : pruned(value, state);
  }

  /** Does the same as {@link readOther}, in steps. */
  *otherSteps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    return !this.typed && this.preserves ? yield* cloneSteps(value, state.work) : this.readOther(value, state);
  }
}

/** Reads lists. */
export class ListReader extends ContainerReader {
  items: Reader = anyReader;
  itemDefault: JsonValue | undefined;
  itemNullable = false;
  #fill: Fill | undefined;

  override zero(): MutableJsonValue {
    return [];
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (!Array.isArray(value)) return this.readOther(value, state);
    const input: readonly JsonValue[] = value;
    const { items } = this;
    // A list of the right size from the beginning: one that grows keeps room for sixteen items.
    return input.map((item) => (item === null ? this.#replacement(state) : items.read(item, state)));
  }
  override *steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    if (!Array.isArray(value)) return yield* this.otherSteps(value, state);
    const input: readonly JsonValue[] = value;
    const { items } = this;
    const copy: MutableJsonValue[] = [];
    for (let index = 0; index < input.length; index += 1) {
      const item = input[index] as JsonValue;
      if (state.work.spend(FIELD_UNITS)) yield;
      if (item === null) copy.push(this.#replacement(state));
      else copy.push(typeof item === 'object' ? yield* items.steps(item, state) : items.read(item, state));
    }
    return withoutRoom(copy);
  }
  /** Returns the replacement of a null item, which cannot be dropped without moving the others. */
  #replacement(state: ReadState): MutableJsonValue {
    if (this.itemNullable) return null;
    if (this.itemDefault !== undefined) {
      state.fill((this.#fill ??= fillOf('', this.itemDefault)));
      return this.items.read(this.itemDefault, state);
    }
    return this.typed ? this.items.zero(state) : null;
  }
}

/** Reads objects whose members all have one type. */
export class MapReader extends ContainerReader {
  values: Reader = anyReader;
  valueDefault: JsonValue | undefined;
  valueNullable = false;
  texts = false;
  #fill: Fill | undefined;

  override zero(): MutableJsonValue {
    return {};
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (typeof value !== 'object' || Array.isArray(value)) return this.readOther(value, state);
    const copy: MutableJsonObject = {};
    for (const key in value as JsonObject) this.member(value as JsonObject, key, copy, state);
    return copy;
  }
  override *steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    if (typeof value !== 'object' || Array.isArray(value)) return yield* this.otherSteps(value, state);
    const copy: MutableJsonObject = {};
    const input = value as JsonObject;
    const keys = yield* keysInSteps(input, state.work);
    for (const key of keys) {
      if (state.work.spend(FIELD_UNITS)) yield;
      const member = input[key];
      if (typeof member === 'object' && member !== null) yield* this.memberSteps(input, key, copy, state);
      else this.member(input, key, copy, state);
    }
    if (keys.some((key) => Object.hasOwn(copy, key))) state.filled = copy;
    return copy;
  }
  /** Copies one entry. */
  member(input: JsonObject, key: string, copy: MutableJsonObject, state: ReadState): void {
    const member = input[key];
    if (member === undefined) return;
    // Most maps hold texts, which need no copy.
    const read =
      typeof member === 'string' && this.texts
        ? member
        : member === null
          ? this.#replacement(state)
          : this.values.read(member, state);
    if (read !== undefined) set(copy, key, read);
  }
  /** Does the same as {@link member}, in steps. */
  *memberSteps(input: JsonObject, key: string, copy: MutableJsonObject, state: ReadState): Steps<void> {
    const member = input[key];
    if (typeof member !== 'object' || member === null) this.member(input, key, copy, state);
    else set(copy, key, yield* this.values.steps(member, state));
  }
  #replacement(state: ReadState): MutableJsonValue | undefined {
    if (this.valueNullable) return null;
    if (this.valueDefault !== undefined) {
      state.fill((this.#fill ??= fillOf('', this.valueDefault)));
      return this.values.read(this.valueDefault, state);
    }
    if (this.typed) return this.values.zero(state);
    return state.keepNulls ? null : undefined;
  }
}

function set(copy: MutableJsonObject, key: string, value: MutableJsonValue): void {
  if (key === '__proto__') setOwnMember(copy, key, value);
  else copy[key] = value;
}

/** Copies a value of any type. */
export const anyReader = new LeafReader(cloneJson, null);
