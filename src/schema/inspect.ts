import { goQuote } from '../meta/go-text.js';
import type { JsonObject, JsonValue } from '../meta/json.js';
import { DecodeTypeError, ScalarError, jsonTypeName } from './decode-error.js';
import { isObjectMeta } from './object-meta.js';
import { fieldsOf, ownMember, type Origin } from './readers.js';
import { scalarOf } from './scalars.js';
import type { StructuralSchema } from './structural.js';

/** The production decoder stops counting unknown fields here. */
const MAX_UNKNOWN_FIELDS = 100;

/** What a value is called in the production decoder's errors. */
function goTypeOf(schema: StructuralSchema): string {
  const scalar = scalarOf(schema);
  if (scalar !== undefined) return scalar.goType;
  if (schema.type === 'array') return `[]${schema.items === undefined ? 'interface {}' : goTypeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map[string]${goTypeOf(schema.additionalProperties)}`;
  return schema.name === undefined ? 'interface {}' : `v1.${schema.name}`;
}

/** Where the walk is: the path as users write it, and the names that the production decoder's errors use. */
interface Place {
  readonly path: string;
  /** Name of the innermost type with fields. */
  readonly struct: string;
  /** Names of the fields on the way, without indices and keys. */
  readonly fields: string;
}

/**
 * Goes over an input in the order of its own text, to say what the readers only noticed: which fields are unknown, and
 * what the first value of a wrong type is. Slow and never needed for an object that is right.
 */
class Inspection {
  readonly unknown = new Set<string>();

  visit(value: JsonValue, schema: StructuralSchema, origin: Origin, at: Place): void {
    if (value === null || schema.type === 'any') return;
    if (isObjectMeta(schema)) origin = 'builtin';
    const typed = origin === 'builtin';
    const scalar = scalarOf(schema);
    if (scalar !== undefined) {
      if (typed) attempt(() => scalar.decode(value), scalar.goType, at);
    } else if (schema.type === 'array') {
      if (Array.isArray(value)) this.#list(value, schema, origin, at);
      else if (typed) fail(jsonTypeName(value), goTypeOf(schema), at);
    } else if (typeof value === 'object' && !Array.isArray(value)) {
      this.#object(value as JsonObject, schema, origin, at);
    } else if (typed) fail(jsonTypeName(value), goTypeOf(schema), at);
  }

  #list(items: readonly JsonValue[], schema: StructuralSchema, origin: Origin, at: Place): void {
    if (schema.items === undefined) return;
    for (let index = 0; index < items.length; index += 1) {
      this.visit(items[index] as JsonValue, schema.items, origin, { ...at, path: `${at.path}[${index}]` });
    }
  }

  #object(input: JsonObject, schema: StructuralSchema, origin: Origin, at: Place): void {
    const fields = fieldsOf(schema);
    for (const key of Object.keys(input)) {
      const member = ownMember(input, key);
      if (member === undefined) continue;
      const path = at.path === '' ? key : `${at.path}.${key}`;
      const field = fields?.get(key);
      if (field !== undefined) {
        this.visit(member, field, origin, { path, struct: schema.name ?? '', fields: at.fields === '' ? key : `${at.fields}.${key}` });
      } else if (schema.additionalProperties !== undefined) {
        this.visit(member, schema.additionalProperties, origin, { ...at, path });
      } else if (schema.preserveUnknownFields !== true && this.unknown.size < MAX_UNKNOWN_FIELDS) {
        this.unknown.add(path);
      }
    }
  }
}

function attempt(decode: () => unknown, goType: string, at: Place): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof ScalarError)) throw error;
    if (error.complete !== undefined) throw new DecodeTypeError(at.path, error.complete);
    fail(error.found, goType, at);
  }
}

function fail(found: string, goType: string, at: Place): never {
  const where = at.fields === '' ? 'value' : `struct field ${at.struct}.${at.fields}`;
  throw new DecodeTypeError(at.path, `json: cannot unmarshal ${found} into Go ${where} of type ${goType}`);
}

/**
 * The paths of the fields that the schema does not know, in the order of the input; in the order of the alphabet under
 * the rules for custom resources, as the production system has it. At most 100.
 *
 * @throws DecodeTypeError for the first value, in the order of the input, that cannot be what its field is
 */
export function inspect(input: JsonValue, schema: StructuralSchema, origin: Origin): string[] {
  const inspection = new Inspection();
  inspection.visit(input, schema, origin, { path: '', struct: '', fields: '' });
  const unknown = [...inspection.unknown];
  return origin === 'user' ? unknown.sort() : unknown;
}

/** How a Status says that a field is unknown. */
export function unknownFieldText(path: string): string {
  return `unknown field ${goQuote(path)}`;
}
