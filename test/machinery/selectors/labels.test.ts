import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { FieldPath } from '../../../src/foundation/errors/field-path.js';
import { LabelRequirement, LabelSelector, type LabelOperator } from '../../../src/machinery/index.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { validateLabelSelector } from '../../../src/machinery/selectors/labels.js';

const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function failure(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parse', () => {
  test.each([
    ['', ''],
    ['  ', ''],
    ['tier=web', 'tier=web'],
    ['tier = web', 'tier=web'],
    ['tier==web', 'tier==web'],
    ['tier!=web', 'tier!=web'],
    ['tier in (web, db),env', 'env,tier in (db,web)'],
    ['tier notin (a)', 'tier notin (a)'],
    ['!tier', '!tier'],
    ['! tier , b', 'b,!tier'],
    ['x>5,y<10', 'x>5,y<10'],
    ['x=,y', 'x=,y'],
    ['x=', 'x='],
    ['x in ()', 'x in ()'],
    ['x in (,a)', 'x in (,a)'],
    ['x in (a,,b)', 'x in (,a,b)'],
    ['x in (a,)', 'x in (,a)'],
    ['x in (in,notin,a,a)', 'x in (a,in,notin)'],
    ['in in (in)', 'in in (in)'],
    ['in,notin', 'in,notin'],
    ['a.io/x=1,a.io/x!=2', 'a.io/x=1,a.io/x!=2'],
    ['a\t\r\n=b', 'a=b'],
    ['b,a', 'a,b'],
  ])('%j', (text, canonical) => {
    expect(LabelSelector.parse(text).toString()).toBe(canonical);
  });

  test.each([
    ['tier in (web', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!=a', "found '!=', expected: !, identifier, or 'end of string'"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a in (b)', "found 'in', expected: ',' or 'end of string'"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['-a=b', `unable to parse requirement: <nil>: Invalid value: "-a": name part ${QUALIFIED}`],
    ['a=-b', `unable to parse requirement: values[0][a]: Invalid value: "-b": ${VALUE}`],
    [
      `a=${'v'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'v'.repeat(64)}": must be no more than 63 characters`,
    ],
    ['a in (b,-c)', `unable to parse requirement: values[0][a]: Invalid value: "-c": ${VALUE}`],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a>9223372036854775808',
      `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a<',
      `unable to parse requirement: values[0]: Invalid value: "": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])('%j is rejected', (text, message) => {
    const error = failure(() => LabelSelector.parse(text));
    expect(error.message).toBe(message);
    expect(error.code).toBe(400);
  });

  test('a NUL ends the text, as in Kubernetes', () => {
    expect(LabelSelector.parse('a=b,c\0').toString()).toBe('a=b,c');
    expect(LabelSelector.parse('a\0').toString()).toBe('a');
    expect(failure(() => LabelSelector.parse('a\0b')).message).toContain("found 'b', expected: in, notin");
  });

  test('the size is limited, and long selectors take linear time', () => {
    expect(failure(() => LabelSelector.parse('a'.repeat(65_537))).message).toBe(
      'selector is too long: must have at most 65536 characters',
    );
    expect(failure(() => LabelSelector.parse('abc', { maxCharacters: 2 })).code).toBe(400);
    const many = Array.from({ length: 1_000 }, (_, index) => `!k${index}`).join();
    expect(LabelSelector.parse(many).requirements).toHaveLength(1_000);
    expect(failure(() => LabelSelector.parse(`${many},a`))).toMatchObject({
      code: 400,
      message: 'selector has too many requirements: must have at most 1000',
    });
    expect(failure(() => LabelSelector.parse('a,b', { maxRequirements: 1 })).code).toBe(400);
    const keys = Array.from({ length: 5000 }, (_, index) => `key-${index}`);
    const selector = LabelSelector.parse(`k in (${keys.join(',')})`);
    expect(selector.matches({ k: 'key-4999' })).toBe(true);
    expect(selector.matches({ k: 'key-5000' })).toBe(false);
  });
});

