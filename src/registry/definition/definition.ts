import type * as z from 'zod';
import type { Dialect, MaybeSteps, SystemGroup, Work } from '../../foundation/index.js';
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
export type TimedCell = (now: number) => Cell;

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
  toHub(object: Item, dialect: Dialect): Converted<ObjectOfSchema<Hub>>;
  /** Converts an object of the hub version to this version. */
  fromHub(object: ObjectOfSchema<Hub>, dialect: Dialect): Converted<Item>;
}

/** The result of a conversion: apiVersion and kind are optional, since the server sets them. */
export type Converted<Item> = Omit<Item, 'apiVersion' | 'kind'> & {
  apiVersion?: string | undefined;
  kind?: string | undefined;
};

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
  /**
   * Does the same as {@link show}, in steps for a long object: a view may have a text as long as a list of it.
   *
   * @internal
   */
  showSteps?(object: Item, forWrite: boolean, work: Work): MaybeSteps<Omit<NamedObject, 'apiVersion' | 'kind'>>;
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

/** A subresource of a kind that a program declares. */
export type SubresourceDefinition<Item = NamedObject> =
  PartSubresource<Item> | OperationSubresource | ViewSubresource<Item>;

/** A subresource of any kind: those of the server's own kinds may connect. */
export type KindSubresource<Item = NamedObject> = SubresourceDefinition<Item> | ConnectSubresource;

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

/** The names of a kind besides `kind` and `plural`, as in `spec.names` of a custom resource definition. */
export interface ResourceNames {
  /** Lower-case singular name, which command-line tools accept too. Default the kind in lower case. */
  readonly singular?: string | undefined;
  /** Kind of the lists. Default the kind with `List` appended. */
  readonly listKind?: string | undefined;
  /** Short names that command-line tools accept: `['bk']` for `kubectl get bk`. Default none. */
  readonly shortNames?: readonly string[] | undefined;
  /** Groups of kinds that the kind belongs to: `['all']` for `kubectl get all`. Default none. */
  readonly categories?: readonly string[] | undefined;
}

/** A kind as its author declares it to {@link defineResource}. */
export interface DeclaredResource<Schema extends z.ZodType = z.ZodType, Hub extends z.ZodType = z.ZodType> {
  /**
   * API group, a domain: the path is `/apis/<group>/<version>/<plural>`. Empty for the core group.
   *
   * @example
   * ```ts
   * group: 'shop.example';
   * ```
   */
  readonly group: string | SystemGroup;
  /**
   * Version of the kind. Alpha and beta versions are off unless the server's option `runtimeConfig` enables them.
   *
   * @example
   * ```ts
   * version: 'v1';
   * ```
   */
  readonly version: string;
  /**
   * Name of the kind in CamelCase, as in objects.
   *
   * @example
   * ```ts
   * kind: 'Backup';
   * ```
   */
  readonly kind: string;
  /**
   * Lower-case plural name, as in paths.
   *
   * @example
   * ```ts
   * plural: 'backups';
   * ```
   */
  readonly plural: string;
  /**
   * Whether objects are in namespaces.
   *
   * @example
   * ```ts
   * scope: 'Namespaced';
   * ```
   */
  readonly scope: 'Namespaced' | 'Cluster';
  /**
   * Returns the schema of the kind's fields, without apiVersion, kind and metadata, which every kind has. Called once. Its
   * description is that of the kind in OpenAPI.
   *
   * @example
   * ```ts
   * schema: () =>
   *   z.object({ spec: z.object({ schedule: z.string(), keep: z.int().min(1).default(7) }) }).describe('Copies a database.'),
   * ```
   */
  readonly schema: () => Schema;
  /**
   * More names. Default none.
   *
   * @example
   * ```ts
   * names: { shortNames: ['bk'], categories: ['all'] },
   * ```
   */
  readonly names?: ResourceNames | undefined;
  /**
   * Columns of the Table form, with a function or a JSONPath for the cells. Default Name and Created At.
   *
   * @example
   * ```ts
   * columns: [
   *   { name: 'Name', type: 'string', format: 'name', jsonPath: '.metadata.name' },
   *   { name: 'Keep', type: 'integer', cell: ({ spec }) => spec.keep },
   * ],
   * ```
   */
  readonly columns?: readonly (Column<ObjectOfSchema<Schema>> | JsonPathColumn)[] | undefined;
  /**
   * Subresources by name. Default none.
   *
   * @example
   * ```ts
   * subresources: {
   *   status: statusSubresource,
   *   scale: scaleSubresource({ specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }),
   * },
   * ```
   */
  readonly subresources?: Readonly<Record<string, SubresourceDefinition<ObjectOfSchema<Schema>>>> | undefined;
  /**
   * Field selectors besides `metadata.name` and `metadata.namespace`: the path of the field, and the function that reads
   * its value. Default none.
   *
   * @example
   * ```ts
   * selectableFields: { 'spec.schedule': ({ spec }) => spec.schedule },
   * ```
   */
  readonly selectableFields?: Readonly<Record<string, FieldReader<ObjectOfSchema<Schema>>>> | undefined;
  /**
   * Behaviour beyond the schema: hooks and settings. Default none.
   *
   * @example
   * ```ts
   * strategy: { validate: ({ spec }) => (isCron(spec.schedule) ? [] : [invalid('spec.schedule', spec.schedule, 'not a cron')]) },
   * ```
   */
  readonly strategy?: Strategy<ObjectOfSchema<Schema>> | undefined;
  /**
   * Runs an operation: a create of the kind calls it and returns its result, and nothing is stored. Default: objects are
   * stored.
   *
   * @example
   * ```ts
   * perform: async (quote, { admit }) => {
   *   await admit();
   *   return { ...quote, status: { total: quote.spec.pieces * 4.2 } };
   * },
   * ```
   */
  readonly perform?: Perform<ObjectOfSchema<Schema>> | undefined;
  /**
   * Conversion to the stored version, for a version or group whose objects are stored in another one. Default none.
   *
   * @example
   * ```ts
   * conversion: {
   *   hub: Backup,
   *   toHub: ({ spec, ...rest }) => ({ ...rest, spec: { schedule: spec.cron, keep: spec.keep } }),
   *   fromHub: ({ spec, ...rest }) => ({ ...rest, spec: { cron: spec.schedule, keep: spec.keep } }),
   * },
   * ```
   */
  readonly conversion?: Conversion<ObjectOfSchema<Schema>, Hub> | undefined;
  /**
   * Says that this version is deprecated: every HTTP response carries a warning. Default none.
   *
   * @example
   * ```ts
   * deprecation: { warning: 'shop.example/v1beta1 Backup is deprecated; use shop.example/v1 Backup' },
   * ```
   */
  readonly deprecation?: Deprecation | undefined;
}

