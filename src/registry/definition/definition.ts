import type * as z from 'zod';
import type { Dialect, SystemGroup } from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';
import type { GivenUpSchema } from '../records/given-up-schema.js';
import type { StoredVersions } from '../records/stored-versions.js';
import type { Perform } from '../verbs/perform.js';
import { checkDeclaration, checkDefinition, checkSchema } from './check-definition.js';
import { readableColumns } from './json-path-column.js';
import type { InputOfSchema, NamedObject, ObjectOfSchema, SameInputAndOutput } from './object-types.js';
import type { SchemaValidator } from './schema-validator.js';
import type { Strategy, SubresourceStrategy } from './strategy.js';
import type { ResourceVerb } from './verbs.js';

/** A cell of a Table. */
export type Cell = string | number | bigint | boolean | null;

/** A cell that changes with the time, such as an age. The time is in milliseconds since the epoch. */
export type TimedCell = (nowMs: number) => Cell;

/** A column of the Table form of a kind. `Item` is the type of the kind's objects. */
export interface Column<Item = NamedObject> {
  readonly name: string;
  /** OpenAPI type of the cells: `string`, `integer`, `number`, `boolean`, `date`. */
  readonly type: string;
  /** OpenAPI format; `name` marks the column that identifies the row. */
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** 0 shows the column always; greater values only in wide output. Default 0. */
  readonly priority?: number | undefined;
  /**
   * Returns the cell of an object, or a function of the time for a cell that changes with it, such as an age. The cell
   * depends on nothing else, so that the server may keep it; the function should not refer to the object.
   */
  cell(object: Item): Cell | TimedCell;
}

/** A column whose cells are the first value at a JSONPath, as in custom resource definitions: `.spec.replicas`. */
export interface JsonPathColumn extends Omit<Column, 'cell'> {
  /** Path of the value. A value that does not fit the type of the column is shown as absent, a date as an age. */
  readonly jsonPath: string;
}

/**
 * Reads the value of a selectable field. Declared as a method, so that the parameter is bivariant and a typed kind is
 * also a ResourceDefinition.
 */
export type FieldReader<Item = NamedObject> = { read(object: Item): string }['read'];

/**
 * Converts a version of a kind to the stored version (the hub) and back. The two functions must be inverse to each
 * other, return new objects, and change nothing. The server sets apiVersion and kind of the results. Field ownership also
 * converts objects from which fields were removed: their required fields are then empty, and others have their defaults.
 */
export interface Conversion<Item = NamedObject, Hub extends z.ZodType = z.ZodType> {
  /** The definition whose version the objects are stored in. It must not have a conversion itself. */
  readonly hub: ResourceDefinition<Hub>;
  /** Converts an object of this version to the hub version. */
  toHub(object: Item, dialect: Dialect): Untyped<ObjectOfSchema<Hub>>;
  /** Converts an object of the hub version to this version. */
  fromHub(object: ObjectOfSchema<Hub>, dialect: Dialect): Untyped<Item>;
}

/** An object whose apiVersion and kind are optional, since the server sets them. */
type Untyped<Item> = Omit<Item, 'apiVersion' | 'kind'> & { apiVersion?: string | undefined; kind?: string | undefined };

/** A subresource that reads and writes a part of its own object (`status`, `finalize`). */
export interface PartSubresource<Item = NamedObject> {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  readonly strategy: SubresourceStrategy<Item>;
}

/**
 * A subresource that runs an operation on its object. The client posts an object of another, virtual kind
 * (`serviceaccounts/token`).
 */
export interface OperationSubresource {
  readonly verbs: readonly ['create'];
  /** The kind of the request body and of the response. */
  readonly operation: ResourceDefinition;
}

/**
 * A subresource that shows a part of its object as an object of another kind, and writes it back
 * (`deployments/scale`).
 */
export interface ViewSubresource<Item = NamedObject> {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  /** The kind that clients read and write. */
  readonly view: ResourceDefinition;
  /**
   * Returns the view of an object, without apiVersion and kind.
   *
   * @param forWrite whether the view is about to be written: missing parts then have their empty values
   * @throws ApiError when the object has no such part
   */
  show(object: Item, forWrite: boolean): Omit<NamedObject, 'apiVersion' | 'kind'>;
  /** Writes a view into its object, which the function may change. @throws ApiError for an invalid view */
  write(object: Item, view: NamedObject): void;
}

/** A query parameter of a subresource that connects. */
export type ConnectParameter = 'string' | 'bool' | 'int';

/**
 * A subresource that connects the client with what the object stands for, such as the containers of a pod. The server
 * itself has none: handlers in its options answer.
 */
