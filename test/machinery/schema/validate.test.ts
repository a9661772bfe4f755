import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { aggregateText } from '../../../src/foundation/errors/field-error.js';
import {
  compileSchema,
  hasConstraints,
  objectSchema,
  readObject,
  runRefinements,
  validateObject,
  type StructuralSchema,
} from '../../../src/machinery/index.js';
import { annotate, optional, mapList, setList, struct } from '../../../src/machinery/schema/define/vocabulary.js';
import { kindOf, thing } from './fixtures.js';

// The kind of the recorded family `crd`, with fields added.
const Rocket = kindOf(
  z.object({
    spec: z.object({
      size: z.number().int().min(1).max(10),
      mode: z.enum(['auto', 'manual']).default('auto'),
      code: z
        .string()
        .regex(/^[a-z]+$/)
        .max(5)
        .optional(),
      when: annotate(z.string(), { format: 'date-time' }).optional(),
      port: z.union([z.number().int(), z.string()]).optional(),
      note: z.string().nullable().optional(),
      tags: z.array(z.string().min(1)).max(2).optional(),
      opts: z.record(z.string(), z.string().max(3)).optional(),
      ratio: z.number().gt(0).lt(1).multipleOf(0.25).optional(),
      rank: z.literal([1, 2]).optional(),
      least: z.array(z.string()).min(2).optional(),
      inner: annotate(z.looseObject({}), { embeddedResource: true }).optional(),
      names: setList(z.string()).optional(),
      ports: mapList(z.object({ port: z.number(), protocol: z.string().default('TCP') }), [
        'port',
        'protocol',
      ]).optional(),
      flag: annotate(z.number().int(), { format: 'int32' }).optional(),
      wide: z.number().int().optional(),
      small: z.int32().optional(),
      single: z.float32().optional(),
    }),
  }),
  'Rocket',
);

const check = (spec: Record<string, unknown>, keepNulls = false): string[] => {
  const { object } = readObject(thing({ spec }), Rocket, { keepNulls });
  return validateObject(object, Rocket).map(String);
};