/**
 * A kind: what {@link defineResource} returns, and what `orch-apiserver/kinds` exports for each built-in kind. Pass it to
 * the option `resources` of a server and to `client.resource`.
 */
export interface ResourceDefinition<Schema extends z.ZodType = z.ZodType, Hub extends z.ZodType = z.ZodType> {
  readonly group: string | SystemGroup;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Returns the schema of the kind's fields. */
  readonly schema: () => Schema;
  readonly conversion?: Conversion<ObjectOfSchema<Schema>, Hub> | undefined;
}

/**
 * The facts that only the server reads.
 *
 * @internal
 */
export interface ResourceDefinition<Schema extends z.ZodType = z.ZodType, Hub extends z.ZodType = z.ZodType>
  extends Omit<DeclaredResource<Schema, Hub>, 'names' | 'columns' | 'subresources'>, ServerKindOptions {
  readonly columns?: readonly Column<ObjectOfSchema<Schema>>[] | undefined;
  readonly subresources?: Readonly<Record<string, KindSubresource<ObjectOfSchema<Schema>>>> | undefined;
}

/** A kind of the server as {@link defineServerKind} takes it. */
export interface ServerKind<Schema extends z.ZodType = z.ZodType, Hub extends z.ZodType = z.ZodType>
  extends Omit<DeclaredResource<Schema, Hub>, 'names' | 'subresources'>, ServerKindOptions {
  readonly subresources?: Readonly<Record<string, KindSubresource<ObjectOfSchema<Schema>>>> | undefined;
}

/**
 * The facts about the kinds of the server, and about those that it makes from custom resource definitions, besides those
 * that the author of a kind declares.
 */
export interface ServerKindOptions extends ResourceNames {
  /** Verbs that are served. Default all; for a virtual kind, `create`. */
  readonly verbs?: readonly ResourceVerb[] | undefined;
  /** Releases that introduce, deprecate and remove this version. Default: every release serves it. */
  readonly lifecycle?: Lifecycle | undefined;
  /** Objects of this kind are operations: a create runs them, and nothing is stored. Default: whether there is a `perform`. */
  readonly virtual?: boolean | undefined;
  /**
   * Path of the kind in the storage keys, below the root. Default: that of
   * the version that objects are stored in; the plural; `group/plural` for user-defined groups.
   */
  readonly storagePrefix?: string | undefined;
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
  const { names, ...options } = definition;
  return declared<Schema, Hub>({ ...options, ...names, ...(options.perform === undefined ? {} : { virtual: true }) });
}

/**
 * Declares a kind of the server itself.
 *
 * @throws TypeError that names the invalid option and says what it must be
 */
export function defineServerKind<Schema extends z.ZodType, Hub extends z.ZodType = z.ZodType>(
  definition: ServerKind<Schema, Hub> & SameInputAndOutput<Schema>,
): ResourceDefinition<Schema, Hub> {
  checkDefinition(definition);
  return declared<Schema, Hub>(definition);
}

function declared<Schema extends z.ZodType, Hub extends z.ZodType>({
  schema,
  columns,
  ...options
}: ServerKind<Schema, Hub>): ResourceDefinition<Schema, Hub> {
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
