import type { JsonPatchOperation } from '../patch/index.js';
import type { WriteParameters } from './client.js';

/** The media type of each type of patch that is not an apply. */
export const patchMediaTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** A type of patch: RFC 6902, RFC 7386, or by the kind's schema. */
export type PatchTypeName = keyof typeof patchMediaTypes;

/** Options of a patch. */
export interface PatchParameters extends WriteParameters {
  readonly type?: PatchTypeName;
  /** Part of the object that is written; default the main resource. */
  readonly subresource?: string;
}

/** Options of a server-side apply. */
export interface ApplyParameters extends WriteParameters {
  /** Who says what it wants. Required, as by the API. */
  readonly fieldManager: string;
  /** Takes fields from other managers instead of conflicting with them. */
  readonly force?: boolean;
  readonly subresource?: string;
}

/** An object of which everything may be left out but its name. */
export type PartialObject<Value> = Value extends { metadata: infer Metadata }
  ? DeepPartial<Omit<Value, 'metadata'>> & { metadata: Metadata }
  : never;

/** Fields that may be left out, at every depth; null takes a field away. */
export type DeepPartial<Value> = Value extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: DeepPartial<Value[Key]> | null }
    : Value;

/** What a patch says: operations, or a part of an object. */
export type PatchBody<Value> = readonly JsonPatchOperation[] | DeepPartial<Value>;