describe('matches', () => {
  const objects = { web: { tier: 'web', n: '7' }, db: { tier: 'db', n: 'x' }, none: {} };
  test.each([
    ['', ['web', 'db', 'none']],
    ['tier=web', ['web']],
    ['tier==web', ['web']],
    ['tier!=web', ['db', 'none']],
    ['tier in (web,db)', ['web', 'db']],
    ['tier notin (web)', ['db', 'none']],
    ['tier', ['web', 'db']],
    ['!tier', ['none']],
    ['n>6', ['web']],
    ['n>7', []],
    ['n<8', ['web']],
    ['tier,n>6', ['web']],
    ['constructor', []],
    ['!toString', ['web', 'db', 'none']],
  ])('%s', (text, names) => {
    const selector = LabelSelector.parse(text);
    expect(
      Object.entries(objects)
        .filter(([, labels]) => selector.matches(labels))
        .map(([name]) => name),
    ).toEqual(names);
  });

  test('an object without labels has none', () => {
    expect(LabelSelector.parse('!a').matches(undefined)).toBe(true);
    expect(LabelSelector.parse('a').matches(undefined)).toBe(false);
    expect(LabelSelector.nothing.matches({})).toBe(false);
    expect(LabelSelector.nothing.empty).toBe(false);
    expect(LabelSelector.everything.empty).toBe(true);
  });
});

test('exact values are found for an index', () => {
  const selector = LabelSelector.parse('a=1,b==2,c in (3),d in (4,5),e!=6,a!=7,f');
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => selector.exact(key))).toEqual([
    '1',
    '2',
    '3',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(LabelSelector.fromLabels({ 'x y': 'unchecked' }).exact('x y')).toBe('unchecked');
});

describe('selector objects', () => {
  test('with many values become selectors in steps', () => {
    const values = Array.from({ length: 3_000 }, (_, index) => `v${index % 2_000}`);
    const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
    const steps = LabelSelector.fromObjectSteps({ matchExpressions: [{ key: 'a', operator: 'In', values }] }, work);
    let pauses = 0;
    let next = steps.next();
    for (; next.done !== true; next = steps.next()) pauses += 1;
    // Each value is checked and then kept, and those that differ are brought into order.
    expect(pauses).toBeGreaterThan(2 * values.length + 2_000);
    expect(next.value.requirements[0]?.values).toEqual([...new Set(values)].sort());
    expect(next.value.matches({ a: 'v1999' })).toBe(true);
    expect(next.value.matches({ a: 'v2000' })).toBe(false);
  });

  test('become selectors', () => {
    const selector = LabelSelector.fromObject({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'NotIn', values: ['z'] },
        { key: 'd', operator: 'Exists' },
        { key: 'e', operator: 'DoesNotExist', values: [] },
      ],
    });
    expect(selector.toString()).toBe('a in (x,y),b=1,c notin (z),d,!e');
    expect(LabelSelector.fromObject(undefined)).toBe(LabelSelector.nothing);
    expect(LabelSelector.fromObject(null)).toBe(LabelSelector.nothing);
    expect(LabelSelector.fromObject({})).toBe(LabelSelector.everything);
    expect(LabelSelector.fromObject({ matchLabels: {} }).empty).toBe(true);
  });

  test('are rejected if invalid', () => {
    expect(
      failure(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'Near', values: [] }] }))
        .message,
    ).toBe('"Near" is not a valid label selector operator');
    expect(
      failure(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] })).message,
    ).toBe("values: Invalid value: []string{}: for 'in', 'notin' operators, values set can't be empty");
    expect(failure(() => LabelRequirement.of('', '=', ['a', 'b'])).message).toBe(
      `[key: Invalid value: "": name part must be non-empty; name part ${QUALIFIED}, values: Invalid value: []string{"a", "b"}: exact-match compatibility requires one single value]`,
    );
    expect(failure(() => LabelRequirement.of('a', 'exists', ['b'])).message).toBe(
      'values: Invalid value: []string{"b"}: values set must be empty for exists and does not exist',
    );
  });

  test('errors name their fields', () => {
    const found = validateLabelSelector(
      {
        matchLabels: { '': 'ok', ok: '-' },
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'b', operator: 'Exists', values: ['x'] },
          { key: '', operator: 'Near', values: ['-'] },
        ],
      },
      FieldPath.of('spec', 'selector'),
    ).map(String);
    expect(found).toEqual([
      'spec.selector.matchLabels: Invalid value: "": name part must be non-empty',
      `spec.selector.matchLabels: Invalid value: "": name part ${QUALIFIED}`,
      `spec.selector.matchLabels: Invalid value: "-": ${VALUE}`,
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Near": not a valid selector operator',
      'spec.selector.matchExpressions[2].key: Invalid value: "": name part must be non-empty',
      `spec.selector.matchExpressions[2].key: Invalid value: "": name part ${QUALIFIED}`,
      `spec.selector.matchExpressions[2].values[0]: Invalid value: "-": ${VALUE}`,
    ]);
    expect(validateLabelSelector(undefined, FieldPath.root)).toEqual([]);
  });
});

