import { describe, expect, it } from 'vitest';
import {
  anyType,
  boolType,
  CelCompileError,
  createCelEnvironment,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
} from '../../../src/machinery/cel/index.js';
import { compileProblem, evaluate } from './support.js';

const user = objectType('example.UserInfo', {
  username: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
});
const variables = { claims: mapType(stringType, anyType), user, d: dynType, n: intType };

const operands =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

describe('an invalid expression does not compile, with the message of Kubernetes', () => {
  it.each([
    ['foo.bar', "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo.bar\n | ^"],
    [
      'claims + 1',
      "ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(map(string, any), int)'\n | claims + 1\n | .......^",
    ],
    ['user.unknown == "x"', 'ERROR: <input>:1:5: undefined field \'unknown\'\n | user.unknown == "x"\n | ....^'],
    ['has(user.unknown)', "ERROR: <input>:1:4: undefined field 'unknown'\n | has(user.unknown)\n | ...^"],
    [
      'user.username.first',
      "ERROR: <input>:1:14: type 'string' does not support field selection\n | user.username.first\n | .............^",
    ],
    [
      'user + user',
      "ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(example.UserInfo, example.UserInfo)'\n | user + user\n | .....^",
    ],
    [
      'user.groups == "x"',
      "ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(list(string), string)'\n | user.groups == \"x\"\n | ............^",
    ],
    ['fun(1)', "ERROR: <input>:1:4: undeclared reference to 'fun' (in container '')\n | fun(1)\n | ...^"],
    [
      'claims.sub.fun()',
      "ERROR: <input>:1:15: undeclared reference to 'fun' (in container '')\n | claims.sub.fun()\n | ..............^",
    ],
    [
      'urls("https://x")',
      "ERROR: <input>:1:5: undeclared reference to 'urls' (in container '')\n | urls(\"https://x\")\n | ....^",
    ],
    [
      '"a".startsWith(1)',
      "ERROR: <input>:1:15: found no matching overload for 'startsWith' applied to 'string.(int)'\n | \"a\".startsWith(1)\n | ..............^",
    ],
    [
      '1 == 1.0',
      "ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, double)'\n | 1 == 1.0\n | ..^",
    ],
    ['1 && true', "ERROR: <input>:1:1: expected type 'bool' but found 'int'\n | 1 && true\n | ^"],
    [
      'true ? 1 : "a"',
      "ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'\n | true ? 1 : \"a\"\n | .....^",
    ],
    ['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, \"a\"]\n | ....^"],
    [
      '{"a": 1, "b": true}',
      'ERROR: <input>:1:15: expected type \'int\' but found \'bool\'\n | {"a": 1, "b": true}\n | ..............^',
    ],
    ['[].length', "ERROR: <input>:1:3: type 'list(_var0)' does not support field selection\n | [].length\n | ..^"],
    [
      'n.all(x, true)',
      "ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | n.all(x, true)\n | ^",
    ],
    ['[1].all(x, x)', "ERROR: <input>:1:12: expected type 'bool' but found 'int'\n | [1].all(x, x)\n | ...........^"],
    [
      '[1].exists(x, x > 0) && x > 0',
      "ERROR: <input>:1:25: undeclared reference to 'x' (in container '')\n | [1].exists(x, x > 0) && x > 0\n | ........................^",
    ],
    ['has(d)', 'ERROR: <input>:1:5: invalid argument to has() macro\n | has(d)\n | ....^'],
    ['[1].all(1, true)', 'ERROR: <input>:1:9: argument must be a simple name\n | [1].all(1, true)\n | ........^'],
    ['[1].map("x", true)', 'ERROR: <input>:1:9: argument is not an identifier\n | [1].map("x", true)\n | ........^'],
    ['9223372036854775808', 'ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^'],
    ['18446744073709551616u', 'ERROR: <input>:1:1: invalid uint literal\n | 18446744073709551616u\n | ^'],
    ['1e400', 'ERROR: <input>:1:1: invalid double literal\n | 1e400\n | ^'],
    ['d.matches("[")', 'ERROR: <input>:1:11: invalid matches argument\n | d.matches("[")\n | ..........^'],
    ['duration("1 hour")', 'ERROR: <input>:1:10: invalid duration argument\n | duration("1 hour")\n | .........^'],
    ['timestamp("today")', 'ERROR: <input>:1:11: invalid timestamp argument\n | timestamp("today")\n | ..........^'],
    ['1 +', `ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting ${operands}\n | 1 +\n | ...^`],
    ['', `ERROR: <input>:1:1: Syntax error: mismatched input '<EOF>' expecting ${operands}\n | \n | ^`],
    ['(1', "ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"],
    ['1 2', "ERROR: <input>:1:3: Syntax error: extraneous input '2' expecting <EOF>\n | 1 2\n | ..^"],
    ['1 2 3', "ERROR: <input>:1:3: Syntax error: mismatched input '2' expecting <EOF>\n | 1 2 3\n | ..^"],
    ['d.', "ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'\n | d.\n | ..^"],
    [
      'd.true == 1',
      "ERROR: <input>:1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER\n | d.true == 1\n | ..^",
    ],
    [
      'has(d.a.in)',
      "ERROR: <input>:1:9: Syntax error: mismatched input 'in' expecting IDENTIFIER\n | has(d.a.in)\n | ........^",
    ],
    [
      '[d][0].null',
      "ERROR: <input>:1:8: Syntax error: no viable alternative at input '.null'\n | [d][0].null\n | .......^",
    ],
    [
      'timestamp(-62135596801)',
      'ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(-62135596801)\n | ..........^',
    ],
    [
      'timestamp(253402300800)',
      'ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(253402300800)\n | ..........^',
    ],
    [
      '{"a": 1}."a"',
      `ERROR: <input>:1:10: Syntax error: no viable alternative at input '."a"'\n | {"a": 1}."a"\n | .........^`,
    ],
    [
      '1 || || 2',
      `ERROR: <input>:1:6: Syntax error: extraneous input '||' expecting ${operands}\n | 1 || || 2\n | .....^`,
    ],
    [
      'size(1,)',
      `ERROR: <input>:1:8: Syntax error: mismatched input ')' expecting ${operands}\n | size(1,)\n | .......^`,
    ],
    [
      '{',
      `ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting ${operands.replace("'(', '.',", "'}', '(', '.', ',',").replace("'!',", "'!', '?',")}\n | {\n | .^`,
    ],
    [
      'd | d',
      "ERROR: <input>:1:3: Syntax error: token recognition error at: '| '\n | d | d\n | ..^\n" +
        "ERROR: <input>:1:5: Syntax error: extraneous input 'd' expecting <EOF>\n | d | d\n | ....^",
    ],
    [
      '-',
      "ERROR: <input>:1:2: Syntax error: no viable alternative at input '-'\n | -\n | .^\n" +
        `ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting ${operands}\n | -\n | .^`,
    ],
    [
      'd == "x',
      `ERROR: <input>:1:6: Syntax error: token recognition error at: '"x'\n | d == "x\n | .....^\n` +
        `ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting ${operands}\n | d == "x\n | .......^`,
    ],
    ['if', 'ERROR: <input>:1:1: reserved identifier: if\n | if\n | ^'],
  ])('%s', async (expression, message) => {
    expect(await compileProblem(expression, { variables })).toBe(message);
  });

  it('every problem is shown, in order of position', async () => {
    expect(await compileProblem('a + b')).toBe(
      "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a + b\n | ^\n" +
        "ERROR: <input>:1:5: undeclared reference to 'b' (in container '')\n | a + b\n | ....^",
    );
  });

  it('the mark is below the position on its line, counted in characters', async () => {
    expect(await compileProblem("true &&\n\t'é😁' == bad")).toBe(
      "ERROR: <input>:2:10: undeclared reference to 'bad' (in container '')\n |  'é😁' == bad\n | ..．．.....^",
    );
  });

  it('unsupported syntax is rejected, not misread', async () => {
    for (const expression of ['f(?d)', '[d, ?d', 'd[? ?d]', '..d', 'd{a: 1}', '.5u', "rb'x'", 'd.`a-b`']) {
      expect(await compileProblem(expression, { variables }), expression).toContain('Syntax error');
    }
  });
});

describe('the result type', () => {
  it('of the whole expression is known', async () => {
    const environment = await createCelEnvironment({ variables });
    const types = [
      'claims.sub',
      'user.groups',
      'user.extra',
      '[1].map(x, string(x))',
      '{"a": [1u]}',
      'claims.?a',
      'user.?username',
      'type(1)',
      'n > 0 && true',
      '[]',
      '[[]] + [[1]]',
    ];
    expect(types.map((expression) => environment.compile(expression).type)).toMatchObject([
      { kind: 'any' },
      { kind: 'list', parameters: [{ kind: 'string' }] },
      { kind: 'map', parameters: [{ kind: 'string' }, { kind: 'list', parameters: [{ kind: 'string' }] }] },
      { kind: 'list', parameters: [{ kind: 'string' }] },
      { kind: 'map', parameters: [{ kind: 'string' }, { kind: 'list', parameters: [{ kind: 'uint' }] }] },
      { kind: 'optional', parameters: [{ kind: 'any' }] },
      { kind: 'optional', parameters: [{ kind: 'string' }] },
      { kind: 'type', parameters: [{ kind: 'int' }] },
      { kind: 'bool' },
      { kind: 'list', parameters: [{ kind: 'dyn' }] },
      { kind: 'list', parameters: [{ kind: 'list', parameters: [{ kind: 'int' }] }] },
    ]);
  });

  it('that is required must be exact: a value that may or may not be a bool is rejected', async () => {
    const environment = await createCelEnvironment({ variables });
    expect(environment.compile('claims.sub == "x"', { resultTypes: [boolType] }).type).toBe(boolType);
    expect(() => environment.compile('claims.sub', { resultTypes: [boolType] })).toThrow(
      new CelCompileError('must evaluate to bool'),
    );
    expect(() => environment.compile('1', { resultTypes: [stringType, listType(stringType)] })).toThrow(
      'must evaluate to one of [string list(string)]',
    );
  });
});

describe('typed objects', () => {
  const request = objectType('SubjectAccessReviewSpec', {
    user: stringType,
    groups: listType(stringType),
    resourceAttributes: objectType('ResourceAttributes', {
      verb: stringType,
      namespace: stringType,
      resource: stringType,
    }),
    nonResourceAttributes: objectType('NonResourceAttributes', { path: stringType, verb: stringType }),
  });
  const given = { request: { user: 'jane', groups: ['dev'], resourceAttributes: { verb: 'get', resource: 'pods' } } };

  it.each([
    ["request.resourceAttributes.verb == 'get'", true],
    ['has(request.resourceAttributes)', true],
    ['has(request.nonResourceAttributes)', false],
    ['has(request.resourceAttributes.namespace)', false],
    ["!('system:masters' in request.groups)", true],
    ['has(request.nonResourceAttributes) && request.nonResourceAttributes.path == "/healthz"', false],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression, given, { variables: { request } })).toBe(value);
  });

  it('a declared field without a value is an error when it is read', async () => {
    await expect(
      evaluate("request.resourceAttributes.namespace == 'x'", given, { variables: { request } }),
    ).rejects.toThrow('no such key: namespace');
  });

  it('an undeclared field does not compile, at any depth', async () => {
    expect(await compileProblem("request.resourceAttributes.verbs == 'get'", { variables: { request } })).toContain(
      "undefined field 'verbs'",
    );
  });
});

