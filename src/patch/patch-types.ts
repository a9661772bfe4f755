import type { JsonObject, JsonValue } from '../meta/json.js';
import type { StructuralSchema } from '../schema/structural.js';
import { goValue } from './go-value.js';
import { applyJsonPatch, type JsonPatchLimits } from './json-patch.js';
import { decodeJsonPatch } from './json-patch-decode.js';
import { applyMergePatch, decodeMergePatch } from './merge-patch.js';
import { patchedText } from './patched-text.js';
import { decodeStrategicMergePatch, strategicMergePatch } from './strategic/strategic-merge-patch.js';

/** A patch whose form has been checked. It can be applied more than once, to the newest version of the object each time. */
export interface PreparedPatch {
  /** Paths within the patch that no patch of its type has; to be reported as `unknown field "PATH"`. */
  readonly unknownFields: readonly string[];
  /** Stands before each text about an unknown or repeated field of the patch. */
  readonly problemPrefix: string;
  /** The patched document. It shares with the document and the patch what it leaves as it is, and must not be changed. */
  apply(document: JsonObject, schema: StructuralSchema): JsonValue;
  /** What an error shows of a patch whose outcome is no object of the kind: the text of the outcome, or the patch itself. */
  shown(document: JsonObject, patched: JsonValue): string;
}

/** A type of patch, and what a server needs to know of it. */
export interface PatchType {
  /** `Content-Type` of the request. */
  readonly mediaType: string;
  /** Form of the body. JSON is YAML. */
  readonly bodyFormat: 'json' | 'yaml';
  /** Stands before the text about a body that is not of that form. */
  readonly bodyProblemPrefix: string;
  /** Not for kinds that users define: 415. */
  readonly builtinOnly: boolean;
  /** An object that is missing is created, not 404. */
  readonly createsMissing: boolean;
  /** The query parameter `fieldManager` must be given. */
  readonly needsFieldManager: boolean;
  /** The query parameter `force` is allowed. */
  readonly takesForce: boolean;
  /**
   * How Kubernetes makes an object of a built-in kind of the outcome: it decodes the outcome's `text`, where `4.0` is no integer, or converts a
   * `map`, where every whole number is one. A text of another kind or version is
   * refused; a map is read as the kind of the path.
   */
  readonly outcome: 'text' | 'map';
  /**
   * Checks the body. Absent where the patch is an intent that the field manager merges (`orch-apiserver/apply`).
   *
   * @throws PatchError 400 when it is no patch of this type
   */
  readonly prepare?: (body: JsonValue, limits?: Partial<JsonPatchLimits>) => PreparedPatch;
}

const simple = {
  bodyFormat: 'json',
  bodyProblemPrefix: 'error decoding patch: ',
  builtinOnly: false,
  createsMissing: false,
  needsFieldManager: false,
  takesForce: false,
  outcome: 'text',
} as const;

const NO_FIELDS: readonly string[] = Object.freeze([]);

/** The types of patch, in the order in which production lists them. */
export const patchTypes: readonly PatchType[] = Object.freeze([
  {
    ...simple,
    mediaType: 'application/json-patch+json',
    prepare: (body, limits) => {
      const { operations, unknownFields } = decodeJsonPatch(body);
      return {
        unknownFields,
        problemPrefix: 'json patch ',
        apply: (document) => applyJsonPatch(document, operations, limits),
        shown: (document, patched) => patchedText(patched, [document, ...operations.map(({ value }) => value)]),
      };
    },
  },
  {
    ...simple,
    mediaType: 'application/merge-patch+json',
    prepare: (body) => {
      const patch = decodeMergePatch(body) as JsonValue;
      return {
        unknownFields: NO_FIELDS,
        problemPrefix: '',
        apply: (document) => applyMergePatch(document, patch),
        shown: (document, patched) => patchedText(patched, [document]),
      };
    },
  },
  {
    ...simple,
    mediaType: 'application/strategic-merge-patch+json',
    bodyProblemPrefix: '',
    builtinOnly: true,
    outcome: 'map',
    prepare: (body) => {
      const patch = decodeStrategicMergePatch(body) as JsonValue;
      return {
        unknownFields: NO_FIELDS,
        problemPrefix: '',
        apply: (document, schema) => strategicMergePatch(document, patch, schema),
        shown: () => goValue(patch),
      };
    },
  },
  {
    ...simple,
    mediaType: 'application/apply-patch+yaml',
    bodyFormat: 'yaml',
    outcome: 'map',
    bodyProblemPrefix: 'error decoding YAML: error converting YAML to JSON: ',
    createsMissing: true,
    needsFieldManager: true,
    takesForce: true,
  },
] satisfies PatchType[]);

const byMediaType: ReadonlyMap<string, PatchType> = new Map(patchTypes.map((type) => [type.mediaType, type]));

/** The type of patch of a media type without parameters; undefined for one that is no patch. */
export function patchTypeOf(mediaType: string): PatchType | undefined {
  return byMediaType.get(mediaType);
}
