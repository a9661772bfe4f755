import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { schemaExtensions } from '../../../src/machinery/schema/openapi/json-schema.js';
import { structuralSchema } from '../../../src/machinery/schema/openapi/from-json-schema.js';
import { readObject, readSteps } from '../../../src/machinery/schema/read/read-object.js';
import { GROUP, specOf, startWorld, version } from './world.js';

const text = { type: 'string' } as const;
const open: JsonSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true };
const inner: JsonSchemaProps = { type: 'object', properties: { a: text } };
const item: JsonSchemaProps = { type: 'object', properties: { name: { ...text, default: 'x' }, inner } };

const fields: Record<string, JsonSchemaProps> = {
  list: { type: 'array', items: item, ...open },
  nested: { type: 'array', items: { type: 'array', items: item }, ...open },
  maps: { type: 'array', items: { type: 'object', additionalProperties: inner }, ...open },
  closed: { type: 'array', items: item },
  untyped: { ...open, properties: { inner, list: { type: 'array', items: inner, default: [{ a: 'd' }] } } },
};

const unknownItem = { name: 'n', b: 1, inner: { a: 'a', c: 1 } };
const keptItem = { name: 'n', b: 1, inner: { a: 'a' } };
const sent: JsonObject = {
  list: [unknownItem, { d: { e: 1 } }],
  nested: [[unknownItem]],
  maps: [{ k: { a: 'a', b: 1 } }],
  closed: [unknownItem],
  untyped: { b: 1, inner: { a: 'a', b: 1 } },
};
const kept = {
  list: [keptItem, { name: 'x', d: { e: 1 } }],
  nested: [[keptItem]],
  maps: [{ k: { a: 'a' } }],
  closed: [{ name: 'n', inner: { a: 'a' } }],
  untyped: { b: 1, inner: { a: 'a' }, list: [{ a: 'd' }] },
};
const unknown = [
  'spec.closed[0].b',
  'spec.closed[0].inner.c',
  'spec.list[0].inner.c',
  'spec.maps[0].k.b',
  'spec.nested[0][0].inner.c',
  'spec.untyped.inner.b',
];

const schema = structuralSchema(specOf(fields), schemaExtensions('x-kubernetes-'));

test('a list that preserves unknown fields keeps those of its items, and nothing below their declared fields', () => {
  const { object, unknownFields } = readObject({ spec: sent }, schema, { origin: 'user' });
  expect(object).toEqual({ spec: kept });
  expect(unknownFields).toEqual(unknown);
  expect(atOnce(readSteps({ spec: sent }, schema, { origin: 'user' }, UNBOUNDED_WORK))).toEqual({
    object,
    unknownFields,
  });
});

test('a value of another type in such a list is kept for validation', () => {
  const { object } = readObject({ spec: { list: [[{ f: 1 }]], closed: [[{ f: 1 }]] } }, schema);
  expect(object['spec']).toEqual({ list: [[{ f: 1 }]], closed: [[{}]] });
});

test('values of any type whose members are declared keep their other members', () => {
  const read = (untyped: never): unknown => readObject({ spec: { untyped } }, schema).object['spec'];
  expect(read('text' as never)).toEqual({ untyped: 'text' });
  expect(read([{ b: 1 }] as never)).toEqual({ untyped: [{ b: 1 }] });
});

test('every way of writing keeps them', async () => {
  await using world = await startWorld();
  await world.define({ versions: [version('v1', specOf(fields), { subresources: { status: {} } })] });
  const widgets = world.kind().namespace('default');
  const created = await widgets.create({ metadata: { name: 'a' }, spec: sent });
  expect(created['spec']).toEqual(kept);
  expect((await widgets.get('a'))['spec']).toEqual(kept);
  expect((await widgets.create({ metadata: { name: 'dry' }, spec: sent }, { dryRun: true }))['spec']).toEqual(kept);
  expect((await widgets.update({ ...created, spec: { list: [{ z: 1 }] } }))['spec']).toMatchObject({
    list: [{ name: 'x', z: 1 }],
  });
  expect((await widgets.patch('a', { spec: sent }))['spec']).toEqual(kept);
  const patched = await widgets.patch('a', [{ op: 'add', path: '/spec/list/0/y', value: 1 }]);
  expect(patched['spec']).toMatchObject({ list: [{ ...keptItem, y: 1 }, {}] });
  const path = `/apis/${GROUP}/v1/namespaces/default/widgets`;
  const body = JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'h' }, spec: sent });
  expect(await world.http(path, { method: 'POST', body })).toMatchObject({ spec: kept });
  const applied = await widgets.apply(
    { metadata: { name: 'applied' }, spec: { list: [keptItem] } },
    { fieldManager: 'm', fieldValidation: 'Strict' },
  );
  expect(applied['spec']).toMatchObject({ list: [keptItem] });
});
