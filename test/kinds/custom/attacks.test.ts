import { unitsOf } from '../../support/units.js';
import { describe, expect, test } from 'vitest';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { definition, refusal, specOf, startWorld, version } from './world.js';

const WIDGETS = 'widgets.example.com';
const text = { type: 'string' } as const;

/** A schema of objects within each other. */
function nested(depth: number, leaf: JsonSchemaProps): JsonSchemaProps {
  let schema = leaf;
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

describe('a schema', () => {
  test('may be deep, and its objects too', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1', specOf({ a: nested(400, { ...text, default: 'x' }) }))] });
    let spec: object = {};
    for (let level = 0; level < 400; level += 1) spec = { a: spec };
    const widgets = world.kind().namespace('default');
    const created = await widgets.create({ metadata: { name: 'w' }, spec } as never);
    expect(JSON.stringify(created['spec'])).toContain('"x"');
  });

  test('may be wide', async () => {
    await using world = await startWorld();
    const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, text]));
    const units = await unitsOf(() => world.define({ versions: [version('v1', specOf(properties))] }));
    await world
      .kind()
      .namespace('default')
      .create({ metadata: { name: 'w' }, spec: { field7: 'a' } });
    expect(units).toBeLessThan(12_000_000);
  });

  test('of a definition with many versions is compiled only for those that are used', async () => {
    await using world = await startWorld();
    const versions = Array.from({ length: 100 }, (_, index) =>
      version(`v${index + 1}`, specOf({ [`f${index}`]: { ...text, pattern: '^a+$' } }), { storage: index === 0 }),
    );
    const units = await unitsOf(() => world.define({ versions }));
    await world
      .kind('Widget', 'example.com/v99')
      .namespace('default')
      .create({ metadata: { name: 'w' } });
    expect((await world.kind().list()).items).toHaveLength(1);
    expect(units).toBeLessThan(2_000_000);
  });

  test('may have fields that every object inherits', async () => {
    await using world = await startWorld();
    const properties = JSON.parse(
      '{"constructor":{"type":"string"},"__proto__":{"type":"string","default":"x"}}',
    ) as Record<string, JsonSchemaProps>;
    await world.define({ versions: [version('v1', specOf(properties))] });
    const widgets = world.kind().namespace('default');
    const spec = JSON.parse('{"constructor":"a","toString":"b"}') as object;
    const created = await widgets.create({ metadata: { name: 'w' }, spec } as never);
    expect(JSON.stringify(created['spec'])).toBe('{"constructor":"a","__proto__":"x"}');
  });
});

describe('a pattern', () => {
  test('that makes backtracking engines hang is linear', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1', specOf({ a: { ...text, pattern: '^(a+)+$' } }))] });
    const widgets = world.kind().namespace('default');
    const units = await unitsOf(async () => {
      expect(
        await refusal(widgets.create({ metadata: { name: 'w' }, spec: { a: `${'a'.repeat(50_000)}!` } })),
      ).toContain("spec.a in body should match '^(a+)+$'");
    });
    expect(units).toBeLessThan(7_000_000);
  });

  test('with features that are not linear is refused', async () => {
    await using world = await startWorld();
    const backReference = definition({ versions: [version('v1', specOf({ a: { ...text, pattern: '(a)\\1' } }))] });
    expect(await refusal(world.definitions.create(backReference))).toMatch(
      /^422 Invalid .*must be a valid regular expression/,
    );
  });

  test('with huge repetitions is refused', async () => {
    await using world = await startWorld();
    const bomb = definition({
      versions: [version('v1', specOf({ a: { ...text, pattern: '((a{1000}){1000}){1000}' } }))],
    });
    const units = await unitsOf(async () => {
      expect(await refusal(world.definitions.create(bomb))).toMatch(
        /^422 Invalid .*must be a valid regular expression/,
      );
    });
    expect(units).toBeLessThan(200_000);
  });
});