test.each<[string, Record<string, unknown>, string[]]>([
  ['nothing', {}, []],
  ['required', { size: undefined }, ['spec.size: Required value']],
  ['maximum', { size: 11 }, ['spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10']],
  ['minimum', { size: 0 }, ['spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1']],
  ['exclusive bounds', { ratio: 1 }, ['spec.ratio: Invalid value: 1: spec.ratio in body should be less than 1']],
  ['multiple', { ratio: 0.3 }, ['spec.ratio: Invalid value: 0.3: spec.ratio in body should be a multiple of 0.25']],
  ['enum', { mode: 'off' }, ['spec.mode: Unsupported value: "off": supported values: "auto", "manual"']],
  ['enum of numbers', { rank: 3 }, ['spec.rank: Unsupported value: 3: supported values: "1", "2"']],
  ['pattern', { code: 'A1' }, ['spec.code: Invalid value: "A1": spec.code in body should match \'^[a-z]+$\'']],
  ['too long, and without a matching pattern', { code: 'ABCDEF' }, ['spec.code: Too long: may not be longer than 5']],
  [
    'length in characters',
    { code: 'abcd\u{1f680}' },
    ['spec.code: Invalid value: "abcd\u{1f680}": spec.code in body should match \'^[a-z]+$\''],
  ],
  [
    'date-time',
    { when: 'tomorrow' },
    ['spec.when: Invalid value: "tomorrow": spec.when in body must be of type date-time: "tomorrow"'],
  ],
  ['valid date-time', { when: '2024-01-01t00:00:00.5z' }, []],
  [
    'wrong type',
    { code: 7 },
    ['spec.code: Invalid value: "integer": spec.code in body must be of type string: "integer"'],
  ],
  [
    'fraction for an integer',
    { size: 1.5 },
    ['spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"'],
  ],
  [
    'another type, whatever the format of a number',
    { flag: true },
    ['spec.flag: Invalid value: "boolean": spec.flag in body must be of type integer: "boolean"'],
  ],
  [
    'a format as type',
    { when: true },
    ['spec.when: Invalid value: "": spec.when in body must be of type date-time: ""'],
  ],
  [
    'a number in place of a format',
    { when: 5 },
    ['spec.when: Invalid value: "int64": spec.when in body must be of type date-time: "int64"'],
  ],
  ['a list in place of a format', { when: ['x'] }, []],
  [
    'items first, then their number',
    { tags: ['a', 'b', ''] },
    [
      'spec.tags[2]: Invalid value: "": spec.tags[2] in body should be at least 1 chars long',
      'spec.tags: Too many: 3: must have at most 2 items',
    ],
  ],
  [
    'too few items',
    { least: ['a'] },
    ['spec.least: Invalid value: 1: spec.least in body should have at least 2 items'],
  ],
  ['values of a map', { opts: { a: 'long' } }, ['spec.opts.a: Too long: may not be longer than 3']],
  [
    'int-or-string',
    { port: true },
    ['spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"'],
  ],
  [
    'embedded object',
    { inner: { metadata: { name: 'x' } } },
    ['spec.inner.apiVersion: Required value: must not be empty', 'spec.inner.kind: Required value: must not be empty'],
  ],
  [
    'the kind and version of an embedded object',
    { inner: { apiVersion: 'a/b/c', kind: '1x' } },
    [
      'spec.inner.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringMatching(
        /^spec\.inner\.kind: Invalid value: "1x": may have mixed case, but should otherwise match: a DNS-1035 label must consist/,
      ) as unknown as string,
    ],
  ],
  [
    'an embedded object with an empty kind and a version that is no string',
    { inner: { apiVersion: 5, kind: '' } },
    [
      'spec.inner.apiVersion: Invalid value: 5: must be a string',
      'spec.inner.kind: Invalid value: "": must not be empty',
    ],
  ],
  [
    'the metadata of an embedded object',
    {
      inner: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a/b', namespace: 'No', labels: { 'a b': 'x' }, ownerReferences: [{ apiVersion: 'v1' }] },
      },
    },
    [
      `spec.inner.metadata.name: Invalid value: "a/b": may not contain '/'`,
      expect.stringMatching(
        /^spec\.inner\.metadata\.namespace: Invalid value: "No": a lowercase RFC 1123 label/,
      ) as unknown as string,
      expect.stringMatching(
        /^spec\.inner\.metadata\.labels: Invalid value: "a b": name part must consist/,
      ) as unknown as string,
      ...['kind', 'name', 'uid'].map(
        (field) => `spec.inner.metadata.ownerReferences.${field}: Invalid value: "": ${field} must not be empty`,
      ),
    ],
  ],
  [
    'valid metadata of an embedded object',
    { inner: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generateName: 'x-', finalizers: ['any'] } } },
    [],
  ],
  ['int32, at its bounds', { flag: -2147483648, wide: 2147483648 }, []],
  ['int32, beyond: the format alone does not restrict', { flag: 99999999999 }, []],
  [
    'int32 of zod',
    { small: 2147483648 },
    ['spec.small: Invalid value: 2147483648: spec.small in body should be less than or equal to 2147483647'],
  ],
  [
    'float32, beyond',
    { single: 3.5e38 },
    ['spec.single: Invalid value: 3.5e+38: spec.single in body should be less than or equal to 3.4028234663852886e+38'],
  ],
  ['float32, and a double that is rounded to one', { single: 0.1 }, []],
  [
    'an object in place of a string',
    { code: { a: 1 } },
    ['spec.code: Invalid value: "object": spec.code in body must be of type string: "object"'],
  ],
  ['set', { names: ['a', 'b', 'a', 'a'] }, ['spec.names[2]: Duplicate value: "a"']],
  [
    'map list, with the default counting as a key',
    { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }, { port: 1, protocol: 'UDP' }] },
    [
      expect.stringMatching(
        /^spec\.ports\[1\]: Duplicate value: .*"port":\s?1, ?"protocol":\s?"TCP"/,
      ) as unknown as string,
    ],
  ],
  [
    'several at once',
    { size: 11, code: 'A', mode: 'x' },
    [
      expect.stringContaining('spec.size') as unknown as string,
      expect.stringContaining('spec.mode') as unknown as string,
      expect.stringContaining('spec.code') as unknown as string,
    ],
  ],
])('%s', (_name, fields, expected) => {
  expect(check({ size: 1, ...fields })).toEqual(expected);
});

