import type * as z from 'zod';
import type { ListMeta } from '../meta/object.js';
import type { InputOf, ObjectOf, ResourceDefinition } from './definition.js';

/** Options of a read by an operation. */
export interface OperationReadParameters {
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal;
}

/** Options of a write by an operation. */
export interface OperationWriteParameters {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

/** The verbs of one kind that an operation works with, in one namespace or over all. */
export interface OperationResourceClient<Item, Input> {
  /** The same verbs in a namespace. */
  namespace(name: string): OperationResourceClient<Item, Input>;
  /** One object. @throws ApiError 404 */
  get(name: string, parameters?: OperationReadParameters): Promise<Item>;
  /** A collection, or a page of it; selectors are written as in a query. */
  list(
    parameters?: OperationReadParameters & {
      readonly labelSelector?: string;
      readonly fieldSelector?: string;
      readonly limit?: number;
      readonly continue?: string;
    },
  ): Promise<{ metadata: ListMeta; items: Item[] }>;
  /** Stores a new object. @throws ApiError 409, 422 */
  create(object: Input, parameters?: OperationWriteParameters): Promise<Item>;
  /** Replaces an object; bound to a version when the object names one. @throws ApiError 404, 409, 422 */
  update(object: Item | Input, parameters?: OperationWriteParameters): Promise<Item>;
  /** Replaces the status of an object. @throws ApiError 404, 409, 422 */
  updateStatus(object: Item | Input, parameters?: OperationWriteParameters): Promise<Item>;
  /** Deletes an object, or begins to. @throws ApiError 404, 409 */
  delete(name: string, parameters?: OperationWriteParameters): Promise<unknown>;
}

/** What an operation reaches other objects by: the part of the in-process client that this floor can know of. */
export interface OperationClient {
  /** The verbs of a kind. @throws TypeError when the server does not have it */
  resource<Schema extends z.ZodType>(
    definition: ResourceDefinition<Schema>,
  ): OperationResourceClient<ObjectOf<ResourceDefinition<Schema>>, InputOf<ResourceDefinition<Schema>>>;
}
