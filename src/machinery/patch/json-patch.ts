/**
 * JSON Patch, RFC 6902.
 *
 * Each operation is checked first. The containers on its path are copied once per patch, and only copies are changed.
 *
 * @module
 */
import {
  atOnce,
  equalSteps,
  isSteps,
  plainNumbersSteps,
  UNBOUNDED_WORK,
  type JsonValue,
  type MaybeSteps,
  type Steps,
  type Work,
  type Defined,
} from '../../foundation/index.js';
import type { JsonPatchOperation } from './json-patch-decode.js';
import { PatchedDocument, type Location } from './json-patch-document.js';
import { parsePointer } from './json-pointer.js';
import { tooLarge, unprocessable } from './patch-error.js';
import { checkDepthInSteps } from './values.js';

/** Limits of one JSON Patch. */
export interface JsonPatchLimits {
  /** Maximum number of operations. Default 10,000. */
  readonly maxOperations?: number | undefined;
  /** Maximum number of JSON bytes that all `copy` operations may copy together. Default 3 MiB. */
  readonly maxCopiedBytes?: number | undefined;
}

/** The limits of Kubernetes: 10,000 operations, and 3 MiB, the maximum size of a request. */
export const defaultJsonPatchLimits: Required<Defined<JsonPatchLimits>> = {
  maxOperations: 10_000,
  maxCopiedBytes: 3 * 1024 * 1024,
};

/** Applies one `op`; in steps where it has values to visit. Throws when it does not apply. */
type Step = (document: PatchedDocument, operation: JsonPatchOperation, work: Work) => MaybeSteps<void>;

const steps: ReadonlyMap<string, Step> = new Map<string, Step>([
  [
    'add',
    function* (document, operation, work) {
      const tokens = target(operation);
      const value = yield* valueOf(operation, work);
      insert(document, operation, tokens, value, `doc is missing path: "${operation.path}"`);
    },
  ],
  [
    'remove',
    (document, operation) => {
      document.remove(
        openExisting(document, operation, target(operation), `doc is missing path: "${operation.path}"`, 'remove'),
      );
    },
  ],
  [
    'replace',
    function* (document, operation, work) {
      const tokens = target(operation);
      const value = yield* valueOf(operation, work);
      const location = document.open(tokens);
      if (location === undefined) throw inapplicable(operation, `doc is missing path: ${operation.path}`);
      // RFC 6902 requires the member to exist. Release 1.31 sets an absent member of an object, and clients rely on it.
      if (Array.isArray(location.container) && document.read(location) === undefined)
        throw inapplicable(operation, `doc is missing key: ${operation.path}`);
      document.replace(location, value);
    },
  ],
  [
    'move',
    (document, operation) => {
      const from = source(operation);
      const tokens = target(operation);
      if (`${operation.path}`.startsWith(`${operation.from}/`)) {
        throw unprocessable(
          `move operation does not apply: from path ${operation.from} is a prefix of path ${operation.path}`,
        );
      }
      const moved = document.remove(
        openExisting(document, operation, from, `doc is missing from path: ${operation.from}`, 'move'),
      );
      insert(document, operation, tokens, moved, `doc is missing destination path: ${operation.path}`);
    },
  ],
  [
    'copy',
    function* (document, operation, work) {
      const from = source(operation);
      const tokens = target(operation);
      const copied = yield* document.find(from, work);
      if (copied === undefined) throw inapplicable(operation, `doc is missing from path: ${operation.from}`);
      yield* document.share(copied, work);
      insert(document, operation, tokens, copied, `doc is missing destination path: ${operation.path}`);
    },
  ],
  [
    'test',
    function* (document, operation, work) {
      const tokens = target(operation);
      const value = yield* valueOf(operation, work);
      const present = yield* document.find(tokens, work);
      const found = present === undefined ? absentMember(document, tokens) : present;
      if (found === undefined) throw inapplicable(operation, `is missing path: ${operation.path}`);
      const plain = yield* plainNumbersSteps(work, found);
      if (!(yield* equalSteps(work, plain, yield* plainNumbersSteps(work, value))))
        throw unprocessable(`testing value ${operation.path} failed: test failed`);
    },
  ],
]);

