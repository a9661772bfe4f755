import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { nullEmptyLists, DecodeTypeError, objectMetaSchema, readObject } from '../../../src/machinery/index.js';
import * as words from '../../../src/machinery/schema/define/vocabulary.js';
import { kindOf, thing } from './fixtures.js';

const {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  bytes,
  int32,
  int64,
  intOrString,
  optional,
  mapList,
  mapOf,
  microTime,
  omitted,
  quantity,
  struct,
  time,
} = words;

const Container = struct('Container', {
  name: always(1, z.string()),
  image: omitted(2, z.string()),
  ports: omitted(3, atomicList(int32())),
});
const ConfigMap = kindOf(
  struct('ConfigMap', {
    data: omitted(2, mapOf(z.string())),
    binaryData: omitted(3, mapOf(bytes())),
    immutable: optional(4, z.boolean()),
  }),
  'ConfigMap',
);
const Pod = kindOf(
  struct('Pod', {
    spec: alwaysStruct(
      2,
      struct('PodSpec', {
        containers: omitted(1, mapList(Container, ['name'])),
        replicas: optional(2, int32()),
        big: omitted(3, int64()),
        at: optional(4, time()),
        micro: optional(5, microTime()),
        amount: omitted(6, mapOf(quantity())),
        port: optional(7, intOrString()),
        key: omitted(8, bytes()),
        policy: omitted(9, z.string(), { default: 'Always' }),
        host: omitted(10, z.boolean()),
        ratio: optional(11, z.number()),
        raw: optional(12, annotate(z.unknown(), { protoKind: 'rawExtension' })),
        rules: annotate(atomicList(Container).nullable().optional(), {
          presence: 'always',
          nullable: true,
          protoNumber: 13,
        }),
      }),
    ),
  }),
  'Pod',
);

const read = (input: JsonValue, schema = Pod) => readObject(input, schema, { origin: 'builtin' });
const spec = (fields: Record<string, unknown>): unknown =>
  read(thing({ spec: fields })).object['spec'] as Record<string, unknown>;

describe('unknown fields', () => {
  test('are dropped and reported in the order of the input', () => {
    const input = {
      datum: 'x',
      metadata: { name: 'a', labelz: { a: 'b' } },
      spec: {
        containers: [
          { name: 'c', imagee: 'x' },
          { name: 'd', ['__proto__x']: 1 },
        ],
      },
    };
    const { object, unknownFields } = read(input);
    expect(unknownFields).toEqual([
      'datum',
      'metadata.labelz',
      'spec.containers[0].imagee',
      'spec.containers[1].__proto__x',
    ]);
    expect(object).toEqual({
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c' }, { name: 'd' }], policy: 'Always', rules: null },
    });
  });

  test('are counted up to a hundred', () => {
    const input = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]));
    expect(read(input).unknownFields).toHaveLength(100);
  });

  test('an undefined member is absent', () => {
    expect(read({ nothing: undefined, data: undefined }, ConfigMap)).toEqual({
      object: { metadata: {} },
      unknownFields: [],
    });
  });

  test('names that every object has are plain data', () => {
    const input = JSON.parse(
      '{"constructor":1,"__proto__":{"polluted":true},"data":{"__proto__":"p","constructor":"c"},"metadata":{"toString":"x"}}',
    ) as JsonValue;
    const { object, unknownFields } = read(input, ConfigMap);
    expect(unknownFields).toEqual(['constructor', '__proto__', 'metadata.toString']);
    expect(JSON.stringify(object)).toBe('{"metadata":{},"data":{"__proto__":"p","constructor":"c"}}');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  test('a field may have such a name', () => {
    const schema = kindOf(
      struct('Odd', { constructor: optional(1, z.string()), valueOf: always(2, z.string()) }),
      'Odd',
    );
    expect(JSON.stringify(read({}, schema).object)).toBe('{"metadata":{},"valueOf":""}');
    expect(JSON.stringify(read({ constructor: 'c' } as never, schema).object)).toBe(
      '{"metadata":{},"constructor":"c","valueOf":""}',
    );
  });
});

