import { describe, expect, it } from 'vitest';
import {
  anyType,
  boolType,
  bytesType,
  CelCompileError,
  CelEvaluationError,
  CelTypeValue,
  CelUint,
  createCelEnvironment,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  uintType,
  ValueList,
  ValueMap,
  type CelType,
  type CelValue,
} from '../../../src/machinery/cel/index.js';
import { plain } from './support.js';

/** Cases of google/cel-spec, from the package `@bufbuild/cel-spec`: data only. */
interface Case {
  readonly original: {
    readonly name?: string;
    readonly expr: string;
    readonly value?: Json;
    readonly evalError?: unknown;
    readonly bindings?: Readonly<Record<string, Json>>;
    readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: Json } }[];
    readonly container?: string;
    readonly disableMacros?: boolean;
  };
  readonly type?: string;
  /** Why the reference implementation does not compile it. */
  readonly error?: string;
}
interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly Case[];
}
type Json = Readonly<Record<string, unknown>>;

const specifier = '@bufbuild/cel-spec/testdata/conformance.js';
const loaded = (await import(/* @vite-ignore */ specifier).catch(() => undefined)) as
  { readonly tests: Suite } | undefined;

/**
 * Suites of the parts of the language that Kubernetes and this server support. The others are protocol buffers and
 * later libraries.
 */
const SUITES = [
  'basic',
  'comparisons',
  'conversions',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'namespace',
  'optionals',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
];

