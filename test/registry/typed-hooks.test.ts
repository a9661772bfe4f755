import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  ApiError,
  defineAdmissionPlugin,
  defineResource,
  statusSubresource,
  type ObjectOf,
  type ResourceDefinition,
} from '../../src/entries/index.js';
import { invalid } from '../../src/foundation/errors/field-error.js';
import { startTestServer } from '../../src/entries/testing.js';

const fields = () =>
  z.object({
    spec: z.object({
      color: z.enum(['red', 'green']),
      size: z.number().int().default(1),
      notes: z.unknown(),
      parts: z.array(z.object({ name: z.string() })).optional(),
    }),
    status: z.object({ phase: z.string() }).optional(),
  });

const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;

/** The stored version. */
const Widget = defineResource({
  ...names,
  version: 'v1',
  schema: fields,
  subresources: { status: statusSubresource },
  columns: [
    { name: 'Name', type: 'string', format: 'name', cell: ({ metadata }) => metadata.name ?? '' },
    { name: 'Size', type: 'integer', cell: ({ spec }) => (expectTypeOf(spec.size).toEqualTypeOf<number>(), spec.size) },
    // @ts-expect-error -- a list is not a cell
    { name: 'Parts', type: 'string', cell: ({ spec }) => spec.parts },
  ],
  selectableFields: {
    'spec.color': ({ spec }) => (expectTypeOf(spec.color).toEqualTypeOf<'red' | 'green'>(), spec.color),
    // @ts-expect-error -- the field is misspelt
    'spec.colour': ({ spec }) => spec.colour as string,
  },
  strategy: {
    prepareForCreate(object) {
      // @ts-expect-error -- the spec has not been validated yet
      if (object.spec.color === 'green') object.spec.size = 7;
    },
    validate(object, _context, old) {
      expectTypeOf(object).toEqualTypeOf<ObjectOf<typeof Widget>>();
      expectTypeOf(old).toEqualTypeOf<ObjectOf<typeof Widget> | undefined>();
      return (object.spec.parts ?? []).some(({ name }) => name === object.metadata.name)
        ? [invalid('spec.parts', object.metadata.name ?? '', 'must not name the widget')]
        : [];
    },
    validateUpdate: (object, old) =>
      object.spec.color === old.spec.color ? [] : [invalid('spec.color', object.spec.color, 'field is immutable')],
  },
});

/** An older version, with the color in another place. */
const OldWidget = defineResource({
  ...names,
  version: 'v1beta1',
  schema: () => z.object({ color: z.enum(['red', 'green']), size: z.number().int().default(1) }),
  conversion: {
    hub: Widget,
    toHub: ({ metadata, color, size }) => ({ metadata, spec: { color, size, notes: null } }),
    fromHub: ({ metadata, spec }) => ({ metadata, color: spec.color, size: spec.size }),
  },
});

const Sum = defineResource({
  ...names,
  version: 'v1',
  kind: 'Sum',
  plural: 'sums',
  schema: () => z.object({ terms: z.array(z.number()), sum: z.number().optional() }),
  perform: (object) => ({ ...object, sum: object.terms.reduce((sum, term) => sum + term, 0) }),
});

describe('the hooks of a kind', () => {
  test('receive objects in the type of its schema, and a kind of any type is a kind', () => {
    expectTypeOf(Widget).toExtend<ResourceDefinition>();
    expectTypeOf<ResourceDefinition[]>([Widget, OldWidget, Sum]).toBeArray();
  });

  test('convert without casts; apiVersion and kind are set by the server', async () => {
    await using running = await startTestServer({
      resources: [Widget, OldWidget],
      runtimeConfig: 'shop.example/v1beta1=true',
    });
    const old = await running.client
      .resource(OldWidget)
      .namespace('default')
      .create({ metadata: { name: 'w' }, color: 'red', size: 3 });
    expect([old.apiVersion, old.kind, old.color, old.size]).toEqual(['shop.example/v1beta1', 'Widget', 'red', 3]);
    const stored = await running.client.resource(Widget).namespace('default').get('w');
    expect([stored.apiVersion, stored.kind, stored.spec]).toEqual([
      'shop.example/v1',
      'Widget',
      { color: 'red', size: 3, notes: null },
    ]);
  });

  test('perform', async () => {
    await using running = await startTestServer({ resources: [Sum] });
    expect(
      (
        await running.client
          .resource(Sum)
          .namespace('default')
          .create({ metadata: {}, terms: [1, 2] })
      ).sum,
    ).toBe(3);
    const wrong = () =>
      defineResource({
        ...names,
        version: 'v1',
        kind: 'Sum',
        plural: 'sums',
        schema: () => z.object({ terms: z.array(z.number()) }),
        // @ts-expect-error -- the answer is of the kind
        perform: (object) => ({ ...object, terms: 'many' }),
      });
    expect(wrong).not.toThrow();
  });

  test('validate only what the schema accepts: a hook never receives another type', async () => {
    await using running = await startTestServer({ resources: [Widget] });
    const widgets = running.client.resource(Widget).namespace('default');
    for (const spec of [{ color: 'red', parts: 'none' }, { color: 'red', parts: [null] }, null, 'red']) {
      await expect(
        widgets.create({ metadata: { name: 'w' }, spec: spec as never }),
        JSON.stringify(spec),
      ).rejects.toMatchObject({ reason: 'Invalid', code: 422 });
    }
    const made = await widgets.create({ metadata: { name: 'w' }, spec: { color: 'green', notes: [[{}]] } });
    expect(made.spec.size).toBe(7);
    await expect(widgets.update({ ...made, spec: { ...made.spec, parts: 'none' } as never })).rejects.toMatchObject({
      code: 422,
    });
    await expect(widgets.update({ ...made, spec: { ...made.spec, color: 'red' } })).rejects.toMatchObject({
      message: expect.stringContaining('spec.color: Invalid value: "red": field is immutable') as string,
    });
  });
});

