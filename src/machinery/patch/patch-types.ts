import {
  atOnce,
  shownGoValue,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type MaybeSteps,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { StructuralSchema } from '../schema/define/structural.js';
import { decodeJsonPatchSteps } from './json-patch-decode.js';
import { jsonPatchSteps, type JsonPatchLimits } from './json-patch.js';
import { applyMergePatch, decodeMergePatch, mergePatchSteps } from './merge-patch.js';
import { patchedText } from './patched-text.js';
import {
  decodeStrategicMergePatch,
  strategicMergePatch,
  strategicMergeSteps,
} from './strategic/strategic-merge-patch.js';

/** A patch with a valid form. It can be applied repeatedly, each time to the newest version of the object. */
export interface PreparedPatch {
  /** Paths of unknown fields in the patch, reported as `unknown field "PATH"`. */
  readonly unknownFields: readonly string[];
  /** Prefix of each warning or error for an unknown or repeated field of the patch. */
  readonly problemPrefix: string;
  /**
   * Returns the patched document. It shares unchanged parts with the document and the patch, and must not be changed.
   */
  apply(document: JsonObject, schema: StructuralSchema): JsonValue;
  /** Like {@link apply}, in steps that can pause. */
  steps(work: Work, document: JsonObject, schema: StructuralSchema): Steps<JsonValue>;
  /**
   * Returns the text of the outcome, or of the patch itself, in the error for an outcome that is not an object of the
   * kind.
   */
  errorText(document: JsonObject, patched: JsonValue): string;
}

/** A type of patch, with the facts that a server needs. */
export interface PatchType {
  /** `Content-Type` of the request. */
  readonly mediaType: string;
  /** Format of the body. JSON is valid YAML. */
  readonly bodyFormat: 'json' | 'yaml';
  /** Prefix of the error for a body in another format. */
  readonly bodyProblemPrefix: string;
  /** True when custom resources answer it with 415. */
  readonly builtinOnly: boolean;
  /** True when the patch creates a missing object instead of failing with 404. */
  readonly createsMissing: boolean;
  /** True when the query parameter `fieldManager` is required. */
  readonly needsFieldManager: boolean;
  /** True when the query parameter `force` is allowed. */
  readonly takesForce: boolean;
  /**
   * How Kubernetes converts the outcome to an object of a built-in kind: it decodes the outcome's `text`, where `4.0`
   * is not an integer, or converts a `map`, where every whole number is one. It refuses a text of another kind or
   * version, and reads a map as the kind of the path.
   */
  readonly outcome: 'text' | 'map';
  /**
   * Checks the body, in steps where it has values to visit. Absent when the patch is an intent that the field manager
   * merges (`orch-apiserver/apply`).
   *
   * @throws PatchError 400 when the body is not a patch of this type
   */
  readonly prepare?: ((work: Work, body: JsonValue, limits?: JsonPatchLimits) => MaybeSteps<PreparedPatch>) | undefined;
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

/** The types of patch, in the order of Kubernetes. */
export const patchTypes: readonly PatchType[] = Object.freeze([
  {
    ...simple,
    mediaType: 'application/json-patch+json',
    *prepare(decoding, body, limits) {
      const { operations, unknownFields } = yield* decodeJsonPatchSteps(decoding, body);
      const steps = (work: Work, document: JsonObject): Steps<JsonValue> =>
        jsonPatchSteps(work, document, operations, limits);
      return {
        unknownFields,
        problemPrefix: 'json patch ',
        apply: (document) => atOnce(steps(UNBOUNDED_WORK, document)),
        steps,
        errorText: (document, patched) => patchedText(patched, [document, ...operations.map(({ value }) => value)]),
      };
    },
  },
  {
    ...simple,
    mediaType: 'application/merge-patch+json',
    prepare: (_work, body) => {
      const patch = decodeMergePatch(body) as JsonValue;
      return {
        unknownFields: NO_FIELDS,
        problemPrefix: '',
        apply: (document) => applyMergePatch(document, patch),
        steps: (work, document) => mergePatchSteps(work, document, patch),
        errorText: (document, patched) => patchedText(patched, [document]),
      };
    },
  },
  {
    ...simple,
    mediaType: 'application/strategic-merge-patch+json',
    bodyProblemPrefix: '',
    builtinOnly: true,
    outcome: 'map',
    prepare: (_work, body) => {
      const patch = decodeStrategicMergePatch(body) as JsonValue;
      return {
        unknownFields: NO_FIELDS,
        problemPrefix: '',
        apply: (document, schema) => strategicMergePatch(document, patch, schema),
        steps: (work, document, schema) => strategicMergeSteps(work, document, patch, schema),
        errorText: () => shownGoValue(patch),
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

/** Returns the type of patch of a media type without parameters; undefined when the media type is not a patch. */
export function patchTypeOf(mediaType: string): PatchType | undefined {
  return byMediaType.get(mediaType);
}
