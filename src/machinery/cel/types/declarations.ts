/**
 * Function declarations: a name, and overloads by parameter types. Operators are functions too.
 *
 * @module
 */
import { atOnce, type Steps } from '../../../foundation/index.js';
import type { CallEstimator } from '../cost/estimate.js';
import type { Meter } from '../cost/meter.js';
import type { CelFailure } from '../evaluate/failures.js';
import type { EvaluationPatterns } from '../evaluate/regular-expressions.js';
import { CelDuration, CelTimestamp } from '../evaluate/time-values.js';
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from '../evaluate/values.js';
import type { Macro } from '../syntax/macros.js';
import { dynType, innerType, partsOf, type CelOpaqueType, type CelType } from './types.js';

/** The result of a function: a value, or an error as a value. */
export type CelResult = CelValue | CelFailure;

/** The context of function calls besides their arguments. Opaque: only functions of the server read it. */
export interface CelRuntime {
  /** @internal */
  readonly meter: Meter;
  /** @internal */
  readonly patterns: EvaluationPatterns;
}

/** One overload of a function. */
export interface Overload {
  /** Its name in Kubernetes. */
  readonly id: string;
  /** True for a method, `target.f(…)`; the target is the first parameter. */
  readonly isMethod: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Called with arguments of the parameter types; for lists and maps, only the kind is checked. */
  readonly call: (args: readonly CelValue[], runtime: CelRuntime) => CelResult;
  /**
   * Makes the call in steps, for a call that can take long; it then has the result of `call`.
   *
   * @internal
   */
  readonly steps?: ((args: readonly CelValue[], runtime: CelRuntime) => Steps<CelResult>) | undefined;
  /**
   * Returns false for arguments with which the call does not take long. Default true.
   *
   * @internal
   */
  readonly takesLong?: ((args: readonly CelValue[]) => boolean) | undefined;
  /** Returns the cost of a call, charged before the call. Default 1. */
  readonly cost?: ((args: readonly CelValue[]) => number) | undefined;
  /** Estimates the cost of a call before its evaluation. Default exactly 1. */
  readonly estimate?: CallEstimator | undefined;
}

/** A function with all its overloads. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A set of functions and macros, to be added to an environment. */
export interface CelLibrary {
  /** A name for readers. */
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  /** @internal */
  readonly macros?: readonly Macro[] | undefined;
  /** Types that expressions can name: `type(x) == net.IP`. */
  readonly types?: readonly CelOpaqueType[] | undefined;
}

/** The values that parameters of these types have, as the implementation of a function gets them. */
export type CelValuesOf<Types extends readonly CelType[]> = {
  [Index in keyof Types]: Types[Index] extends CelOpaqueType<infer Value>
    ? Value
    : {
        bool: boolean;
        int: bigint;
        uint: CelUint;
        double: number;
        string: string;
        bytes: Uint8Array;
        null: null;
        timestamp: CelTimestamp;
        duration: CelDuration;
        dyn: CelValue;
        any: CelValue;
        error: CelValue;
        list: CelList;
        map: CelMap;
        optional: CelOptional;
        type: CelTypeValue;
        object: CelMap;
        opaque: CelOpaque;
        parameter: CelValue;
      }[Types[Index]['kind']];
};

/**
 * Declares an overload `f(a, b)`.
 *
 * @param call receives arguments of the parameter kinds; members of lists and maps may have any type
 */
export function overload<const Types extends readonly CelType[]>(
  id: string,
  parameters: Types,
  result: CelType,
  call: (args: CelValuesOf<Types>, runtime: CelRuntime) => CelResult,
  cost?: (args: CelValuesOf<Types>) => number,
): Overload {
  return {
    id,
    isMethod: false,
    parameters,
    result,
    call: erased(call),
    cost: cost === undefined ? undefined : erased(cost),
  };
}

/** Declares an overload `a.f(b)` whose calls can take long; otherwise like {@link overload}. */
export function methodInSteps<const Types extends readonly CelType[]>(
  id: string,
  parameters: Types,
  result: CelType,
  steps: (args: CelValuesOf<Types>, runtime: CelRuntime) => Steps<CelResult>,
  cost?: (args: CelValuesOf<Types>) => number,
): Overload {
  const call = (args: CelValuesOf<Types>, runtime: CelRuntime): CelResult => atOnce(steps(args, runtime));
  return { ...method(id, parameters, result, call, cost), steps: erased(steps) };
}

/** Declares an overload `f(a, b)` whose calls can take long; otherwise like {@link overload}. */
export function overloadInSteps<const Types extends readonly CelType[]>(
  id: string,
  parameters: Types,
  result: CelType,
  steps: (args: CelValuesOf<Types>, runtime: CelRuntime) => Steps<CelResult>,
  cost?: (args: CelValuesOf<Types>) => number,
): Overload {
  return { ...methodInSteps(id, parameters, result, steps, cost), isMethod: false };
}

/** Erases the argument types. The planner checks every argument with `isOfType` before it calls an overload. */
function erased<Rest extends readonly unknown[], Result>(
  call: (args: never, ...rest: Rest) => Result,
): (args: readonly CelValue[], ...rest: Rest) => Result {
  return (args, ...rest) => call(args as never, ...rest);
}

/** Declares an overload `a.f(b)`; otherwise like {@link overload}. */
export function method<const Types extends readonly CelType[]>(
  id: string,
  parameters: Types,
  result: CelType,
  call: (args: CelValuesOf<Types>, runtime: CelRuntime) => CelResult,
  cost?: (args: CelValuesOf<Types>) => number,
): Overload {
  return { ...overload(id, parameters, result, call, cost), isMethod: true };
}

const kindTests: { readonly [Kind in CelType['kind']]: (value: CelValue) => boolean } = {
  bool: (value) => typeof value === 'boolean',
  int: (value) => typeof value === 'bigint',
  uint: (value) => value instanceof CelUint,
  double: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  bytes: (value) => value instanceof Uint8Array,
  null: (value) => value === null,
  timestamp: (value) => value instanceof CelTimestamp,
  duration: (value) => value instanceof CelDuration,
  dyn: () => true,
  any: () => true,
  error: () => true,
  list: (value) => value instanceof CelList,
  map: (value) => value instanceof CelMap,
  optional: (value) => value instanceof CelOptional,
  type: (value) => value instanceof CelTypeValue,
  object: (value) => value instanceof CelMap,
  opaque: (value) => value instanceof CelOpaque,
  parameter: () => true,
};

/** Returns true when a value has a type. Checks only the first member of a list or map, as in Kubernetes. */
export function isOfType(type: CelType, value: CelValue): boolean {
  if (type.kind === 'opaque') return type.accepts(value);
  if (!kindTests[type.kind](value)) return false;
  if (type.kind === 'list' && value instanceof CelList)
    return value.size === 0 || isOfType(innerType(type), value.at(0));
  if (type.kind !== 'map' || !(value instanceof CelMap)) return true;
  for (const key of value.keys())
    return isOfType(partsOf(type)[0] ?? dynType, key) && isOfType(innerType(type), value.get(key) ?? null);
  return true;
}

/** Declares a function with its overloads. */
export const declare = (name: string, ...overloads: readonly Overload[]): FunctionDeclaration => ({ name, overloads });

/** Returns the functions of several libraries by name. Overloads of one name are merged. */
export function mergeFunctions(libraries: readonly CelLibrary[]): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const { functions } of libraries) {
    for (const { name, overloads } of functions)
      merged.set(name, declare(name, ...(merged.get(name)?.overloads ?? []), ...overloads));
  }
  return merged;
}
