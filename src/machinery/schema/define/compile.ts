import type * as z from 'zod';
import { ownMember, type JsonValue } from '../../../foundation/index.js';
import type { ProtoKind, SchemaType, StructuralSchema } from './structural.js';
import { applyCheck, type CheckDef, type Draft } from './zod-checks.js';
import { unwrap, type AnyZod, type Unwrapped } from './zod-wrappers.js';

type Def = AnyZod['_zod']['def'];

type Fields = Pick<Draft, 'properties' | 'required'>;

interface Compiled {
  readonly node: StructuralSchema;
  /** True when zod has rules that the node does not express. */
  readonly refined: boolean;
}

const compiled = new WeakMap<object, Compiled>();
/** Fields by the definition of their object type. Copies of a type with different facts share its fields. */
const fieldsOf = new WeakMap<object, { readonly fields: Fields; readonly refined: boolean }>();

/** One run of {@link compileSchema}. Results are stored only when the whole type can be expressed. */
class Compilation {
  readonly pending = new Map<object, Draft>();
  readonly #fields = new Map<object, Fields>();
  refined = false;

  node(schema: z.core.$ZodType, path: string): StructuralSchema {
    const known = compiled.get(schema);
    if (known !== undefined) {
      this.refined ||= known.refined;
      return known.node;
    }
    const unfinished = this.pending.get(schema);
    if (unfinished !== undefined) return unfinished;
    const draft: Draft = { type: 'any', presence: 'keep' };
    // Stored before its fields are compiled, since they may refer to this type.
    this.pending.set(schema, draft);
    this.#fill(draft, unwrap(schema, path), path);
    return draft;
  }

  #fill(draft: Draft, unwrapped: Unwrapped, path: string): void {
    const { core, facts } = unwrapped;
    const handler = handlers[core._zod.def.type] as
      ((this: void, def: Def, compilation: Compilation, path: string, core: AnyZod) => Partial<Draft>) | undefined;
    if (handler === undefined)
      throw new TypeError(
        `${path === '' ? 'the type' : path}: a zod ${core._zod.def.type} cannot be expressed in a resource schema`,
      );
    this.refined ||= unwrapped.refined;
    if (unwrapped.nullable) draft.nullable = true;
    if (unwrapped.description !== undefined) draft.description = unwrapped.description;
    if (unwrapped.typeDescription !== undefined) draft.typeDescription = unwrapped.typeDescription;
    Object.assign(draft, handler(core._zod.def, this, path, core));
    this.#applyChecks(draft, core);
    if (facts.type !== undefined && facts.type !== draft.type) retype(draft, facts.type);
    const { validations: inner } = draft;
    // `unwrap` has already chosen between this default and zod's own.
    Object.assign(draft, facts);
    if (inner !== undefined && facts.validations !== undefined) draft.validations = [...inner, ...facts.validations];
    if (unwrapped.default !== undefined) draft.default = unwrapped.default;
    const protoKind = draft.protoKind ?? protoKindOf(draft);
    if (protoKind !== undefined) draft.protoKind = protoKind;
  }

  #applyChecks(draft: Draft, core: AnyZod): void {
    const def = core._zod.def;
    // A type such as `z.email()` is its own first check.
    const checks: object[] = (def.checks ?? []).map((check) => check._zod.def);
    if ('check' in def) checks.unshift(def);
    for (const check of checks) if (!applyCheck(draft, check as CheckDef)) this.refined = true;
  }

  /** Returns the fields of an object type, one node each. */
  fields(def: object, shape: Readonly<Record<string, z.core.$ZodType>>, path: string, allOptional = false): Fields {
    const known = fieldsOf.get(def);
    if (known !== undefined) {
      this.refined ||= known.refined;
      return known.fields;
    }
    const unfinished = this.#fields.get(def);
    if (unfinished !== undefined) return unfinished;
    const properties = new Map<string, StructuralSchema>();
    const required: string[] = [];
    const fields: Fields = { properties };
    this.#fields.set(def, fields);
    for (const name of Object.keys(shape)) {
      const field = shape[name] as z.core.$ZodType;
      const fieldPath = path === '' ? name : `${path}.${name}`;
      properties.set(name, this.node(field, fieldPath));
      if (!allOptional && !unwrap(field, fieldPath).optional) required.push(name);
    }
    if (required.length > 0) fields.required = required;
    return fields;
  }

  /** Stores the compiled nodes. */
  commit(): void {
    for (const [schema, draft] of this.pending)
      compiled.set(schema, { node: Object.freeze(draft), refined: this.refined });
    for (const [def, fields] of this.#fields) fieldsOf.set(def, { fields, refined: this.refined });
  }
}

function retype(draft: Draft, type: SchemaType): void {
  draft.type = type;
  if (type === 'any') {
    draft.preserveUnknownFields = true;
    delete draft.properties;
    delete draft.additionalProperties;
    delete draft.required;
  }
}

const PROTO_KINDS: Readonly<Partial<Record<SchemaType, ProtoKind>>> = {
  string: 'string',
  integer: 'int64',
  number: 'double',
  boolean: 'bool',
  'int-or-string': 'intOrString',
};

function protoKindOf(draft: Draft): ProtoKind | undefined {
  if (draft.type === 'object') return draft.additionalProperties === undefined ? 'message' : 'map';
  return draft.format === 'int32' ? 'int32' : PROTO_KINDS[draft.type];
}

const scalarTypes: Readonly<Record<string, SchemaType>> = { string: 'string', number: 'number', boolean: 'boolean' };