test('null for a type that is not nullable', () => {
  expect(check({ size: 1, opts: null, note: null }, true)).toEqual([
    'spec.opts: Invalid value: "null": spec.opts in body must be of type object: "null"',
  ]);
});

test('the message of several errors', () => {
  const { object } = readObject(thing({ spec: { size: 1, tags: ['a', 'b', ''] } }), Rocket);
  expect(aggregateText(validateObject(object, Rocket))).toBe(
    '[spec.tags[2]: Invalid value: "": spec.tags[2] in body should be at least 1 chars long, spec.tags: Too many: 3: must have at most 2 items]',
  );
});

describe('rules without a zod equivalent', () => {
  const node = (facts: Partial<StructuralSchema>): StructuralSchema => {
    const field: StructuralSchema = { type: 'any', presence: 'keep', ...facts };
    return objectSchema({
      kind: 'Thing',
      schema: { type: 'object', presence: 'keep', properties: new Map([['f', field]]) },
    });
  };
  test.each<[string, Partial<StructuralSchema>, unknown, string[]]>([
    [
      'maxProperties',
      { type: 'object', preserveUnknownFields: true, maxProperties: 2 },
      { a: 1, b: 2, c: 3 },
      ['f: Too many: 3: must have at most 2 items'],
    ],
    [
      'minProperties',
      { type: 'object', preserveUnknownFields: true, minProperties: 1 },
      {},
      ['f: Invalid value: 0: f in body should have at least 1 properties'],
    ],
    [
      'uniqueItems',
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['f: Invalid value: "": f in body shouldn\'t contain duplicates'],
    ],
    [
      'an invalid pattern',
      { type: 'string', pattern: '(' },
      'x',
      [expect.stringContaining("should match '(, but pattern is invalid: ") as unknown as string],
    ],
    [
      'small bounds in digits',
      { type: 'number', minimum: 0.00001 },
      0,
      ['f: Invalid value: 0: f in body should be greater than or equal to 1e-05'],
    ],
    ['required below', { type: 'object', required: ['x'] }, {}, ['f.x: Required value']],
    ...(
      [
        'date:2024-02-30',
        'uuid:x',
        'ipv4:1.2.3.256',
        'ipv6:1::2::3',
        'cidr:1.2.3.4/33',
        'email:a@',
        'uri:no',
        'byte:*',
        'mac:00',
        'hostname:-a',
        'duration:1',
        'hexcolor:#12',
      ] as const
    ).map((text): [string, Partial<StructuralSchema>, unknown, string[]] => {
      const [format = '', value = ''] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
      return [
        `format ${format}`,
        { type: 'string', format },
        value,
        [`f: Invalid value: "${value}": f in body must be of type ${format}: "${value}"`],
      ];
    }),
    ...(
      [
        'date:2024-02-29',
        'uuid:01234567-89ab-cdef-0123-456789abcdef',
        'ipv4:1.2.3.4',
        'ipv6:fe80::1',
        'ipv6:::ffff:1.2.3.4',
        'cidr:fe80::/10',
        'email:a@b.c',
        'uri:http://x/y',
        'byte:YQ==',
        'mac:00:11:22:33:44:55',
        'hostname:a.bc',
        'quantity:x',
        'duration:1h2m',
        'unheard-of:x',
      ] as const
    ).map((text): [string, Partial<StructuralSchema>, unknown, string[]] => {
      const [format = '', value = ''] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
      return [`format ${format}, right`, { type: 'string', format }, value, []];
    }),
  ])('%s', (_name, facts, value, expected) => {
    expect(validateObject({ f: value } as JsonObject, node(facts)).map(String)).toEqual(expected);
  });
});

