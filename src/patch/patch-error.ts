import { ApiError, type Status } from '../meta/api-error.js';
import type { JsonObject, JsonValue } from '../meta/json.js';
import { goType, goValue } from './go-value.js';

/** Code, reason, message and the like of an answer. */
type Answer = ConstructorParameters<typeof ApiError>[0];

/**
 * A patch that cannot be read or applied. It is an {@link ApiError}, so that it can be thrown through a server as it is: its
 * `status` is what the production system answers.
 *
 * | code | reason | when |
 * |---|---|---|
 * | 400 | BadRequest | the body is no patch of its type, or a directive has the wrong form |
 * | 413 | RequestEntityTooLarge | too many operations, or a strategic merge patch that changes the same items too often |
 * | 422 | Invalid | a JSON Patch that does not fit the document; lists of lists |
 * | 409 | Conflict | {@link createThreeWayMergePatch} found a conflict or a precondition that fails |
 * | 500 | none | a strategic merge patch that does not fit the schema (production names no reason) |
 */
export class PatchError extends ApiError {
  /** The whole reason. The answer to a JSON Patch hides it: its `message` is the same whatever the patch did wrong. */
  readonly detail: string;

  constructor(answer: Answer, detail: string) {
    super(answer);
    this.name = 'PatchError';
    this.detail = detail;
  }
}

/** What the production system says about a request that it could read and not carry out, in place of the reason. */
const REJECTED = 'the server rejected our request due to an error in our request';

const NO_DETAILS: NonNullable<Status['details']> = Object.freeze({});

/** A body that is no patch. */
export const malformed = (detail: string): PatchError =>
  new PatchError({ message: detail, reason: 'BadRequest', code: 400 }, detail);

/** A patch that cannot be carried out. */
export const unprocessable = (detail: string): PatchError =>
  new PatchError({ message: REJECTED, reason: 'Invalid', details: NO_DETAILS, code: 422 }, detail);

/** A failure that production has no status for, and answers as its own. */
export const unfit = (detail: string): PatchError => new PatchError({ message: detail, code: 500 }, detail);

/** A patch that would undo somebody else's change, or touch what it must not. */
export const conflicting = (detail: string): PatchError =>
  new PatchError({ message: detail, reason: 'Conflict', code: 409 }, detail);

/** More than a limit allows. */
export const tooLarge = (detail: string): PatchError =>
  new PatchError(
    { message: `Request entity too large: ${detail}`, reason: 'RequestEntityTooLarge', code: 413 },
    detail,
  );

/** A value that should have been a text: `%s`. */
function asText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value === null ? goType(value) : `%!s(${goType(value)}=${goValue(value)})`;
}

/** The failures of strategic merge patch, by production's words. */
export const strategicErrors = {
  noListOfLists: (): PatchError => unprocessable('lists of lists are not supported'),
  primitiveList: (): PatchError => malformed('invalid patch format of primitive list'),
  retainKeys: (): PatchError => malformed('invalid patch format of retainKeys'),
  elementOrder: (): PatchError => malformed('invalid patch format of setElementOrder list'),
  noMergeKey: (item: JsonObject, key: string): PatchError =>
    unfit(`map: ${goValue(item)} does not contain declared merge key: ${key}`),
  patchType: (directive: JsonValue, map: JsonObject): PatchError =>
    unfit(`unknown patch type: ${asText(directive)} in map: ${goValue(map)}`),
  /** `expected` is an example of the type. */
  type: (expected: JsonValue, received: JsonValue): PatchError =>
    unfit(`expected a ${goType(expected)}, but received a ${goType(received)}`),
} as const;
