import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { GROUP, refusal, specOf, startWorld, version } from './world.js';

const WIDGETS = 'widgets.example.com';
const text = { type: 'string' } as const;
const path = `/apis/${GROUP}/v1/namespaces/default/widgets`;

/** A world with the kind Widget, whose spec has fields. */
async function worldOf(properties: Record<string, JsonSchemaProps>, more: JsonSchemaProps = {}) {
  const world = await startWorld();
  await world.define({ versions: [version('v1', specOf(properties, more))] });
  const widgets = world.kind().namespace('default');
  let count = 0;
  return {
    ...world,
    widgets,
    /** Creates a widget, and returns its spec. */
    create: async (spec: JsonObject): Promise<unknown> =>
      (await widgets.create({ metadata: { name: `w-${(count += 1)}` }, spec }))['spec'],
    /** The message of the refusal of a widget, without its start. */
    problem: async (spec: JsonObject): Promise<string> =>
      (await refusal(widgets.create({ metadata: { name: 'bad' }, spec }))).replace(/^.* is invalid: /, ''),
    [Symbol.asyncDispose]: () => world.close(),
  };
}

describe('the identity of objects', () => {
  const restricted: JsonSchemaProps = {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['Widget'] },
      metadata: {
        type: 'object',
        properties: {
          name: { type: 'string', pattern: '^w-', maxLength: 8 },
          generateName: { type: 'string', pattern: '-$' },
        },
      },
    },
  };

  test('is restricted by the root of the schema', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1', restricted)] });
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'w-1', labels: { a: 'b' } } });
    expect(await refusal(widgets.create({ metadata: { name: 'x-1' } }))).toBe(
      `422 Invalid Widget.example.com "x-1" is invalid: metadata.name: Invalid value: "x-1": metadata.name in body should match '^w-'`,
    );
    expect(await refusal(widgets.create({ metadata: { name: 'w-12345678' } }))).toBe(
      '422 Invalid Widget.example.com "w-12345678" is invalid: metadata.name: Too long: may not be longer than 8',
    );
    expect(await refusal(widgets.create({ metadata: { generateName: 'w.' } }))).toContain(
      `metadata.generateName: Invalid value: "w.": metadata.generateName in body should match '-$'`,
    );
    expect((await widgets.create({ metadata: { generateName: 'w-' } })).metadata.name).toMatch(/^w-.{5}$/);
  });

  test('is not checked again for an object that has it', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'other' } });
    await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', restricted)]));
    await widgets.patch('other', { metadata: { labels: { a: 'b' } } });
    expect((await widgets.get('other')).metadata.labels).toEqual({ a: 'b' });
  });
});

