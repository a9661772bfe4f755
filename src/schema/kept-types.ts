/**
 * Whether a zod type gives back values of the type that it takes. What is stored is what a client sent, and a transform only
 * checks it; one that changes the type of a value would promise objects that nobody ever gets.
 *
 * @module
 */
import type * as z from 'zod';
import { unwrap, type AnyZod } from './zod-wrappers.js';

type Def = AnyZod['_zod']['def'];
type Type = z.core.$ZodType;

/** The types directly within a type, with their paths. */
function within(schema: AnyZod, path: string): readonly (readonly [Type, string])[] {
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

/** Values on which a transform is tried out, by the type that it is given. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['', '0', 'a'],
  number: [0, 1],
  int: [0, 1],
  boolean: [false, true],
  array: [[]],
};

/** The type of a value in JSON; the name of what is none. */
const jsonTypeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : value instanceof Object && Object.getPrototypeOf(value) !== Object.prototype
        ? value.constructor.name
        : typeof value;

/** What a transform makes of sample values, where that is of another type. One that fails on them says nothing. */
function transformed(def: z.core.$ZodTransformDef, given: Type, path: string): string | undefined {
  const { type } = unwrap(given, path).core._zod.def;
  for (const sample of SAMPLES[type] ?? []) {
    let made: unknown;
    try {
      made = def.transform(sample, { value: sample, issues: [], addIssue: () => undefined } as Parameters<
        typeof def.transform
      >[1]);
    } catch {
      continue;
    }
    if (made instanceof Promise) return `${type} into a promise`;
    if (jsonTypeOf(made) !== jsonTypeOf(sample)) return `${type} into ${jsonTypeOf(made)}`;
  }
  return undefined;
}

/** What a pipe changes: by a transform behind its type, or by ends of two types. */
function piped({ in: given, out }: z.core.$ZodPipeDef, path: string): string | undefined {
  // `preprocess` has its function in front: it may be given anything, and the type behind it holds.
  if (typeOfDef(given) === 'transform') return undefined;
  if (typeOfDef(out) === 'transform') return transformed((out as z.core.$ZodTransform)._zod.def, given, path);
  const [from, to] = [given, out].map((end) => unwrap(end, path).core._zod.def.type);
  return from === to ? undefined : `${from} into ${to}`;
}

/**
 * What in a type changes the type of a value: `spec.size: a transform turns string into number`; undefined when nothing does.
 * A transform is judged by what it makes of a few values.
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
    open.push(...within(type as AnyZod, path));
  }
  return undefined;
}
