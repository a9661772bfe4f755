import {
  atOnce,
  goQuote,
  goSyntax,
  isArray,
  isJsonObject,
  ownMember,
  UNBOUNDED_WORK,
  writtenNumber,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { isObjectMeta } from '../define/object-meta.js';
import type { StructuralSchema, Variants } from '../define/structural.js';
import { BOOLEAN_OR_OBJECT, DecodeTypeError, ScalarError, jsonTypeName } from './decode-error.js';
import { fieldsOf, isOpenContainer, preservesUnknown, type Origin } from './readers.js';
import { scalarOf, type Scalar } from './scalars.js';

/** Maximum number of unknown fields that the Kubernetes decoder reports. */
const MAX_UNKNOWN_FIELDS = 100;

/** Maximum number of characters in their paths: a long key is a part of the paths of all keys below it. */
const MAX_PATH_CHARACTERS = 64 * 1024;

/** Units of work to look at a value, and at a member. */
const VALUE_UNITS = 4;

/** Returns the Go type of a value, as errors of the Kubernetes decoder name it. */
function goTypeOf(schema: StructuralSchema): string {
  const goType = schema.goType ?? scalarOf(schema)?.goType;
  if (goType !== undefined) return goType;
  if (schema.type === 'array') return `[]${schema.items === undefined ? 'interface {}' : goTypeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map[string]${goTypeOf(schema.additionalProperties)}`;
  return schema.name === undefined ? 'interface {}' : `v1.${schema.name}`;
}

/** The position of the walk: the path as users write it, and the names in errors of the Kubernetes decoder. */
interface Place {
  readonly path: string;
  /** Name of the innermost type with fields. */
  readonly struct: string;
  /** Names of the fields on the path, without indices and keys. */
  readonly fields: string;
  /** True below a type that decodes itself: errors name the field with that type. */
  readonly isWithin?: boolean | undefined;
  /** True for an item of a list that preserves unknown fields. */
  readonly inPreservingList?: boolean | undefined;
}

/**
 * Walks an input in the order of its text to locate problems that the readers only detect: the unknown fields, and the
 * first value of a wrong type. Slow, and never needed for a valid object.
 */
class Inspection {
  readonly unknown = new Set<string>();
  readonly #isReadable: boolean;
  #pathCharacters = 0;
  /**
   * The first value of a wrong type. Go's decoder continues after it, and reports it unless a type that decodes itself
   * fails later.
   */
  wrong: DecodeTypeError | undefined;

  readonly #work: Work;

  /** @param isReadable whether every value is known to have the type of its field, so that only names are missing */
  constructor(isReadable: boolean, work: Work) {
    this.#isReadable = isReadable;
    this.#work = work;
  }

  /** Whether the rest of the input cannot change the result. */
  get #isComplete(): boolean {
    return this.#isReadable && this.#isFull;
  }

  get #isFull(): boolean {
    return this.unknown.size === MAX_UNKNOWN_FIELDS || this.#pathCharacters > MAX_PATH_CHARACTERS;
  }

  *visit(value: JsonValue, schema: StructuralSchema, origin: Origin, at: Place): Steps<void> {
    if (this.#work.spend(VALUE_UNITS)) yield;
    if (value !== null && schema.variants !== undefined)
      return yield* this.#variant(value, schema.variants, origin, at);
    if (value === null || (schema.type === 'any' && !isOpenContainer(schema))) return;
    if (isObjectMeta(schema) && origin === 'user') return yield* this.#metadata(value, schema, at);
    const typed = origin === 'builtin';
    const preserves = preservesUnknown(schema, at.inPreservingList === true);
    const scalar = scalarOf(schema);
    if (scalar !== undefined) {
      if (typed) this.#scalar(value, scalar, at);
      else if (!preserves) this.#pruned(value, at);
      return;
    }
    if ((schema.type === 'array' || schema.type === 'any') && isArray(value))
      return yield* this.#list(value, schema, origin, { ...at, inPreservingList: preserves });
    if (schema.type !== 'array' && isJsonObject(value))
      return yield* this.#object(value, schema, origin, { ...at, inPreservingList: false }, preserves);
    if (!typed) {
      if (!preserves) this.#pruned(value, at);
    } else
      this.wrong ??= typeError(
        writtenNumber(value) === undefined ? jsonTypeName(value) : 'number',
        goTypeOf(schema),
        at,
      );
  }

  /**
   * Visits the metadata of a custom resource, which is decoded separately. Its failure in an embedded object is an
   * error of the embedded object's field.
   */
  *#metadata(value: JsonValue, schema: StructuralSchema, at: Place): Steps<void> {
    try {
      yield* this.visit(value, schema, 'builtin', { path: at.path, struct: '', fields: '' });
      if (this.wrong !== undefined) throw this.wrong;
    } catch (error) {
      if (!(error instanceof DecodeTypeError) || !at.fields.includes('.')) throw error;
      throw new DecodeTypeError(error.path, `${at.path}: Invalid value: ${goSyntax(value)}: ${error.message}`);
    }
  }

  /** Visits a value that decodes itself: its unknown fields are not reported, and its failure ends the decoding. */
  *#variant(value: JsonValue, { message, object, list, boolean }: Variants, origin: Origin, at: Place): Steps<void> {
    const field = isArray(value) ? list : isJsonObject(value) ? object : undefined;
    const form = field === undefined ? undefined : message.properties?.get(field);
    if (form === undefined) {
      if (boolean !== undefined && typeof value !== 'boolean') throw new DecodeTypeError(at.path, BOOLEAN_OR_OBJECT);
      return;
    }
    const inner = new Inspection(this.#isReadable, this.#work);
    yield* inner.visit(value, form, origin, { ...at, isWithin: true });
    if (inner.wrong !== undefined) throw inner.wrong;
  }

  /** Reports all fields of a value whose shape differs from its schema as unknown. */
  #pruned(value: JsonValue, at: Place): void {
    if (this.#isFull) return;
    if (isArray(value)) value.forEach((item, index) => this.#pruned(item, { ...at, path: `${at.path}[${index}]` }));
    else if (isJsonObject(value))
      for (const key of Object.keys(value)) if (value[key] !== undefined) this.#unknownField(key, at);
  }

  #unknownField(key: string, at: Place): void {
    if (this.#isFull) return;
    const path = at.path === '' ? key : `${at.path}.${key}`;
    this.#pathCharacters += path.length;
    this.unknown.add(path);
  }

  #scalar(value: JsonValue, scalar: Scalar, at: Place): void {
    const written = writtenNumber(value);
    try {
      scalar.decode(written === undefined ? value : Number(written), written);
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      const { complete, found, goType } = error;
      const problem =
        complete === undefined ? typeError(found, goType ?? scalar.goType, at) : new DecodeTypeError(at.path, complete);
      // A type that decodes itself ends the decoding. Go itself decodes bytes and continues.
      if ((complete !== undefined && scalar.goType !== '[]uint8') || goType !== undefined) throw problem;
      this.wrong ??= problem;
    }
  }

  *#list(items: readonly JsonValue[], schema: StructuralSchema, origin: Origin, at: Place): Steps<void> {
    if (schema.items === undefined) return;
    for (let index = 0; index < items.length && !this.#isComplete; index += 1) {
      yield* this.visit(items[index] as JsonValue, schema.items, origin, { ...at, path: `${at.path}[${index}]` });
    }
  }

  *#object(input: JsonObject, schema: StructuralSchema, origin: Origin, at: Place, preserves: boolean): Steps<void> {
    const fields = fieldsOf(schema);
    const keys = Object.keys(input);
    if (this.#work.spend(keys.length)) yield;
    for (const key of keys) {
      if (this.#isComplete) return;
      const member = ownMember(input, key);
      if (member === undefined) continue;
      if (this.#work.spend(VALUE_UNITS)) yield;
      const field = fields?.get(key);
      if (field === undefined && schema.additionalProperties === undefined) {
        if (!preserves) this.#unknownField(key, at);
        continue;
      }
      const path = at.path === '' ? key : `${at.path}.${key}`;
      if (field !== undefined) {
        const names = { struct: schema.name ?? '', fields: at.fields === '' ? key : `${at.fields}.${key}` };
        yield* this.visit(member, field, origin, at.isWithin === true ? { ...at, path } : { path, ...names });
      } else if (schema.additionalProperties !== undefined) {
        yield* this.visit(member, schema.additionalProperties, origin, { ...at, path });
      }
    }
  }
}

function typeError(found: string, goType: string, at: Place): DecodeTypeError {
  const where = at.fields === '' ? 'value' : `struct field ${at.struct}.${at.fields}`;
  return new DecodeTypeError(at.path, `json: cannot unmarshal ${found} into Go ${where} of type ${goType}`);
}

/**
 * Returns the paths of unknown fields, at most 100: in the order of the input, or for custom resources in alphabetical
 * order, as in Kubernetes.
 *
 * @param isReadable whether the input has been read: the walk then ends with the last name that is reported
 * @throws DecodeTypeError for the first value, in the order of the input, that its field does not allow. As in Go's
 * decoder, a value of a type that decodes itself (a time, a quantity, int-or-string) comes before the others
 */
export function inspect(input: JsonValue, schema: StructuralSchema, origin: Origin, isReadable = false): string[] {
  return atOnce(inspectSteps(input, schema, origin, UNBOUNDED_WORK, isReadable));
}

/** Does the same as {@link inspect}, in steps. */
export function* inspectSteps(
  input: JsonValue,
  schema: StructuralSchema,
  origin: Origin,
  work: Work,
  isReadable = false,
): Steps<string[]> {
  const inspection = new Inspection(isReadable, work);
  yield* inspection.visit(input, schema, origin, { path: '', struct: '', fields: '' });
  if (inspection.wrong !== undefined) throw inspection.wrong;
  const unknown = [...inspection.unknown];
  return origin === 'user' ? unknown.sort() : unknown;
}

/** Returns the message for an unknown field. */
export function unknownFieldText(path: string): string {
  return `unknown field ${goQuote(path)}`;
}
