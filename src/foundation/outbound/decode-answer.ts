import type { JsonValue } from '../json/json.js';
import type { Work } from '../work/work.js';

/**
 * Decodes the JSON of a response: in slices when it is long, with the memory of its value reserved before it is made.
 *
 * @throws Error in the words of Go's JSON parser for invalid JSON, and for more objects and lists than the limit;
 *   ApiError what the work throws
 */
export type DecodeAnswer = (body: Uint8Array, work: Work) => Promise<JsonValue>;