test('patterns run on the given engine', () => {
  const { object } = readObject(thing({ spec: { size: 1, code: 'abc' } }), Rocket);
  const seen: string[] = [];
  const errors = validateObject(object, Rocket, {
    compilePattern: (pattern) => {
      seen.push(pattern);
      return () => false;
    },
  });
  expect(seen).toEqual(['^[a-z]+$']);
  expect(errors).toHaveLength(1);
});

test('a built-in kind without rules is not validated', () => {
  const schema = kindOf(struct('Plain', { data: optional(1, z.string()) }), 'Plain');
  expect(hasConstraints(schema)).toBe(false);
  expect(hasConstraints(Rocket)).toBe(true);
  const untouchable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('looked at');
      },
      ownKeys: () => {
        throw new Error('looked at');
      },
    },
  );
  expect(validateObject(untouchable, schema, { origin: 'builtin' })).toEqual([]);
});

test('lists of a built-in kind are left to its own rules', () => {
  const schema = kindOf(struct('Plain', { names: optional(1, setList(z.string())) }), 'Plain');
  expect(validateObject({ names: ['a', 'a'] }, schema, { origin: 'builtin' })).toEqual([]);
  expect(validateObject({ names: ['a', 'a'] }, schema).map(String)).toEqual(['names[1]: Duplicate value: "a"']);
});

test('the constraints of a recursive schema are found', () => {
  const Tree = z.object({
    name: z.string().min(1),
    get children() {
      return z.array(Tree).optional();
    },
  });
  const schema = objectSchema({ kind: 'Tree', schema: compileSchema(Tree) });
  expect(
    validateObject({ name: 'a', children: [{ name: 'b', children: [{ name: '' }] }] }, schema).map(String),
  ).toEqual([
    'children[0].children[0].name: Invalid value: "": children[0].children[0].name in body should be at least 1 chars long',
  ]);
});

describe('refinements', () => {
  const Window = z.object({
    spec: z
      .object({
        from: z.number(),
        to: z.number(),
        days: z.array(z.object({ name: z.string().refine((name) => name !== 'x', 'must not be x') })).optional(),
      })
      .refine((spec) => spec.from <= spec.to, { message: 'must not end before it begins', path: ['to'] }),
  });

  test('become field errors', () => {
    expect(
      runRefinements(Window, thing({ spec: { from: 3, to: 1, days: [{ name: 'a' }, { name: 'x' }] } })).map(String),
    ).toEqual([
      'spec.days[1].name: Invalid value: "x": must not be x',
      'spec.to: Invalid value: 1: must not end before it begins',
    ]);
    expect(runRefinements(Window, thing({ spec: { from: 3, to: 1 } })).map(String)).toEqual([
      'spec.to: Invalid value: 1: must not end before it begins',
    ]);
    expect(runRefinements(Window, thing({ spec: { from: 1, to: 1 } }))).toEqual([]);
  });

  test('do not receive the fields of every object', () => {
    const Strict = z.strictObject({ a: z.string() }).refine((value) => value.a !== 'b', 'no');
    expect(runRefinements(Strict, thing({ a: 'a' }))).toEqual([]);
    expect(runRefinements(Strict, thing({ a: 'b' })).map((error) => error.body)).toEqual([
      'Invalid value: {"a":"b"}: no',
    ]);
  });

  test('cost nothing if there are none', () => {
    const plain = z.object({ a: z.string() });
    expect(runRefinements(plain, { a: 5 })).toEqual([]);
  });
});
