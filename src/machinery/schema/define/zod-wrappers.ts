import type * as z from 'zod';
import type { JsonValue } from '../../../foundation/index.js';
import { metadataOf, type FieldMetadata } from './vocabulary.js';

/** A zod type of any kind, discriminated by `_zod.def.type`. */
export type AnyZod = z.core.$ZodTypes;

/** A type without its wrappers, and the facts of the wrappers. */
export interface Unwrapped {
  /** The inner type. */
  readonly core: AnyZod;
  /** Facts of the type and its wrappers; outer facts override inner ones. */
  readonly facts: FieldMetadata;
  readonly description: string | undefined;
  /** Description of the inner type if it has a name. */
  readonly typeDescription: string | undefined;
  readonly default: JsonValue | undefined;
  readonly nullable: boolean;
  /** True when the field is optional. */
  readonly optional: boolean;
  /** True when a transform or similar wrapper was removed, so that zod checks as well. */
  readonly refined: boolean;
}

interface Peel {
  readonly inner: z.core.$ZodType;
  readonly default?: unknown;
  readonly nullable?: boolean | undefined;
  readonly optional?: boolean | undefined;
  readonly refined?: true | undefined;
}

function peelPipe(input: z.core.$ZodType, output: z.core.$ZodType): Peel {
  // `preprocess` puts its function before the type, `transform` after it.
  return { inner: (input as AnyZod)._zod.def.type === 'transform' ? output : input, refined: true };
}

type Def = AnyZod['_zod']['def'];

/** Removes each kind of wrapper and returns its facts and its inner type. */
const wrappers: {
  readonly [Type in Def['type']]?: (def: Extract<Def, { type: Type }>, schema: AnyZod) => Peel | undefined;
} = {
  optional: (def) => ({ inner: def.innerType, optional: true }),
  nonoptional: (def) => ({ inner: def.innerType, optional: false }),
  nullable: (def) => ({ inner: def.innerType, nullable: true }),
  default: (def) => ({ inner: def.innerType, optional: true, default: def.defaultValue }),
  prefault: (def) => ({ inner: def.innerType, optional: true, default: def.defaultValue }),
  catch: (def) => ({ inner: def.innerType, optional: true }),
  readonly: (def) => ({ inner: def.innerType }),
  // Zod caches this type, whereas the getter may make a new one every time.
  lazy: (_def, schema) => ({ inner: (schema as z.core.$ZodLazy)._zod.innerType }),
  pipe: (def) => peelPipe(def.in, def.out),
  union: (def) => peelEmptyOptions(def.options),
};

/** Removes one wrapper; undefined when there is none. */
function peel(schema: AnyZod): Peel | undefined {
  const { def } = schema._zod;
  const wrapper = wrappers[def.type] as ((def: Def, schema: AnyZod) => Peel | undefined) | undefined;
  return wrapper?.(def, schema);
}

/** A union with null or undefined and one other type is that type, nullable or optional. */
function peelEmptyOptions(options: readonly z.core.$ZodType[]): Peel | undefined {
  const typeOf = (option: z.core.$ZodType): string => (option as AnyZod)._zod.def.type;
  const rest = options.filter((option) => typeOf(option) !== 'null' && typeOf(option) !== 'undefined');
  const [inner] = rest;
  if (inner === undefined || rest.length !== 1 || rest.length === options.length) return undefined;
  return {
    inner,
    nullable: options.some((option) => typeOf(option) === 'null'),
    optional: options.some((option) => typeOf(option) === 'undefined') || undefined,
  };
}

/** Returns the facts of a type and its wrapper. Rules of both apply; otherwise the wrapper overrides. */
function combined(inner: FieldMetadata, outer: FieldMetadata): FieldMetadata {
  if (inner.validations === undefined || outer.validations === undefined) return { ...inner, ...outer };
  return { ...inner, ...outer, validations: [...inner.validations, ...outer.validations] };
}

function describe(schema: AnyZod): string | undefined {
  return 'description' in schema && typeof schema.description === 'string' ? schema.description : undefined;
}

/** Maximum depth of wrappers; a deeper nesting is a `lazy` that never ends. */
const MAX_WRAPPERS = 64;

/**
 * Removes all wrappers of a type and returns their facts.
 *
 * @throws TypeError when the wrappers never end
 */
export function unwrap(schema: z.core.$ZodType, path: string): Unwrapped {
  let core = schema as AnyZod;
  let facts = metadataOf(core);
  let description = describe(core);
  let fallback: JsonValue | undefined;
  let optional: boolean | undefined;
  let nullable = false;
  let refined = false;
  for (let depth = 0; ; depth += 1) {
    if (depth === MAX_WRAPPERS) throw new TypeError(`${path}: the type wraps itself without end`);
    const peeled = peel(core);
    if (peeled === undefined) break;
    optional ??= peeled.optional;
    nullable ||= peeled.nullable === true;
    refined ||= peeled.refined === true || (core._zod.def.checks?.length ?? 0) > 0;
    if (fallback === undefined && peeled.default !== undefined) fallback = peeled.default as JsonValue;
    core = peeled.inner as AnyZod;
    facts = combined(metadataOf(core), facts);
    description ??= describe(core);
  }
  // A type that accepts every value also accepts an absent one.
  const type = core._zod.def.type;
  optional ??= type === 'unknown' || type === 'any';
  const typeDescription =
    facts.name === undefined ? undefined : (facts.typeDescription ?? metadataOf(core).description ?? describe(core));
  return { core, facts, description, typeDescription, default: facts.default ?? fallback, nullable, optional, refined };
}
