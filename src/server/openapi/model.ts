/**
 * The content of OpenAPI documents, independent of version 2 or 3.
 *
 * @module
 */
import type { Dialect, GroupVersionKind } from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';
import type { DiscoveredResource, DiscoveredSubresource } from '../discovery/index.js';
import type { GroupSource } from './names.js';

/** A subresource in OpenAPI. */
export interface OpenApiSubresource extends DiscoveredSubresource {
  /** Schema of whole objects of its `responseKind`. */
  readonly schema?: StructuralSchema | undefined;
  /** Set for a subresource that connects. */
  readonly connect?:
    | {
        readonly parameters?: Readonly<Record<string, 'string' | 'bool' | 'int'>> | undefined;
        readonly trailingPath?: boolean | undefined;
        readonly produces?: string | undefined;
      }
    | undefined;
}

/** A kind in OpenAPI. The registry's `ResourceInfo` is assignable to it. */
export interface OpenApiResource extends DiscoveredResource {
  readonly listKind: string;
  /** Schema of whole objects. */
  readonly schema: StructuralSchema;
  readonly subresources: ReadonlyMap<string, OpenApiSubresource>;
  readonly definition: DiscoveredResource['definition'] & {
    readonly group: GroupSource;
    readonly origin?: 'builtin' | 'user' | undefined;
    readonly structural?: ((dialect: Dialect) => StructuralSchema) | undefined;
    readonly selectableFields?: Readonly<Record<string, unknown>> | undefined;
    /** Returns the facts that the published schema is made from. */
    readonly publishedFrom?: (() => object) | undefined;
    /** Loads the schema and the strategy; undefined when they are loaded. */
    readonly prepare?: (() => Promise<void> | undefined) | undefined;
    readonly strategy?: { readonly deleteReturnsObject?: boolean | undefined } | undefined;
  };
}

/** A parameter of the path or the query. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

/** A body: the name of its component, and its media types. */
export interface Body {
  /** Undefined for a text. */
  readonly component: string | undefined;
  readonly mediaTypes: readonly string[];
}

/** A response. */
export interface OpenApiResponse {
  readonly status: number;
  readonly description: string;
  readonly body?: Body | undefined;
}

/** HTTP methods of operations. */
export type OperationMethod = 'delete' | 'get' | 'head' | 'options' | 'patch' | 'post' | 'put';

/** One method of a path. */
export interface Operation {
  readonly method: OperationMethod;
  readonly id: string;
  readonly description: string;
  readonly tag: string;
  /** Value of the action extension. */
  readonly action?: string | undefined;
  readonly kind?: GroupVersionKind | undefined;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: (Body & { readonly required: boolean }) | undefined;
  /** Media types of requests without a body; version 2 lists them. */
  readonly consumes: readonly string[];
  readonly responses: readonly OpenApiResponse[];
}

/** A path with its operations and the parameters that they share. */
export interface PathItem {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}
