/**
 * A value that cannot be what its field is: the wrong JSON type, or a text that is no time, amount or base64.
 * The server answers 400 with its message.
 */
export class DecodeTypeError extends Error {
  /** Path of the value, `spec.containers[0].image`. Empty for the whole object. */
  readonly path: string;

  /**
   * @param path path of the value
   * @param message the production decoder's words
   */
  constructor(path: string, message: string) {
    super(message);
    this.name = 'DecodeTypeError';
    this.path = path;
  }
}

/**
 * What a scalar decoder throws: it does not know where it is. Never leaves this folder.
 *
 * `complete` undefined: the value is of the wrong JSON type, `found` says of which, and the field's own type completes the
 * message, or `goType` where the type decodes itself by way of another. Otherwise the message is complete, and never says where.
 */
export class ScalarError extends Error {
  readonly complete: string | undefined;
  readonly found: string;
  readonly goType: string | undefined;

  constructor(found: string, complete?: string, goType?: string) {
    super(complete ?? found);
    this.found = found;
    this.complete = complete;
    this.goType = goType;
  }
}

/** The production decoder's word for the type of a JSON value. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
