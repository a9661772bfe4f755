/**
 * Names of types in expressions: `type(x) == int`.
 *
 * @module
 */
import { CelTypeValue } from '../evaluate/values.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from './types.js';

const types: readonly (readonly [string, CelType])[] = [
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['google.protobuf.Duration', durationType],
  ['google.protobuf.Timestamp', timestampType],
  ['int', intType],
  ['list', listType(dynType)],
  ['map', mapType(dynType, dynType)],
  ['null_type', nullType],
  ['optional_type', optionalType(dynType)],
  ['string', stringType],
  ['type', typeType()],
  ['uint', uintType],
];

/** Types by their names in expressions. */
export const typeNames: ReadonlyMap<string, { readonly type: CelType; readonly value: CelTypeValue }> = new Map(
  types.map(([name, type]) => [name, { type: typeType(type), value: new CelTypeValue(name) }]),
);