describe('an admission plugin for given kinds', () => {
  test('receives their objects in their types, and is not called for others', async () => {
    const seen: string[] = [];
    const plugin = defineAdmissionPlugin({
      name: 'Widgets',
      kinds: [Widget],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      mutate({ operation, object }) {
        expectTypeOf(object).toBeNullable();
        if (operation === 'CREATE')
          object.metadata.labels = { ...object.metadata.labels, color: object.spec?.color ?? 'none' };
      },
      validate(attributes) {
        if (attributes.operation === 'UPDATE') expectTypeOf(attributes.oldObject.spec.size).toEqualTypeOf<number>();
        seen.push(`${attributes.operation} ${attributes.object?.spec.size} ${attributes.oldObject?.spec.size}`);
      },
    });
    await using running = await startTestServer({ resources: [Widget, Sum], admission: { plugins: [plugin] } });
    const widgets = running.client.resource(Widget).namespace('default');
    const made = await widgets.create({ metadata: { name: 'w' }, spec: { color: 'red', notes: null } });
    expect(made.metadata.labels).toEqual({ color: 'red' });
    await running.client.resource(Sum).namespace('default').create({ metadata: {}, terms: [] });
    await widgets.update({ ...made, spec: { ...made.spec, size: 2 } });
    await widgets.delete('w');
    expect(seen).toEqual(['CREATE 1 undefined', 'UPDATE 2 1', 'DELETE undefined 2']);
  });

  test('with one operation needs no distinction', async () => {
    const plugin = defineAdmissionPlugin({
      name: 'Small',
      kinds: [Widget],
      operations: ['CREATE'],
      validate({ object }) {
        if (object.spec.size > 3) throw new ApiError({ message: 'too big', reason: 'Forbidden', code: 403 });
      },
    });
    await using running = await startTestServer({ resources: [Widget], admission: { plugins: [plugin] } });
    await expect(
      running.client
        .resource(Widget)
        .namespace('default')
        .create({ metadata: { name: 'w' }, spec: { color: 'red', size: 4, notes: null } }),
    ).rejects.toMatchObject({ code: 403 });
  });
});

describe('a transform that changes a type', () => {
  const kind = { ...names, version: 'v1' } as const;

  test('does not compile, and is rejected', () => {
    expect(() =>
      // @ts-expect-error -- a number is not what was sent
      defineResource({ ...kind, schema: () => z.object({ spec: z.object({ size: z.string().transform(Number) }) }) }),
    ).toThrow(
      'defineResource(Widget): the option schema changes the type of a value, but an object is stored as the client sent it: spec.size: a transform turns string into number; describe the type that is sent, and check it with refine',
    );
    expect(() =>
      defineResource({
        ...kind,
        // @ts-expect-error -- nor is a Date
        schema: () => z.object({ at: z.array(z.string().transform((text) => new Date(text))) }),
      }),
    ).toThrow('at[*]: a transform turns string into Date');
    expect(() => defineResource({ ...kind, schema: () => z.object({ size: z.coerce.number() }) })).toThrow(
      'size: coercion turns values of other types into number',
    );
    expect(() =>
      defineResource({
        ...kind,
        // @ts-expect-error -- a codec decodes
        schema: () => z.object({ size: z.codec(z.string(), z.number(), { decode: Number, encode: String }) }),
      }),
    ).toThrow('size: a transform turns string into number');
  });

  test('is accepted if it keeps the type, as are wrappers', () => {
    const schema = () =>
      z.object({
        name: z.string().trim(),
        upper: z.string().transform((text) => text.toUpperCase()),
        list: z.array(z.string()).readonly(),
        either: z.string().nullable().default(null),
        id: z.string().brand('id'),
      });
    expect(() => defineResource({ ...kind, schema })).not.toThrow();
  });
});
