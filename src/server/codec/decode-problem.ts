import { decodeUtf8Lossy, encodeHex, errors, goQuote, type ApiError } from '../../foundation/index.js';

/**
 * Thrown for a body that cannot be decoded. The message lacks the enclosing sentence, which differs between a body, a
 * patch and an apply: the caller adds it.
 */
export class DecodeProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DecodeProblem';
  }
}

/** Creates the error 413 of a body with too many objects and lists. */
export function tooManyContainers(limit: number): ApiError {
  return errors.requestEntityTooLarge(`the body has more than ${limit} objects and lists`);
}

/** Kubernetes' message for an empty JSON body, before {@link unrecognizedBody} adds the enclosing sentence. */
export const emptyBodyText = "couldn't get version/kind; json parse error: unexpected end of JSON input";

/** Number of bytes of a body that a message shows. */
const SUMMARY_BYTES = 30;

/** Returns the beginning of a body for a message: as text if it looks like JSON, otherwise in hexadecimal. */
export function summarizeBody(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const head = body.length > SUMMARY_BYTES ? body.subarray(0, SUMMARY_BYTES) : body;
  const tail = body.length > SUMMARY_BYTES ? ' ...' : '';
  if (body[0] === 0x7b) return `${decodeUtf8Lossy(head)}${tail}`;
  return `${encodeHex(head)}${tail}`;
}

/**
 * Creates the error 400 for a body whose kind cannot be decoded.
 *
 * @param kind the kind that the path expects
 * @param cause the problem
 * @param body the bytes, for a summary
 */
export function unrecognizedBody(kind: string, cause: string, body: Uint8Array): ApiError {
  return errors.badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${cause} (${summarizeBody(body)})`,
  );
}

/**
 * Creates the error 400 for a body with a known kind and invalid content.
 *
 * @param found kind and version in the body
 * @param kind the kind that the path expects
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
