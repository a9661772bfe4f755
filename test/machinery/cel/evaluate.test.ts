import { describe, expect, it } from 'vitest';
import {
  anyType,
  boolType,
  CelCompileError,
  CelEvaluationError,
  createCelEnvironment,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
} from '../../../src/machinery/cel/index.js';
import { evaluate } from './support.js';

const claims = {
  iss: 'https://issuer.example',
  sub: 'jane',
  aud: ['api', 'other'],
  exp: 1_700_000_000,
  ratio: 0.5,
  email: 'Jane@Example.com',
  email_verified: true,
  groups: ['dev', 'admin:cluster', ''],
  roles: 'a,b,c',
  nothing: null,
  address: { country: 'CH', lines: ['one', 'two'] },
  'dashed-name': 'dashed',
};
const variables = {
  claims: mapType(stringType, anyType),
  d: dynType,
  flags: mapType(stringType, boolType),
  n: intType,
  list: listType(intType),
};
const values = { claims, d: 1, flags: { on: true }, n: 7, list: [1, 2, 3] };

/** Expressions with the values that cel-spec defines. Integers are bigints. */
const table: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  literals: [
    ['1', 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['0xFF', 255n],
    ['-0x10', -16n],
    ['18446744073709551615u', '18446744073709551615u'],
    ['1.5e3', 1500],
    ['"a\\u00e9\\n\\x41\\101"', 'aé\nAA'],
    ["r'\\d'", '\\d'],
    ['"""a"b"""', 'a"b'],
    ['b"\\xff\\101"', Uint8Array.from([255, 65])],
    ['b"é"', Uint8Array.from([0xc3, 0xa9])],
    ['null', null],
    ['[1, 2,]', [1n, 2n]],
    [
      '{"a": 1, "b": 2}',
      new Map([
        ['a', 1n],
        ['b', 2n],
      ]),
    ],
    ['{1: "a", 2: "b"}[2]', 'b'],
    ['1 // one\n + 1', 2n],
  ],
  arithmetic: [
    ['7 / 2', 3n],
    ['-7 / 2', -3n],
    ['-7 % 2', -1n],
    ['7u % 4u', '3u'],
    ['1 - 2 - 3', -4n],
    ['2 * 3 + 4', 10n],
    ['-(1 + 2)', -3n],
    ['--1', 1n],
    ['1.0 / 0.0', Number.POSITIVE_INFINITY],
    ['"a" + "b"', 'ab'],
    ['[1] + [2]', [1n, 2n]],
    ['b"a" + b"b"', Uint8Array.from([97, 98])],
    ['n + 1', 8n],
  ],
  comparison: [
    ['1 < 2.5', true],
    ['2u >= 2', true],
    ['dyn(1) == 1.0', true],
    ['dyn(1u) == 1', true],
    ['dyn("1") == 1', false],
    ['dyn(9223372036854775807) < 9223372036854775808.0', false],
    ['[1, 2] == [1, 2]', true],
    ['dyn([1, 2]) == [1.0, 2.0]', true],
    ['{"a": [1]} == {"a": [1]}', true],
    ['{"a": 1} == {"a": 2}', false],
    ['"a" < "b"', true],
    ['"\\uffff" < "\\U0001F600"', true],
    ['b"a" < b"b"', true],
    ['false < true', true],
    ['double("NaN") == double("NaN")', false],
    ['type(1) == int', true],
    ['type(type(1)) == type', true],
    ['type(null) == null_type', true],
    ['1 == 1 == true', true],
    ['false == true > true', false],
    ['false == (true > true)', true],
    ['1 in [1, 2]', true],
    ['dyn(1.0) in [1, 2]', true],
    ['"a" in {"a": 1}', true],
  ],
  logic: [
    ['true || d.missing', true],
    ['d.missing || true', true],
    ['d.missing && false', false],
    ['false || false || true', true],
    ['!true', false],
    ['!!true', true],
    ['true ? 1 : 2', 1n],
    ['false ? d.missing : "x"', 'x'],
  ],
  conversions: [
    ['int("-12")', -12n],
    ['int(3.99)', 3n],
    ['int(timestamp("2009-02-13T23:31:30Z"))', 1_234_567_890n],
    ['uint("7")', '7u'],
    ['double("1.5")', 1.5],
    ['string(1.5)', '1.5'],
    ['string(1000000.0)', '1e+06'],
    ['string(true)', 'true'],
    ['string(b"abc")', 'abc'],
    ['bytes("é")', Uint8Array.from([0xc3, 0xa9])],
    ['bool("True")', true],
    ['size("🐱é")', 2n],
    ['"🐱é".size()', 2n],
    ['size({"a": 1})', 1n],
    ['dyn(1) + dyn(2)', 3n],
  ],
  time: [
    ['timestamp("2023-02-03T23:31:20.5+01:00")', '2023-02-03T23:31:20.5+01:00'],
    ['timestamp(0)', '1970-01-01T00:00:00Z'],
    ['duration("1h15m30.918273645s")', '4530.918273645s'],
    ['duration("-1.5h")', '-5400s'],
    ['timestamp("2009-02-13T23:00:00Z") + duration("90s")', '2009-02-13T23:01:30Z'],
    ['timestamp("2009-02-13T23:00:01Z") - timestamp("2009-02-13T23:00:00.25Z")', '0.75s'],
    ['timestamp("2009-02-13T23:31:30.123Z").getMilliseconds()', 123n],
    ['timestamp("2009-02-13T23:31:30Z").getDayOfMonth()', 12n],
    ['timestamp("2009-02-13T23:31:30Z").getDate()', 13n],
    ['timestamp("2009-02-13T23:31:30Z").getDayOfWeek()', 5n],
    ['timestamp("2009-02-13T23:31:30Z").getDayOfYear()', 43n],
    ['timestamp("2009-02-13T23:31:30Z").getMonth()', 1n],
    ['timestamp("2009-02-13T23:31:30Z").getHours("Australia/Sydney")', 10n],
    ['timestamp("2009-02-13T23:31:30Z").getMinutes("-02:30")', 1n],
    ['duration("3730s").getMinutes()', 62n],
    ['timestamp("2009-02-13T23:31:30Z") < timestamp("2009-02-13T23:31:31Z")', true],
  ],
  macros: [
    ['has(claims.email)', true],
    ['has(claims.phone)', false],
    ['has(claims.nothing)', true],
    ['has({"a": {"b": 1}}.a.b)', true],
    ['[1, 2, 3].all(x, x > 0)', true],
    ['[1, 0].exists(x, 1 / x == 1)', true],
    ['[0, 1].exists(x, 1 / x == 1)', true],
    ['[1, 2, 2].exists_one(x, x == 1)', true],
    ['[1, 2].map(x, x * 2)', [2n, 4n]],
    ['[1, 2, 3].map(x, x > 1, x * 2)', [4n, 6n]],
    ['[1, 2, 3].filter(x, x != 2)', [1n, 3n]],
    ['{"a": 1, "b": 2}.map(k, k)', ['a', 'b']],
    ['[[1, 2], [3]].map(l, l.map(x, x + 1))', [[2n, 3n], [4n]]],
    ['[1].map(x, [x].map(x, x + 1))', [[2n]]],
    ['list.filter(x, x > 1).size()', 2n],
  ],
  claims: [
    ['claims.sub', 'jane'],
    ["claims['dashed-name']", 'dashed'],
    ['claims.address.lines[1]', 'two'],
    ['claims.exp == 1700000000', true],
    ['claims.exp < 1800000000.5', true],
    ['type(claims.exp) == int', true],
    ['type(claims.ratio) == double', true],
    ['claims.email_verified == true && claims.email.endsWith("@Example.com")', true],
    ['claims.groups.exists(g, g.startsWith("admin:"))', true],
    ['claims.groups.filter(g, g != "").map(g, "oidc:" + g)', ['oidc:dev', 'oidc:admin:cluster']],
    ['claims.?department.orValue("none")', 'none'],
    ['claims.?address.country.orValue("none")', 'CH'],
    ['claims.?address.?zip.hasValue()', false],
    ['claims[?"sub"].orValue("none")', 'jane'],
    ['claims.nothing == null', true],
    ['"sub" in claims', true],
    ['claims.aud.size() == 2 && "api" in claims.aud', true],
    [
      '(claims.roles.split(",") + claims.groups).map(role, "role:" + role)',
      ['role:a', 'role:b', 'role:c', 'role:dev', 'role:admin:cluster', 'role:'],
    ],
    ['flags.on', true],
  ],
  optionals: [
    ['optional.of(1)', { some: 1n }],
    ['optional.none()', 'none'],
    ['optional.none().or(optional.of(2)).value()', 2n],
    ['optional.of(null).value()', null],
    ['optional.ofNonZeroValue("").hasValue()', false],
    ['optional.ofNonZeroValue(timestamp("0001-01-01T00:00:00Z")).hasValue()', false],
    ['optional.ofNonZeroValue(timestamp(0)).hasValue()', true],
    ['optional.of(1).optMap(x, x + 1)', { some: 2n }],
    ['optional.none().optMap(x, x + 1)', 'none'],
    ['optional.of({"a": 1}).optFlatMap(m, m.?a)', { some: 1n }],
    ['[1, 2][?5].orValue(9)', 9n],
    ['{"a": {"b": 1}}.?a.b', { some: 1n }],
    ['has(optional.of({"a": 1}).a)', true],
  ],
};

