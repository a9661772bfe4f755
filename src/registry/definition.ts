import type * as z from 'zod';
import type { ObjectMeta, StoredObject } from '../meta/object.js';
import type { SystemGroup } from '../names/dialect.js';
import type { Perform } from './perform.js';
import type { Strategy, SubresourceStrategy } from './strategy.js';

/** A verb of the API on a resource. */
export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Every verb, in the order of discovery documents. */
export const resourceVerbs: readonly ResourceVerb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A column of the Table form of a kind. */
export interface Column {
  readonly name: string;
  /** OpenAPI type of the cells: `string`, `integer`, `number`, `boolean`, `date`. */
  readonly type: string;
  /** OpenAPI format; `name` marks the column that identifies the row. */
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown; greater ones in wide output only. Default 0. */
  readonly priority?: number;
  /** The cell of an object. `nowMs` is the server's time, for ages. */
  cell(object: StoredObject, nowMs: number): string | number | boolean | null;
}

/** A subresource that reads and writes a part of its own object (`status`, `finalize`). */
export interface PartSubresource {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  readonly strategy: SubresourceStrategy;
}

/** A subresource that does something with its object when one of another, virtual kind is posted to it (`serviceaccounts/token`). */
export interface OperationSubresource {
  readonly verbs: readonly ['create'];
  /** The kind that is posted and answered with. */
  readonly operation: ResourceDefinition;
}

/** A subresource of a kind. */
export type SubresourceDefinition = PartSubresource | OperationSubresource;

/** When a kind is deprecated, and when it goes; releases of the platform, such as `1.34`. */
export interface Deprecation {
  readonly since: string;
  readonly removal: string;
}

/**
 * A kind, as its author writes it: names, schema, meaning. The platform's own kinds are written with the same call.
 */
export interface ResourceDefinition<Schema extends z.ZodType = z.ZodType> {
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
   * The kind's fields besides apiVersion, kind and metadata, which every kind has. A function, called once on first use,
   * so that a kind that nobody asks for costs nothing.
   */
  readonly schema: () => Schema;
  readonly description?: string;
  readonly strategy?: Strategy;
  /** Columns of the Table form; default Name and Created At. */
  readonly columns?: readonly Column[];
  readonly subresources?: Readonly<Record<string, SubresourceDefinition>>;
  /** Field selectors besides `metadata.name` and `metadata.namespace`: the label and how to read its value. */
  readonly selectableFields?: Readonly<Record<string, (object: StoredObject) => string>>;
  /** Verbs that are served; default all, and `create` alone for a virtual kind. */
  readonly verbs?: readonly ResourceVerb[];
  /** A feature gate without which the kind is not served, even if its version is. */
  readonly featureGate?: string;
  /** The kind's days are numbered: every answer over HTTP warns of it. */
  readonly deprecation?: Deprecation;
  /** Objects of this kind are operations: they are performed when they are created, and never stored. */
  readonly virtual?: boolean;
  /** What a virtual kind does. The platform's own kinds leave it to the server that they are part of. */
  readonly perform?: Perform;
  /** First part of the storage key below the root; default the plural, or `group/plural` for kinds of other groups than the platform's. */
  readonly storagePrefix?: string;
  /**
   * Another version or group of a kind that is stored under one form: objects are kept as `hub` has them.
   * `toHub` and `fromHub` must be each other's inverse and return new objects.
   */
  readonly conversion?: {
    readonly hub: ResourceDefinition;
    toHub(object: StoredObject): StoredObject;
    fromHub(object: StoredObject): StoredObject;
  };
  /** Whether empty values are treated as the platform's own kinds do (built in) or kept as sent. Default `kept`. */
  readonly origin?: 'builtin' | 'user';
}

/** The fields of a schema. A schema without any is to zod a map without values, which an object with metadata is not. */
type Fields<Type> = string extends keyof Type ? (Type[keyof Type] extends never ? unknown : Type) : Type;

/** The object type of a definition: its schema's type with apiVersion, kind and metadata. */
export type ObjectOf<Definition> = Definition extends ResourceDefinition<infer Schema>
  ? { apiVersion: string; kind: string; metadata: ObjectMeta } & Fields<z.output<Schema>>
  : never;

/** What a caller writes to create an object: apiVersion and kind may be left out, and fields with defaults too. */
export type InputOf<Definition> = Definition extends ResourceDefinition<infer Schema>
  ? { apiVersion?: string; kind?: string; metadata: ObjectMeta } & Fields<z.input<Schema>>
  : never;

/**
 * Declares a kind.
 *
 * @throws TypeError when a name is not what paths and discovery can carry
 */
export function defineResource<Schema extends z.ZodType>(definition: ResourceDefinition<Schema>): ResourceDefinition<Schema> {
  const { version, kind, plural } = definition;
  if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version)) throw new TypeError(`version must look like v1 or v1beta1, got "${version}"`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) throw new TypeError(`kind must be in CamelCase, got "${kind}"`);
  if (!/^[a-z][-a-z0-9]*$/.test(plural)) throw new TypeError(`plural must be a lower-case DNS label, got "${plural}"`);
  if (typeof definition.schema !== 'function') throw new TypeError('schema must be a function that makes the schema, as () => z.object({ … })');
  return Object.freeze({ ...definition });
}
