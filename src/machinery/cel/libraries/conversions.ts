/**
 * Conversions of the standard environment: `int(x)`, `string(x)`, `timestamp(x)`, … and `type(x)`, `dyn(x)`, `size(x)`.
 *
 * @module
 */
import { decodeValidUtf8, encodeUtf8, utf8Length, type Steps } from '../../../foundation/index.js';
import { textCost, traversalCost } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { formatDouble } from '../evaluate/numbers.js';
import { parseDuration, parseTimestamp, timestampOfSeconds } from '../evaluate/time-values.js';
import { CelTypeValue, typeNameOf, type CelValue } from '../evaluate/values.js';
import {
  declare,
  method,
  methodInSteps,
  overload,
  overloadInSteps,
  type CelResult,
  type CelRuntime,
  type FunctionDeclaration,
} from '../types/declarations.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParameter,
  typeType,
  uintType,
  type CelType,
} from '../types/types.js';
import { checkedInt, checkedUint } from './operators.js';
import { countCharacters } from './string-positions.js';

const A = typeParameter('A');
const B = typeParameter('B');
const TWO_TO_63 = 2 ** 63;
const TWO_TO_64 = 2 ** 64;

const cannotConvert = (from: string, to: string): CelResult =>
  failure(`type conversion error from '${from}' to '${to}'`);

/** Declares the conversion of a type to itself. */
const identity = (type: CelType, name: string) => overload(`${name}_to_${name}`, [type], type, ([value]) => value);

/** The booleans, by the texts that Go accepts for them. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

const toInt = declare(
  'int',
  identity(intType, 'int64'),
  overload('double_to_int64', [doubleType], intType, ([value]) =>
    value > -TWO_TO_63 && value < TWO_TO_63 ? BigInt(Math.trunc(value)) : failure('integer overflow'),
  ),
  overload('string_to_int64', [stringType], intType, ([text]) => {
    const value = /^[-+]?\d{1,32}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
    return value === undefined || BigInt.asIntN(64, value) !== value ? cannotConvert('string', 'int') : value;
  }),
  overload('timestamp_to_int64', [timestampType], intType, ([value]) => value.seconds),
  overload('uint64_to_int64', [uintType], intType, ([{ value }]) => checkedInt(value)),
);

const toUint = declare(
  'uint',
  identity(uintType, 'uint64'),
  overload('double_to_uint64', [doubleType], uintType, ([value]) =>
    value >= 0 && value < TWO_TO_64 ? checkedUint(BigInt(Math.trunc(value))) : failure('unsigned integer overflow'),
  ),
  overload('int64_to_uint64', [intType], uintType, ([value]) => checkedUint(value)),
  overload('string_to_uint64', [stringType], uintType, ([text]) => {
    const value = /^\d{1,32}$/.test(text) ? BigInt(text) : undefined;
    return value === undefined || BigInt.asUintN(64, value) !== value
      ? cannotConvert('string', 'uint')
      : checkedUint(value);
  }),
);

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

function parseDouble(text: string): CelResult {
  if (text.length <= 1000 && NUMBER.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : cannotConvert('string', 'double');
  }
  const special = /^([-+]?)(inf|infinity|nan)$/i.exec(text);
  if (special === null || (special[2]?.toLowerCase() === 'nan' && special[1] !== ''))
    return cannotConvert('string', 'double');
  if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const toDouble = declare(
  'double',
  identity(doubleType, 'double'),
  overload('int64_to_double', [intType], doubleType, ([value]) => Number(value)),
  overload('string_to_double', [stringType], doubleType, ([text]) => parseDouble(text)),
  overload('uint64_to_double', [uintType], doubleType, ([{ value }]) => Number(value)),
);

const toString = declare(
  'string',
  identity(stringType, 'string'),
  overload('bool_to_string', [boolType], stringType, ([value]) => String(value)),
  overload(
    'bytes_to_string',
    [bytesType],
    stringType,
    ([value], { meter }) => {
      meter.makeText(value.length);
      return decodeValidUtf8(value) ?? failure('invalid UTF-8 in bytes, cannot convert to string');
    },
    ([value]) => traversalCost(value.length),
  ),
  overload('double_to_string', [doubleType], stringType, ([value]) => formatDouble(value)),
  overload('duration_to_string', [durationType], stringType, ([value]) => value.toString()),
  overload('int64_to_string', [intType], stringType, ([value]) => String(value)),
  overload('timestamp_to_string', [timestampType], stringType, ([value]) => value.toString()),
  overload('uint64_to_string', [uintType], stringType, ([{ value }]) => String(value)),
);

function* sizeOfText([text]: readonly [string], { meter }: CelRuntime): Steps<bigint> {
  return BigInt(yield* countCharacters(text, meter));
}

const size = declare(
  'size',
  ...[overload, method].flatMap((form, index) => {
    const formInSteps = index === 0 ? overloadInSteps : methodInSteps;
    const id = (name: string): string => (index === 0 ? `size_${name}` : `${name}_size`);
    return [
      formInSteps(id('string'), [stringType], intType, sizeOfText),
      form(id('bytes'), [bytesType], intType, ([value]) => BigInt(value.length)),
      form(id('list'), [listType(A)], intType, ([value]) => BigInt(value.size)),
      form(id('map'), [mapType(A, B)], intType, ([value]) => BigInt(value.size)),
    ];
  }),
);

const typeOf = ([value]: readonly [CelValue]): CelResult => new CelTypeValue(typeNameOf(value));

/** The conversion functions. */
export const conversions: readonly FunctionDeclaration[] = [
  declare(
    'bool',
    identity(boolType, 'bool'),
    overload(
      'string_to_bool',
      [stringType],
      boolType,
      ([text]) => booleans.get(text) ?? cannotConvert('string', 'bool'),
    ),
  ),
  declare(
    'bytes',
    identity(bytesType, 'bytes'),
    overload(
      'string_to_bytes',
      [stringType],
      bytesType,
      ([text], { meter }) => (meter.makeText(utf8Length(text)), encodeUtf8(text)),
      ([text]) => textCost(text),
    ),
  ),
  toInt,
  toUint,
  toDouble,
  toString,
  declare(
    'duration',
    identity(durationType, 'duration'),
    overload(
      'string_to_duration',
      [stringType],
      durationType,
      ([text]) => parseDuration(text) ?? cannotConvert('string', 'google.protobuf.Duration'),
    ),
  ),
  declare(
    'timestamp',
    identity(timestampType, 'timestamp'),
    overload(
      'int64_to_timestamp',
      [intType],
      timestampType,
      ([seconds]) => timestampOfSeconds(seconds) ?? failure('timestamp overflow'),
    ),
    overload(
      'string_to_timestamp',
      [stringType],
      timestampType,
      ([text]) => parseTimestamp(text) ?? cannotConvert('string', 'google.protobuf.Timestamp'),
    ),
  ),
  declare(
    'dyn',
    overload('to_dyn', [A], dynType, ([value]) => value),
  ),
  declare('type', overload('type', [A], typeType(A), typeOf)),
  size,
];