describe('empty values', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['optional fields keep empty values', { replicas: 0, port: '' }, { replicas: 0, port: '' }],
    ['omitted ones are removed', { containers: [], big: 0, amount: {}, key: '', host: false }, {}],
    ['null is absent', { containers: null, replicas: null, at: null, raw: null }, {}],
    ['a default replaces an empty value', { policy: '' }, { policy: 'Always' }],
    ['a list that is null if unset is not yet null if empty', { rules: [] }, { rules: [] }],
    [
      'null items become empty values',
      { containers: [null, { name: 'x' }] },
      { containers: [{ name: '' }, { name: 'x' }] },
    ],
    ['raw values are copied completely', { raw: { a: null, b: [{}] } }, { raw: { a: null, b: [{}] } }],
  ])('%s', (_name, input, expected) => {
    expect(spec(input)).toEqual({ policy: 'Always', rules: null, ...expected });
  });

  test('empty lists that are null if unset become null when stored', () => {
    const object = { spec: { rules: [], containers: [] }, rules: [] };
    atOnce(nullEmptyLists(object, Pod, UNBOUNDED_WORK));
    expect(object).toEqual({ spec: { rules: null, containers: [] }, rules: [] });
  });

  test('null in a map becomes the empty value', () => {
    expect(read({ data: { a: null } }, ConfigMap).object['data']).toEqual({ a: '' });
  });

  test('fields are returned in the order of the schema', () => {
    const { object } = read({
      spec: { replicas: 1, containers: [{ image: 'i', name: 'n' }] },
      metadata: { labels: {}, name: 'a' },
      apiVersion: 'v1',
      kind: 'Pod',
    });
    expect(JSON.stringify(object)).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[{"name":"n","image":"i"}],"replicas":1,"policy":"Always","rules":null}}',
    );
  });
});

describe('canonical scalars', () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ['time: kept', { at: '2024-02-29T12:00:00Z' }, '2024-02-29T12:00:00Z'],
    ['time: fraction truncated', { at: '2024-01-01T00:00:00.987Z' }, '2024-01-01T00:00:00Z'],
    ['time: offset', { at: '2024-01-01T00:30:00+02:00' }, '2023-12-31T22:30:00Z'],
    ['micro-time', { micro: '2024-01-01T00:00:00.123456+01:00' }, '2023-12-31T23:00:00.123456Z'],
    ['quantity', { amount: { cpu: '0.5' } }, { cpu: '500m' }],
    ['quantity as a number', { amount: { cpu: 2 } }, { cpu: '2' }],
    ['base64 with line breaks', { key: 'YWJj\nZGVm' }, 'YWJjZGVm'],
    ['base64 with non-zero padding bits', { key: 'YR==' }, 'YQ=='],
    ['int or string', { port: 80 }, 80],
  ])('%s', (_name, input, expected) => {
    const [field = ''] = Object.keys(input);
    expect((spec(input) as Record<string, unknown>)[field]).toEqual(expected);
  });
});

