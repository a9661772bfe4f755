import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { GROUP, refusal, specOf, startWorld, version, type Version } from './world.js';

const text = { type: 'string' } as const;
const WIDGETS = 'widgets.example.com';
const status: Partial<Version> = { subresources: { status: {} } };

/** The part of a refusal after `is invalid: `. */
const problemsOf = async (request: Promise<unknown>): Promise<string> =>
  (await refusal(request)).replace(/^.* is invalid: /, '');

/** A world with the kind Widget, whose spec has fields. */
async function worldOf(properties: Record<string, JsonSchemaProps>) {
  const world = await startWorld();
  await world.define({ versions: [version('v1', specOf(properties))] });
  const widgets = world.kind().namespace('default');
  let count = 0;
  const create = async (spec: JsonObject): Promise<unknown> =>
    (await widgets.create({ metadata: { name: `w-${(count += 1)}` }, spec }))['spec'];
  return { ...world, widgets, create, [Symbol.asyncDispose]: () => world.close() };
}

describe('formats', () => {
  test('of numbers are not checked, nor unknown ones, and errors of other types name the type', async () => {
    await using world = await worldOf({
      small: { type: 'integer', format: 'int32' },
      float: { type: 'number', format: 'float' },
      odd: { ...text, format: 'odd' },
      amount: { ...text, format: 'quantity' },
    });
    const spec = { small: 99999999999, float: 1e300, odd: '', amount: 'much' };
    expect(await world.create(spec)).toEqual(spec);
    expect(await problemsOf(world.create({ small: true, float: {} }))).toBe(
      '[spec.small: Invalid value: "boolean": spec.small in body must be of type integer: "boolean", spec.float: Invalid value: "object": spec.float in body must be of type number: "object"]',
    );
  });

  test('of texts decide about texts and lists in place of the type', async () => {
    await using world = await worldOf({
      when: { ...text, format: 'date-time' },
      bytes: { ...text, format: 'byte' },
      link: { ...text, format: 'uri' },
      plain: { ...text, format: 'odd' },
    });
    const spec = { when: ['x'], bytes: [1], link: [] };
    expect(await world.create(spec)).toEqual(spec);
    expect(await problemsOf(world.create({ when: 5, bytes: {}, plain: [] }))).toBe(
      '[spec.when: Invalid value: "int64": spec.when in body must be of type date-time: "int64", spec.bytes: Invalid value: "": spec.bytes in body must be of type byte: "", spec.plain: Invalid value: "array": spec.plain in body must be of type string: "array"]',
    );
  });
});

describe('null', () => {
  const anyOf = [{ type: 'integer' }, { type: 'string' }];
  const port: JsonSchemaProps = { 'x-kubernetes-int-or-string': true, nullable: true, anyOf };
  const byAllOf: JsonSchemaProps = { 'x-kubernetes-int-or-string': true, nullable: true, allOf: [{ anyOf }] };

  test('is valid where the schema allows it, whatever the conditions on other values are', async () => {
    await using world = await worldOf({
      port,
      byAllOf,
      list: { type: 'array', items: port },
      map: { type: 'object', additionalProperties: byAllOf },
      not: { ...text, nullable: true, not: {} },
      one: { ...text, nullable: true, oneOf: [{ minLength: 1 }, { minLength: 2 }] },
    });
    const spec = { port: null, byAllOf: null, list: [1, null, 'a'], map: { a: null, b: 1 }, not: null, one: null };
    expect(await world.create(spec)).toEqual(spec);
    expect(await problemsOf(world.create({ port: 1.5 }))).toContain('must validate at least one schema (anyOf)');
    expect(await problemsOf(world.create({ not: 'a' }))).toContain('must not validate the schema (not)');
  });
});

test('an invalid number of members does not hide the errors of the members', async () => {
  await using world = await worldOf({
    many: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer' } },
    few: { type: 'object', minProperties: 2, properties: { a: text }, required: ['b'] },
  });
  expect(await problemsOf(world.create({ many: { a: 'x', b: 1 }, few: { a: 1 } }))).toBe(
    '[spec.many: Too many: 2: must have at most 1 items, spec.many.a: Invalid value: "string": spec.many.a in body must be of type integer: "string", spec.few: Invalid value: 1: spec.few in body should have at least 2 properties, spec.few.a: Invalid value: "integer": spec.few.a in body must be of type string: "integer", spec.few.b: Required value]',
  );
});