/**
 * Returns the document with all operations applied in order. Throws at the first failing operation, so that a patch
 * applies completely or not at all. Does not change its arguments; the result shares unchanged parts with both.
 *
 * @throws PatchError 422 when an operation does not apply, is unknown or lacks a member, when a `test` fails, or when
 * too much is copied; 413 for too many operations; 400 for a value or result nested too deeply
 */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  limits: JsonPatchLimits = {},
): JsonValue {
  return atOnce(jsonPatchSteps(UNBOUNDED_WORK, document, operations, limits));
}

/** Units of work of an operation, besides the values that it touches. */
const UNITS_PER_OPERATION = 40;

/** Like {@link applyJsonPatch}, in steps that can pause between two operations, and in a value of one. */
export function* jsonPatchSteps(
  work: Work,
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  limits: JsonPatchLimits = {},
): Steps<JsonValue> {
  const {
    maxOperations = defaultJsonPatchLimits.maxOperations,
    maxCopiedBytes = defaultJsonPatchLimits.maxCopiedBytes,
  } = limits;
  if (operations.length > maxOperations) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`);
  }
  const patched = new PatchedDocument(document, maxCopiedBytes);
  for (const operation of operations) {
    const step = operation.op === undefined ? undefined : steps.get(operation.op);
    if (step === undefined) throw unprocessable(`Unexpected kind: ${operation.op ?? 'unknown'}`);
    const made = step(patched, operation, work);
    if (isSteps(made)) yield* made;
    if (work.spend(UNITS_PER_OPERATION + patched.touched())) yield;
  }
  // Each operation can nest the document a little deeper.
  const result = yield* patched.root(work);
  yield* checkDepthInSteps(work, result);
  return result;
}

/**
 * Returns null for an absent member of an existing object. RFC 6902 requires the member to exist, but in release 1.31
 * `test` treats it as null. Clients test for null before they add a missing list.
 */
function absentMember(document: PatchedDocument, tokens: readonly string[]): null | undefined {
  return tokens.length > 0 && document.hasObject(tokens.slice(0, -1)) ? null : undefined;
}

const inapplicable = (operation: JsonPatchOperation, why: string): Error =>
  unprocessable(`${operation.op} operation does not apply: ${why}: missing value`);

/** Returns the tokens of the operation's `path`. */
function target(operation: JsonPatchOperation): readonly string[] {
  if (operation.path === undefined)
    throw unprocessable(`${operation.op} operation failed to decode path: missing value`);
  return tokensOf(operation, operation.path);
}

/** Returns the tokens of the operation's `from`. */
function source(operation: JsonPatchOperation): readonly string[] {
  if (operation.from === undefined)
    throw unprocessable(
      `${operation.op} operation failed to decode from: operation, missing from field: missing value`,
    );
  return tokensOf(operation, operation.from);
}

function tokensOf(operation: JsonPatchOperation, pointer: string): readonly string[] {
  const tokens = parsePointer(pointer);
  if (tokens === undefined)
    throw unprocessable(`${operation.op} operation does not apply: not a JSON pointer: ${pointer}`);
  return tokens;
}

/** Returns the value of an operation. RFC 6902 requires it; in release 1.31 an absent value is null. */
function* valueOf({ value = null }: JsonPatchOperation, work: Work): Steps<JsonValue> {
  yield* checkDepthInSteps(work, value);
  return value;
}

/** Returns the location of an existing value, in a container that may be changed. */
function openExisting(
  document: PatchedDocument,
  operation: JsonPatchOperation,
  tokens: readonly string[],
  missing: string,
  name: string,
): Location {
  const location = document.open(tokens);
  if (location === undefined) throw inapplicable(operation, missing);
  if (document.read(location) === undefined)
    throw unprocessable(
      `error in ${name} for path: '${name === 'move' ? location.key : operation.path}': ${absenceText(location)}`,
    );
  return location;
}

function absenceText({ container, key }: Location): string {
  return Array.isArray(container)
    ? `Unable to access invalid index: ${key}: invalid index referenced`
    : `Unable to remove nonexistent key: ${key}: missing value`;
}

function insert(
  document: PatchedDocument,
  operation: JsonPatchOperation,
  tokens: readonly string[],
  value: JsonValue,
  missing: string,
): void {
  const location = document.open(tokens);
  if (location === undefined) throw inapplicable(operation, missing);
  if (!document.add(location, value)) {
    throw unprocessable(
      `error in ${operation.op} for path: '${operation.path}': Unable to access invalid index: ${location.key}: invalid index referenced`,
    );
  }
}
