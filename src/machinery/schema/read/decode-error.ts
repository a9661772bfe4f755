/**
 * Thrown for a value that its field does not allow: the wrong JSON type, or an invalid time, quantity or base64 string.
 * The server answers 400 with its message.
 */
export class DecodeTypeError extends Error {
  /** Path of the value, such as `spec.containers[0].image`. Empty for the whole object. */
  readonly path: string;

  /**
   * @param path path of the value
   * @param message the message of the Kubernetes decoder
   */
  constructor(path: string, message: string) {
    super(message);
    this.name = 'DecodeTypeError';
    this.path = path;
  }
}

/**
 * Thrown by a scalar decoder, which does not know the path of its value. Never leaves this folder.
 *
 * Without `complete`, the value has the wrong JSON type `found`, and the message needs the type of the field, or
 * `goType` for a type that decodes itself from another type. With `complete`, the message is final and has no path.
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

/** The Kubernetes decoder's text for a value that must be an object or a boolean. */
export const BOOLEAN_OR_OBJECT = 'boolean or JSON schema expected';

/** Returns the Kubernetes decoder's name for the type of a JSON value. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
