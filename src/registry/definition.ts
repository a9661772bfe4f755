import type * as z from 'zod';
import type { SystemGroup } from '../names/dialect.js';
import { checkDefinition, checkSchema } from './check-definition.js';
import type { InputOfSchema, NamedObject, ObjectOfSchema, TypeKept } from './object-types.js';
import type { Perform } from './perform.js';
import type { Strategy, SubresourceStrategy } from './strategy.js';
import type { ResourceVerb } from './verbs.js';

/** A column of the Table form of a kind. `Item` is the type of the kind's objects. */
export interface Column<Item = NamedObject> {
  readonly name: string;
  /** OpenAPI type of the cells: `string`, `integer`, `number`, `boolean`, `date`. */
  readonly type: string;
  /** OpenAPI format; `name` marks the column that identifies the row. */
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown; greater ones in wide output only. Default 0. */
  readonly priority?: number;
  /** The cell of an object. `nowMs` is the server's time, for ages. */
  cell(object: Item, nowMs: number): string | number | boolean | null;
}

/** Reads the value of a field that objects are selected by. A method, so that a kind of its own type is a kind as well. */
export type FieldReader<Item = NamedObject> = { read(object: Item): string }['read'];

/**
 * How a version of a kind is turned into the version that is stored (the hub), and back. The two functions must be each
 * other's inverse, return new objects, and change nothing. The server sets apiVersion and kind of what they return.
 */
export interface Conversion<Item = NamedObject, Hub extends z.ZodType = z.ZodType> {
  /** The definition in whose form objects are stored. It has no conversion of its own. */
  readonly hub: ResourceDefinition<Hub>;
  /** The object as the hub has it. */
  toHub(object: Item): Untyped<ObjectOfSchema<Hub>>;
  /** The object as this version has it. */
  fromHub(object: ObjectOfSchema<Hub>): Untyped<Item>;
}

/** An object whose apiVersion and kind may be left out, since the server sets them. */
type Untyped<Item> = Omit<Item, 'apiVersion' | 'kind'> & { apiVersion?: string; kind?: string };

/** A subresource that reads and writes a part of its own object (`status`, `finalize`). */
export interface PartSubresource<Item = NamedObject> {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  readonly strategy: SubresourceStrategy<Item>;
}

/** A subresource that does something with its object when one of another, virtual kind is posted to it (`serviceaccounts/token`). */
export interface OperationSubresource {
  readonly verbs: readonly ['create'];
  /** The kind that is posted and answered with. */
  readonly operation: ResourceDefinition;
}

/** A subresource of a kind. */
export type SubresourceDefinition<Item = NamedObject> = PartSubresource<Item> | OperationSubresource;

/** When a kind is deprecated, and when it goes; releases of the platform, such as `1.34`. */
export interface Deprecation {
  readonly since: string;
  readonly removal: string;
}

/**
 * A kind, as its author writes it: names, schema, meaning. The platform's own kinds are written with the same call.
 * Every hook gets objects of the schema's type.
 */
export interface ResourceDefinition<Schema extends z.ZodType = z.ZodType, Hub extends z.ZodType = z.ZodType> {
  /** API group; empty for the core group. */
  readonly group: string | SystemGroup;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural name, as in paths. */
  readonly plural: string;
  /** Lower-case singular name; default the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /**
   * The kind's fields besides apiVersion, kind and metadata, which every kind has. A function, which is called once.
   */
  readonly schema: () => Schema;
  readonly description?: string;
  readonly strategy?: Strategy<ObjectOfSchema<Schema>>;
  /** Columns of the Table form; default Name and Created At. */
  readonly columns?: readonly Column<ObjectOfSchema<Schema>>[];
  readonly subresources?: Readonly<Record<string, SubresourceDefinition<ObjectOfSchema<Schema>>>>;
  /** Field selectors besides `metadata.name` and `metadata.namespace`: the label and how to read its value. */
  readonly selectableFields?: Readonly<Record<string, FieldReader<ObjectOfSchema<Schema>>>>;
  /** Verbs that are served; default all, and `create` alone for a virtual kind. */
  readonly verbs?: readonly ResourceVerb[];
  /** A feature gate without which the kind is not served, even if its version is. */
  readonly featureGate?: string;
  /** The kind's days are numbered: every answer over HTTP warns of it. */
  readonly deprecation?: Deprecation;
  /** Objects of this kind are operations: they are performed when they are created, and never stored. */
  readonly virtual?: boolean;
  /** What a virtual kind does. The platform's own kinds leave it to the server that they are part of. */
  readonly perform?: Perform<ObjectOfSchema<Schema>>;
  /** First part of the storage key below the root; default the plural, or `group/plural` for kinds of other groups than the platform's. */
  readonly storagePrefix?: string;
  /** Another version or group of a kind that is stored under one form: objects are kept as its hub has them. */
  readonly conversion?: Conversion<ObjectOfSchema<Schema>, Hub>;
  /** Whether empty values are treated as the platform's own kinds do (built in) or kept as sent. Default `kept`. */
  readonly origin?: 'builtin' | 'user';
}

/**
 * The type of a kind's objects as the server returns them: the output of its schema (defaults are filled in) with
 * apiVersion, kind and metadata. `type Backup = ObjectOf<typeof Backup>`.
 */
export type ObjectOf<Definition> = Definition extends ResourceDefinition<infer Schema> ? ObjectOfSchema<Schema> : never;

/**
 * The type of what a caller writes to create an object: the input of its schema, in which fields with defaults may be left
 * out, and so may apiVersion and kind.
 */
export type InputOf<Definition> = Definition extends ResourceDefinition<infer Schema> ? InputOfSchema<Schema> : never;

/**
 * Declares a kind.
 *
 * @throws TypeError that names the option, and says what it must be
 */
export function defineResource<Schema extends z.ZodType, Hub extends z.ZodType = z.ZodType>(
  definition: ResourceDefinition<Schema, Hub> & TypeKept<Schema>,
): ResourceDefinition<Schema, Hub> {
  checkDefinition(definition);
  const { schema } = definition;
  let made: Schema | undefined;
  const own: ResourceDefinition<Schema, Hub> = { ...definition, schema: () => (made ??= schema()) };
  if (own.origin !== 'builtin' && canBeMade(own)) checkSchema(own);
  return Object.freeze(own);
}

/** False for a schema that uses what is declared further down in its module: a server looks at it again. */
function canBeMade({ schema }: ResourceDefinition): boolean {
  try {
    schema();
  } catch (error) {
    if (error instanceof ReferenceError) return false;
  }
  return true;
}
