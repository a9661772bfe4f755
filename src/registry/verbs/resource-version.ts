/**
 * Parses resourceVersions. The versions of this server are the revisions of its store; clients must treat them as
 * opaque. Each verb answers an invalid version differently, as in Kubernetes 1.31.
 *
 * @module
 */
import { ApiError, integerWithin, invalid, quotedText } from '../../foundation/index.js';
import type { Revision } from '../../storage/index.js';

const MAX_UINT64 = 2n ** 64n - 1n;

/** Returns the error text of Go's `strconv.ParseUint`; undefined for a valid number. */
function parseProblem(text: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) return `strconv.ParseUint: parsing ${quotedText(text)}: invalid syntax`;
  return integerWithin(text, 0n, MAX_UINT64) === undefined
    ? `strconv.ParseUint: parsing ${quotedText(text)}: value out of range`
    : undefined;
}

/** Returns the field error of an invalid resourceVersion in a read; undefined when it is valid. */
export function resourceVersionProblem(text: string): string | undefined {
  const problem = parseProblem(text);
  return problem === undefined ? undefined : String(invalid('resourceVersion', text, problem));
}

/**
 * Returns the revision in the option `resourceVersion` of a get or watch; beyond 2^53, the nearest number.
 *
 * @throws ApiError 500 without a reason for a text that is not an unsigned 64-bit number
 */
export function parseResourceVersion(text: string): Revision {
  const problem = resourceVersionProblem(text);
  if (problem !== undefined) throw new ApiError({ message: problem, code: 500 });
  return Number(text);
}

/**
 * Returns whether the metadata of a new object has a version, which is not allowed. Zero and invalid numbers do not
 * count.
 */
export function hasResourceVersion(text: string | undefined): boolean {
  return text !== undefined && text !== '' && parseProblem(text) === undefined && Number(text) !== 0;
}

/**
 * Returns the revision in the metadata of a written object. The result 0, also for an empty text, means that the write
 * has no version precondition.
 *
 * @throws ApiError 500 without a reason for a text that is not an unsigned 64-bit number
 */
export function objectResourceVersion(text: string | undefined): Revision {
  if (text === undefined || text === '') return 0;
  const problem = parseProblem(text);
  if (problem !== undefined) throw new ApiError({ message: problem, code: 500 });
  return Number(text);
}