type Plain = readonly [key: string, operator: LabelOperator, values: readonly string[]];

/** The meaning of a requirement, implemented plainly. */
function holds([key, operator, values]: Plain, labels: Record<string, string>): boolean {
  const value = labels[key];
  if (operator === 'exists') return value !== undefined;
  if (operator === '!') return value === undefined;
  if (operator === '!=' || operator === 'notin') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'gt' || operator === 'lt') {
    const [left, right] = [Number(value), Number(values[0])];
    return /^\d+$/.test(value) && (operator === 'gt' ? left > right : left < right);
  }
  return values.includes(value);
}

describe('compared with a naive implementation', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'in', 'x.io/d');
  const value = fc.constantFrom('', '1', '2', '10', 'z', 'notin');
  const requirement: fc.Arbitrary<Plain> = fc.oneof(
    fc.tuple(key, fc.constantFrom<LabelOperator>('=', '==', '!='), fc.tuple(value)),
    fc.tuple(key, fc.constantFrom<LabelOperator>('in', 'notin'), fc.array(value, { minLength: 1, maxLength: 12 })),
    fc.tuple(key, fc.constantFrom<LabelOperator>('exists', '!'), fc.constant([])),
    fc.tuple(key, fc.constantFrom<LabelOperator>('gt', 'lt'), fc.tuple(fc.constantFrom('1', '5', '10'))),
  );
  const labels = fc.dictionary(key, value, { maxKeys: 4 });

  test('matches alike, and after formatting and parsing', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), labels, (plain, object) => {
        const selector = LabelSelector.of(plain.map((item) => LabelRequirement.of(...item)));
        expect(selector.matches(object)).toBe(plain.every((item) => holds(item, object)));
        const again = LabelSelector.parse(selector.toString());
        expect(again.toString()).toBe(selector.toString());
        expect(again.requirements).toEqual(selector.requirements);
        expect(again.matches(object)).toBe(selector.matches(object));
        for (const item of ['a', 'b', 'c']) {
          const exact = selector.exact(item);
          if (exact !== undefined && selector.matches(object)) expect(object[item]).toBe(exact);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('any text is parsed or rejected with a 400, and the result is stable', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'in', ' ', '=', '!', '(', ')', ',', '>', '<', '1', '-', '/', '\0', 'é'),
      maxLength: 14,
    });
    fc.assert(
      fc.property(text, (source) => {
        let selector;
        try {
          selector = LabelSelector.parse(source);
        } catch (error) {
          expect(error instanceof ApiError && error.code).toBe(400);
          return;
        }
        expect(LabelSelector.parse(selector.toString()).requirements).toEqual(selector.requirements);
      }),
      { numRuns: 3000 },
    );
  });
});
