import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { ObjectMeta } from '../../../src/foundation/objects/object.js';
import { defineResource, type InputOf, type ObjectOf } from '../../../src/registry/definition/definition.js';
import {
  always,
  alwaysStruct,
  int32,
  intOrString,
  optional,
  mapList,
  mapOf,
  omitted,
  struct,
  time,
} from '../../../src/machinery/schema/define/vocabulary.js';

const schema = struct('Gadget', {
  spec: alwaysStruct(
    2,
    struct('GadgetSpec', {
      name: always(1, z.string()),
      size: optional(2, int32()),
      labels: omitted(3, mapOf(z.string())),
      parts: omitted(4, mapList(struct('Part', { id: always(1, z.string()) }), ['id'])),
      port: optional(5, intOrString()),
      at: optional(6, time()),
      mode: z.enum(['auto', 'manual']).default('auto'),
    }),
  ),
});

const _Gadget = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
  schema: () => schema,
});

interface Spec {
  name: string;
  size?: number | undefined;
  labels?: Record<string, string> | undefined;
  parts?: { id: string }[] | undefined;
  port?: number | string | undefined;
  at?: string | undefined;
  mode: 'auto' | 'manual';
}

describe('types', () => {
  test('of fields', () => {
    expectTypeOf<z.output<typeof schema>>().toEqualTypeOf<{ spec?: Spec | undefined }>();
    expectTypeOf<z.output<typeof schema>>().not.toBeAny();
  });

  test('of objects', () => {
    type Object = ObjectOf<typeof _Gadget>;
    expectTypeOf<Object['metadata']>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<Object['kind']>().toEqualTypeOf<string>();
    expectTypeOf<Object['spec']>().toEqualTypeOf<Spec | undefined>();
  });

  test('of the input for a create', () => {
    type Input = InputOf<typeof _Gadget>;
    expectTypeOf<{ metadata: { name: string }; spec: { name: string } }>().toExtend<Input>();
    expectTypeOf<Input['kind']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<{ metadata: { name: string }; spec: { name: number } }>().not.toExtend<Input>();
    expectTypeOf<{ spec: { name: string } }>().not.toExtend<Input>();
  });
});
