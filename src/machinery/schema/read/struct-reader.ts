import {
  cloneJson,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
  type Steps,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { cloneSteps } from './clone-steps.js';
import { fillOf, type Fill, type ReadState } from './read-state.js';
import { scalarOf, textDecoder } from './scalars.js';
import { ContainerReader, FIELD_UNITS, type MapReader, type Reader } from './value-readers.js';

/** Returns true for plain texts, which no format changes. */
export const isText = (schema: StructuralSchema): boolean =>
  schema.type === 'string' && scalarOf(schema)?.decode === textDecoder;

/** One field of a struct, with all decisions that its schema allows. */
export class Field {
  readonly omits: boolean;
  readonly always: boolean;
  /** True when a value may be written although the client sent none. */
  readonly fills: boolean;
  /** True when every object inherits a member of this name, so that only an own member counts. */
  readonly inherited: boolean;
  readonly text: boolean;

  readonly name: string;
  readonly #schema: StructuralSchema;
  readonly reader: Reader;
  readonly #typed: boolean;
  /** The bytes that the default adds to an object; known once it was filled in. */
  #fill: Fill | undefined;

  constructor(name: string, schema: StructuralSchema, reader: Reader, typed: boolean) {
    this.name = name;
    this.#schema = schema;
    this.reader = reader;
    this.#typed = typed;
    this.omits = schema.presence === 'omit';
    this.always = schema.presence === 'always';
    this.fills = this.always || schema.default !== undefined;
    this.inherited = name in Object.prototype;
    this.text = isText(schema);
  }

  /** Returns the value of a field that is absent, or empty when that means the same. */
  missing(state: ReadState): MutableJsonValue | undefined {
    const { default: fallback } = this.#schema;
    if (fallback !== undefined) {
      state.fill((this.#fill ??= fillOf(this.name, fallback)));
      return this.reader.read(fallback, state);
    }
    if (!this.always) return undefined;
    return this.#schema.nullable === true ? null : this.reader.zero(state);
  }

  /** Returns the value of a field that the client set to null. */
  null(state: ReadState): MutableJsonValue | undefined {
    const { nullable, default: fallback } = this.#schema;
    // In a built-in kind null means that there is no value: the default applies.
    if (nullable === true && !(this.#typed && fallback !== undefined)) return null;
    if (this.fills) return this.missing(state);
    return !this.#typed && state.keepNulls ? null : undefined;
  }
}

/** Returns true for an empty value, which means the same as an absent one. */
function isEmpty(value: MutableJsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}

/** Reads objects with declared fields. */
export class StructReader extends ContainerReader {
  fields: readonly Field[] = [];
  names: Pick<ReadonlySet<string>, 'has'> = new Set();
  /** Reads undeclared fields when the schema has a type for them. */
  rest: MapReader | undefined;

  override zero(state: ReadState): MutableJsonValue {
    return this.read({}, state);
  }

  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (typeof value !== 'object' || Array.isArray(value)) return this.readOther(value, state);
    const input = value as JsonObject;
    const copy: MutableJsonObject = {};
    let left = 0;
    for (const key in input) if (input[key] !== undefined) left += 1;
    const { fields } = this;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index] as Field;
      const { name } = field;
      const member = field.inherited ? ownMember(input, name) : input[name];
      if (member === undefined) {
        if (field.fills) write(copy, field, field.missing(state));
        continue;
      }
      left -= 1;
      if (typeof member === 'string' && member !== '' && field.text && !field.inherited) copy[name] = member;
      else this.#known(copy, field, member, state);
    }
    // Every member that remains is unknown.
    if (left !== 0) {
      if (this.rest === undefined && !this.preserves) state.unknown = true;
      else this.#unknown(input, copy, state);
    }
    return copy;
  }

  override *steps(value: JsonValue, state: ReadState): Steps<MutableJsonValue> {
    if (typeof value !== 'object' || Array.isArray(value)) return yield* this.otherSteps(value, state);
    const input = value as JsonObject;
    const copy: MutableJsonObject = {};
    // The engine lists them in one piece.
    const keys = Object.keys(input);
    if (state.work.spend(keys.length)) yield;
    let left = 0;
    for (const key of keys) {
      if (state.work.spend(1)) yield;
      if (input[key] !== undefined) left += 1;
    }
    for (const field of this.fields) {
      const member = field.inherited ? ownMember(input, field.name) : input[field.name];
      if (member === undefined) {
        if (!field.fills) continue;
        if (state.work.spend(FIELD_UNITS)) yield;
        write(copy, field, field.missing(state));
        continue;
      }
      left -= 1;
      if (state.work.spend(FIELD_UNITS)) yield;
      if (typeof member !== 'object' || member === null) this.#known(copy, field, member, state);
      else writeRead(copy, field, yield* field.reader.steps(member, state), state);
    }
    if (left === 0) return copy;
    if (this.rest === undefined && !this.preserves) state.unknown = true;
    else yield* this.#unknownSteps(input, keys, copy, state);
    return copy;
  }

  #known(copy: MutableJsonObject, field: Field, member: JsonValue, state: ReadState): void {
    if (member === null) write(copy, field, field.null(state));
    else writeRead(copy, field, field.reader.read(member, state), state);
  }

  /** Does the same as {@link #unknown}, in steps. */
  *#unknownSteps(input: JsonObject, keys: readonly string[], copy: MutableJsonObject, state: ReadState): Steps<void> {
    for (const key of keys) {
      const member = input[key];
      if (member === undefined || this.names.has(key)) continue;
      if (state.work.spend(FIELD_UNITS)) yield;
      if (this.rest !== undefined) yield* this.rest.memberSteps(input, key, copy, state);
      else setOwnMember(copy, key, yield* cloneSteps(member, state.work));
    }
  }

  #unknown(input: JsonObject, copy: MutableJsonObject, state: ReadState): void {
    for (const key in input) {
      const member = input[key];
      if (member === undefined || this.names.has(key)) continue;
      if (this.rest !== undefined) this.rest.member(input, key, copy, state);
      else setOwnMember(copy, key, cloneJson(member));
    }
  }
}

/** Writes what was read of a member; an empty value may mean the same as an absent one. */
function writeRead(copy: MutableJsonObject, field: Field, read: MutableJsonValue, state: ReadState): void {
  write(copy, field, field.omits && read !== state.filled && isEmpty(read) ? field.missing(state) : read);
}

function write(copy: MutableJsonObject, field: Field, value: MutableJsonValue | undefined): void {
  if (value === undefined) return;
  if (field.inherited) setOwnMember(copy, field.name, value);
  else copy[field.name] = value;
}
