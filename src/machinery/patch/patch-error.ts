import {
  ApiError,
  goTypeName,
  shownGoValue,
  type JsonObject,
  type JsonValue,
  type Status,
} from '../../foundation/index.js';

/** The parts of an error response. */
type ErrorStatus = ConstructorParameters<typeof ApiError>[0];

/**
 * Thrown for a patch that is invalid or does not apply. As an {@link ApiError}, it passes through a server unchanged;
 * its `status` is the response of Kubernetes.
 *
 * | code | reason | when |
 * |---|---|---|
 * | 400 | BadRequest | the body is not a patch of its type, or a directive is invalid |
 * | 413 | RequestEntityTooLarge | too many operations, or a strategic merge patch that changes the same items too often |
 * | 422 | Invalid | a JSON Patch that does not fit the document; lists of lists |
 * | 409 | Conflict | {@link createThreeWayMergePatch} found a conflict or a precondition that fails |
 * | 500 | none | a strategic merge patch that does not match the schema (Kubernetes gives no reason) |
 */
export class PatchError extends ApiError {
  /** The full reason. The response to a JSON Patch hides it: its `message` is the same for every failure. */
  readonly detail: string;

  /** @internal */
  constructor(status: ErrorStatus, detail: string) {
    super(status);
    this.name = 'PatchError';
    this.detail = detail;
  }
}

/** The message of Kubernetes for a readable request that cannot be applied. It hides the reason. */
const REJECTED = 'the server rejected our request due to an error in our request';

const NO_DETAILS: NonNullable<Status['details']> = Object.freeze({});

/** Returns the error of an invalid body. */
export const malformed = (detail: string): PatchError =>
  new PatchError({ message: detail, reason: 'BadRequest', code: 400 }, detail);

/** Returns the error of a patch that cannot be applied. */
export const unprocessable = (detail: string): PatchError =>
  new PatchError({ message: REJECTED, reason: 'Invalid', details: NO_DETAILS, code: 422 }, detail);

/** Returns a failure that Kubernetes reports as an internal error. */
export const internalFailure = (detail: string): PatchError => new PatchError({ message: detail, code: 500 }, detail);

/** Returns the error of a patch that conflicts with another change or violates a precondition. */
export const conflicting = (detail: string): PatchError =>
  new PatchError({ message: detail, reason: 'Conflict', code: 409 }, detail);

/** Returns the error of a patch that exceeds a limit. */
export const tooLarge = (detail: string): PatchError =>
  new PatchError(
    { message: `Request entity too large: ${detail}`, reason: 'RequestEntityTooLarge', code: 413 },
    detail,
  );

/** Formats a value with `%s`, as Go prints a value that is not a string. */
function asText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value === null ? NIL : `%!s(${goTypeName(value)}=${shownGoValue(value)})`;
}

/** The text that Go prints with `%s` for null, and for its type, which does not exist. */
const NIL = '%!s(<nil>)';

const typeText = (value: JsonValue): string => (value === null ? NIL : goTypeName(value));

/** The failures of strategic merge patch, with the messages of Kubernetes. */
export const strategicErrors = {
  noListOfLists: (): PatchError => unprocessable('lists of lists are not supported'),
  primitiveList: (): PatchError => malformed('invalid patch format of primitive list'),
  retainKeys: (): PatchError => malformed('invalid patch format of retainKeys'),
  elementOrder: (): PatchError => malformed('invalid patch format of setElementOrder list'),
  noMergeKey: (item: JsonObject, key: string): PatchError =>
    internalFailure(`map: ${shownGoValue(item)} does not contain declared merge key: ${key}`),
  patchType: (directive: JsonValue, map: JsonObject): PatchError =>
    internalFailure(`unknown patch type: ${asText(directive)} in map: ${shownGoValue(map)}`),
  /** `expected` is an example of the type. */
  type: (expected: JsonValue, received: JsonValue): PatchError =>
    internalFailure(`expected a ${typeText(expected)}, but received a ${typeText(received)}`),
} as const;