test('paths of columns, fields and scales do not reach inherited members', async () => {
  await using world = await startWorld();
  const schema = specOf({ a: text });
  const created = world.definitions.create(
    definition({
      versions: [
        version('v1', schema, {
          additionalPrinterColumns: [
            { name: 'Inherited', type: 'string', jsonPath: '.spec.constructor' },
            { name: 'Prototype', type: 'string', jsonPath: '.__proto__.constructor' },
          ],
          subresources: {
            scale: { specReplicasPath: '.spec.__proto__.polluted', statusReplicasPath: '.status.constructor' },
          },
        }),
      ],
    }),
  );
  await created;
  await world.settled();
  const path = '/apis/example.com/v1/namespaces/default/widgets';
  await world
    .kind()
    .namespace('default')
    .create({ metadata: { name: 'w' }, spec: { a: 'b' } });
  const table = await world.http(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(table).toMatchObject({ rows: [{ cells: ['w', null, null] }] });
  await world.http(`${path}/w/scale`, {
    method: 'PUT',
    body: JSON.stringify({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'w' },
      spec: { replicas: 7 },
    }),
  });
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('an invalid path of a column ends the columns, as in Kubernetes', async () => {
  await using world = await startWorld();
  await world.definitions.create(
    definition({
      versions: [
        version('v1', specOf({ a: text }), {
          additionalPrinterColumns: [
            { name: 'A', type: 'string', jsonPath: '.spec.a' },
            { name: 'Wrong', type: 'string', jsonPath: '.spec..*..*..*' },
            { name: 'Last', type: 'string', jsonPath: '.spec.a' },
          ],
        }),
      ],
    }),
  );
  await world.settled();
  await world
    .kind()
    .namespace('default')
    .create({ metadata: { name: 'w' }, spec: { a: 'b' } });
  const table = await world.http('/apis/example.com/v1/namespaces/default/widgets', {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  });
  expect(table).toMatchObject({
    columnDefinitions: [{ name: 'Name' }, { name: 'A' }],
    rows: [{ cells: ['w', 'b'] }],
  });
});

describe('a rule', () => {
  test('whose estimated cost is too high is refused', async () => {
    await using world = await startWorld();
    const list: JsonSchemaProps = { type: 'array', items: { type: 'array', items: { type: 'array', items: text } } };
    const rule = 'self.all(x, x.all(y, y.all(z, self.all(a, a.all(b, b.all(c, c == z))))))';
    const bomb = definition({
      versions: [version('v1', specOf({ list: { ...list, 'x-kubernetes-validations': [{ rule }] } }))],
    });
    const units = await unitsOf(async () => {
      expect(await refusal(world.definitions.create(bomb))).toContain(
        'estimated rule cost exceeds budget by factor of more than 100x',
      );
    });
    expect(units).toBeLessThan(1_200_000);
  });

  test('is stopped when it costs too much at run time', async () => {
    await using world = await startWorld();
    const rule = 'self.all(x, self.all(y, self.all(z, x + y + z != "")))';
    await world.define({
      versions: [
        version(
          'v1',
          specOf({
            list: {
              type: 'array',
              maxItems: 80,
              items: { ...text, maxLength: 5 },
              'x-kubernetes-validations': [{ rule }],
            },
          }),
        ),
      ],
    });
    const widgets = world.kind().namespace('default');
    const list = Array.from({ length: 80 }, (_, index) => `x${index}`);
    const units = await unitsOf(async () => {
      expect(await refusal(widgets.create({ metadata: { name: 'w' }, spec: { list } }))).toContain('cost');
    });
    expect(units).toBeLessThan(40_000_000);
  });
});

test('defaults that multiply are bounded by the size of the definition and of the objects', async () => {
  await using world = await startWorld();
  const big = 'x'.repeat(10_000);
  await world.define({
    versions: [
      version(
        'v1',
        specOf({ list: { type: 'array', items: { type: 'object', properties: { a: { ...text, default: big } } } } }),
      ),
    ],
  });
  const widgets = world.kind().namespace('default');
  const units = await unitsOf(async () => {
    const list = Array.from({ length: 2000 }, () => ({}));
    await widgets.create({ metadata: { name: 'w' }, spec: { list } }).catch(() => undefined);
  });
  expect(units).toBeLessThan(3_000_000);
  await world.definitions.delete(WIDGETS);
  await world.settled();
});
