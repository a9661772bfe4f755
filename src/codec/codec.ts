import type { JsonObject, JsonValue } from '../meta/json.js';
import type { StructuralSchema } from '../schema/structural.js';

/** A decoded body before its schema is applied. */
export interface DecodedDocument {
  readonly value: JsonValue;
  /**
   * The same with the numbers kept whose text says more than their value (`writtenNumber` in `meta`), for types that look at it. Absent where there
   * are none: in YAML, which knows values only, and in most of JSON.
   */
  readonly asWritten?: () => JsonValue;
  /**
   * Keys that stood twice, in order of their second appearance; the last value wins. Paths (`metadata.labels.a`), ready
   * for `duplicate field "…"`, or whole lines of the YAML parser (`line 7: key "k" already set in map`).
   */
  readonly duplicates: readonly string[];
  /** What {@link DecodedDocument.duplicates} holds. */
  readonly duplicateForm: 'path' | 'line';
  /** The text of a JSON document, by which its problems are put in their order. */
  readonly text?: string;
}

/** A media type that bodies come and go in. */
export interface Serializer {
  /** `application/json` and the like, in lower case, without parameters. */
  readonly mediaType: string;
  /** Other names that requests may use for it. */
  readonly aliases: readonly string[];
  /** Content-Type of a watch in it; undefined where a watch cannot be sent in it. */
  readonly streamMediaType: string | undefined;
  /**
   * Reads a body. JSON and protobuf are read at once; YAML may have to load its parser first.
   *
   * @throws ApiError 400 with the production system's words; a promise rejects with it
   */
  decode(body: Uint8Array, context: DecodeContext): DecodedDocument | Promise<DecodedDocument>;
  /**
   * Writes an object as an answer has it: YAML and compact JSON end in a newline, indented JSON does not.
   *
   * @throws ApiError 406 when this form cannot carry the object
   */
  encode(object: JsonObject, context: EncodeContext): string | Uint8Array;
}

/** What a serializer may need to know to read. */
export interface DecodeContext {
  /** Kind that is expected, for messages: `must be of type ConfigMap`. */
  readonly kind: string;
  /** Schema of the kind that is expected, for encodings that are not self-describing. */
  readonly schema: StructuralSchema | undefined;
  /** Schema of another kind that the body itself names; undefined for an unknown one. */
  schemaFor(apiVersion: string, kind: string): StructuralSchema | undefined;
}

/** What a serializer may need to know to write. */
export interface EncodeContext {
  readonly pretty: boolean;
  schemaFor(apiVersion: string, kind: string): StructuralSchema | undefined;
}

/** Another form of an answer, as the Accept header asks for it (`as`, `g`, `v`). */
export type Transformation =
  | {
      readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
      readonly version: 'v1' | 'v1beta1';
    }
  | { readonly kind: 'APIGroupDiscoveryList'; readonly version: 'v2' | 'v2beta1' };

/** What an Accept header comes to. */
export interface Negotiated {
  readonly serializer: Serializer;
  readonly transformation: Transformation | undefined;
  /** Whether the Accept header itself asks for indented output (`pretty=1`). */
  readonly pretty: boolean;
  /** The Content-Type of the answer: of a watch, of aggregated discovery, or the plain media type. */
  readonly contentType: string;
}

/** Limits on what a body may hold. */
export interface DecodeLimits {
  /** Deepest nesting of objects and lists. */
  readonly maxDepth: number;
  /**
   * Most tokens of a YAML document (a line such as `key: value` has about seven). Reading YAML takes microseconds a token, and
   * nothing else is served meanwhile.
   */
  readonly maxYamlTokens: number;
}

/** The depth is that of the production system's JSON parser; the tokens are those of some 70,000 lines, about a second of work. */
export const defaultDecodeLimits: DecodeLimits = { maxDepth: 10_000, maxYamlTokens: 500_000 };
