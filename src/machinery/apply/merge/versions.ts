import { ApiError, type JsonObject } from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { TypedError } from '../typed/errors.js';
import type { Type, Types } from '../typed/type.js';
import { validate } from '../typed/validate.js';

/** An object with the version in which it is written and the type of that version. */
export interface VersionedObject {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly type: Type;
}

/**
 * Thrown by a {@link Convert} whose result has to be waited for. The caller of the field manager waits and repeats the
 * call, for which the conversion then returns the result.
 */
export class ConversionPending extends Error {
  override readonly name = 'ConversionPending';
  /** Resolves when the result is known. Never rejects. */
  readonly done: Promise<void>;

  constructor(done: Promise<void>) {
    super('the conversion is not complete');
    this.done = done;
  }
}

/**
 * Converts an object to another version of its kind.
 *
 * @returns undefined when the version does not exist or no longer exists
 * @throws ConversionPending while the result is unknown
 */
export type Convert = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly schema: StructuralSchema } | undefined;

/** A conversion that also returns the type of the version. */
export type TypedConvert = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly type: Type } | undefined;

/**
 * Returns a conversion with the types of the versions; undefined without a conversion. As in Kubernetes, a converted
 * object that does not match its schema fails the operation.
 */
export function typedConvert(convert: Convert | undefined, types: Types): TypedConvert | undefined {
  return (
    convert &&
    ((object, apiVersion) => {
      const converted = convert(object, apiVersion);
      if (converted === undefined) return undefined;
      const type = types.of(converted.schema);
      checkConverted(converted.object, type);
      return { object: converted.object, type };
    })
  );
}

function checkConverted(object: JsonObject, type: Type): void {
  try {
    validate(object, type, { allowDuplicates: true });
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    throw new ApiError({ message: error.message, code: 500 }, { cause: error });
  }
}

/**
 * Returns the object in a version; undefined when the version does not exist. The object's own version needs no
 * conversion.
 */
export function toVersion(
  value: VersionedObject,
  apiVersion: string,
  convert: TypedConvert | undefined,
): VersionedObject | undefined {
  if (value.apiVersion === apiVersion) return value;
  const converted = convert?.(value.object, apiVersion);
  return converted && { ...converted, apiVersion };
}
