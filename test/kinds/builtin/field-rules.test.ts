import { describe, expect, test } from 'vitest';
import { FieldErrorList, isSteps, UNBOUNDED_WORK, type MaybeSteps } from '../../../src/foundation/index.js';
import {
  absentAs,
  allOf,
  atLeast,
  atMost,
  between,
  each,
  fields,
  filled,
  mandatory,
  maxBytes,
  maxItems,
  oneOf,
  valid,
  whereSet,
  type Rule,
} from '../../../src/kinds/builtin/shared/field-rules.js';

/** Returns the errors of a value as texts. */
function errorsOf<Value>(rule: Rule<Value>, value: Value | undefined, path = 'spec'): string[] {
  const errors = new FieldErrorList();
  const made = rule(errors, path, value);
  if (isSteps(made)) expect(made.next().done).toBe(true);
  return errors.map(String);
}

const lower = (text: string): string[] => (text === text.toLowerCase() ? [] : ['must be lower case']);

describe('a mandatory field', () => {
  test.each([undefined, '', []])('has a value other than %j', (value) => {
    expect(errorsOf(mandatory<unknown>(), value)).toEqual(['spec: Required value']);
    expect(errorsOf(mandatory<unknown>('for a reason'), value)).toEqual(['spec: Required value: for a reason']);
  });

  test.each([0, false, {}, 'a', [1]])('may be %j', (value) => {
    expect(errorsOf(mandatory<unknown>(), value)).toEqual([]);
  });

  test('has one error: its value has no others', () => {
    expect(errorsOf(mandatory(oneOf(['A'])), '')).toEqual(['spec: Required value']);
    expect(errorsOf(mandatory('for a reason', oneOf(['A'])), 'B')).toEqual([
      'spec: Unsupported value: "B": supported values: "A"',
    ]);
  });
});

test('an optional field has its rule where it is set, and by choice where it is not empty', () => {
  expect(errorsOf(oneOf(['A']), undefined)).toEqual([]);
  expect(errorsOf(oneOf(['A']), '')).toEqual(['spec: Unsupported value: "": supported values: "A"']);
  expect(errorsOf(filled(oneOf(['A'])), '')).toEqual([]);
  expect(errorsOf(filled(oneOf(['A'])), 'B')).toEqual(['spec: Unsupported value: "B": supported values: "A"']);
});

test('a rule may count an absent field as empty, or concern only what is set', () => {
  const table = fields<{ mode?: string; policy?: string; late?: string }>({
    mode: absentAs('', oneOf(['A'])),
    policy: whereSet(mandatory(oneOf(['B']))),
    late: allOf(mandatory(), valid(lower)),
  });
  expect(errorsOf(table, {})).toEqual([
    'spec.mode: Unsupported value: "": supported values: "A"',
    'spec.late: Required value',
  ]);
  expect(errorsOf(table, { mode: 'A', policy: '', late: 'C' })).toEqual([
    'spec.policy: Required value',
    'spec.late: Invalid value: "C": must be lower case',
  ]);
});

test('a rule written by hand is called for a field that is set', () => {
  const seen: unknown[] = [];
  const table = fields<Item>({ name: (_errors, path, value) => void seen.push([path, value]) });
  expect(errorsOf(table, {})).toEqual([]);
  expect(errorsOf(table, { name: '' })).toEqual([]);
  expect(seen).toEqual([['spec.name', '']]);
});

test.each([
  [atLeast(1), 0, 'Invalid value: 0: must be greater than or equal to 1'],
  [atLeast(1, 'must be positive'), 0, 'Invalid value: 0: must be positive'],
  [atLeast(1), 1, undefined],
  [atMost(3), 4, 'Invalid value: 4: must be less than or equal to 3'],
  [atMost(3), 3, undefined],
  [between(1, 3), 0, 'Invalid value: 0: must be between 1 and 3, inclusive'],
  [between(1, 3), 4, 'Invalid value: 4: must be between 1 and 3, inclusive'],
  [between(1, 3, 'out of range'), 4, 'Invalid value: 4: out of range'],
  [between(1, 3), 3, undefined],
  [between(1, 3), undefined, undefined],
])('a range holds for numbers (%#)', (rule, value, error) => {
  expect(errorsOf(rule, value)).toEqual(error === undefined ? [] : [`spec: ${error}`]);
});