describe('wrong types', () => {
  test.each<[string, unknown, string, string]>([
    [
      'number for a label',
      { metadata: { labels: { a: 5 } } },
      'metadata.labels.a',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'labels as a list',
      { metadata: { labels: [] } },
      'metadata.labels',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'object for a list',
      { spec: { containers: {} } },
      'spec.containers',
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'string for an item',
      { spec: { containers: ['x'] } },
      'spec.containers[0]',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      'number for an item field',
      { spec: { containers: [{}, { name: true }] } },
      'spec.containers[1].name',
      'json: cannot unmarshal bool into Go struct field Container.spec.containers.name of type string',
    ],
    [
      'fraction',
      { spec: { replicas: 1.5 } },
      'spec.replicas',
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.replicas of type int32',
    ],
    [
      'too large',
      { spec: { replicas: 3e9 } },
      'spec.replicas',
      'json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.replicas of type int32',
    ],
    [
      'string for a number',
      { spec: { big: '1' } },
      'spec.big',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.big of type int64',
    ],
    [
      'struct as a string',
      { spec: 'x' },
      'spec',
      'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec',
    ],
    [
      'first in the input, not in the schema',
      { spec: { ratio: 'x', replicas: 'y' } },
      'spec.ratio',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.ratio of type float64',
    ],
    [
      'invalid time',
      { spec: { at: 'tomorrow' } },
      'spec.at',
      'parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00": cannot parse "tomorrow" as "2006"',
    ],
    [
      'time without zone',
      { spec: { at: '2024-01-01T00:00:00' } },
      'spec.at',
      'parsing time "2024-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ],
    [
      'month',
      { spec: { at: '2024-13-01T00:00:00Z' } },
      'spec.at',
      'parsing time "2024-13-01T00:00:00Z": month out of range',
    ],
    [
      'day',
      { spec: { at: '2023-02-29T00:00:00Z' } },
      'spec.at',
      'parsing time "2023-02-29T00:00:00Z": day out of range',
    ],
    [
      'rest',
      { spec: { at: '2024-01-01T00:00:00Zx' } },
      'spec.at',
      'parsing time "2024-01-01T00:00:00Zx": extra text: "x"',
    ],
    [
      'micro-time without its digits',
      { spec: { micro: '2024-01-01T00:00:00Z' } },
      'spec.micro',
      'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      'time as a number',
      { spec: { at: 5 } },
      'spec.at',
      'json: cannot unmarshal number into Go struct field PodSpec.spec.at of type string',
    ],
    [
      'quantity',
      { spec: { amount: { cpu: 'lots' } } },
      'spec.amount.cpu',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'int or string',
      { spec: { port: true } },
      'spec.port',
      'json: cannot unmarshal bool into Go struct field PodSpec.spec.port of type int32',
    ],
    [
      'an invalid quantity, before earlier errors',
      { spec: { replicas: 'y', port: true } },
      'spec.port',
      'json: cannot unmarshal bool into Go struct field PodSpec.spec.port of type int32',
    ],
    ['base64', { spec: { key: 'not base64!' } }, 'spec.key', 'illegal base64 data at input byte 3'],
    ['truncated base64', { spec: { key: 'YWJ' } }, 'spec.key', 'illegal base64 data at input byte 0'],
    ['base64 with trailing data', { spec: { key: 'YQ==YQ==' } }, 'spec.key', 'illegal base64 data at input byte 4'],
    ['base64 with half its padding', { spec: { key: 'YQ=' } }, 'spec.key', 'illegal base64 data at input byte 3'],
    [
      'base64 as a number',
      { spec: { key: 1 } },
      'spec.key',
      'json: cannot unmarshal number into Go struct field PodSpec.spec.key of type []uint8',
    ],
    ['a value that is no object', [], '', 'json: cannot unmarshal array into Go value of type v1.Pod'],
  ])('%s', (_name, input, path, message) => {
    let caught: unknown;
    try {
      read(input as JsonValue);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(DecodeTypeError);
    expect(caught).toMatchObject({ path, message });
  });
});

test('decoding a decoded value changes nothing', () => {
  const containers = fc.array(
    fc.record({ name: fc.string(), image: fc.option(fc.string()), extra: fc.jsonValue() }, { requiredKeys: [] }),
  );
  const objects = fc.record(
    {
      spec: fc.record(
        { containers, replicas: fc.integer({ min: -5, max: 5 }), raw: fc.jsonValue(), big: fc.maxSafeInteger() },
        { requiredKeys: [] },
      ),
      data: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(objects, (input) => {
      const frozen = JSON.stringify(input);
      const once = read(input as JsonValue).object;
      expect(JSON.stringify(input)).toBe(frozen);
      const twice = read(once as JsonValue);
      expect(JSON.stringify(twice.object)).toBe(JSON.stringify(once));
      expect(twice.unknownFields).toEqual([]);
    }),
  );
});

test('base64 is accepted exactly if encoding restores it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (raw) => {
      const text = btoa(String.fromCharCode(...raw));
      expect((spec({ key: text }) as { key?: string }).key ?? '').toBe(text);
    }),
  );
});

test('a copy shares nothing with its input', () => {
  const input = { raw: { a: [1] } };
  const copy = spec(input) as { raw: { a: number[] } };
  copy.raw.a.push(2);
  expect(input.raw.a).toEqual([1]);
});

test('metadata can be decoded alone', () => {
  expect(readObject({ name: 'a', finalizers: [], ownerReferences: [{ uid: 'u' }] }, objectMetaSchema).object).toEqual({
    name: 'a',
    ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: 'u' }],
  });
});
