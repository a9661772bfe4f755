/**
 * The types of CEL, which the checker assigns to every part of an expression, and their names in messages of Kubernetes
 * (`map(string, any)`, `list(int)`). Source: cel-spec, "Gradual Type Checking".
 *
 * @module
 */
import type { CelOpaque, CelValue } from '../evaluate/values.js';

/** The kinds of types without parts. */
export type CelSimpleKind =
  'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration' | 'dyn' | 'any' | 'error';
/** The kinds of types with parts. */
export type CelParametricKind = 'list' | 'map' | 'optional' | 'type';

/**
 * A type without parts. `any` is a dynamic value of a declared variable; it behaves like `dyn`, and messages show
 * `any`.
 */
export interface CelSimpleType<Kind extends CelSimpleKind = CelSimpleKind> {
  readonly kind: Kind;
}

/** A list, a map, an optional value, or the type of types. */
export interface CelParametricType<Kind extends CelParametricKind = CelParametricKind> {
  readonly kind: Kind;
  readonly parameters: readonly CelType[];
}

/** An object with known fields: selecting another field is a compile-time error. */
export interface CelObjectType {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelType>;
}

/** A type parameter in the declaration of a function. */
export interface CelTypeParameter {
  readonly kind: 'parameter';
  readonly name: string;
}

/** A type whose values only functions can read, such as `net.IP`. */
export interface CelOpaqueType<Value extends CelOpaque = CelOpaque> {
  readonly kind: 'opaque';
  readonly name: string;
  /** True for a type that Kubernetes declares as a message. Only the error of a field selection differs. */
  readonly isMessage: boolean;
  /** Returns true for values of this type. */
  readonly accepts: (value: CelValue) => value is Value;
}

/** A type of CEL. */
export type CelType = CelSimpleType | CelParametricType | CelObjectType | CelOpaqueType | CelTypeParameter;

const simple = <Kind extends CelSimpleKind>(kind: Kind): CelSimpleType<Kind> => Object.freeze({ kind });
const parametric = <Kind extends CelParametricKind>(kind: Kind, ...parameters: CelType[]): CelParametricType<Kind> =>
  Object.freeze({ kind, parameters });

/** True or false. */
export const boolType = simple('bool');
/** A signed 64-bit integer. */
export const intType = simple('int');
/** An unsigned 64-bit integer. */
export const uintType = simple('uint');
/** A 64-bit floating-point number. */
export const doubleType = simple('double');
/** A string of Unicode code points. */
export const stringType = simple('string');
/** A string of bytes. */
export const bytesType = simple('bytes');
/** Null. */
export const nullType = simple('null');
/** A point in time. */
export const timestampType = simple('timestamp');
/** A length of time. */
export const durationType = simple('duration');
/** A value whose type is known only in an evaluation. */
export const dynType = simple('dyn');
/** {@link dynType} for members of a declared variable, such as the claims of a token. */
export const anyType = simple('any');
/** The type of an expression with a reported error, which causes no further errors. */
export const errorType = simple('error');

/** Returns the type of lists with items of one type. */
export const listType = (element: CelType): CelParametricType<'list'> => parametric('list', element);
/** Returns the type of maps. Keys are `bool`, `int`, `uint` or `string`. */
export const mapType = (key: CelType, value: CelType): CelParametricType<'map'> => parametric('map', key, value);
/** Returns the type of a value that may be absent. */
export const optionalType = (value: CelType): CelParametricType<'optional'> => parametric('optional', value);
/** Returns the type of a type; without `of`, of any type. */
export const typeType = (of?: CelType): CelParametricType<'type'> =>
  parametric('type', ...(of === undefined ? [] : [of]));
/** Returns a type parameter of a function's declaration. */
export const typeParameter = (name: string): CelTypeParameter => Object.freeze({ kind: 'parameter', name });

/**
 * Returns the type of objects with these fields.
 *
 * @param name shown in messages
 * @param fields types of the fields, by name
 */
export function objectType(name: string, fields: Readonly<Record<string, CelType>>): CelObjectType {
  return Object.freeze({ kind: 'object', name, fields: new Map(Object.entries(fields)) });
}

/**
 * Returns the type of the values of a class.
 *
 * @param name shown in messages
 * @param valueClass the class of the values
 * @param isMessage true for a type that Kubernetes declares as a message
 */
export function opaqueType<Value extends CelOpaque>(
  name: string,
  valueClass: abstract new (...args: never) => Value,
  isMessage = true,
): CelOpaqueType<Value> {
  return Object.freeze({
    kind: 'opaque',
    name,
    isMessage,
    accepts: (value: CelValue): value is Value => value instanceof valueClass,
  });
}

const parametricNames: Readonly<Record<CelParametricKind, string>> = {
  list: 'list',
  map: 'map',
  optional: 'optional_type',
  type: 'type',
};

/** Formats a type as in messages of Kubernetes. */
export function formatType(type: CelType): string {
  if (type.kind === 'object' || type.kind === 'opaque' || type.kind === 'parameter') return type.name;
  if (!('parameters' in type)) return type.kind === 'error' ? '!error!' : type.kind;
  const name = parametricNames[type.kind];
  return type.parameters.length === 0 ? name : `${name}(${type.parameters.map(formatType).join(', ')})`;
}

/** Formats the arguments of a call for messages: `(int, string)`, or `string.(int)` for a method. */
export function formatArguments(types: readonly CelType[], isMethod: boolean): string {
  const texts = types.map(formatType);
  const [target, ...rest] = texts;
  return isMethod && target !== undefined ? `${target}.(${rest.join(', ')})` : `(${texts.join(', ')})`;
}

/** Returns true for a type that is known only in an evaluation. */
export const isDynamic = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'any';

/** Returns the parameters of a list, a map, an optional or a type; none for other types. */
export const partsOf = (type: CelType): readonly CelType[] => ('parameters' in type ? type.parameters : []);

/** Returns the type of a list's items, of an optional's value, or of a map's values. */
export const innerType = (type: CelType): CelType => partsOf(type).at(-1) ?? dynType;
