/**
 * The types of the expression language: what the checker gives to every part of an expression, and how production names
 * them in its messages (`map(string, any)`, `list(int)`). Source: cel-spec, "Gradual Type Checking".
 *
 * @module
 */

type SimpleKind =
  'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration' | 'dyn' | 'any' | 'error';
type ParametricKind = 'list' | 'map' | 'optional' | 'type';

/** A type without parts. `any` is a dynamic value of a declared variable; it behaves as `dyn` and is shown as `any`. */
export interface CelSimpleType<Kind extends SimpleKind = SimpleKind> {
  readonly kind: Kind;
}

/** A list, a map, an optional value, or the type of types. */
export interface CelParametricType<Kind extends ParametricKind = ParametricKind> {
  readonly kind: Kind;
  readonly parameters: readonly CelType[];
}

/** An object whose fields are known: selecting another one is an error when the expression is compiled. */
export interface CelObjectType {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelType>;
}

/** Stands for any one type in the declaration of a function. */
export interface CelTypeParameter {
  readonly kind: 'parameter';
  readonly name: string;
}

/** A type of the expression language. */
export type CelType = CelSimpleType | CelParametricType | CelObjectType | CelTypeParameter;

const simple = <Kind extends SimpleKind>(kind: Kind): CelSimpleType<Kind> => Object.freeze({ kind });
const parametric = <Kind extends ParametricKind>(kind: Kind, ...parameters: CelType[]): CelParametricType<Kind> =>
  Object.freeze({ kind, parameters });

export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const nullType = simple('null');
export const timestampType = simple('timestamp');
export const durationType = simple('duration');
/** A value whose type is known only when the expression runs. */
export const dynType = simple('dyn');
/** {@link dynType} of a declared variable's members: claims of a token, for one. */
export const anyType = simple('any');
/** What has been reported already, and makes no further errors. */
export const errorType = simple('error');

/** The type of lists whose items are of one type. */
export const listType = (element: CelType): CelParametricType<'list'> => parametric('list', element);
/** The type of maps. Keys are `bool`, `int`, `uint` or `string`. */
export const mapType = (key: CelType, value: CelType): CelParametricType<'map'> => parametric('map', key, value);
/** The type of a value that may be absent. */
export const optionalType = (value: CelType): CelParametricType<'optional'> => parametric('optional', value);
/** The type of a type; without `of`, of any. */
export const typeType = (of?: CelType): CelParametricType<'type'> =>
  parametric('type', ...(of === undefined ? [] : [of]));
/** A stand-in for one type in a function's declaration. */
export const typeParameter = (name: string): CelTypeParameter => Object.freeze({ kind: 'parameter', name });

/**
 * The type of objects with these fields.
 *
 * @param name shown in messages
 * @param fields their types, by name
 */
export function objectType(name: string, fields: Readonly<Record<string, CelType>>): CelObjectType {
  return Object.freeze({ kind: 'object', name, fields: new Map(Object.entries(fields)) });
}

const parametricNames: Readonly<Record<ParametricKind, string>> = {
  list: 'list',
  map: 'map',
  optional: 'optional_type',
  type: 'type',
};

/** The type as production's messages show it. */
export function formatType(type: CelType): string {
  if (type.kind === 'object' || type.kind === 'parameter') return type.name;
  if (!('parameters' in type)) return type.kind === 'error' ? '!error!' : type.kind;
  const name = parametricNames[type.kind];
  return type.parameters.length === 0 ? name : `${name}(${type.parameters.map(formatType).join(', ')})`;
}

/** Arguments of a call, as messages show them: `(int, string)`, or `string.(int)` for a method. */
export function formatArguments(types: readonly CelType[], isMethod: boolean): string {
  const texts = types.map(formatType);
  const [target, ...rest] = texts;
  return isMethod && target !== undefined ? `${target}.(${rest.join(', ')})` : `(${texts.join(', ')})`;
}

/** Whether the type leaves everything to the run. */
export const isDynamic = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'any';

/** What a list, a map, an optional or a type is made of; nothing for all others. */
export const partsOf = (type: CelType): readonly CelType[] => ('parameters' in type ? type.parameters : []);

/** Items of a list, the value of an optional, values of a map. */
export const innerType = (type: CelType): CelType => partsOf(type).at(-1) ?? dynType;
