/** The forms of schemas: JSON types that alternate, empty values, unknown fields, protobuf. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { planOf } from '../../../../src/server/codec/protobuf/proto-plan.js';
import { ProtobufWriter } from '../../../../src/foundation/encoding/protobuf-writer.js';
import { encodeHex } from '../../../../src/foundation/encoding/hex.js';
import { writeMessage } from '../../../../src/server/codec/protobuf/proto-encode.js';
import { ProtoEffort, readMessage } from '../../../../src/server/codec/protobuf/proto-decode.js';
import { atOnce, UNBOUNDED_WORK, type Steps } from '../../../../src/foundation/work/work.js';
import { defaultDecodeLimits } from '../../../../src/server/codec/codec.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { CustomResourceDefinition } from '../../../../src/kinds/builtin/index.js';
import { jsonSchemaType } from '../../../../src/kinds/builtin/apiextensions/json-schema-type.js';
import { readObject } from '../../../../src/machinery/schema/read/read-object.js';
import { ask, textOf } from '../../../server/ask.js';
import { kubernetes, schemaOf } from '../support.js';
import { definition, DEFINITIONS, TOKEN, world, type World } from './world.js';

/** Finds no envelope. */
function* none(): Steps<undefined> {
  return undefined;
}

const props = jsonSchemaType('x-kubernetes-');
const read = (schema: JsonObject): unknown => readObject(schema, props, { origin: 'builtin' }).object;

describe('a schema is read', () => {
  it.each<[string, JsonObject, object]>([
    [
      'with a schema or a boolean',
      { additionalProperties: { type: 'string' }, additionalItems: false },
      {
        additionalProperties: { type: 'string' },
        additionalItems: false,
      },
    ],
    [
      'with a schema or a list',
      { items: [{ type: 'string' }], not: { items: { type: 'string' } } },
      {
        items: [{ type: 'string' }],
        not: { items: { type: 'string' } },
      },
    ],
    [
      'with a schema or texts',
      { dependencies: { a: ['b'], c: { type: 'string' } } },
      {
        dependencies: { a: ['b'], c: { type: 'string' } },
      },
    ],
    [
      'without empty values, except where they mean something',
      {
        description: '',
        enum: [],
        minLength: 0,
        nullable: false,
        default: '',
        'x-kubernetes-preserve-unknown-fields': false,
      },
      {
        minLength: 0,
        default: '',
        'x-kubernetes-preserve-unknown-fields': false,
      },
    ],
    [
      'without null, except in an enumeration',
      { default: null, items: null, additionalProperties: null, enum: [null, 1] },
      { enum: [null, 1] },
    ],
    [
      'without lists that are empty, or of another type',
      { items: [], dependencies: { a: 5 } },
      { items: null, dependencies: { a: null } },
    ],
    [
      'deep inside',
      { properties: { a: { items: { properties: { b: { title: '', maxLength: 1 } } } } } },
      {
        properties: { a: { items: { properties: { b: { maxLength: 1 } } } } },
      },
    ],
  ])('%s', (_case, schema, expected) => {
    expect(read(schema)).toEqual(expected);
  });

  it.each<[string, JsonObject, string]>([
    ['a boolean or an object', { additionalProperties: 'yes' }, 'boolean or JSON schema expected'],
    [
      'a number',
      { minLength: 'a' },
      'json: cannot unmarshal string into Go struct field JSONSchemaProps.minLength of type int64',
    ],
    [
      'a number in an alternative, which is named by its place',
      { properties: { a: { items: { minLength: 'a' } } } },
      'json: cannot unmarshal string into Go struct field JSONSchemaProps.properties.items of type int64',
    ],
    [
      'a boolean, before other problems',
      { minLength: 'a', additionalProperties: 1 },
      'boolean or JSON schema expected',
    ],
  ])('and refused without %s', (_case, schema, problem) => {
    expect(() => read(schema)).toThrow(problem);
  });

  it('and tells its unknown fields, except below types that decode themselves', () => {
    const { object, unknownFields } = readObject(
      { a: 1, not: { b: 2 }, items: { c: 3, title: 't' }, additionalProperties: { d: 4 } },
      props,
      { origin: 'builtin' },
    );
    expect([object, unknownFields]).toEqual([
      { not: {}, items: { title: 't' }, additionalProperties: {} },
      ['a', 'not.b'],
    ]);
  });
});

