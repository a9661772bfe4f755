import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  collectComponents,
  compileSchema,
  objectMetaSchema,
  openApiV2Definition,
  openApiV3Component,
  type OpenApiOptions,
} from '../../../src/machinery/index.js';
import * as words from '../../../src/machinery/schema/define/vocabulary.js';
import { kindOf } from './fixtures.js';

const { always, alwaysStruct, annotate, intOrString, optional, mapList, mapOf, microTime, omitted, quantity, struct } =
  words;

const options: OpenApiOptions = {
  extensionPrefix: 'x-kubernetes-',
  componentName: (name) => `io.example.${name}`,
  zeroDefaults: true,
};

const Port = struct(
  'Port',
  { port: always(1, words.int32()), protocol: omitted(2, z.string(), { default: 'TCP' }) },
  { description: 'a port', mapType: 'atomic' },
);
const Gadget = kindOf(
  struct(
    'Gadget',
    {
      spec: alwaysStruct(
        2,
        struct('GadgetSpec', {
          ports: omitted(1, mapList(Port, ['port'], { description: 'the ports' })),
          main: optional(2, Port, { description: 'the main port' }),
          target: optional(3, intOrString()),
          amounts: omitted(4, mapOf(quantity())),
          seen: optional(5, microTime()),
          note: annotate(z.string().nullable().optional(), { protoNumber: 6 }),
        }),
        { description: 'what is wanted' },
      ),
      raw: optional(3, z.looseObject({ a: z.string().optional() })),
    },
    { description: 'a gadget' },
  ),
  'Gadget',
);

const components = collectComponents([Gadget], options);
const v3 = (name: string) => openApiV3Component(components.get(`io.example.${name}`) ?? fail(), options);
const v2 = (name: string) => openApiV2Definition(components.get(`io.example.${name}`) ?? fail(), options);
const fail = (): never => {
  throw new Error('no such component');
};
const ref3 = (name: string) => ({ $ref: `#/components/schemas/io.example.${name}` });
const ref2 = (name: string) => ({ $ref: `#/definitions/io.example.${name}` });

test('every named type is a component', () => {
  expect([...components.keys()]).toEqual(
    [
      'FieldsV1',
      'Gadget',
      'GadgetSpec',
      'IntOrString',
      'ManagedFieldsEntry',
      'MicroTime',
      'ObjectMeta',
      'OwnerReference',
      'Port',
      'Quantity',
      'Time',
    ].map((name) => `io.example.${name}`),
  );
});

test('two types with one name are rejected', () => {
  const A = compileSchema(z.object({ one: struct('Same', { a: z.string() }), two: struct('Same', { b: z.string() }) }));
  expect(() => collectComponents([A], options)).toThrow('two types have the component name io.example.Same');
});

describe('version 3', () => {
  test('a kind', () => {
    expect(
      openApiV3Component(Gadget, options, { groupVersionKinds: [{ group: 'g', version: 'v1', kind: 'Gadget' }] }),
    ).toEqual({
      description: 'a gadget',
      type: 'object',
      properties: {
        kind: { type: 'string', description: expect.any(String) },
        apiVersion: { type: 'string', description: expect.any(String) },
        metadata: { allOf: [ref3('ObjectMeta')], default: {}, description: expect.any(String) },
        spec: { allOf: [ref3('GadgetSpec')], default: {}, description: 'what is wanted' },
        raw: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-group-version-kind': [{ group: 'g', kind: 'Gadget', version: 'v1' }],
    });
  });

  test('fields', () => {
    expect(v3('GadgetSpec')).toEqual({
      type: 'object',
      properties: {
        ports: {
          type: 'array',
          description: 'the ports',
          items: { allOf: [ref3('Port')], default: {} },
          'x-kubernetes-list-map-keys': ['port'],
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-patch-merge-key': 'port',
          'x-kubernetes-patch-strategy': 'merge',
        },
        main: { allOf: [ref3('Port')], description: 'the main port' },
        target: ref3('IntOrString'),
        amounts: { type: 'object', additionalProperties: ref3('Quantity') },
        seen: ref3('MicroTime'),
        note: { type: 'string', nullable: true },
      },
    });
  });

  test('a type has its own description and merge facts', () => {
    expect(v3('Port')).toEqual({
      description: 'a port',
      type: 'object',
      required: ['port'],
      properties: {
        port: { type: 'integer', format: 'int32', default: 0 },
        protocol: { type: 'string', default: 'TCP' },
      },
      'x-kubernetes-map-type': 'atomic',
    });
    expect(v3('Quantity')).toEqual({
      description: expect.any(String),
      oneOf: [{ type: 'string' }, { type: 'number' }],
    });
    expect(v3('MicroTime')).toMatchObject({ type: 'string', format: 'date-time' });
    expect(v3('IntOrString')).toMatchObject({
      format: 'int-or-string',
      oneOf: [{ type: 'integer' }, { type: 'string' }],
    });
  });

  test('metadata', () => {
    expect(openApiV3Component(objectMetaSchema, options)).toMatchObject({
      properties: {
        creationTimestamp: { allOf: [ref3('Time')] },
        labels: { type: 'object', additionalProperties: { type: 'string', default: '' } },
        finalizers: {
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
          items: { type: 'string', default: '' },
        },
        managedFields: {
          'x-kubernetes-list-type': 'atomic',
          items: { allOf: [ref3('ManagedFieldsEntry')], default: {} },
        },
      },
    });
  });

  test('constraints, for kinds without zero defaults', () => {
    const schema = compileSchema(
      z.object({
        a: z.string().min(1).max(2).regex(/^x/),
        b: z.number().int().gt(1),
        c: z.enum(['x']).default('x'),
        d: z.array(z.string()).max(3),
        e: z.string().nullable(),
      }),
    );
    expect(openApiV3Component(schema, { ...options, zeroDefaults: false })).toEqual({
      type: 'object',
      required: ['a', 'b', 'd', 'e'],
      properties: {
        a: { type: 'string', minLength: 1, maxLength: 2, pattern: '^x' },
        b: { type: 'integer', minimum: 1, exclusiveMinimum: true },
        c: { type: 'string', enum: ['x'], default: 'x' },
        d: { type: 'array', maxItems: 3, items: { type: 'string' } },
        e: { type: 'string', nullable: true },
      },
    });
  });

  test('an unnamed recursive type terminates', () => {
    const Tree = z.object({
      get kids() {
        return z.array(Tree).optional();
      },
    });
    const schema = compileSchema(z.object({ tree: Tree }));
    const nested = { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    expect(openApiV3Component(schema, options)).toEqual({
      type: 'object',
      required: ['tree'],
      properties: { tree: { type: 'object', properties: { kids: nested } } },
    });
  });
});

describe('version 2', () => {
  test('references stand beside descriptions; unsupported keywords are omitted', () => {
    expect(v2('GadgetSpec')).toMatchObject({
      properties: {
        ports: { items: ref2('Port') },
        main: { ...ref2('Port'), description: 'the main port' },
        note: {},
      },
    });
    expect(v2('Port')).toMatchObject({
      properties: { port: { type: 'integer', format: 'int32' }, protocol: { type: 'string' } },
    });
    expect(JSON.stringify([...components.keys()].map((name) => v2(name.slice('io.example.'.length))))).not.toMatch(
      /"(default|nullable|oneOf|allOf)":/,
    );
    expect(openApiV2Definition(Gadget, options)).toMatchObject({
      properties: { raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
  });
});
