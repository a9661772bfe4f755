/**
 * Finds zod types that return values of another type than they accept. The server stores objects as clients sent them,
 * and a transform only checks them. A transform that changes the type of a value would declare objects that no client
 * receives.
 *
 * @module
 */
import type * as z from 'zod';
import { appendAll, ownMember } from '../../../foundation/index.js';
import { unwrap, type AnyZod } from './zod-wrappers.js';

type Def = AnyZod['_zod']['def'];
type Type = z.core.$ZodType;

/** Returns the direct parts of a type, with their paths. */
function partsOf(schema: AnyZod, path: string): readonly (readonly [Type, string])[] {
  const { def } = schema._zod;
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  switch (def.type) {
    case 'object':
      return [
        ...Object.entries(def.shape).map(([name, field]): [Type, string] => [field, below(name)]),
        ...(def.catchall === undefined ? [] : [[def.catchall, `${path}[*]`] as const]),
      ];
    case 'array':
      return [[def.element, `${path}[*]`]];
    case 'record':
      return [
        [def.keyType, path],
        [def.valueType, `${path}[*]`],
      ];
    case 'union':
      return def.options.map((option): [Type, string] => [option, path]);
    case 'intersection':
      return [
        [def.left, path],
        [def.right, path],
      ];
    case 'optional':
    case 'nonoptional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return [[def.innerType, path]];
    case 'lazy':
      return [[(schema as z.core.$ZodLazy)._zod.innerType, path]];
    case 'pipe':
      return [
        [def.in, path],
        [def.out, path],
      ];
    default:
      return [];
  }
}

const typeOfDef = (schema: Type): Def['type'] => (schema as AnyZod)._zod.def.type;

/** Sample inputs of a transform, by its input type. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['', '0', 'a'],
  number: [0, 1],
  int: [0, 1],
  boolean: [false, true],
  array: [[]],
};

/** Returns the JSON type of a value; the class name of a value that JSON does not have. */
const jsonTypeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : value instanceof Object && Object.getPrototypeOf(value) !== Object.prototype
        ? value.constructor.name
        : typeof value;

/**
 * Describes how a transform changes the type of sample values; undefined when it keeps the type or fails on all
 * samples.
 */
function transformed(def: z.core.$ZodTransformDef, given: Type, path: string): string | undefined {
  const { type } = unwrap(given, path).core._zod.def;
  for (const sample of ownMember(SAMPLES, type) ?? []) {
    let output: unknown;
    try {
      output = def.transform(sample, { value: sample, issues: [], addIssue: () => undefined } as Parameters<
        typeof def.transform
      >[1]);
    } catch {
      continue;
    }
    if (output instanceof Promise) return `${type} into a promise`;
    if (jsonTypeOf(output) !== jsonTypeOf(sample)) return `${type} into ${jsonTypeOf(output)}`;
  }
  return undefined;
}

/**
 * Describes how a pipe changes the type of a value: by a transform after its type, or by two ends of different types.
 */
function piped({ in: given, out }: z.core.$ZodPipeDef, path: string): string | undefined {
  // `preprocess` puts its function first: the function may accept any value, and the type after it decides.
  if (typeOfDef(given) === 'transform') return undefined;
  if (typeOfDef(out) === 'transform') return transformed((out as z.core.$ZodTransform)._zod.def, given, path);
  const [from, to] = [given, out].map((end) => unwrap(end, path).core._zod.def.type);
  return from === to ? undefined : `${from} into ${to}`;
}

/**
 * Returns a description of the first part that changes the type of a value, such as
 * `spec.size: a transform turns string into number`; undefined when there is none. Tests transforms with sample values.
 */
export function changedType(schema: z.ZodType): string | undefined {
  const seen = new Set<Type>();
  const open: (readonly [Type, string])[] = [[schema, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [type, path] = next;
    if (seen.has(type)) continue;
    seen.add(type);
    const { def } = (type as AnyZod)._zod;
    const where = path === '' ? 'the type' : path;
    if ('coerce' in def && def.coerce) return `${where}: coercion turns values of other types into ${def.type}`;
    const change = def.type === 'pipe' ? piped(def, path) : undefined;
    if (change !== undefined) return `${where}: a transform turns ${change}`;
    appendAll(open, partsOf(type as AnyZod, path));
  }
  return undefined;
}
