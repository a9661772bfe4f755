import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { GROUP, refusal, specOf, startWorld, version } from './world.js';

const open: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const path = `/apis/${GROUP}/v1/namespaces/default/widgets`;

test('errors show objects and lists as Go does, with sorted keys', async () => {
  await using world = await startWorld();
  const atomic: JsonSchemaProps = { ...open, 'x-kubernetes-map-type': 'atomic' };
  const fields: Record<string, JsonSchemaProps> = {
    one: { ...open, enum: [{ z: 1, a: '<' }] },
    set: { type: 'array', items: atomic, 'x-kubernetes-list-type': 'set' },
    lists: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
      'x-kubernetes-list-type': 'set',
    },
    map: {
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string' }, n: { type: 'integer' } }, required: ['k', 'n'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n', 'k'],
    },
    inner: { ...open, 'x-kubernetes-embedded-resource': true },
  };
  await world.define({ versions: [version('v1', specOf(fields))] });
  const widgets = world.kind().namespace('default');
  const problem = async (spec: JsonObject): Promise<string> =>
    (await refusal(widgets.create({ metadata: { name: 'w' }, spec }))).replace(/^.* is invalid: /, '');
  expect(await problem({ one: { b: 1, a: [true, null, 'x'], f: 1234567.5 } })).toBe(
    'spec.one: Unsupported value: map[string]interface {}{"a":[]interface {}{true, interface {}(nil), "x"}, "b":1, "f":1.2345675e+06}: supported values: "{\\"a\\":\\"\\\\u003c\\",\\"z\\":1}"',
  );
  const twice = { b: 1, a: 'x' };
  expect(await problem({ set: [twice, { a: 'x', b: 1 }] })).toBe(
    'spec.set[1]: Duplicate value: map[string]interface {}{"a":"x", "b":1}',
  );
  expect(await problem({ lists: [['a'], ['a']] })).toBe('spec.lists[1]: Duplicate value: []interface {}{"a"}');
  const item = { k: 'x', n: 1 };
  expect(await problem({ map: [item, item] })).toBe(
    'spec.map[1]: Duplicate value: map[string]interface {}{"k":"x", "n":1}',
  );
  expect(await problem({ inner: { apiVersion: ['v1'], kind: {} } })).toBe(
    '[spec.inner.apiVersion: Invalid value: []interface {}{"v1"}: must be a string, spec.inner.kind: Invalid value: map[string]interface {}{}: must be a string]',
  );
});

test('the errors of a scale show its values as Go does', async () => {
  await using world = await startWorld();
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  await world.define({ versions: [version('v1', undefined, { subresources: { scale } })] });
  const created = world.kind().namespace('default');
  expect(await refusal(created.create({ metadata: { name: 'w' }, spec: { replicas: { b: 1, a: ['x'] } } }))).toContain(
    '.spec.replicas accessor error: map[a:[x] b:1] is of the type map[string]interface {}, expected int64',
  );
});

test('text columns print values as Go does, and a date column an empty text as unknown', async () => {
  await using world = await startWorld();
  const column = (name: string, type: string, jsonPath: string) => ({ name, type, jsonPath });
  await world.define({
    versions: [
      version('v1', undefined, {
        additionalPrinterColumns: [
          column('Object', 'string', '.spec.object'),
          column('List', 'string', '.spec.list'),
          column('Small', 'string', '.spec.small'),
          column('Large', 'string', '.spec.large'),
          column('Whole', 'string', '.spec.whole'),
          column('Empty', 'date', '.spec.empty'),
          column('Zero', 'date', '.spec.zero'),
          column('Bad', 'date', '.spec.bad'),
          column('Beyond', 'string', '.spec.list[9]'),
          column('Word', 'string', '.spec[?(@.a > "x")]'),
          column('Last', 'string', '.metadata.name'),
        ],
      }),
    ],
  });
  const spec = {
    object: { z: '<&>', a: { c: '\u2028', b: 1.5 } },
    list: [{ b: 1, a: '"' }],
    small: 0.000001,
    large: 123456789.5,
    whole: 1000000000000,
    empty: '',
    zero: '0001-01-01T00:00:00Z',
    bad: 'x',
  };
  await world
    .kind()
    .namespace('default')
    .create({ metadata: { name: 'w' }, spec });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const expected = [
    'w',
    String.raw`{"a":{"b":1.5,"c":"\u2028"},"z":"\u003c\u0026\u003e"}`,
    String.raw`[{"a":"\"","b":1}]`,
    '1e-06',
    '1.234567895e+08',
    '1000000000000',
    '<unknown>',
    '<unknown>',
    '<invalid>',
    null,
    null,
    'w',
  ];
  expect(await world.http(path, { accept })).toMatchObject({ rows: [{ cells: expected }] });
  expect(await world.http(`${path}/w`, { accept })).toMatchObject({ rows: [{ cells: expected }] });
});