/** Returns the node of an enumeration. */
function enumeration(values: readonly unknown[], path: string): Partial<Draft> {
  const types = new Set(values.map((value) => ownMember(scalarTypes, typeof value)));
  if (types.has(undefined))
    throw new TypeError(`${path}: only strings, numbers and booleans can be literals in a resource schema`);
  let [type] = types as Set<SchemaType>;
  if (type === 'number' && values.every(Number.isInteger)) type = 'integer';
  if (types.size > 1) type = types.has('boolean') ? 'any' : 'int-or-string';
  return { type: type ?? 'any', enum: values as readonly JsonValue[] };
}

/** A value of any type, which only zod can check. */
const anything: Partial<Draft> = { type: 'any', preserveUnknownFields: true };

function union(options: readonly z.core.$ZodType[], compilation: Compilation, path: string): Partial<Draft> {
  const cores = options.map((option) => unwrap(option, path).core._zod.def);
  const types = new Set(cores.map((def) => def.type));
  if (cores.every((def) => def.type === 'literal' || def.type === 'enum')) {
    return enumeration(
      cores.flatMap((def): unknown[] => (def.type === 'literal' ? def.values : Object.values(def.entries))),
      path,
    );
  }
  if (types.size === 2 && types.has('number') && types.has('string')) {
    if (options.some((option) => Object.keys(compilation.node(option, path)).some((key) => constraintKeys.has(key))))
      compilation.refined = true;
    return { type: 'int-or-string' };
  }
  compilation.refined = true;
  return anything;
}

const constraintKeys: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
]);

function record(def: z.core.$ZodRecordDef, compilation: Compilation, path: string): Partial<Draft> {
  const key = unwrap(def.keyType, path).core._zod.def;
  if (key.type === 'enum' || key.type === 'literal') {
    const names = key.type === 'enum' ? Object.values(key.entries) : key.values;
    const shape = Object.fromEntries(names.map((name) => [String(name), def.valueType]));
    return { type: 'object', ...compilation.fields(def, shape, path, 'partial' in def) };
  }
  if (key.type !== 'string') throw new TypeError(`${path}: the keys of a map must be strings`);
  if ((key.checks?.length ?? 0) > 0 || 'check' in key) compilation.refined = true;
  return { type: 'object', additionalProperties: compilation.node(def.valueType, `${path}[*]`) };
}

function object(def: z.core.$ZodObjectDef, compilation: Compilation, path: string): Partial<Draft> {
  const fields: Partial<Draft> = { type: 'object', ...compilation.fields(def, def.shape, path) };
  const rest = (def.catchall as AnyZod | undefined)?._zod.def.type;
  // Unknown fields of a strict object are dropped and reported as in any other object.
  if (rest === undefined || rest === 'never') return fields;
  if (rest === 'unknown' || rest === 'any') return { ...fields, preserveUnknownFields: true };
  return { ...fields, additionalProperties: compilation.node(def.catchall as z.core.$ZodType, `${path}[*]`) };
}

function intersection(def: z.core.$ZodIntersectionDef, compilation: Compilation, path: string): Partial<Draft> {
  const sides = [compilation.node(def.left, path), compilation.node(def.right, path)];
  if (sides.some((side) => side.properties === undefined))
    throw new TypeError(`${path}: only objects can be intersected in a resource schema`);
  const required = sides.flatMap((side) => side.required ?? []);
  const validations = sides.flatMap((side) => side.validations ?? []);
  return {
    type: 'object',
    properties: new Map(sides.flatMap((side) => [...(side.properties ?? [])])),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(validations.length === 0 ? {} : { validations }),
  };
}

/** Expresses each zod type as a node. Types without a handler cannot be expressed. */
const handlers: {
  readonly [Type in Def['type']]?: (
    def: Extract<Def, { type: Type }>,
    compilation: Compilation,
    path: string,
    core: AnyZod,
  ) => Partial<Draft>;
} = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  object,
  record,
  intersection,
  array: (def, compilation, path) => ({ type: 'array', items: compilation.node(def.element, `${path}[*]`) }),
  enum: (def, _, path) => enumeration(Object.values(def.entries), path),
  literal: (def, _, path) => enumeration(def.values, path),
  union: (def, compilation, path) => union(def.options, compilation, path),
  template_literal: (_def, _compilation, _path, core) => ({
    type: 'string',
    pattern: (core as z.core.$ZodTemplateLiteral)._zod.pattern.source,
  }),
  any: () => anything,
  unknown: () => anything,
};

function compileOnce(schema: z.core.$ZodType): Compiled {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const compilation = new Compilation();
  const node = compilation.node(schema, '');
  compilation.commit();
  return { node, refined: compilation.refined };
}

/**
 * Returns the structural schema of a zod type and of its annotated facts. Compiles each type once.
 *
 * Wrappers (`optional`, `nullable`, `default`, `prefault`, `readonly`, `lazy`) become facts of the node; a number or
 * string becomes int-or-string; any other union becomes a value of any type, which {@link needsRefinements only zod}
 * can check.
 *
 * @throws TypeError with the path of a type that no node can express: dates, maps, sets, tuples, functions and similar
 * types
 */
export function compileSchema(schema: z.core.$ZodType): StructuralSchema {
  return compileOnce(schema).node;
}

/**
 * Returns true when the type has rules that its structural schema does not express: refinements, transforms, unions of
 * objects.
 */
export function needsRefinements(schema: z.core.$ZodType): boolean {
  return compileOnce(schema).refined;
}