export interface ConnectSubresource {
  readonly verbs: readonly ('create' | 'get' | 'update' | 'patch' | 'delete')[];
  readonly connect: {
    /** Kind of the options, as discovery shows it; default the kind of the object. */
    readonly kind?: string | undefined;
    /** The query parameters of the options. */
    readonly parameters?: Readonly<Record<string, ConnectParameter>> | undefined;
    /** Whether a path may follow the name of the subresource. */
    readonly trailingPath?: boolean | undefined;
    /** Media type of the response; default any. */
    readonly produces?: string | undefined;
  };
}

/** A subresource of a kind. */
export type SubresourceDefinition<Item = NamedObject> =
  PartSubresource<Item> | OperationSubresource | ViewSubresource<Item> | ConnectSubresource;

/**
 * Why responses of a kind carry a warning: the releases that deprecate and remove it, such as `1.34`, or the warning
 * itself.
 */
export type Deprecation =
  | {
      readonly since: string;
      readonly removal: string;
      /** Kind that replaces it: `v1 FlowSchema` of the same group. */
      readonly replacement?: { readonly version: string; readonly kind: string } | undefined;
    }
  | { readonly warning: string };

/**
 * The releases in which a version of a kind changes its state, such as `1.29`. The server follows one release (its
 * option `release`).
 */
export interface Lifecycle {
  /** The first release that serves the version. */
  readonly introduced: string;
  /** The first release in which the version is deprecated, and requests are answered with a warning; default none. */
  readonly deprecated?: string | undefined;
  /** The first release that does not serve the version; default none. */
  readonly removed?: string | undefined;
  /** The first release that warns of the deprecation, when it is earlier than {@link Lifecycle.deprecated}. */
  readonly warned?: string | undefined;
}

/**
 * A kind: names, schema, behaviour. The platform's own kinds are declared in the same way. Every hook gets objects of
 * the schema's type.
 */
export interface ResourceDefinition<Schema extends z.ZodType = z.ZodType, Hub extends z.ZodType = z.ZodType>
  extends DefinitionOptions<Schema, Hub>, ServerKindOptions {
  /** Columns of the Table form; default Name and Created At. */
  readonly columns?: readonly Column<ObjectOfSchema<Schema>>[] | undefined;
}

/** A kind as its author declares it to {@link defineResource}. */
export interface DeclaredResource<
  Schema extends z.ZodType = z.ZodType,
  Hub extends z.ZodType = z.ZodType,
> extends DefinitionOptions<Schema, Hub> {
  /** Columns of the Table form, with a function or a JSONPath for the cells; default Name and Created At. */
  readonly columns?: readonly (Column<ObjectOfSchema<Schema>> | JsonPathColumn)[] | undefined;
}

/** The options of a kind besides its columns. */
interface DefinitionOptions<Schema extends z.ZodType, Hub extends z.ZodType> {
  /** API group; empty for the core group. */
  readonly group: string | SystemGroup;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural name, as in paths. */
  readonly plural: string;
  /** Lower-case singular name; default the kind in lower case. */
  readonly singular?: string | undefined;
  /** Kind of the lists; default the kind with `List` appended. */
  readonly listKind?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly scope: 'Namespaced' | 'Cluster';
  /**
   * Returns the schema of the kind's fields, without apiVersion, kind and metadata, which every kind has. Called once.
   */
  readonly schema: () => Schema;
  readonly description?: string | undefined;
  readonly strategy?: Strategy<ObjectOfSchema<Schema>> | undefined;
  readonly subresources?: Readonly<Record<string, SubresourceDefinition<ObjectOfSchema<Schema>>>> | undefined;
  /**
   * Field selectors besides `metadata.name` and `metadata.namespace`: the field path and the function that reads its
   * value.
   */
  readonly selectableFields?: Readonly<Record<string, FieldReader<ObjectOfSchema<Schema>>>> | undefined;
  /** Verbs that are served. Default all; for a virtual kind, `create`. */
  readonly verbs?: readonly ResourceVerb[] | undefined;
  /** Releases that introduce, deprecate and remove this version. Default: every release serves it. */
  readonly lifecycle?: Lifecycle | undefined;
  /**
   * Set for a deprecated kind: every HTTP response carries a warning, from the release `lifecycle.deprecated` on when
   * there is one.
   */
  readonly deprecation?: Deprecation | undefined;
  /** Objects of this kind are operations: a create runs them, and nothing is stored. */
  readonly virtual?: boolean | undefined;
  /** Runs the operation of a virtual kind. The platform's own kinds leave it undefined; the server runs them. */
  readonly perform?: Perform<ObjectOfSchema<Schema>> | undefined;
  /**
   * Path of the kind in the storage keys, below the root. Default: the plural; `group/plural` for user-defined groups.
   */
  readonly storagePrefix?: string | undefined;
  /** Conversion to the stored version, for a version or group whose objects are stored in another one. */
  readonly conversion?: Conversion<ObjectOfSchema<Schema>, Hub> | undefined;
}