describe('a write to the status', () => {
  const schema: JsonSchemaProps = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { a: { type: 'array', items: { ...text, maxLength: 1 } } } },
      status: {
        type: 'object',
        properties: {
          ip: { ...text, format: 'ipv4' },
          size: { type: 'integer', maximum: 5, oneOf: [{ minimum: 1 }, { minimum: 2 }] },
          map: { type: 'object', additionalProperties: text },
        },
      },
    },
  };

  test('has texts whose paths start at the status, and names it for the errors of conditions', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1', schema, status)] });
    const widgets = world.kind().namespace('default');
    const created = await widgets.create({ metadata: { name: 'w' } });
    const bad = { ip: 'x', size: 9, map: { k: 1 } };
    const expected =
      '[status.ip: Invalid value: "x": ip in body must be of type ipv4: "x", ' +
      'status: Invalid value: "": "size" must validate one and only one schema (oneOf). Found 2 valid alternatives, ' +
      'status.size: Invalid value: 9: size in body should be less than or equal to 5, ' +
      'status.map.k: Invalid value: "integer": map.k in body must be of type string: "integer"]';
    const path = (name: string): string => `/apis/${GROUP}/v1/namespaces/default/widgets/${name}/status`;
    expect(await problemsOf(widgets.updateStatus({ ...created, status: bad }))).toBe(expected);
    expect(await problemsOf(widgets.patch('w', { status: bad }, { subresource: 'status' }))).toBe(expected);
    const json = [{ op: 'add' as const, path: '/status', value: bad }];
    expect(await problemsOf(widgets.patch('w', json, { subresource: 'status' }))).toBe(expected);
    expect(
      await problemsOf(
        widgets.apply({ metadata: { name: 'w' }, status: { size: 9 } }, { fieldManager: 'm', subresource: 'status' }),
      ),
    ).toBe(
      '[status: Invalid value: "": "size" must validate one and only one schema (oneOf). Found 2 valid alternatives, status.size: Invalid value: 9: size in body should be less than or equal to 5]',
    );
    const body = JSON.stringify({ ...created, status: bad });
    expect(await world.http(`${path('w')}?dryRun=All`, { method: 'PUT', body })).toMatchObject({
      message: `Widget.example.com "w" is invalid: ${expected}`,
    });
    expect(await problemsOf(widgets.updateStatus({ ...created, status: 'x' }))).toBe(
      'status: Invalid value: "string":  in body must be of type object: "string"',
    );
  });

  test('does not check the spec', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1', undefined, status)] });
    const widgets = world.kind().namespace('default');
    const created = await widgets.create({ metadata: { name: 'w' }, spec: { a: ['long', 1] } });
    await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', schema, status)]));
    expect((await widgets.updateStatus({ ...created, status: { size: 1 } }))['status']).toEqual({ size: 1 });
    expect(await problemsOf(widgets.patch('w', { spec: { a: ['long', 1, 'x'] } }))).toContain('spec.a[0]: Too long');
  });
});