/** Failing cases, each with the reason. */
const EXCEPTIONS: readonly { readonly reason: string; readonly matches: (test: Case['original']) => boolean }[] = [
  {
    reason: 'the parser has no quoted fields, which are newer than Kubernetes 1.31',
    matches: ({ expr }) => expr.includes('.`'),
  },
  {
    reason: 'refused at compile time, as in Kubernetes',
    matches: ({ expr }) => /^(timestamp\('(0000|10000)-|duration\('-?[23]\d{11}s'\))/.test(expr),
  },
  {
    reason: 'the clause %d of release 1.31 is for integers alone',
    matches: ({ expr }) => /"%d"\.format\(\[double\(/.test(expr),
  },
  {
    reason: 'a constant conversion that fails, refused when it is compiled as in release 1.31',
    matches: ({ expr, evalError }) => evalError !== undefined && /^(u?int|string|bool)\([^()]*\)$/.test(expr),
  },
];

const usesMessages = ({ original }: Case): boolean =>
  /TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)/.test(original.expr) ||
  /objectValue|enumValue/.test(JSON.stringify(original)) ||
  (original.container ?? '') !== '' ||
  original.disableMacros === true;

function* casesOf(suite: Suite, path: readonly string[] = []): Iterable<readonly [string, Case]> {
  for (const test of suite.tests ?? [])
    yield [[...path, suite.name, test.original.name ?? test.original.expr].join(' / '), test];
  for (const inner of suite.suites ?? []) yield* casesOf(inner, [...path, suite.name]);
}

const decoders: Readonly<Record<string, (value: never) => CelValue>> = {
  int64Value: (value: string) => BigInt(value),
  uint64Value: (value: string) => new CelUint(BigInt(value)),
  doubleValue: (value: number | string) => Number(value),
  stringValue: (value: string) => value,
  boolValue: (value: boolean) => value,
  nullValue: () => null,
  bytesValue: (value: string) => Uint8Array.from(atob(value), (character) => character.charCodeAt(0)),
  typeValue: (value: string) => new CelTypeValue(value),
  listValue: ({ values = [] }: { values?: readonly Json[] }) => new ValueList(values.map(decode)),
  mapValue: ({ entries = [] }: { entries?: readonly { key: Json; value: Json }[] }) => {
    const map = new ValueMap();
    for (const { key, value } of entries) map.add(decode(key), decode(value));
    return map;
  },
};

function decode(value: Json): CelValue {
  const [[kind, content] = ['nullValue', null]] = Object.entries(value);
  return decoders[kind]?.(content as never) ?? null;
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};
const wellKnown: Readonly<Record<string, CelType>> = { ANY: anyType, TIMESTAMP: timestampType, DURATION: durationType };

function decodeType(type: Json): CelType {
  const {
    primitive,
    listType: list,
    mapType: map,
    wellKnown: known,
    abstractType,
  } = type as Record<string, Json & string>;
  if (primitive !== undefined) return primitives[primitive] ?? dynType;
  if (list !== undefined) return listType(decodeType(list['elemType'] as Json));
  if (map !== undefined) return mapType(decodeType(map['keyType'] as Json), decodeType(map['valueType'] as Json));
  if (known !== undefined) return wellKnown[known] ?? dynType;
  if (abstractType !== undefined) return optionalType(decodeType((abstractType['parameterTypes'] as Json[])[0] ?? {}));
  return 'null' in type ? nullType : dynType;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * The output of `%s` for lists and maps in release 1.31, whose members are literals of the language, by the name of the
 * case.
 */
const LITERALS_WITHIN: Readonly<Record<string, string>> = {
  'list support for string': '["abc", 3.140000, null, [9, 8, 7, 6], timestamp("2023-02-03T23:31:20Z")]',
  'map support for string': '{"key1":b"xyz", "key2":duration("7200s"), "key3":2.718280, "key4":true, "key5":null}',
  'map support (all key types)': '{1:"value1", 2:"value2", true:"NaN"}',
  'dyntype NaN/infinity support': '["NaN", "+Inf", "-Inf"]',
  'dyntype support for lists': '[6, 4.200000, "a string"]',
  'dyntype support for maps': '{"strKey":"x", 6:duration("422s"), true:42}',
};

/** The specification is newer than release 1.31, which writes doubles of `%e` and `%f` in English notation. */
function asInRelease131({ expr, name = '' }: Case['original'], value: unknown): unknown {
  if (expr.includes('.format(') && Object.hasOwn(LITERALS_WITHIN, name)) return LITERALS_WITHIN[name];
  if (typeof value !== 'string' || !/%[.\d]*[ef].*\.format\(|^str_var\.format/s.test(expr)) return value;
  const scientific = value.replaceAll(
    /(\d)e([-+])(\d\d+)/g,
    (_, digit: string, sign: string, exponent: string) =>
      `${digit}\u202f×\u202f10${sign === '-' ? '⁻' : ''}${[...exponent].map((one) => SUPERSCRIPTS[Number(one)]).join('')}`,
  );
  return scientific.replaceAll('Infinity', '∞');
}

/** The result of the case: a value, or the class of its error. */
async function outcome({
  original,
}: Case): Promise<{ readonly type?: string; readonly value?: unknown; readonly error?: string }> {
  const variables: Record<string, CelType> = Object.fromEntries(
    Object.keys(original.bindings ?? {}).map((name) => [name, dynType]),
  );
  for (const { name, ident } of original.typeEnv ?? [])
    if (ident !== undefined) variables[name] = decodeType(ident.type);
  const values = Object.fromEntries(
    Object.entries(original.bindings ?? {}).map(([name, value]) => [name, decode((value['value'] ?? value) as Json)]),
  );
  const environment = await createCelEnvironment({ variables, homogeneousLiterals: false });
  try {
    const program = environment.compile(original.expr);
    const type = formatType(program.type);
    try {
      return { type, value: plain(program.evaluate(values).value) };
    } catch (error) {
      if (error instanceof CelEvaluationError) return { type, error: 'runs' };
      throw error;
    }
  } catch (error) {
    if (error instanceof CelCompileError) return { error: 'compiles' };
    throw error;
  }
}

describe.skipIf(loaded === undefined)('cases of google/cel-spec', () => {
  const suites = (loaded?.tests.suites ?? []).filter(({ name }) => SUITES.includes(name));
  const cases = suites
    .flatMap((suite) => [...casesOf(suite)])
    .filter(([, test]) => !usesMessages(test) && ('value' in test.original || 'evalError' in test.original));

  it('exist', () => {
    expect(cases.length).toBeGreaterThan(1200);
  });

  it.each(cases)('%s', async (_name, test) => {
    const { original } = test;
    const { type, ...result } = await outcome(test);
    if (EXCEPTIONS.some(({ matches }) => matches(original))) return expect(result).toEqual({ error: 'compiles' });
    // Expressions rejected by the reference's checker are rejected here too, whatever an unchecked run would return.
    if (test.error !== undefined && result.error === 'compiles') return;
    if (type !== undefined && test.type !== undefined) expect(type).toBe(test.type);
    expect(result).toEqual(
      original.evalError === undefined
        ? { value: asInRelease131(original, plain(decode(original.value ?? {}))) }
        : { error: 'runs' },
    );
  });
});
