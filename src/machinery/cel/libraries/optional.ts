/**
 * Optional values: `optional.of(x)`, `a.?b`, `o.orValue(x)`, … `or`, `orValue` and the selections are declared here for
 * their types; the planner evaluates their argument only without a value.
 *
 * @module
 */
import { failure } from '../evaluate/failures.js';
import { CelDuration, CelTimestamp } from '../evaluate/time-values.js';
import { CelList, CelMap, CelOptional, CelUint, type CelValue } from '../evaluate/values.js';
import { OPTIONAL_SELECT } from '../syntax/ast.js';
import { optionalMacros } from '../syntax/macros.js';
import { declare, method, overload, type CelLibrary } from '../types/declarations.js';
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  stringType,
  typeParameter,
} from '../types/types.js';
import { planned } from './operators.js';

const K = typeParameter('K');
const V = typeParameter('V');

/** The zero of Go's times: the start of the year 1. */
const ZERO_TIME_NANOS = -62_135_596_800n * 1_000_000_000n;

/** Returns true for the zero value of a type, which `ofNonZeroValue` treats as absent. */
function isZero(value: CelValue): boolean {
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.nanos === ZERO_TIME_NANOS;
  return value === null || value === '' || value === 0n || value === 0 || value === false;
}

/** Optional values as in Kubernetes. */
export const optionalLibrary: CelLibrary = {
  name: 'optional',
  macros: optionalMacros,
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [V], optionalType(V), ([value]) => CelOptional.of(value)),
    ),
    declare(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', [V], optionalType(V), ([value]) =>
        CelOptional.of(isZero(value) ? undefined : value),
      ),
    ),
    declare(
      'optional.none',
      overload('optional_none', [], optionalType(V), () => CelOptional.none),
    ),
    declare(
      'value',
      method('optional_value', [optionalType(V)], V, ([optional]) =>
        optional.value === undefined ? failure('optional.none() dereference') : optional.value,
      ),
    ),
    declare(
      'hasValue',
      method('optional_hasValue', [optionalType(V)], boolType, ([optional]) => optional.value !== undefined),
    ),
    declare('or', method('optional_or_optional', [optionalType(V), optionalType(V)], optionalType(V), planned)),
    declare('orValue', method('optional_orValue_value', [optionalType(V), V], V, planned)),
    declare(OPTIONAL_SELECT, overload('select_optional_field', [dynType, stringType], optionalType(V), planned)),
    declare(
      '_[?_]',
      overload('list_optindex_optional_int', [listType(V), intType], optionalType(V), planned),
      overload('optional_list_optindex_optional_int', [optionalType(listType(V)), intType], optionalType(V), planned),
      overload('map_optindex_optional_value', [mapType(K, V), K], optionalType(V), planned),
      overload('optional_map_optindex_optional_value', [optionalType(mapType(K, V)), K], optionalType(V), planned),
    ),
    declare(
      '_[_]',
      overload('optional_list_index_int', [optionalType(listType(V)), intType], optionalType(V), planned),
      overload('optional_map_index_value', [optionalType(mapType(K, V)), K], optionalType(V), planned),
    ),
  ],
};