describe('an expression has the value that the language defines', () => {
  for (const [group, rows] of Object.entries(table)) {
    it.each(rows)(`${group}: %s`, async (expression, value) => {
      expect(await evaluate(expression, values, { variables })).toEqual(value);
    });
  }
});

describe('a failing expression has the message of Kubernetes', () => {
  it.each([
    ['claims.phone', 'no such key: phone'],
    ['claims.aud[2]', 'index out of bounds: 2'],
    ['claims.sub.first', 'no such overload'],
    ['claims.exp + "1"', 'no such overload'],
    ['claims.exp && true', 'no such overload'],
    ['claims.exp ? 1 : 2', 'no such overload'],
    ['1 / 0', 'division by zero'],
    ['1 % 0', 'modulus by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['-9223372036854775808 / -1', 'integer overflow'],
    ['0u - 1u', 'unsigned integer overflow'],
    ['timestamp(claims.sub)', "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
    ['timestamp("9999-12-31T23:59:59Z") + duration("1s")', 'timestamp overflow'],
    ['{"a": 1, "a": 2}', 'Failed with repeated key'],
    ['optional.none().value()', 'optional.none() dereference'],
    ['claims.sub.matches(claims.roles + "[")', 'error parsing regexp: missing closing ]: `[`'],
    ['d.missing || false', 'no such overload'],
    ['[1].min() == [].min()', 'min called on empty list'],
    ['"abc".charAt(-1)', 'index out of range: -1'],
  ])('%s', async (expression, message) => {
    await expect(evaluate(expression, values, { variables })).rejects.toThrow(new CelEvaluationError(message));
  });

  it.each([
    ['int(1e30)', 'integer overflow'],
    ['int("x")', "type conversion error from 'string' to 'int'"],
    ['bool("yes")', "type conversion error from 'string' to 'bool'"],
    ['string(b"\\xff")', 'invalid UTF-8 in bytes, cannot convert to string'],
    ['true || int(string("x")) > 0', "type conversion error from 'string' to 'int'"],
    ['"a".find("[") == ""', 'error parsing regexp: missing closing ]: `[`'],
    ['"a".findAll("[", 2) == []', 'error parsing regexp: missing closing ]: `[`'],
    ['"a".matches(string("["))', 'error parsing regexp: missing closing ]: `[`'],
  ])('constants are evaluated at compile time: %s', async (expression, message) => {
    const environment = await createCelEnvironment({ variables });
    expect(() => environment.compile(expression)).toThrow(
      new CelCompileError(`program instantiation failed: ${message}`),
    );
  });

  it.each<[string, unknown]>([
    ['[?claims.?phone, claims.sub, ?claims.?sub]', ['jane', 'jane']],
    [
      '{?"phone": optional.none(), "b": 1, ?"sub": optional.of(2)}',
      new Map<unknown, unknown>([
        ['b', 1n],
        ['sub', 2n],
      ]),
    ],
    ['[ // first\n ?optional.of(1), ?(optional.of(2))].size()', 2n],
    ['2 in [?optional.of(1), 2]', true],
    ['["[?", "{?"]', ['[?', '{?']],
    ['claims.?aud[?5].hasValue() ? 1 : 2', 2n],
  ])('optional elements: %s', async (expression, expected) => {
    expect(await evaluate(expression, { ...values, claims: { sub: 'jane' } }, { variables })).toEqual(expected);
  });

  it('a value that is not optional is no optional element', async () => {
    const environment = await createCelEnvironment({ variables });
    expect(() => environment.compile('[?1]')).toThrow(
      "ERROR: <input>:1:3: expected type 'optional_type(int)' but found 'int'",
    );
    expect(() => environment.compile('[?optional.of(1), "a"]')).toThrow("expected type 'int' but found 'string'");
    expect(() => environment.compile('[?dyn(1)]').evaluate({})).toThrow(
      'cannot initialize optional list element from non-optional value 1',
    );
    expect(() => environment.compile('{?"a": dyn(1)}').evaluate({})).toThrow(
      "cannot initialize optional entry 'a' from non-optional value 1",
    );
  });

  it.each([
    ['string(timestamp("2023-01-01T00:00:00+02:00"))', '2023-01-01T00:00:00+02:00'],
    ['string(timestamp("2023-01-01T00:00:00.5-09:30") + duration("1h"))', '2023-01-01T01:00:00.5-09:30'],
    ['string(timestamp("2023-01-01T00:00:00+00:00"))', '2023-01-01T00:00:00Z'],
    ['"%s".format([timestamp("2023-01-01T00:00:00+02:00")])', '2023-01-01T00:00:00+02:00'],
  ])('a timestamp keeps its zone: %s', async (expression, expected) => {
    expect(await evaluate(expression)).toBe(expected);
    expect(await evaluate('timestamp("2023-01-01T00:00:00+02:00").getHours()')).toBe(22n);
    expect(await evaluate('timestamp("2023-01-01T02:00:00+02:00") == timestamp("2023-01-01T00:00:00Z")')).toBe(true);
  });

  it('a declared variable without a value is an error when it is read', async () => {
    await expect(evaluate('claims.sub', {}, { variables })).rejects.toThrow('no such attribute(s): claims');
  });

  it('names that every object inherits are no keys', async () => {
    expect(
      await evaluate('[has(claims.constructor), has(claims.toString), "__proto__" in claims]', values, { variables }),
    ).toEqual([false, false, false]);
  });
});

describe('leading points and raw bytes', () => {
  it.each<[string, unknown]>([
    ['.5', 0.5],
    ['-.5e-1 + 1.0', 0.95],
    ['[.25, 0.25].all(x, x == .25)', true],
    ['true ? .5 : .75', 0.5],
    ['1.5 == 1.5 && .n == 3', true],
    ['.n + . n', 6n],
    ['{"a": .m}.a.b', 1n],
    ['"a .5" + r".5"', 'a .5.5'],
    ['3 in [.n]', true],
    ["br'a\\\\n' == b'a\\\\\\\\n' && BR'é' == b'é'", true],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression, { n: 3, m: { b: 1 } }, { variables: { n: intType, m: dynType } })).toEqual(value);
  });
});
