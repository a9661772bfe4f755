import {
  ApiError,
  isSteps,
  resultOf,
  type JsonObject,
  type MaybeSteps,
  type Steps,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { TypedError } from '../typed/errors.js';
import type { Type, Types } from '../typed/type.js';
import type { Pace } from './pace.js';

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
 * Converts an object to another version of its kind. The object may lack any of its fields: the rules remove fields from
 * an object, and convert the rest.
 *
 * @returns the result, or steps to it; undefined when the version does not exist or no longer exists
 * @throws ConversionPending while the result is unknown
 */
export type Convert = (
  object: JsonObject,
  apiVersion: string,
) => MaybeSteps<{ readonly object: JsonObject; readonly schema: StructuralSchema } | undefined>;

/** An object in a version, and the type of that version. */
type Converted = Pick<VersionedObject, 'object' | 'type'>;

/** A conversion that also returns the type of the version. */
export type TypedConvert = (object: JsonObject, apiVersion: string, pace: Pace) => Steps<Converted | undefined>;

/**
 * Returns a conversion with the types of the versions; undefined without a conversion. As in Kubernetes, a converted
 * object that does not match its schema fails the operation.
 */
export function typedConvert(convert: Convert | undefined, types: Types): TypedConvert | undefined {
  if (convert === undefined) return undefined;
  return function* (object, apiVersion, pace) {
    const made = yield* resultOf(convert(object, apiVersion));
    if (made === undefined) return undefined;
    const converted = { object: made.object, type: types.of(made.schema) };
    yield* checkConverted(converted, pace);
    return converted;
  };
}

function* checkConverted({ object, type }: Converted, pace: Pace): Steps<void> {
  try {
    const validating = pace.validate(object, type, { allowDuplicates: true });
    if (isSteps(validating)) yield* validating;
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
  pace: Pace,
): MaybeSteps<VersionedObject | undefined> {
  if (value.apiVersion === apiVersion) return value;
  return convert && convertedTo(value, apiVersion, convert, pace);
}

function* convertedTo(
  { object }: VersionedObject,
  apiVersion: string,
  convert: TypedConvert,
  pace: Pace,
): Steps<VersionedObject | undefined> {
  const converted = yield* convert(object, apiVersion, pace);
  return converted && { ...converted, apiVersion };
}