describe('values', () => {
  test('that are whole are integers, however they are written', async () => {
    await using world = await worldOf({ n: { type: 'integer' }, f: { type: 'number' } });
    const post = (name: string, value: string) =>
      world.http(path, {
        method: 'POST',
        body: `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"n":${value},"f":${value}}}`,
      });
    expect(await post('a', '2.0')).toMatchObject({ spec: { n: 2, f: 2 } });
    expect(await post('b', '2e3')).toMatchObject({ spec: { n: 2000, f: 2000 } });
    expect(await post('c', '2.5')).toMatchObject({
      code: 422,
      details: { causes: [{ message: 'Invalid value: "number": spec.n in body must be of type integer: "number"' }] },
    });
  });

  test('may be null where the schema allows it, and nulls elsewhere give way to defaults', async () => {
    await using world = await worldOf({
      a: { ...text, nullable: true },
      b: { ...text, default: 'x' },
      c: { ...text, nullable: true, default: 'x' },
      d: text,
    });
    expect(await world.create({ a: null, b: null, c: null, d: null })).toEqual({ a: null, b: 'x', c: null });
  });

  test('may be an integer or a string', async () => {
    await using world = await worldOf({ port: { 'x-kubernetes-int-or-string': true } });
    expect(await world.create({ port: 80 })).toEqual({ port: 80 });
    expect(await world.create({ port: 'http' })).toEqual({ port: 'http' });
    expect(await world.problem({ port: 1.5 })).toBe(
      'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
    );
  });

  test('get defaults in lists, maps and objects that are there', async () => {
    const item: JsonSchemaProps = { type: 'object', properties: { a: { ...text, default: 'x' }, b: text } };
    await using world = await worldOf({
      list: { type: 'array', items: item },
      map: { type: 'object', additionalProperties: item },
      object: item,
      given: { ...item, default: {} },
    });
    expect(await world.create({ list: [{}, { a: 'y' }], map: { k: {} } })).toEqual({
      list: [{ a: 'x' }, { a: 'y' }],
      map: { k: { a: 'x' } },
      given: { a: 'x' },
    });
  });

  test('are pruned down to a level that keeps unknown fields, and below its known fields', async () => {
    const known: JsonSchemaProps = { type: 'object', properties: { a: text } };
    await using world = await worldOf({
      strict: known,
      open: { type: 'object', properties: { known }, 'x-kubernetes-preserve-unknown-fields': true },
    });
    const value = { a: '1', extra: { deep: [1] } };
    expect(await world.create({ strict: value, open: { known: value, free: value }, more: 1 })).toEqual({
      strict: { a: '1' },
      open: { known: { a: '1' }, free: value },
    });
  });

  test('that are embedded objects have checked and pruned metadata', async () => {
    await using world = await worldOf({
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    });
    const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' }, unknown: 1 }, x: 1 };
    expect(await world.create({ template })).toEqual({
      template: { ...template, metadata: { name: 'p', labels: { a: 'b' } } },
    });
    expect(
      await world.problem({ template: { kind: 'Pod', metadata: { name: 'A B', labels: { 'a b': 'c' } } } }),
    ).toMatch(/spec\.template\.apiVersion: Required value: must not be empty.*spec\.template\.metadata\.labels/);
  });

  test('that are embedded objects keep all their metadata, whichever the schema declares', async () => {
    const embedded = (metadata: JsonSchemaProps): JsonSchemaProps => ({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { metadata },
    });
    await using world = await worldOf({
      plain: embedded({ type: 'object' }),
      short: embedded({ type: 'object', properties: { name: { type: 'string', maxLength: 3 } } }),
      filled: embedded({ type: 'object', default: {}, properties: { name: { type: 'string', default: 'x' } } }),
    });
    const type = { apiVersion: 'v1', kind: 'Pod' };
    const metadata = { labels: { a: 'b' }, unknown: 1 };
    const object = { ...type, metadata };
    const kept = { ...type, metadata: { labels: { a: 'b' } } };
    expect(await world.create({ plain: object, short: object, filled: object })).toEqual({
      plain: kept,
      short: kept,
      filled: { ...kept, metadata: { name: 'x', labels: { a: 'b' } } },
    });
    expect(await world.create({ filled: type })).toEqual({ filled: { ...type, metadata: { name: 'x' } } });
    expect(await world.problem({ short: { ...type, metadata: { name: 'long' } } })).toBe(
      'spec.short.metadata.name: Too long: may not be longer than 3',
    );
    for (const field of ['plain', 'short', 'filled'])
      expect(await world.problem({ [field]: { ...type, metadata: { labels: { a: 1 } } } })).toContain(
        'cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
      );
    const applied = world.widgets.apply(
      { metadata: { name: 'applied' }, spec: { plain: object } },
      { fieldManager: 'm' },
    );
    expect(await refusal(applied)).toContain('.spec.plain.metadata.unknown: field not declared in schema');
  });

  test('must match all, any, one or none of several schemas', async () => {
    await using world = await worldOf(
      { a: text, b: text },
      {
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        oneOf: [{ properties: { a: { minLength: 2 } } }, { properties: { b: { minLength: 3 } } }],
        not: { properties: { a: { enum: ['no'] } }, required: ['a'] },
        allOf: [{ properties: { b: { maxLength: 5 } } }],
      },
    );
    expect(await world.create({ a: 'x', b: 'yyy' })).toEqual({ a: 'x', b: 'yyy' });
    const start = '<nil>: Invalid value: "": "spec" must';
    expect(await world.problem({})).toContain(`${start} validate at least one schema (anyOf)`);
    expect(await world.problem({ a: 'xx', b: 'yyy' })).toContain(
      `${start} validate one and only one schema (oneOf). Found 2 valid alternatives`,
    );
    expect(await world.problem({ a: 'no', b: 'y' })).toContain(`${start} not validate the schema (not)`);
    expect(await world.problem({ a: 'x', b: 'yyyyyy' })).toContain(
      `${start} validate all the schemas (allOf). None validated`,
    );
  });
});

