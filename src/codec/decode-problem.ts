import { encodeHex } from '../encoding/hex.js';
import { decodeUtf8Lossy } from '../encoding/utf8.js';
import { errors, type ApiError } from '../meta/api-error.js';
import { goQuote } from '../meta/go-text.js';

/**
 * What is wrong with the bytes of a body, without the sentence around it: that sentence differs between a body, a patch
 * and an apply, so whoever reads the body adds it.
 */
export class DecodeProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DecodeProblem';
  }
}

/** What the production system says of a JSON body that is empty, before {@link unrecognizedBody} adds its sentence. */
export const emptyBodyText = "couldn't get version/kind; json parse error: unexpected end of JSON input";

/** How many bytes of a body are shown in a message. */
const SUMMARY_BYTES = 30;

/** The beginning of a body for a message: as text when it looks like JSON, in hexadecimal otherwise. */
export function summarizeBody(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const head = body.length > SUMMARY_BYTES ? body.subarray(0, SUMMARY_BYTES) : body;
  const tail = body.length > SUMMARY_BYTES ? ' ...' : '';
  if (body[0] === 0x7b) return `${decodeUtf8Lossy(head)}${tail}`;
  return `${encodeHex(head)}${tail}`;
}

/**
 * The 400 for a body whose kind could not even be read.
 *
 * @param kind the kind that the path takes
 * @param cause what is wrong
 * @param body the bytes, for a summary
 */
export function unrecognizedBody(kind: string, cause: string, body: Uint8Array): ApiError {
  return errors.badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${cause} (${summarizeBody(body)})`,
  );
}

/**
 * The 400 for a body whose kind is known and whose content is wrong.
 *
 * @param found kind and version that the body names
 * @param kind the kind that the path takes
 */
export function unhandledBody(
  found: { readonly kind: string; readonly version: string },
  kind: string,
  cause: string,
): ApiError {
  return errors.badRequest(
    `${found.kind} in version ${goQuote(found.version)} cannot be handled as a ${kind}: ${cause}`,
  );
}