test('lengths count bytes and items', () => {
  expect(errorsOf(maxBytes(3), 'äö')).toEqual(['spec: Too long: must have at most 3 bytes']);
  expect(errorsOf(maxBytes(4), 'äö')).toEqual([]);
  expect(errorsOf(maxItems(1), ['a', 'b'])).toEqual(['spec: Too many: 2: must have at most 1 items']);
  expect(errorsOf(maxItems(2), ['a', 'b'])).toEqual([]);
  expect(errorsOf(maxItems(1, each(oneOf(['a']))), ['b', 'b'])).toEqual([
    'spec: Too many: 2: must have at most 1 items',
  ]);
  expect(errorsOf(maxItems(1, each(oneOf(['a']))), ['b'])).toEqual([
    'spec[0]: Unsupported value: "b": supported values: "a"',
  ]);
});

test('a form has an error for each problem', () => {
  const rule = valid((text: string, isPrefix) => [...lower(text), ...(isPrefix ? ['prefix'] : ['too long'])]);
  expect(errorsOf(rule, 'A')).toEqual([
    'spec: Invalid value: "A": must be lower case',
    'spec: Invalid value: "A": too long',
  ]);
});

interface Item {
  name?: string;
  count?: number | null;
}

interface Parent {
  kind: string;
  items?: Item[];
  last?: string;
}

const item = fields<Item>({ name: mandatory(valid(lower)), count: atLeast(0) });
const parent = fields<Parent>({ kind: mandatory(), items: allOf(maxItems(2), each(item)), last: oneOf(['A']) });

describe('the fields of an object', () => {
  test('have their errors in the order of the table, with their paths', () => {
    expect(errorsOf(parent, { last: 'B', items: [{ count: -1 }, {}, { name: 'A' }], kind: '' })).toEqual([
      'spec.kind: Required value',
      'spec.items: Too many: 3: must have at most 2 items',
      'spec.items[0].name: Required value',
      'spec.items[0].count: Invalid value: -1: must be greater than or equal to 0',
      'spec.items[1].name: Required value',
      'spec.items[2].name: Invalid value: "A": must be lower case',
      'spec.last: Unsupported value: "B": supported values: "A"',
    ]);
    expect(errorsOf(parent, { kind: '' }, '')).toEqual(['kind: Required value']);
  });

  test('are absent where they are null, and all of them with the object', () => {
    expect(errorsOf(item, { name: 'a', count: null })).toEqual([]);
    expect(errorsOf(parent, undefined)).toEqual([]);
  });

  test('need no steps without a list', () => {
    const made: MaybeSteps<void> = parent(new FieldErrorList(), '', { kind: 'a', items: [], last: 'A' });
    expect(made).toBeUndefined();
  });

  test('pause in a long list, and go on with the fields after it', () => {
    let items = 0;
    const work = { ...UNBOUNDED_WORK, spend: () => (items += 1) % 10 === 0 };
    const errors = new FieldErrorList(work);
    const long = Array.from({ length: 100 }, () => ({ name: 'a' }));
    const made = parent(errors, '', { kind: 'a', items: long, last: 'B' });
    if (!isSteps(made)) throw new Error('a list needs steps');
    let pauses = 0;
    while (made.next().done !== true) {
      pauses += 1;
      // A pause comes before the errors of what follows.
      expect(errors.map(String)).toEqual(['items: Too many: 100: must have at most 2 items']);
    }
    expect(pauses).toBe(10);
    expect(errors.map(String).slice(1)).toEqual(['last: Unsupported value: "B": supported values: "A"']);
  });
});
