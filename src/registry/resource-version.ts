/**
 * The text of a resourceVersion as a number: the versions of this server are the revisions of its store. Clients must not
 * look into it; what they send that is not a number is answered differently by each verb, as in Kubernetes 1.31.
 *
 * @module
 */
import { ApiError } from '../meta/api-error.js';
import { invalid } from '../meta/field-error.js';
import { goQuote } from '../meta/go-text.js';
import type { Revision } from '../storage/storage.js';

const MAX_UINT64 = 2n ** 64n - 1n;

/** What Go's `strconv.ParseUint` says of a text; undefined when it is a number. */
function parseProblem(text: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;
  return text.length >= 20 && BigInt(text) > MAX_UINT64
    ? `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`
    : undefined;
}

/** What is wrong with the resourceVersion of a read, as a field error; undefined when nothing is. */
export function resourceVersionProblem(text: string): string | undefined {
  const problem = parseProblem(text);
  return problem === undefined ? undefined : String(invalid('resourceVersion', text, problem));
}

/**
 * The revision that the option `resourceVersion` of a get or watch names; past 2^53 the nearest number.
 *
 * @throws ApiError 500 without a reason for a text that is not an unsigned 64-bit number
 */
export function parseResourceVersion(text: string): Revision {
  const problem = resourceVersionProblem(text);
  if (problem !== undefined) throw new ApiError({ message: problem, code: 500 });
  return Number(text);
}

/** Whether the metadata of a new object names a version, which it may not. Zero and what is not a number name none. */
export function namesVersion(text: string | undefined): boolean {
  return text !== undefined && text !== '' && parseProblem(text) === undefined && Number(text) !== 0;
}

/**
 * The revision that the metadata of an object in a write names; 0, as for an empty text, binds the write to no version.
 *
 * @throws ApiError 500 without a reason for a text that is not an unsigned 64-bit number
 */
export function objectResourceVersion(text: string | undefined): Revision {
  if (text === undefined || text === '') return 0;
  const problem = parseProblem(text);
  if (problem !== undefined) throw new ApiError({ message: problem, code: 500 });
  return Number(text);
}
