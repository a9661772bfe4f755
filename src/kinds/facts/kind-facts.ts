import type { SystemGroup } from '../../foundation/index.js';
import type { ConnectSubresource, ResourceVerb } from '../../registry/index.js';

/** The facts of a release about a column of the Table form. */
export interface ColumnFacts {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly priority?: number | undefined;
}

/** The facts of a release about a subresource; `kind` is there when clients send and receive another kind. */
export type SubresourceFacts =
  | { readonly verbs: readonly ('create' | 'get' | 'update' | 'patch')[]; readonly kind?: string | undefined }
  | (ConnectSubresource & { readonly kind?: string | undefined });

/** The facts of a release about a built-in kind. */
export interface KindFacts {
  readonly group: string | SystemGroup;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Verbs that are served; absent when all are. */
  readonly verbs?: readonly ResourceVerb[] | undefined;
  readonly virtual?: boolean | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  /** Name of its object type. */
  readonly type: string;
  readonly featureGate?: string | undefined;
  /** Releases that introduce, deprecate, remove and first warn of the version; absent when unknown. */
  readonly lifecycle?:
    | {
        readonly introduced: string;
        readonly deprecated?: string | undefined;
        readonly removed?: string | undefined;
        readonly warned?: string | undefined;
      }
    | undefined;
  /** The warning of a deprecated version, when it has other words than those about its lifecycle. */
  readonly deprecation?: { readonly warning: string } | undefined;
  /** Version that replaces a deprecated one. */
  readonly replacement?: { readonly version: string; readonly kind: string } | undefined;
  /** Path in the storage keys, when it is not the plural. */
  readonly storagePrefix?: string | undefined;
  /** Type in which the objects are stored, when it is not their own. */
  readonly storedAs?: string | undefined;
  readonly subresources?: Readonly<Record<string, SubresourceFacts>> | undefined;
  /** Selectable fields: the paths of the value, of which the first that is not empty counts, and its type. */
  readonly selectableFields?:
    | Readonly<Record<string, { readonly paths: readonly string[]; readonly type?: 'bool' | 'int' | undefined }>>
    | undefined;
  /** The words that refuse another field, with `<field>` and `<apiVersion>` in their places; absent for the common words. */
  readonly fieldRefusal?: string | undefined;
  /** Columns of the Table form; absent for the two default columns. */
  readonly columns?: readonly ColumnFacts[] | undefined;
}
