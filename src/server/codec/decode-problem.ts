import {
  ApiError,
  decodeUtf8Lossy,
  encodeHex,
  errors,
  MAX_MEMBERS,
  quotedText,
  shownText,
} from '../../foundation/index.js';

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

/** A body has too many parts: 413. */
export class TooManyParts extends ApiError {
  /** The parts, as a sentence goes on after "has". */
  readonly parts: string;

  constructor(parts: string) {
    super(errors.requestEntityTooLarge(`the body has ${parts}`).status);
    this.parts = parts;
  }
}

/** Creates the error of a body with too many objects and lists. */
export const tooManyContainers = (limit: number): TooManyParts =>
  new TooManyParts(`more than ${limit} objects and lists`);

/** Requires that an object in a body has no more members than {@link MAX_MEMBERS}. @throws TooManyParts */
export function requireMembers(count: number): void {
  if (count > MAX_MEMBERS) throw new TooManyParts(`an object with more than ${MAX_MEMBERS} members`);
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
    `${shownText(found.kind)} in version ${quotedText(found.version)} cannot be handled as a ${kind}: ${cause}`,
  );
}

/** Says that no kind of that name and version exists. Both may be long. */
export const notRegistered = (kind: string, apiVersion: string): string =>
  `no kind ${quotedText(kind)} is registered for version ${quotedText(apiVersion)}`;
