import type { JsonObject } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';
import type { Type, Types } from '../typed/type.js';

/** An object together with the version that it is written in and that version's type. */
export interface VersionedObject {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly type: Type;
}

/**
 * Converts an object to another version of its kind.
 *
 * @returns undefined when there is no such version (any more)
 */
export type Convert = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly schema: StructuralSchema } | undefined;

/** A conversion that also says the type of the version. */
export type TypedConvert = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly type: Type } | undefined;

/** A conversion with the types of the versions; undefined without one. */
export function typedConvert(convert: Convert | undefined, types: Types): TypedConvert | undefined {
  return (
    convert &&
    ((object, apiVersion) => {
      const converted = convert(object, apiVersion);
      return converted && { object: converted.object, type: types.of(converted.schema) };
    })
  );
}

/** The object in a version; undefined when there is no such version. The version that it has is no conversion. */
export function toVersion(
  value: VersionedObject,
  apiVersion: string,
  convert: TypedConvert | undefined,
): VersionedObject | undefined {
  if (value.apiVersion === apiVersion) return value;
  const converted = convert?.(value.object, apiVersion);
  return converted && { ...converted, apiVersion };
}
