import type { JsonObject, JsonValue, Steps, Work } from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';

/** A decoded body before its schema is applied. */
export interface DecodedDocument {
  readonly value: JsonValue;
  /**
   * Returns the value with numbers as they were written where their text contains more than their value
   * (`writtenNumber` in `meta`), for types that need it. Absent when no such numbers exist: in YAML, which has only
   * values, and in most JSON.
   */
  readonly asWritten?: (() => JsonValue) | undefined;
  /**
   * Duplicate keys, in order of their second occurrence; the last value wins. Paths (`metadata.labels.a`), for
   * `duplicate field "…"`, or complete lines of the YAML parser (`line 7: key "k" already set in map`).
   */
  readonly duplicates: readonly string[];
  /** Form of {@link DecodedDocument.duplicates}. */
  readonly duplicateForm: 'path' | 'line';
  /** The text of a JSON document, used to sort its problems. */
  readonly text?: string | undefined;
}

/** Decodes and encodes bodies of a media type. */
export interface Serializer {
  /** Media type such as `application/json`, in lower case, without parameters. */
  readonly mediaType: string;
  /** Other media types that requests may use for it. */
  readonly aliases: readonly string[];
  /** Content-Type of a watch; undefined when the media type does not support watches. */
  readonly streamMediaType: string | undefined;
  /**
   * Decodes a body. YAML may have to load its parser first. A long body is decoded in slices if the context has the work
   * of a request; all others are decoded synchronously.
   *
   * @throws ApiError 400 with Kubernetes' message, 413 for too many objects and lists, and what the work throws; a
   *   promise rejects with it
   */
  decode(body: Uint8Array, context: DecodeContext): DecodedDocument | Promise<DecodedDocument>;
  /**
   * Encodes an object for a response. YAML and compact JSON end with a newline, indented JSON does not.
   *
   * @throws ApiError 406 when this media type cannot represent the object
   */
  encode(object: JsonObject, context: EncodeContext): string | Uint8Array;
  /**
   * Returns an upper bound of the length of what {@link Serializer.encode} returns, in characters, without encoding.
   * Absent where the length follows from that of the JSON text.
   *
   * @param most stops counting beyond it
   */
  length?(object: JsonObject, context: EncodeContext, most?: number): number;
  /**
   * Encodes an object like {@link Serializer.encode}, in chunks of about 256 KiB: texts, and undefined where the work
   * should pause. Absent where {@link Serializer.encode} is fast enough.
   */
  chunks?(object: JsonObject, context: EncodeContext, work: Work): EncodedChunks;
  /**
   * Encodes a large object like {@link Serializer.encode}, in steps, and reserves its memory. Absent where there are
   * {@link Serializer.chunks}.
   */
  steps?(object: JsonObject, context: EncodeContext, work: Work): Steps<Uint8Array>;
  /** Encodes objects that are given as compact JSON. Absent where an object has to be decoded. */
  readonly fromText?: TextEncoding | undefined;
  /**
   * Encodes a list item by item; the result is that of {@link Serializer.encode}. A long list can be encoded in several
   * turns of the event loop.
   *
   * @throws ApiError 406 when this media type cannot represent the list
   */
  listEncoder(list: ListFrame, context: EncodeContext): ListEncoder;
}

/**
 * Encodes objects, or the items of a list, that are given as compact JSON, in which characters beyond ASCII may be
 * escaped.
 */
export interface TextEncoding {
  /** Returns what the object is encoded as; undefined when it is indented and longer than `most` characters. */
  encode(text: string, context: EncodeContext, most: number): string | undefined;
  /** Encodes it in chunks. */
  chunks(text: string, context: EncodeContext, work: Work): EncodedChunks;
}

/** An encoding in chunks: texts, and undefined where the work should pause. */
export type EncodedChunks = Generator<string | undefined, void, void>;

/** A list, or a Table, without its items. */
export interface ListFrame {
  /** All members but the items, in their order. */
  readonly members: JsonObject;
  /** Name of the member that holds the items; it is the last one. */
  readonly items: string;
}

/** Encodes the items of a list, and what surrounds them: as text or as bytes. */
export type ListEncoder =
  ({ readonly output: 'text' } & TextListEncoder) | ({ readonly output: 'bytes' } & BytesListEncoder);

/** A list as text: the head, the items with the separator between them, the tail. */
export interface TextListEncoder {
  /** Encodes an item. The items are encoded in their order. */
  item(item: JsonObject): string;
  /** Encodes an item in chunks, as {@link Serializer.chunks} does. */
  itemChunks?(item: JsonObject, work: Work): EncodedChunks;
  /** Encodes items that are given as compact JSON. Absent where an item has to be decoded. */
  readonly fromText?: TextEncoding | undefined;
  /**
   * Returns what surrounds the encoded items.
   *
   * @param count number of items
   */
  surround(count: number): { readonly head: string; readonly separator: string; readonly tail: string };
}

/** A list as bytes: the head, the items, the tail. */
export interface BytesListEncoder {
  /** Encodes an item. The items are encoded in their order. The bytes are valid until the next call. */
  item(item: JsonObject): Uint8Array;
  /** Does the same with a large item, in steps. */
  itemSteps(item: JsonObject, work: Work): Steps<Uint8Array>;
  /**
   * Returns what surrounds the encoded items.
   *
   * @param length sum of the lengths of the items
   */
  surround(length: number): { readonly head: Uint8Array; readonly tail: Uint8Array };
}

/** Context of decoding. */
export interface DecodeContext {
  /** Expected kind, for messages: `must be of type ConfigMap`. */
  readonly kind: string;
  /** Schema of the expected kind, for encodings that are not self-describing. */
  readonly schema: StructuralSchema | undefined;
  /** The work of the request; undefined decodes the body in one step. */
  readonly work?: Work | undefined;
  /** Whether {@link DecodedDocument.asWritten} will be called, which is then prepared in slices, too. Default false. */
  readonly keepsNumbers?: boolean | undefined;
  /** Returns the schema of another kind that the body names; undefined for an unknown kind. */
  schemaFor(apiVersion: string, kind: string): StructuralSchema | undefined;
}

/** Context of encoding. */
export interface EncodeContext {
  readonly pretty: boolean;
  schemaFor(apiVersion: string, kind: string): StructuralSchema | undefined;
}

/** Another form of a response, requested by the Accept header (`as`, `g`, `v`). */
export type Transformation =
  | {
      readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
      readonly version: 'v1' | 'v1beta1';
    }
  | { readonly kind: 'APIGroupDiscoveryList'; readonly version: 'v2' | 'v2beta1' };

/** Result of the negotiation of an Accept header. */
export interface Negotiated {
  readonly serializer: Serializer;
  readonly transformation: Transformation | undefined;
  /** True when the Accept header asks for indented output (`pretty=1`). */
  readonly pretty: boolean;
  /** Content-Type of the response: of a watch, of aggregated discovery, or the plain media type. */
  readonly contentType: string;
}

/** Limits of a body. */
export interface DecodeLimits {
  /** Maximum nesting of objects and lists. */
  readonly maxDepth: number;
  /**
   * Maximum number of objects and lists. Each costs many times the memory of its text, and garbage collections of many
   * block the event loop.
   */
  readonly maxContainers: number;
  /** Maximum number of values of a YAML document, with those of its aliases. */
  readonly maxYamlValues: number;
}

/** Default limits. The depth is that of Kubernetes' JSON parser. */
export const defaultDecodeLimits: DecodeLimits = {
  maxDepth: 10_000,
  maxContainers: 200_000,
  maxYamlValues: 1_000_000,
};
