import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { kubernetes, orch } from '../../../src/foundation/dialect/dialect.js';
import { objectSchema } from '../../../src/machinery/index.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import { defaultDecodeLimits } from '../../../src/server/codec/codec.js';
import { machinerySchemas, objectMetaSchema } from '../../../src/server/codec/meta-schemas.js';
import {
  ProtoEffort,
  readMessage as readSteps,
  type ProtoDecodeContext,
} from '../../../src/server/codec/protobuf/proto-decode.js';
import { planOf, type MessagePlan } from '../../../src/server/codec/protobuf/proto-plan.js';
import { timeFromProto, timeToProto } from '../../../src/server/codec/protobuf/proto-time.js';
import { protobufSerializer, supportsProtobuf } from '../../../src/server/codec/protobuf/protobuf.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { goldenStep } from './golden.js';

/** Finds no envelope. */
function* none(): Steps<undefined> {
  return undefined;
}

const text: StructuralSchema = { type: 'string', presence: 'omit' };
const stringMap = (protoNumber: number, format?: string): StructuralSchema => ({
  type: 'object',
  presence: 'omit',
  protoNumber,
  additionalProperties: format === undefined ? text : { ...text, format },
});
const configMap: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  name: 'ConfigMap',
  properties: new Map([
    ['apiVersion', text],
    ['kind', text],
    ['metadata', { type: 'object', presence: 'always', properties: new Map() }],
    ['data', stringMap(2)],
    ['binaryData', stringMap(3, 'byte')],
    ['immutable', { type: 'boolean', presence: 'keep', protoNumber: 4 }],
  ]),
};

const child: StructuralSchema = {
  type: 'object',
  presence: 'omit',
  properties: new Map<string, StructuralSchema>([
    ['a', { ...text, protoNumber: 1 }],
    ['n', { type: 'integer', format: 'int32', presence: 'keep', protoNumber: 2 }],
  ]),
};
/** A schema with every type of field. */
const every: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  properties: new Map<string, StructuralSchema>([
    ['string', { ...text, protoNumber: 3 }],
    ['pointer', { ...text, presence: 'keep', protoNumber: 17 }],
    ['bytes', { ...text, format: 'byte', presence: 'keep', protoNumber: 4 }],
    ['int32', { type: 'integer', format: 'int32', presence: 'keep', protoNumber: 5 }],
    ['int64', { type: 'integer', format: 'int64', presence: 'keep', protoNumber: 6 }],
    ['bool', { type: 'boolean', presence: 'keep', protoNumber: 7 }],
    ['double', { type: 'number', presence: 'keep', protoNumber: 8 }],
    ['time', { ...text, format: 'date-time', presence: 'keep', protoNumber: 9 }],
    ['micro', { ...text, format: 'micro-time', presence: 'keep', protoNumber: 10 }],
    ['quantity', { ...text, format: 'quantity', presence: 'keep', protoNumber: 11 }],
    ['port', { type: 'int-or-string', presence: 'keep', protoNumber: 12 }],
    ['raw', { type: 'object', preserveUnknownFields: true, presence: 'keep', protoNumber: 13 }],
    ['child', { ...child, presence: 'keep', protoNumber: 14 }],
    ['children', { type: 'array', presence: 'omit', items: child, protoNumber: 15 }],
    ['numbers', { type: 'array', presence: 'omit', items: { type: 'integer', presence: 'omit' }, protoNumber: 16 }],
    ['map', stringMap(2)],
    [
      'extra',
      {
        type: 'object',
        presence: 'omit',
        protoNumber: 18,
        additionalProperties: { type: 'array', presence: 'omit', items: text },
      },
    ],
    ['verbs', { type: 'array', protoKind: 'message', presence: 'keep', items: text, protoNumber: 19 }],
    ['childMap', { type: 'object', presence: 'omit', protoNumber: 20, additionalProperties: child }],
  ]),
};

const lookup = (apiVersion: string, kind: string): StructuralSchema | undefined =>
  kind === 'ConfigMap' && apiVersion === 'v1' ? configMap : kind === 'Every' ? every : undefined;
