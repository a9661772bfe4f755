import type * as z from 'zod';
import type { ListMeta } from '../../foundation/index.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../definition/definition.js';

/** Options of a read that an operation makes. */
export interface OperationReadParameters {
  readonly resourceVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a write that an operation makes. */
export interface OperationWriteParameters {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The verbs of one kind that an operation may use, in one namespace or in all. */
export interface OperationResourceClient<Item, Input> {
  /** Returns a client for one namespace. */
  namespace(name: string): OperationResourceClient<Item, Input>;
  /** Returns one object. @throws ApiError 404 */
  get(name: string, parameters?: OperationReadParameters): Promise<Item>;
  /** Returns a collection, or a page of it. Selectors are written as in a query string. */
  list(
    parameters?: OperationReadParameters & {
      readonly labelSelector?: string | undefined;
      readonly fieldSelector?: string | undefined;
      readonly limit?: number | undefined;
      readonly continue?: string | undefined;
    },
  ): Promise<{ metadata: ListMeta; items: Item[] }>;
  /** Stores a new object. @throws ApiError 409, 422 */
  create(object: Input, parameters?: OperationWriteParameters): Promise<Item>;
  /** Replaces an object. A resourceVersion in the object is a precondition. @throws ApiError 404, 409, 422 */
  update(object: Item | Input, parameters?: OperationWriteParameters): Promise<Item>;
  /** Replaces the status of an object. @throws ApiError 404, 409, 422 */
  updateStatus(object: Item | Input, parameters?: OperationWriteParameters): Promise<Item>;
  /** Deletes an object, or marks it for deletion. @throws ApiError 404, 409 */
  delete(name: string, parameters?: OperationWriteParameters): Promise<unknown>;
}

/**
 * The client through which an operation reaches other objects: the part of the in-process client that the registry may
 * depend on.
 */
export interface OperationClient {
  /** Returns the client of a kind. @throws TypeError when the server does not serve it */
  resource<Schema extends z.ZodType>(
    definition: ResourceDefinition<Schema>,
  ): OperationResourceClient<ObjectOf<ResourceDefinition<Schema>>, InputOf<ResourceDefinition<Schema>>>;
}