describe('in protobuf', () => {
  const plan = planOf(props);
  const bytesOf = (schema: JsonObject): Uint8Array => {
    const writer = new ProtobufWriter();
    writeMessage(writer, schema, plan);
    return writer.finish();
  };

  it.each<[string, JsonObject, string]>([
    // Field 30, a message with allows = 1 and, for a schema, schema = 2.
    ['a boolean', { additionalProperties: true }, 'f201020801'],
    ['a boolean that is false', { additionalProperties: false }, 'f201020800'],
    // Field 8, a message with the text of the JSON.
    ['any JSON', { default: { a: 1 } }, '42090a077b2261223a317d'],
  ])('%s', (_case, schema, expected) => {
    const hex = encodeHex(bytesOf(schema));
    // Scalars that are not pointers are always written; they follow or precede the fields of interest.
    expect(hex.includes(expected)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    [
      'alternatives',
      {
        additionalProperties: { type: 'string' },
        additionalItems: false,
        items: { type: 'array', items: [{ type: 'a' }, { type: 'b' }] },
        dependencies: { a: ['b', 'c'], d: { type: 'string' } },
      },
    ],
    ['any JSON', { default: [1, { a: null }], example: 'x', enum: ['a', 1, null, { b: true }] }],
    ['pointers to empty values', { minLength: 0, maximum: 0, multipleOf: 0.5, $ref: '' }],
    [
      'vendor extensions',
      {
        'x-kubernetes-list-map-keys': ['a'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-validations': [{ rule: 'true', optionalOldSelf: false }],
      },
    ],
  ])('%s come back as they were', (_case, schema) => {
    const effort = new ProtoEffort(UNBOUNDED_WORK, Infinity);
    const context = { limits: defaultDecodeLimits, effort, envelope: none, depth: 1 };
    expect(atOnce(readMessage(bytesOf(schema), plan, context))).toEqual(schema);
  });
});

describe('served', () => {
  let own: World;
  beforeAll(async () => {
    own = await world();
  }, 300_000);
  afterAll(() => own[Symbol.asyncDispose]());

  test('a definition keeps its schema over protobuf', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'object', additionalProperties: { type: 'integer', default: 1 } },
        b: { type: 'array', items: { type: 'string', enum: ['x', 'y'], minLength: 0 }, default: ['x'] },
        c: { 'x-kubernetes-int-or-string': true },
      },
    };
    const created = await own.send('POST', DEFINITIONS, definition({ schema }));
    expect(created.status).toBe(201);
    const path = `${DEFINITIONS}/things.example.com`;
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const request = (method: string, headers: Record<string, string>, body?: Uint8Array) =>
      ask(own.test.server, method, path, { token: TOKEN, headers, ...(body === undefined ? {} : { body }) });
    const stored = textOf(await request('GET', {}));
    const answer = await request('GET', { accept: protobuf });
    expect(answer.headers['content-type']).toBe(protobuf);
    const replaced = await request('PUT', { 'content-type': protobuf }, answer.body as Uint8Array);
    expect([replaced.status, textOf(replaced)]).toEqual([200, stored]);
  });

  test('the names of extensions are those of the dialect', () => {
    const fields = (prefix: `x-${string}`) => [...(jsonSchemaType(prefix).properties?.keys() ?? [])];
    expect(fields('x-orch-').filter((name) => name.startsWith('x-'))).toEqual(
      fields('x-kubernetes-')
        .filter((name) => name.startsWith('x-'))
        .map((name) => name.replace('x-kubernetes-', 'x-orch-')),
    );
    expect(schemaOf(CustomResourceDefinition, kubernetes)).not.toBe(schemaOf(CustomResourceDefinition));
  });

  test('unknown fields of a schema are a warning, or an error', async () => {
    const body = definition({
      metadata: { name: 'odds.example.com' },
      names: { plural: 'odds' },
      schema: { type: 'object', properties: { a: { type: 'string', colour: 'red' } } },
    });
    const strict = await own.send('POST', `${DEFINITIONS}?fieldValidation=Strict`, body);
    expect([strict.status, strict.body['message']]).toEqual([
      400,
      expect.stringContaining(
        'strict decoding error: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.colour"',
      ),
    ]);
    const lenient = await own.send('POST', DEFINITIONS, body);
    expect([lenient.status, lenient.warnings]).toEqual([
      201,
      ['299 - "unknown field \\"spec.versions[0].schema.openAPIV3Schema.properties.a.colour\\""'],
    ]);
  });
});