const decoding = { kind: 'ConfigMap', schema: configMap, schemaFor: lookup };
const encoding = { pretty: false, schemaFor: lookup };
const serializer = protobufSerializer(kubernetes);
const encode = (object: JsonObject): Uint8Array => serializer.encode(object, encoding) as Uint8Array;
const decode = (body: Uint8Array): JsonValue => (serializer.decode(body, decoding) as { value: JsonValue }).value;
const fromBase64 = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'));
const hex = (body: Uint8Array): string => Buffer.from(body).toString('hex');

describe('recorded bytes', () => {
  it('writes a Status byte for byte', () => {
    const { recorded } = goldenStep('content', 'an error in protobuf');
    const status: JsonObject = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "absent" not found',
      reason: 'NotFound',
      details: { name: 'absent', kind: 'configmaps' },
      code: 404,
    };
    const { base64 } = recorded?.body as { base64: string };
    expect(Buffer.from(encode(status)).toString('base64')).toBe(base64);
    expect(decode(fromBase64(base64))).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "absent" not found',
      reason: 'NotFound',
      details: { name: 'absent', kind: 'configmaps' },
      code: 404,
    });
  });
  it('reads a ConfigMap', () => {
    const body = fromBase64(goldenStep('content', 'a body in protobuf, the answer in JSON').request?.base64 ?? '');
    expect(decode(body)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'from-protobuf' },
      data: { k: 'v' },
    });
  });
});

describe('form', () => {
  it('omits apiVersion and kind in the items of a list', () => {
    const schema = objectSchema({ kind: 'ConfigMap', schema: configMap });
    const body = serializer.encode(
      { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: [{ data: { k: 'v' } }] },
      { ...encoding, schemaFor: (_version, kind) => (kind === 'ConfigMap' ? schema : undefined) },
    ) as Uint8Array;
    expect(hex(body)).toContain('0a0012001a00121a0a10');
    expect(hex(body)).toContain('12060a016b120176');
    expect(hex(body)).not.toContain('02000200');
  });
  it('always writes scalars that are not pointers, in the order of their numbers', () => {
    const body = encode({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { b: '2', a: '' },
      immutable: false,
    });
    // Metadata: name, six empty strings and numbers, an empty creationTimestamp.
    const metadata = '0a0161' + '1200' + '1a00' + '2200' + '2a00' + '3200' + '3800' + '4200';
    const data = '1205' + '0a0161' + '1200' + '1206' + '0a0162' + '120132';
    const raw =
      `0a12${metadata}`.replace('0a12', `0a${(metadata.length / 2).toString(16).padStart(2, '0')}`) + data + '2000';
    expect(hex(body)).toContain(raw);
    expect(hex(body).startsWith('6b3873000a0f0a0276311209436f6e6669674d6170')).toBe(true);
    expect(hex(body).endsWith('1a002200')).toBe(true);
  });
  it('encodes a list without the types of its items', () => {
    const list: JsonObject = {
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '7', remainingItemCount: 3 },
      items: [{ metadata: { name: 'a' }, data: { k: 'v' } }, { metadata: { name: 'b' } }],
    };
    expect(decode(encode(list))).toEqual(list);
  });
  it('encodes metadata-only objects and lists in the meta group of the dialect', () => {
    const one: JsonObject = {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: { name: 'a', labels: { x: 'y' }, finalizers: ['f'], generation: 2 },
    };
    expect(decode(encode(one))).toEqual(one);
    const many: JsonObject = {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadataList',
      metadata: { continue: 'c' },
      items: [{ metadata: { name: 'a' } }],
    };
    expect(decode(encode(many))).toEqual(many);
  });
  it('encodes managed fields, owners and times', () => {
    const object: JsonObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        creationTimestamp: '2024-05-06T07:08:09Z',
        deletionTimestamp: '1969-12-31T23:59:59Z',
        deletionGracePeriodSeconds: 0,
        ownerReferences: [{ kind: 'Pod', name: 'p', uid: 'u', apiVersion: 'v1', controller: false }],
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'v1',
            time: '2024-05-06T07:08:09Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': {} },
          },
        ],
      },
    };
    expect(decode(encode(object))).toEqual(object);
  });
  it('encodes discovery, whose verbs are a message', () => {
    const object: JsonObject = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'v1',
      resources: [
        {
          name: 'configmaps',
          singularName: 'configmap',
          namespaced: true,
          kind: 'ConfigMap',
          verbs: ['get', 'list'],
          shortNames: ['cm'],
        },
      ],
    };
    expect(decode(encode(object))).toEqual(object);
    expect(machinerySchemas.has('APIGroupList')).toBe(true);
  });
  it('keeps __proto__ as a key of a map', () => {
    const labels = JSON.parse('{"__proto__":"x"}') as JsonObject;
    const value = decode(encode({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels } })) as {
      metadata: { labels: object };
    };
    expect(Object.keys(value.metadata.labels)).toEqual(['__proto__']);
  });
  it('rejects a Table or a kind without field numbers', () => {
    for (const [apiVersion, kind] of [
      ['meta.k8s.io/v1', 'Table'],
      ['example.com/v1', 'Rocket'],
    ] as const) {
      expect(() => encode({ apiVersion, kind })).toThrow(expect.objectContaining({ code: 406 }));
    }
    expect(supportsProtobuf(configMap)).toBe(true);
    expect(supportsProtobuf({ type: 'object', presence: 'keep', properties: new Map([['spec', text]]) })).toBe(false);
    expect(supportsProtobuf(undefined)).toBe(false);
  });
});

