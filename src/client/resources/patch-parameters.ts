import type { JsonPatchOperation } from '../../machinery/index.js';
import type { WriteParameters } from '../client.js';

/** Media types of the patch types other than apply. */
export const patchMediaTypes: Readonly<Record<PatchTypeName, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** A patch type: RFC 6902, RFC 7386, or strategic merge patch. */
export type PatchTypeName = 'json' | 'merge' | 'strategic';

/** Options of a patch. */
export interface PatchParameters extends WriteParameters {
  /** Patch type; default `json` for a list of operations, otherwise `merge`. */
  readonly type?: PatchTypeName | undefined;
  /** Subresource to write; default the main resource. */
  readonly subresource?: string | undefined;
}

/** Options of a server-side apply. A field manager is required, here or of the client, as in the API. */
export interface ApplyParameters extends WriteParameters {
  /** Whether to take fields from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
  /** Subresource to write; default the main resource. */
  readonly subresource?: string | undefined;
}

/** An object in which everything except its name is optional. */
export type PartialObject<Value> = Value extends { metadata: infer Metadata }
  ? DeepPartial<Omit<Value, 'metadata'>> & { metadata: Metadata }
  : never;

/** Makes all fields optional, at every depth; null removes a field. */
export type DeepPartial<Value> = Value extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: DeepPartial<Value[Key]> | null | undefined }
    : Value;

/** Body of a patch: operations, or a part of an object. */
export type PatchBody<Value> = readonly JsonPatchOperation[] | DeepPartial<Value>;