describe('a program', () => {
  it('lists the fields of a variable that its expression selects; an index does not count', async () => {
    const environment = await createCelEnvironment({ variables });
    const selects = (expression: string): boolean => environment.compile(expression).selects('claims', 'email');
    expect(
      [
        'claims.email',
        'claims.?email',
        'has(claims.email)',
        '["x"].map(i, i + claims.email)',
        '{"a": claims.email}',
        'claims.email.trim()',
      ].map(selects),
    ).not.toContain(false);
    expect(
      ['claims.email_', 'claims["email"]', '"claims.email"', 'claims.user.email', 'user.username'].map(selects),
    ).not.toContain(true);
  });

  it('is stateless between evaluations', async () => {
    const environment = await createCelEnvironment({ variables: { l: listType(intType) } });
    const program = environment.compile('l.map(x, l.map(y, x * y))');
    const results = [[1, 2], [3]].map((l) =>
      JSON.stringify(program.evaluate({ l }).value, (_key, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
    );
    expect(program.evaluate({ l: [1, 2] }).value).toEqual(program.evaluate({ l: [1, 2] }).value);
    expect(results[0]).not.toBe(results[1]);
  });

  it('with heterogeneous literals compiles when the environment allows it', async () => {
    expect(await evaluate('[1, "a"]', {}, { homogeneousLiterals: false })).toEqual([1n, 'a']);
  });
});