describe('round trips', () => {
  const optional = (shape: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> =>
    fc.record(shape, { requiredKeys: [] });
  const string = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const int32 = fc.integer();
  const date = fc.integer({ min: -62_000_000_000, max: 253_000_000_000 });
  const childValue = optional({ a: string, n: int32 });
  const value = optional({
    string,
    pointer: fc.string({ unit: 'grapheme' }),
    bytes: fc.uint8Array({ minLength: 1 }).map((body) => Buffer.from(body).toString('base64')),
    int32,
    int64: fc.maxSafeInteger(),
    bool: fc.boolean(),
    double: fc.double({ noNaN: true, noDefaultInfinity: true }),
    time: date.map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`),
    micro: fc
      .tuple(date, fc.integer({ min: 0, max: 999_999 }))
      .map(
        ([seconds, micros]) =>
          `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`,
      ),
    quantity: fc.constantFrom('1', '100m', '5Gi'),
    port: fc.oneof(int32, fc.string({ unit: 'grapheme' })),
    raw: fc.dictionary(fc.string(), fc.maxSafeInteger()),
    child: childValue,
    children: fc.array(childValue, { minLength: 1 }),
    numbers: fc.array(fc.maxSafeInteger(), { minLength: 1 }),
    map: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), { minKeys: 1 }),
    extra: fc.dictionary(string, fc.array(fc.string({ unit: 'grapheme' })), { minKeys: 1 }),
    verbs: fc.array(string),
    childMap: fc.dictionary(string, childValue, { minKeys: 1 }),
  });
  /** Sorted keys, and `-0` as `0`, which JSON does not distinguish. */
  const canonical = (of: JsonValue): string =>
    JSON.stringify(of, (_key, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    );
  it('of random values are identities', () => {
    fc.assert(
      fc.property(value, (spec) => {
        const object: JsonObject = { apiVersion: 'example.com/v1', kind: 'Every', metadata: { name: 'x' }, ...spec };
        expect(canonical(decode(encode(object)))).toBe(canonical(object));
      }),
      { numRuns: 300 },
    );
  });
  it('of random values are the same in steps that pause wherever they may', () => {
    fc.assert(
      fc.property(value, (spec) => {
        const object: JsonObject = { apiVersion: 'example.com/v1', kind: 'Every', metadata: { name: 'x' }, ...spec };
        expect(hex(inSteps(object).bytes)).toBe(hex(encode(object)));
      }),
      { numRuns: 300 },
    );
  });
  it('of times', () => {
    expect(timeToProto('2024-01-02T03:04:05.123456789+01:00', true)).toEqual({ seconds: 1704161045, nanos: 123456000 });
    expect(timeToProto('2024-01-02T03:04:05.9Z', false)).toEqual({ seconds: 1704164645, nanos: 0 });
    expect(timeToProto('soon', false)).toBeUndefined();
    expect(timeFromProto({ seconds: 1704164645, nanos: 5000 }, true)).toBe('2024-01-02T03:04:05.000005Z');
    expect(timeFromProto({ seconds: 1e15, nanos: 0 }, false)).toBeUndefined();
  });
});

/** Encodes an object in steps that pause wherever they may. */
function inSteps(object: JsonObject): {
  readonly bytes: Uint8Array;
  readonly pauses: number;
  readonly reserved: number;
} {
  let pauses = 0;
  let reserved = 0;
  const work: Work = { ...UNBOUNDED_WORK, spend: () => true, reserve: (bytes) => void (reserved += bytes) };
  const steps = serializer.steps?.(object, encoding, work);
  if (steps === undefined) throw new Error('no steps');
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { bytes: step.value, pauses, reserved };
    pauses += 1;
  }
}

describe('a large object', () => {
  const many = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

  it.each<[string, JsonObject]>([
    ['entries of a map', { map: Object.fromEntries(many(5_000).map((index) => [`k${index}`, 'v'])) }],
    ['items of a list', { children: many(5_000).map((n) => ({ a: 'b', n })) }],
    ['numbers', { numbers: many(5_000) }],
    ['members of a value without a schema', { raw: Object.fromEntries(many(5_000).map((n) => [`k${n}`, { n }])) }],
  ])('with many %s pauses among them', (_name, fields) => {
    const object = { apiVersion: 'example.com/v1', kind: 'Every', metadata: { name: 'x' }, ...fields };
    const { bytes, pauses, reserved } = inSteps(object);
    expect(hex(bytes)).toBe(hex(encode(object)));
    expect(pauses).toBeGreaterThan(4_000);
    // Its memory is reserved before it is made.
    expect(reserved).toBeGreaterThanOrEqual(bytes.length - 512);
  });
});

describe('malformed input', () => {
  const context = {
    limits: defaultDecodeLimits,
    effort: new ProtoEffort(UNBOUNDED_WORK, Infinity),
    envelope: none,
    depth: 1,
  } as const;
  const readMessage = (message: Uint8Array, plan: MessagePlan, given: ProtoDecodeContext) =>
    atOnce(readSteps(message, plan, given));
  const message = (hexText: string): string => {
    try {
      readMessage(Uint8Array.from(Buffer.from(hexText, 'hex')), planOf(every), context);
    } catch (error) {
      return (error as Error).message;
    }
    return 'no error';
  };
  it.each([
    ['1a', 'unexpected EOF'],
    ['1aff', 'unexpected EOF'],
    ['1affffffff0f', 'unexpected EOF'],
    ['1affffffffffffffffff01', 'unexpected EOF'],
    ['28ffffffffffffffffffff01', 'proto: integer overflow'],
    ['18', 'proto: wrong wireType = 0 for field string'],
    ['00', 'proto: illegal tag 0 (wire type 0)'],
    ['fb07', 'proto: illegal wireType 3'],
    ['30ffffffffffffff0f', 'no error'],
    ['280f', 'no error'],
    ['41000000000000f07f', 'json: unsupported value: +Inf'],
    ['4a0708ffffffffff7f', 'Time.MarshalJSON: year outside of range [0,9999]'],
  ])('%s: %s', (bytesOfMessage, expected) => {
    expect(message(bytesOfMessage)).toBe(expected);
  });
  it.each([
    ['3080808080808080808001', -(2n ** 63n)],
    ['30ffffffffffffffff7f', 2n ** 63n - 1n],
    ['308080808080808010', 2n ** 53n],
    ['30ffffffffffffff0f', 2 ** 53 - 1],
  ])('%s has the integer %s', (sent, int64) => {
    const object = readMessage(Uint8Array.from(Buffer.from(sent, 'hex')), planOf(every), context);
    expect(object).toEqual({ int64 });
    const whole = { apiVersion: 'v1', kind: 'Every', ...object, raw: { int64: [int64] } };
    expect(hex(encode(whole))).toContain(sent);
    expect(decode(encode(whole))).toEqual(whole);
  });
  it('reads packed numbers and skips unknown fields', () => {
    const bytesOfMessage = Uint8Array.from(Buffer.from('8201030102037a020a00a00601', 'hex'));
    expect(readMessage(bytesOfMessage, planOf(every), context)).toEqual({ numbers: [1, 2, 3], children: [{}] });
  });
  it('always gives a value or an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const body = Uint8Array.of(...kubernetes.protobufMagic, ...noise);
        try {
          decode(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 400 });
        }
      }),
      { numRuns: 500 },
    );
  });
  it('does not turn corrupted bytes into a crash', () => {
    const good = encode({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { a: 'b' } },
      data: { k: 'v' },
    });
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const body = good.slice();
        body[at] = byte;
        try {
          decode(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 400 });
        }
      }),
      { numRuns: 500 },
    );
  });
  it('rejects endless nesting of envelopes and messages', () => {
    const recursive: { type: 'object'; presence: 'keep'; properties: Map<string, StructuralSchema> } = {
      type: 'object',
      presence: 'keep',
      properties: new Map(),
    };
    recursive.properties.set('again', { ...recursive, protoNumber: 1 });
    let nested = new Uint8Array();
    for (let level = 0; level < 2000; level += 1) {
      const { length } = nested;
      const head = length < 128 ? [10, length] : [10, (length % 128) | 128, Math.floor(length / 128)];
      nested = Uint8Array.of(...head, ...nested);
    }
    expect(() => readMessage(nested, planOf(recursive), context)).toThrow('proto: exceeded max depth');
  });
  it('is refused with 413 when it has too many objects and lists', () => {
    // Each pair of bytes is an empty child.
    const children = Uint8Array.from(Buffer.from('7a00'.repeat(500), 'hex'));
    const limited = (containers: number): unknown =>
      readMessage(children, planOf(every), { ...context, effort: new ProtoEffort(UNBOUNDED_WORK, containers) });
    expect(limited(502)).toMatchObject({ children: expect.objectContaining({ length: 500 }) as unknown });
    expect(() => limited(501)).toThrow('the body has more than 501 objects and lists');
  });
  it('is refused with 413 when a map has more than 100,000 entries', () => {
    const withEntries = (count: number): JsonObject => ({
      ...{ apiVersion: 'example.com/v1', kind: 'Every', metadata: { name: 'x' } },
      map: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v'])),
    });
    expect(() => decode(encode(withEntries(100_000)))).not.toThrow();
    expect(() => decode(encode(withEntries(100_001)))).toThrow('the body has an object with more than 100000 members');
  });
  it('names the magic bytes, and an unknown kind', () => {
    expect(() => decode(new TextEncoder().encode('{}'))).toThrow(
      'does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
    expect(() => decode(new Uint8Array())).toThrow('empty data (<empty>)');
    const other = protobufSerializer(orch).encode(
      { apiVersion: 'meta.orch.io/v1', kind: 'PartialObjectMetadata', metadata: {} },
      encoding,
    ) as Uint8Array;
    expect(() => decode(other)).toThrow(
      'PartialObjectMetadata in version "v1" cannot be handled as a ConfigMap: no kind "PartialObjectMetadata" is registered for version "meta.orch.io/v1"',
    );
  });
});

it('metadata has the field numbers of Kubernetes', () => {
  expect([...planOf(objectMetaSchema).fields].map(({ name, number }) => `${number} ${name}`)).toEqual([
    '1 name',
    '2 generateName',
    '3 namespace',
    '4 selfLink',
    '5 uid',
    '6 resourceVersion',
    '7 generation',
    '8 creationTimestamp',
    '9 deletionTimestamp',
    '10 deletionGracePeriodSeconds',
    '11 labels',
    '12 annotations',
    '13 ownerReferences',
    '14 finalizers',
    '17 managedFields',
  ]);
});