/**
 * The facts about the kinds of the server, and about those that it makes from custom resource definitions, besides what the
 * author of a kind declares.
 */
export interface ServerKindOptions {
  /**
   * Returns the compiled schema of the kind's fields, which replaces the one compiled from the option `schema`: for a schema
   * that does not come from zod, or that depends on the dialect. The option `schema` then declares only the TypeScript type,
   * and its refinements do not run. Called once per server, but each time for a schema that may be given up.
   */
  readonly structural?: ((dialect: Dialect) => StructuralSchema) | undefined;
  /** The result of {@link structural}, for a kind whose schema is compiled when it is needed. */
  readonly givenUpSchema?: GivenUpSchema | undefined;
  /**
   * The words that refuse a field selector with another field; `<field>` stands for it, and `<apiVersion>` for the
   * version of the kind. Default `field label not supported: <field>`.
   */
  readonly fieldRefusal?: string | undefined;
  /** Feature gate that must be enabled, besides the version, for the kind to be served. */
  readonly featureGate?: string | undefined;
  /** The stored versions, for a kind that is stored in several. It excludes {@link ResourceDefinition.conversion}. */
  readonly storedVersions?: StoredVersions | undefined;
  /**
   * Returns the facts that the published schema of the kind is made from. OpenAPI documents with such kinds are
   * identified by these facts, so that nothing is compiled before a client reads a document.
   */
  readonly publishedFrom?: (() => object) | undefined;
  /** Checks the objects of the kind instead of the compiled schema alone. */
  readonly validator?: (() => SchemaValidator) | undefined;
  /** Set while the definition of the kind is being deleted: its objects cannot be created. */
  readonly terminating?: boolean | undefined;
  /** Loads what the kind needs before its first request; undefined when nothing is missing. */
  readonly prepare?: (() => Promise<void> | undefined) | undefined;
  /**
   * Origin of the kind. A `builtin` kind drops empty values as the platform's own kinds do; a `user` kind keeps them as
   * sent. Default `user`.
   */
  readonly origin?: 'builtin' | 'user' | undefined;
}

/**
 * The type of a kind's objects as the server returns them: the output type of its schema, with defaults, apiVersion,
 * kind and metadata. `type Backup = ObjectOf<typeof Backup>`.
 */
export type ObjectOf<Definition> = Definition extends ResourceDefinition<infer Schema> ? ObjectOfSchema<Schema> : never;

/**
 * The input that creates an object of a kind: the input type of its schema. Fields with defaults, apiVersion and kind
 * are optional.
 */
export type InputOf<Definition> = Definition extends ResourceDefinition<infer Schema> ? InputOfSchema<Schema> : never;

/**
 * Declares a kind.
 *
 * @throws TypeError that names the invalid option and says what it must be
 */
export function defineResource<Schema extends z.ZodType, Hub extends z.ZodType = z.ZodType>(
  definition: DeclaredResource<Schema, Hub> & SameInputAndOutput<Schema>,
): ResourceDefinition<Schema, Hub> {
  checkDeclaration(definition);
  return declared<Schema, Hub>(definition);
}

/**
 * Declares a kind of the server itself.
 *
 * @throws TypeError that names the invalid option and says what it must be
 */
export function defineServerKind<Schema extends z.ZodType, Hub extends z.ZodType = z.ZodType>(
  definition: DeclaredResource<Schema, Hub> & ServerKindOptions & SameInputAndOutput<Schema>,
): ResourceDefinition<Schema, Hub> {
  checkDefinition(definition);
  return declared<Schema, Hub>(definition);
}

function declared<Schema extends z.ZodType, Hub extends z.ZodType>({
  schema,
  columns,
  ...options
}: DeclaredResource<Schema, Hub> & ServerKindOptions): ResourceDefinition<Schema, Hub> {
  let built: Schema | undefined;
  const definition: ResourceDefinition<Schema, Hub> = {
    ...options,
    ...(columns === undefined ? {} : { columns: readableColumns(columns) }),
    schema: () => (built ??= schema()),
  };
  if (definition.origin !== 'builtin' && canBuildSchema(definition)) checkSchema(definition);
  return Object.freeze(definition);
}

/**
 * Returns false for a schema that uses a constant declared further down in its module. The server then checks it later.
 */
function canBuildSchema({ schema }: ResourceDefinition): boolean {
  try {
    schema();
  } catch (error) {
    if (error instanceof ReferenceError) return false;
  }
  return true;
}