describe('stored values that violate a newer schema', () => {
  const short = { ...text, maxLength: 1 };
  const item: JsonSchemaProps = { type: 'object', properties: { k: text, v: text }, required: ['k'] };
  const strictItem: JsonSchemaProps = { ...item, properties: { k: text, v: short } };
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } as const;
  const list = (items: JsonSchemaProps, more: JsonSchemaProps = {}): JsonSchemaProps => ({
    type: 'array',
    items,
    ...more,
  });

  /** Creates a widget by one schema, and returns the problems of a change by another; an empty text for none. */
  async function change(
    [before, after]: readonly [JsonSchemaProps, JsonSchemaProps],
    value: unknown,
    changed: unknown,
  ): Promise<string> {
    await using world = await worldOf({ f: before, other: text });
    const created = await world.widgets.create({ metadata: { name: 'w' }, spec: { f: value } as JsonObject });
    await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', specOf({ f: after, other: text }))]));
    const object = { ...created, spec: { f: changed, other: 'changed' } as JsonObject };
    const [put, dry] = await Promise.allSettled([
      world.widgets.update({ ...object, metadata: { name: 'w' } }, { dryRun: true }),
      world.widgets.patch('w', { spec: object.spec }, { dryRun: true }),
    ]);
    const textOf = (result: PromiseSettledResult<unknown>): string =>
      result.status === 'fulfilled' ? '' : String(result.reason).replace(/^.* is invalid: /, '');
    expect(textOf(dry)).toBe(textOf(put));
    return textOf(put);
  }

  const items = [
    { k: 'a', v: 'long' },
    { k: 'b', v: 'long' },
  ];
  const reversed = [...items].reverse();

  test.each<[string, JsonSchemaProps]>([
    ['without a type', {}],
    ['of type atomic', { 'x-kubernetes-list-type': 'atomic' }],
  ])('in items of a list %s are checked again when the list changes', async (_type, type) => {
    const schemas = [list(item, type), list(strictItem, type)] as const;
    expect(await change(schemas, items, items)).toBe('');
    expect(await change(schemas, items, [...items, { k: 'c' }])).toContain('spec.f[0].v: Too long');
    expect(await change(schemas, items, reversed)).toContain('spec.f[0].v: Too long');
  });

  test('in a set are checked again when the set changes', async () => {
    const set = { 'x-kubernetes-list-type': 'set' } as const;
    const schemas = [list(text, set), list(short, set)] as const;
    expect(await change(schemas, ['long', 'more'], ['long', 'more'])).toBe('');
    expect(await change(schemas, ['long', 'more'], ['more', 'long'])).toContain('spec.f[0]: Too long');
  });

  test('in items of a map list follow their keys', async () => {
    const schemas = [list(item, keyed), list(strictItem, keyed)] as const;
    expect(await change(schemas, items, reversed)).toBe('');
    expect(await change(schemas, items, [...reversed, { k: 'c' }])).toBe('');
    expect(await change(schemas, items, [{ k: 'c', v: 'long' }, ...items])).toBe(
      'spec.f[0].v: Too long: may not be longer than 1',
    );
  });

  test('are tolerated in a map list that is only reordered', async () => {
    const bounded = [list(item, keyed), list(item, { ...keyed, maxItems: 1 })] as const;
    expect(await change(bounded, items, reversed)).toBe('');
    expect(await change(bounded, items, [{ k: 'a' }, { k: 'b' }])).toContain('Too many');
    const conditional = [list(item, keyed), list(item, { ...keyed, anyOf: [{ maxItems: 1 }] })] as const;
    expect(await change(conditional, items, reversed)).toBe('');
    const around = (more: JsonSchemaProps): JsonSchemaProps => ({
      type: 'object',
      properties: { a: list(item, keyed), b: text },
      ...more,
    });
    const object = (a: unknown): unknown => ({ a, b: 'x' });
    const counted = [around({}), around({ maxProperties: 1 })] as const;
    expect(await change(counted, object(items), object(reversed))).toBe('');
    expect(await change(counted, object(items), object([...items, { k: 'c' }]))).toContain('Too many');
  });

  test('are checked again beside fields without a schema', async () => {
    const open = { type: 'object', properties: { a: text }, 'x-kubernetes-preserve-unknown-fields': true } as const;
    const schemas = [open, { ...open, required: ['c'] }] as const;
    expect(await change(schemas, { a: 'x' }, { a: 'x' })).toBe('');
    expect(await change(schemas, { a: 'x', b: 1 }, { a: 'x', b: 1 })).toBe('spec.f.c: Required value');
  });

  test('of the whole object are checked again', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'w' }, spec: {} });
    const stricter: JsonSchemaProps = { type: 'object', properties: { spec: { type: 'object' } }, required: ['other'] };
    await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', stricter)]));
    expect(await problemsOf(widgets.patch('w', { metadata: { labels: { a: 'b' } } }))).toBe('other: Required value');
  });

  test('are found in slices', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ k: `k${index}`, v: 'long' }));
    const schemas = [list(item, keyed), list(strictItem, { ...keyed, maxItems: 3000 })] as const;
    const moved = [...many.slice(1), many[0]];
    expect(await change(schemas, many, moved)).toBe('');
    expect(await change(schemas, many, [...moved.slice(1), { k: 'k1', v: 'other' }])).toBe(
      'spec.f[2999].v: Too long: may not be longer than 1',
    );
  });
});