describe('the status', () => {
  test('is written alone, and the generation follows the rest', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1', undefined, { subresources: { status: {} } })] });
    const widgets = world.kind().namespace('default');
    const created = await widgets.create({ metadata: { name: 'w' }, spec: { a: 1 }, status: { b: 1 } });
    expect([created['status'], created.metadata.generation]).toEqual([undefined, 1]);
    const written = await widgets.updateStatus({ ...created, spec: { a: 2 }, status: { b: 2 } });
    expect(written).toMatchObject({ metadata: { generation: 1 }, spec: { a: 1 }, status: { b: 2 } });
    const labelled = await widgets.patch('w', { metadata: { labels: { a: 'b' } } });
    expect(labelled.metadata.generation).toBe(1);
    const changed = await widgets.patch('w', { spec: { a: 3 }, status: { b: 3 } });
    expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { a: 3 }, status: { b: 2 } });
  });

  test('is an ordinary field without the subresource', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'w' }, status: { b: 1 } });
    expect((await widgets.patch('w', { status: { b: 2 } })).metadata.generation).toBe(2);
    expect(await refusal(widgets.updateStatus(await widgets.get('w')))).toMatch(/^404/);
  });
});

describe('a stricter schema', () => {
  const item = (more: JsonSchemaProps): JsonSchemaProps => ({
    type: 'object',
    required: ['k'],
    properties: { k: text, v: { ...text, ...more } },
  });
  const fields = (more: JsonSchemaProps): Record<string, JsonSchemaProps> => ({
    a: { ...text, ...more },
    b: text,
    list: { type: 'array', items: item(more), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    atoms: { type: 'array', items: item(more) },
  });

  test('accepts values that it would refuse, as long as they stay', async () => {
    await using world = await worldOf(fields({}));
    const { widgets } = world;
    const spec = { a: 'long', b: 'x', list: [{ k: '1', v: 'long' }], atoms: [{ k: '1', v: 'long' }] };
    await widgets.create({ metadata: { name: 'w' }, spec });
    await world.change(WIDGETS, (changed) => {
      changed.versions = [version('v1', specOf(fields({ maxLength: 3 })))];
    });
    await widgets.patch('w', {
      spec: {
        b: 'y',
        list: [
          { k: '0', v: 'new' },
          { k: '1', v: 'long' },
        ],
      },
    });
    expect(await refusal(widgets.patch('w', { spec: { a: 'longer' } }))).toContain(
      'spec.a: Too long: may not be longer than 3',
    );
    expect(await refusal(widgets.patch('w', { spec: { list: [{ k: '2', v: 'long' }] } }))).toContain(
      'spec.list[0].v: Too long: may not be longer than 3',
    );
    expect(await refusal(widgets.patch('w', { spec: { atoms: [{ k: '0' }, { k: '1', v: 'long' }] } }))).toContain(
      'spec.atoms[1].v: Too long: may not be longer than 3',
    );
  });
});

test('unknown fields are ignored, reported or refused as the request says', async () => {
  await using world = await worldOf({ a: text });
  const warnings: string[] = [];
  const client = world.server.client({ onWarning: (warning) => void warnings.push(warning) });
  const widgets = client.resource({ apiVersion: `${GROUP}/v1`, kind: 'Widget' }).namespace('default');
  const create = (name: string, fieldValidation: 'Ignore' | 'Warn' | 'Strict') =>
    widgets.create({ metadata: { name }, spec: { a: '1', b: { c: 1 } } }, { fieldValidation });
  expect((await create('ignored', 'Ignore'))['spec']).toEqual({ a: '1' });
  expect(warnings).toEqual([]);
  await create('warned', 'Warn');
  expect(warnings).toEqual(['unknown field "spec.b"']);
  expect(await refusal(create('strict', 'Strict'))).toContain('strict decoding error: unknown field "spec.b"');
});

test('stored garbage in metadata is coerced, and does not hide the object', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  await using world = await startWorld({ storage });
  await world.define({});
  const widget = (metadata: object): string =>
    `{"kind":"Widget","apiVersion":"${GROUP}/v1","metadata":${JSON.stringify(metadata)},"spec":{}}`;
  const key = (name: string): string => `/registry/${GROUP}/widgets/default/${name}`;
  await storage.create(key('a'), () =>
    widget({ name: 'a', namespace: 'default', uid: 'u', creationTimestamp: null, labels: { a: 1 }, unknown: true }),
  );
  await storage.create(key('b'), () => widget({ name: 'b', namespace: 'default', uid: 'v', finalizers: null }));
  const { items } = await world.kind().list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(items[0]?.metadata).not.toHaveProperty('unknown');
  expect(items[0]?.metadata).not.toHaveProperty('labels');
});
